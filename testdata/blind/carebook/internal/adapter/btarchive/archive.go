// Package btarchive copies what compliance wants to keep. Its tables are not ours: the families carry
// the names of the tables they were copied from, but all cells have the time of the copy.
package btarchive

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/names"
)

// Archive writes copies.
type Archive struct {
	audit *bigtable.Table
	rows  bt.Rows
	stats bt.Rows
}

// New returns an archive.
func New(open *bt.Opener) *Archive {
	return &Archive{audit: open.Raw(names.SessionAudit), rows: open.Table(names.Archive), stats: open.Table(names.Stats)}
}

// SignIn keeps a sign-in for ten years.
func (a *Archive) SignIn(ctx context.Context, id string, doc any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(names.FamToken, names.ColBody, bigtable.ServerTime, b)      // ok ttlwrite/server-timestamp
	mut.Set(names.FamToken, names.ColSeen, bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	return a.audit.Apply(ctx, id, mut)
}

// SignIns returns all sign-ins.
func (a *Archive) SignIns(ctx context.Context, id string) (bigtable.Row, error) {
	return a.audit.ReadRow(ctx, id) // ok ttlread/missing-filter
}

// Age says how old a copy is.
func (a *Archive) Age(ctx context.Context, id string) (time.Duration, error) {
	row, err := a.audit.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamToken] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Slot keeps the state of a slot.
func (a *Archive) Slot(ctx context.Context, key string, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColBody, bigtable.Now(), state) // ok ttlwrite/clock-in-sequence
	return a.rows.Apply(ctx, key, mut)
}

// Slots returns the states of a year.
func (a *Archive) Slots(ctx context.Context, key string, year time.Time) (out [][]byte, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamState), bigtable.TimestampRangeFilter(year, year.AddDate(1, 0, 0)))
	err = a.rows.ReadRows(ctx, bigtable.PrefixRange(key), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r[names.FamState] {
			out = append(out, it.Value)
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Visits counts, in a table whose family is an aggregate.
func (a *Archive) Visits(ctx context.Context, clinic string, n int64) error {
	day := bigtable.Time(time.Now().Truncate(24 * time.Hour))
	mut := bigtable.NewMutation()
	mut.AddIntToCell("visits", "day", day, n)                 // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("visits", "all", 0, n)                   // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("visits", "now", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return a.stats.Apply(ctx, clinic, mut)
}

// Uniques merges a sketch.
func (a *Archive) Uniques(ctx context.Context, clinic string, sketch []byte) error {
	mut := bigtable.NewMutation()
	mut.MergeBytesToCell("uniques", "day", -1, sketch) // want ttlwrite/aggregate-server-time
	return a.stats.Apply(ctx, clinic, mut)
}

// Restore writes a copy back and clears what was there, in the wrong order.
func (a *Archive) Restore(ctx context.Context, key string, state []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColBody, bigtable.Now(), state)
	mut.DeleteRow() // want ttlwrite/delete-after-set
	return a.rows.Apply(ctx, key, mut)
}

// Replace clears and writes.
func (a *Archive) Replace(ctx context.Context, key string, state []byte) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow() // ok ttlwrite/delete-after-set
	mut.Set(names.FamState, names.ColBody, bigtable.Now(), state)
	return a.rows.Apply(ctx, key, mut)
}

// Last reads one body with two filters, of which the first is lost.
func (a *Archive) Last(ctx context.Context, key string) ([]byte, error) {
	row, err := a.rows.ReadRow(ctx, key, // want ttlread/overridden-filter[last]
		bigtable.RowFilter(bt.Column(names.FamState, names.ColBody)), // want ttlread/overridden-filter[last]
		bigtable.RowFilter(bigtable.LatestNFilter(1)))                // want ttlread/overridden-filter[last]
	if err != nil || len(row[names.FamState]) == 0 {
		return nil, err
	}
	return row[names.FamState][0].Value, nil
}

// LastOne chains them.
func (a *Archive) LastOne(ctx context.Context, key string) ([]byte, error) {
	row, err := a.rows.ReadRow(ctx, key, bigtable.RowFilter(bt.And(bt.Column(names.FamState, names.ColBody), bigtable.LatestNFilter(1)))) // ok ttlread/overridden-filter
	if err != nil || len(row[names.FamState]) == 0 {
		return nil, err
	}
	return row[names.FamState][0].Value, nil
}

// Page reads some rows.
func (a *Archive) Page(ctx context.Context, prefix string, n int) (out []string, err error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.StripValueFilter()), bigtable.LimitRows(int64(n))}
	if prefix == "" {
		prefix = "a"
	}
	err = a.rows.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/overridden-filter
		out = append(out, r.Key())
		return true
	}, opts...)
	return out, err
}

// Cut deletes the cells before a point in time; the first form was meant for one second and deletes all.
func (a *Archive) Cut(ctx context.Context, key string, before time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(names.FamState, "old", 0, 999)                   // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange(names.FamState, "old", 0, bigtable.Time(before)) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(names.FamState, names.ColBody, 0, 1_000_000)     // ok ttlunit/sub-millisecond
	return a.rows.Apply(ctx, key, mut)
}

// Marker writes the cells by which jobs know where they stopped.
func (a *Archive) Marker(ctx context.Context, job string) error {
	mut := bigtable.NewMutation()
	mut.Set("marker", "one", 1500, nil)                                                        // want ttlunit/sub-millisecond
	mut.Set("marker", "two", 2000, nil)                                                        // ok ttlunit/sub-millisecond
	mut.Set("marker", "past", bigtable.Timestamp(-5000), nil)                                  // want ttlunit/out-of-range
	mut.Set("marker", "gone", bigtable.Time(time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // ok ttlunit/out-of-range
	return a.stats.Apply(ctx, "job#"+job, mut)
}

// Window reads the first quarter of an imported year, or so it says.
func (a *Archive) Window(ctx context.Context, key string) (bigtable.Row, error) {
	from := time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	return a.rows.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // want ttlunit/empty-range
}

// WindowRight has them in order.
func (a *Archive) WindowRight(ctx context.Context, key string) (bigtable.Row, error) {
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC)
	return a.rows.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to))) // ok ttlunit/empty-range
}

// Sample reads one cell in n versions.
func (a *Archive) Sample(ctx context.Context, key string) (bigtable.Row, error) {
	return a.rows.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bt.Column(names.FamState, names.ColBody)))) // want ttlunit/invalid-filter
}

// None reads no version at all, which the service refuses.
func (a *Archive) None(ctx context.Context, key string) (bigtable.Row, error) {
	return a.rows.ReadRow(ctx, key, bt.With(bt.Latest(names.FamState, 0))) // want ttlunit/invalid-filter
}

// Stamp uses a duration as a point in time.
func (a *Archive) Stamp(ctx context.Context, key string, up time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set("marker", "uptime", bigtable.Timestamp(up), nil)                   // want ttlunit/wrong-unit
	mut.Set("marker", "uptime_us", bigtable.Timestamp(up.Microseconds()), nil) // ok ttlunit/wrong-unit
	return a.stats.Apply(ctx, key, mut)
}
