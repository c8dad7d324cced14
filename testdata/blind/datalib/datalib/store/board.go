package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Board is what the displays show; Stops are the stops and what they report.
// Both have a family "state", and they are not alike.
type Board struct {
	board, stops *bigtable.Table
}

// NewBoard makes a store.
func NewBoard(s *tables.Set) *Board { return &Board{s.Board, s.Stops} }

// Show replaces a line of a display.
func (b *Board) Show(ctx context.Context, display, line, text string) error {
	m := bigtable.NewMutation()
	m.Set(schema.State, line, 0, []byte(text))                           // ok ttlwrite/already-expired
	write.PutString(m, schema.State, "all", bigtable.Timestamp(0), text) // ok ttlwrite/clock-in-zero
	return b.board.Apply(ctx, display, m)
}

// ShowNow replaces a line of a display.
func (b *Board) ShowNow(ctx context.Context, display, line, text string) error {
	m := bigtable.NewMutation()
	m.Set(schema.State, line, bigtable.Now(), []byte(text))             // want ttlwrite/clock-in-zero
	m.Set(schema.State, line+"-by", bigtable.ServerTime, []byte("ops")) // want ttlwrite/clock-in-zero
	return b.board.Apply(ctx, display, m)
}

// ShowFor should vanish by itself.
func (b *Board) ShowFor(ctx context.Context, display, text string) error {
	m := bigtable.NewMutation()
	write.PutString(m, schema.State, "notice", clock.In(time.Hour), text) // want ttlwrite/clock-in-zero
	return b.board.Apply(ctx, display, m)
}

// Pages counts what was shown.
func (b *Board) Pages(ctx context.Context, display string) error {
	return write.Bump(ctx, b.board, display, schema.State, "pages", 1) // want ttlwrite/read-modify-write
}

// Both writes a line twice.
func (b *Board) Both(ctx context.Context, display, x, y string) error {
	m := bigtable.NewMutation()
	m.Set(schema.State, "line", 0, []byte(x)) // ok ttlwrite/same-timestamp
	m.Set(schema.State, "line", 0, []byte(y)) // want ttlwrite/same-timestamp
	m.Set(schema.State, "next", 0, []byte(y)) // ok ttlwrite/same-timestamp
	return b.board.Apply(ctx, display, m)
}

// Text reads a display.
func (b *Board) Text(ctx context.Context, display string) ([]byte, error) {
	row, err := b.board.ReadRow(ctx, display) // ok ttlread/missing-filter
	return read.First(row, schema.State), err
}

// Blank is a test that deletes after it looks.
func (b *Board) Blank(ctx context.Context, display string) error {
	m := bigtable.NewMutation()
	m.Set(schema.State, "blank", 0, nil)                                                                      // ok ttlwrite/clock-in-zero
	return b.board.Apply(ctx, display, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.State), nil, m)) // ok ttlread/conditional-mutation
}

// Report writes what a stop reports.
func (b *Board) Report(ctx context.Context, stop string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.State, "lift", bigtable.Time(time.Now().Add(schema.StateTTL)), v) // ok ttlwrite/clock-in-zero
	m.Set(schema.State, "light", 0, v)                                             // want ttlwrite/already-expired
	m.Set(schema.State, "door", bigtable.Now(), v)                                 // want ttlwrite/write-time
	m.Set(schema.Info, "seen", bigtable.Now(), v)                                  // ok ttlwrite/write-time
	return b.stops.Apply(ctx, stop, m)
}

// ReportServer writes what a stop reports.
func (b *Board) ReportServer(ctx context.Context, stop string, v []byte) error {
	m := bigtable.NewMutation()
	write.Put(m, schema.State, "lamp", bigtable.ServerTime, v) // want ttlwrite/server-timestamp
	write.Put(m, schema.Info, "lamp", bigtable.ServerTime, v)  // ok ttlwrite/server-timestamp
	return b.stops.Apply(ctx, stop, m)
}

// Reports counts reports.
func (b *Board) Reports(ctx context.Context, stop string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Info, "reports", 1)  // ok ttlwrite/read-modify-write
	rmw.Increment(schema.State, "reports", 1) // want ttlwrite/read-modify-write
	_, err := b.stops.ApplyReadModifyWrite(ctx, stop, rmw)
	return err
}

// Lift reads one report.
func (b *Board) Lift(ctx context.Context, stop string) ([]byte, error) {
	row, err := b.stops.ReadRow(ctx, stop, read.Opt(read.LiveIn(schema.State), bigtable.ColumnFilter("lift"))) // ok ttlread/missing-filter
	return read.First(row, schema.State), err
}

// Door reads one report.
func (b *Board) Door(ctx context.Context, stop string) ([]byte, error) {
	row, err := b.stops.ReadRow(ctx, stop, read.Opt(read.Column(schema.State, "door"), read.Latest(1))) // want ttlread/missing-filter
	return read.First(row, schema.State), err
}

// Name reads what does not expire.
func (b *Board) Name(ctx context.Context, stop string) ([]byte, error) {
	row, err := b.stops.ReadRow(ctx, stop) // ok ttlread/missing-filter
	return read.First(row, schema.Info), err
}

// Whole hands the row on.
func (b *Board) Whole(ctx context.Context, stop string) (bigtable.Row, error) {
	return b.stops.ReadRow(ctx, stop, read.Opt(read.Latest(1))) // want ttlread/missing-filter
}

// Choose keeps the live reports, it thinks.
func (b *Board) Choose(ctx context.Context, stop string) ([]byte, error) {
	f := bigtable.ConditionFilter(read.LiveIn(schema.State), bigtable.FamilyFilter(schema.State), bigtable.FamilyFilter(schema.Info)) // want ttlread/unfiltered-branch[b1]
	row, err := b.stops.ReadRow(ctx, stop, bigtable.RowFilter(f))                                                                     // want ttlread/unfiltered-branch[b1]
	return read.First(row, schema.State), err
}

// ChooseLive keeps the live reports.
func (b *Board) ChooseLive(ctx context.Context, stop string) ([]byte, error) {
	f := bigtable.ConditionFilter(read.LiveIn(schema.State), read.LiveIn(schema.State), bigtable.FamilyFilter(schema.Info)) // ok ttlread/unfiltered-branch
	row, err := b.stops.ReadRow(ctx, stop, bigtable.RowFilter(f))                                                           // ok ttlread/unfiltered-branch
	return read.First(row, schema.State), err
}

// Modified dates a report.
func (b *Board) Modified(ctx context.Context, stop string) (modified time.Time, err error) {
	row, err := b.stops.ReadRow(ctx, stop, read.Opt(read.LiveIn(schema.State))) // ok ttlread/missing-filter
	for _, it := range row[schema.State] {
		modified = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return modified, err
}
