package bt

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Mut builds a mutation.
type Mut struct {
	m *bigtable.Mutation
	n int
}

// NewMut starts one.
func NewMut() *Mut { return &Mut{m: bigtable.NewMutation()} }

// Unwrap gives the client's mutation.
func (m *Mut) Unwrap() *bigtable.Mutation { return m.m }

// Put writes at the current time. This is what you want for ordinary families.
func (m *Mut) Put(family, column string, v []byte) *Mut {
	m.m.Set(family, column, bigtable.Now(), v) // ok ttlwrite/write-time
	m.n++
	return m
}

// PutServer lets the server choose the timestamp; the write is then not retried.
func (m *Mut) PutServer(family, column string, v []byte) *Mut {
	m.m.Set(family, column, bigtable.ServerTime, v) // ok ttlwrite/server-timestamp
	m.n++
	return m
}

// PutAt writes at t.
func (m *Mut) PutAt(family, column string, t time.Time, v []byte) *Mut {
	return m.PutTS(family, column, bigtable.Time(t), v)
}

// PutFor writes a value that expires d from now (expiring families only).
func (m *Mut) PutFor(family, column string, d time.Duration, v []byte) *Mut {
	return m.PutAt(family, column, time.Now().Add(d), v)
}

// PutShifted writes a value that lives d in a family whose default age is def.
func (m *Mut) PutShifted(family, column string, d, def time.Duration, v []byte) *Mut {
	return m.PutTS(family, column, bigtable.Time(time.Now().Add(d-def)), v)
}

// PutSeq writes revision n of a numbered family.
func (m *Mut) PutSeq(family, column string, n int64, v []byte) *Mut {
	return m.PutTS(family, column, bigtable.Timestamp(n*1000), v)
}

// PutOnly writes at timestamp zero, so that there is one version ever.
func (m *Mut) PutOnly(family, column string, v []byte) *Mut {
	return m.PutTS(family, column, 0, v)
}

// PutTS writes at a timestamp the caller has made.
func (m *Mut) PutTS(family, column string, ts bigtable.Timestamp, v []byte) *Mut {
	m.m.Set(family, column, ts, v)
	m.n++
	return m
}

// Del deletes a column.
func (m *Mut) Del(family, column string) *Mut {
	m.m.DeleteCellsInColumn(family, column)
	m.n++
	return m
}

// DelFamily deletes a family.
func (m *Mut) DelFamily(family string) *Mut {
	m.m.DeleteCellsInFamily(family)
	m.n++
	return m
}

// DelRow deletes the row.
func (m *Mut) DelRow() *Mut {
	m.m.DeleteRow()
	m.n++
	return m
}

// Swap replaces a column by a value that expires d from now: the deletion comes
// first, or an older value with a longer life would win.
func (m *Mut) Swap(family, column string, d time.Duration, v []byte) *Mut {
	return m.Del(family, column).PutFor(family, column, d, v)
}

// Stamp returns the expiry timestamp d from now.
func Stamp(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// NowStamp returns the current timestamp at the table's granularity.
func NowStamp() bigtable.Timestamp { return bigtable.Now().TruncateToMilliseconds() }

// Revision turns a revision number into a timestamp.
func Revision(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// RevisionOf is the inverse of Revision.
func RevisionOf(ts bigtable.Timestamp) int64 { return int64(ts) / 1000 }
