// Package expire has the small functions around lifetimes that the newer tools
// use instead of btx: they take what the caller knows, and fill in the rest.
package expire

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/schema"
)

// Clock tells the time.
type Clock interface{ Now() time.Time }

type system struct{}

func (system) Now() time.Time { return time.Now() }

// System is the clock of the machine.
var System Clock = system{}

// After is the timestamp of a cell that lives d; without d the server sets it,
// which is what ordinary families want.
func After(d time.Duration) bigtable.Timestamp {
	if d <= 0 {
		return bigtable.ServerTime
	}
	return bigtable.Time(time.Now().Add(d))
}

// At is the timestamp of a cell that lives until t, or for an hour.
func At(t time.Time) bigtable.Timestamp {
	if t.IsZero() {
		t = time.Now().Add(time.Hour)
	}
	return bigtable.Time(t)
}

// Or is ts, or the other one if nobody set ts.
func Or(ts, other bigtable.Timestamp) bigtable.Timestamp {
	if ts == bigtable.ServerTime || ts == 0 { // ok ttlage/server-sentinel
		return other
	}
	return ts
}

// PutToken writes a token that lives d. Callers outside this repository give
// what they have.
func PutToken(m *bigtable.Mutation, column string, d time.Duration, value []byte) {
	m.Set(schema.Token, column, After(d), value) // ok ttlwrite/server-timestamp // strict ttlwrite/server-timestamp
}

// PutTokenAt writes a token that lives until t.
func PutTokenAt(m *bigtable.Mutation, column string, t time.Time, value []byte) {
	m.Set(schema.Token, column, At(t), value) // ok ttlwrite/already-expired
}

// PutCode writes a code with the timestamp of the caller, who may leave it out.
func PutCode(m *bigtable.Mutation, column string, ts bigtable.Timestamp, value []byte) {
	m.Set(schema.Code, column, Or(ts, bigtable.Time(time.Now().Add(schema.CodeTTL))), value) // ok ttlwrite/server-timestamp
}

// Alive drops the items that have expired.
func Alive(items []bigtable.ReadItem, now time.Time) []bigtable.ReadItem {
	var live []bigtable.ReadItem
	for _, it := range items {
		if it.Timestamp.Time().After(now) { // ok ttlage/not-write-time
			live = append(live, it)
		}
	}
	return live
}

// Newest is the item with the highest timestamp.
func Newest(items []bigtable.ReadItem) (newest bigtable.ReadItem, ok bool) {
	for _, it := range items {
		if !ok || it.Timestamp > newest.Timestamp { // ok ttlage/not-write-time
			newest, ok = it, true
		}
	}
	return newest, ok
}

// Options builds read options step by step.
type Options struct {
	family  string
	live    bool
	newest  bool
	columns string
	limit   int64
}

// Read begins with everything.
func Read() *Options { return &Options{} }

// Family narrows to one family.
func (o *Options) Family(f string) *Options { o.family = f; return o }

// Live leaves dead cells out.
func (o *Options) Live() *Options { o.live = true; return o }

// Newest leaves all but the newest cell of a column out.
func (o *Options) Newest() *Options { o.newest = true; return o }

// Column narrows to columns.
func (o *Options) Column(re string) *Options { o.columns = re; return o }

// Limit bounds the number of rows.
func (o *Options) Limit(n int64) *Options { o.limit = n; return o }

// Build makes the options.
func (o *Options) Build() []bigtable.ReadOption {
	fs := []bigtable.Filter{bigtable.PassAllFilter()}
	if o.family != "" {
		fs = append(fs, bigtable.FamilyFilter(o.family))
	}
	if o.columns != "" {
		fs = append(fs, bigtable.ColumnFilter(o.columns))
	}
	if o.live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // ok ttlread/wrong-bound
	}
	if o.newest {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	if len(fs) == 1 {
		fs = append(fs, bigtable.PassAllFilter())
	}
	ro := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(fs...))} // ok ttlunit/invalid-filter
	if o.limit > 0 {
		ro = append(ro, bigtable.LimitRows(o.limit))
	}
	return ro
}
