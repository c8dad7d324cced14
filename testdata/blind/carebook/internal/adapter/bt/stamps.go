package bt

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/platform/clock"
)

// Stamp is the write time.
func Stamp() bigtable.Timestamp { return bigtable.Now() }

// ExpiresIn is the timestamp of a cell that dies d from now.
func ExpiresIn(c clock.Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(d))
}

// ExpiresAt is the timestamp of a cell that dies at t.
func ExpiresAt(t time.Time) bigtable.Timestamp {
	return bigtable.Time(t.UTC().Truncate(time.Millisecond))
}

// Shifted is the timestamp of a cell in a family that keeps cells for base, when this one shall live for lifetime.
func Shifted(c clock.Clock, lifetime, base time.Duration) bigtable.Timestamp {
	return bigtable.Time(c.Now().Add(lifetime - base))
}

// Seq is the timestamp of a number. Bigtable cuts timestamps to milliseconds, hence the factor.
func Seq(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

// Raw is for numbers that have their factor already.
func Raw(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }

// Number is the reverse of Seq.
func Number(it bigtable.ReadItem) int64 { return int64(it.Timestamp) / 1000 }

// When is an item's timestamp as a time.
func When(it bigtable.ReadItem) time.Time { return it.Timestamp.Time().UTC() }

// Cells wraps a mutation with the ways in which this code base writes.
type Cells struct {
	*bigtable.Mutation
	clock clock.Clock
}

// NewCells returns an empty mutation.
func NewCells(c clock.Clock) Cells { return Cells{bigtable.NewMutation(), c} }

// Expiring writes a cell that dies d from now.
func (m Cells) Expiring(family, column string, d time.Duration, v []byte) {
	m.Set(family, column, ExpiresIn(m.clock, d), v)
}

// Stamped writes a cell with the write time.
func (m Cells) Stamped(family, column string, v []byte) {
	m.Set(family, column, bigtable.Time(m.clock.Now()), v)
}

// Numbered writes a version of a cell.
func (m Cells) Numbered(family, column string, n int64, v []byte) {
	m.Set(family, column, Seq(n), v)
}

// Replacing deletes a column and writes it anew, for lives that may be shorter than the one before.
func (m Cells) Replacing(family, column string, ts bigtable.Timestamp, v []byte) {
	m.DeleteCellsInColumn(family, column)
	m.Set(family, column, ts, v)
}
