// Package archive copies finished runs to a table without expiry, and back.
package archive

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
)

const (
	archiveTable = "flow-archive"
	historyTable = "flow-history"
	auditTable   = "flow-audit"

	event  = "event"
	output = "output"
	lease  = "lease"
)

// Archive is the archive.
type Archive struct {
	cold, hist, audit bt.ReadWriter
	now               func() time.Time
}

// Open opens it.
func Open(c *bigtable.Client) *Archive {
	return &Archive{cold: c.Open(archiveTable), hist: c.Open(historyTable), audit: c.Open(auditTable), now: time.Now}
}

// Copy copies the events of a run.
func (a *Archive) Copy(ctx context.Context, run string) error {
	row, err := a.hist.ReadRow(ctx, run, bigtable.RowFilter(bt.In(event, bt.Newest(5)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for i, it := range row[event] {
		m.Set(event, fmt.Sprintf("%s-%d", it.Column, i), bigtable.Time(a.now()), it.Value) // ok ttlwrite/clock-in-sequence
	}
	m.Set(lease, "archived", bigtable.Now(), nil)       // ok ttlwrite/write-time
	m.Set(output, "archived", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	return a.cold.Apply(ctx, run, m)
}

// CopyAll copies whatever is in the history.
func (a *Archive) CopyAll(ctx context.Context, prefix string) error {
	var errs []error
	err := a.hist.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range row[event] {
			m.Set(event, it.Column, it.Timestamp, it.Value) // ok ttlwrite/clock-in-sequence
		}
		errs = append(errs, a.cold.Apply(ctx, row.Key(), m))
		return true
	})
	return errors.Join(append(errs, err)...)
}

// Restore copies a run back.
func (a *Archive) Restore(ctx context.Context, run string) error {
	row, err := a.cold.ReadRow(ctx, run) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for i, it := range row[event] {
		m.Set(event, it.Column, bigtable.Timestamp(len(row[event])-i), it.Value) // want ttlwrite/unscaled-sequence[restore]
	}
	if err := a.hist.Apply(ctx, run, m); err != nil { // want ttlwrite/unscaled-sequence[restore]
		return err
	}
	note := bigtable.NewMutation()
	note.Set(event, "restored", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
	return a.audit.Apply(ctx, run, note)
}

// RestoreScaled copies a run back, with numbers that last.
func (a *Archive) RestoreScaled(ctx context.Context, run string) error {
	row, err := a.cold.ReadRow(ctx, run)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	n := len(row[event])
	for i, it := range row[event] {
		m.Set(event, it.Column, bigtable.Timestamp((n-i)*1000), it.Value) // ok ttlwrite/unscaled-sequence
	}
	m.Set(event, "restored", bigtable.Time(a.now()), nil) // want ttlwrite/clock-in-sequence[restored]
	return a.hist.Apply(ctx, run, m)                      // want ttlwrite/clock-in-sequence[restored]
}

// Mark writes the same mark to both tables.
func (a *Archive) Mark(ctx context.Context, run string) error {
	mark := func(at bigtable.Timestamp) *bigtable.Mutation {
		m := bigtable.NewMutation()
		m.Set(event, "mark", at, []byte("archived"))
		return m
	}
	return errors.Join(
		a.audit.Apply(ctx, run, mark(bigtable.Now())),                        // ok ttlwrite/clock-in-sequence
		a.cold.Apply(ctx, run, mark(bigtable.ServerTime)),                    // ok ttlwrite/clock-in-sequence
		a.hist.Apply(ctx, run, mark(bigtable.Now())),                         // want ttlwrite/clock-in-sequence
		a.hist.Apply(ctx, run, mark(bigtable.Timestamp(math.MaxInt32)*1000)), // ok ttlwrite/unscaled-sequence
	)
}

// Window reads what was archived between two moments.
func (a *Archive) Window(ctx context.Context, from, to time.Time, f func(bigtable.Row) bool) error {
	return a.cold.ReadRows(ctx, bigtable.InfiniteRange(""), f,
		bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Time(from), bigtable.Time(to)))) // ok ttlread/wrong-bound // ok ttlread/upper-bound
}

// WindowUnix reads what was archived between two moments, given in seconds.
func (a *Archive) WindowUnix(ctx context.Context, from, to time.Time, f func(bigtable.Row) bool) error {
	start := bigtable.Timestamp(from.Unix())           // want ttlunit/wrong-unit
	end := bigtable.Timestamp(to.Unix() * 1000 * 1000) // ok ttlunit/wrong-unit
	return a.cold.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(start, end)))
}

// Later shifts a timestamp by d.
func Later(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts + bigtable.Timestamp(d) // want ttlunit/wrong-unit
}

// LaterMicros shifts a timestamp by d, in the right unit.
func LaterMicros(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts + bigtable.Timestamp(d.Microseconds()) // ok ttlunit/wrong-unit
}

// Age is the age of the archive's copy.
func (a *Archive) Age(ctx context.Context, run string) (time.Duration, error) {
	row, err := a.cold.ReadRow(ctx, run, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return 0, err
	}
	for _, it := range row[event] {
		return a.now().Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Nano marks a run with all the precision there is.
func (a *Archive) Nano(ctx context.Context, run string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(output, "nano", bigtable.Timestamp(at.UnixNano()), nil)        // want ttlunit/wrong-unit
	m.Set(output, "micro", bigtable.Timestamp(at.UnixNano()/1000), nil)  // ok ttlunit/wrong-unit
	m.Set(output, "milli", bigtable.Timestamp(at.UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
	return a.cold.Apply(ctx, run, m)
}

// First reads the very first versions.
func (a *Archive) First(ctx context.Context, f func(bigtable.Row) bool) error {
	return a.cold.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, 500))) // want ttlunit/sub-millisecond
}

// Never reads nothing, which took a day to find out.
func (a *Archive) Never(ctx context.Context, f func(bigtable.Row) bool) error {
	return a.cold.ReadRows(ctx, bigtable.InfiniteRange(""), f, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(5000, 2000))) // want ttlunit/empty-range
}

// None is a filter that the service rejects.
func (a *Archive) None(ctx context.Context, run string) error {
	_, err := a.cold.ReadRow(ctx, run, bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	return err
}
