// Package quota meters what subjects use of what they are entitled to.
package quota

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// ErrExceeded is returned when a quota is used up.
var ErrExceeded = errors.New("quota: exceeded")

// Limit is what a plan entitles to.
type Limit struct {
	Plan  string
	Units int64
	Every time.Duration
}

// Meter keeps limits and usage.
type Meter struct {
	base
	window time.Duration
}

// base is shared with the reporter.
type base struct {
	tbl bt.Table
	now bt.Clock
}

// NewMeter makes a Meter.
func NewMeter(tbl bt.Table) *Meter {
	return &Meter{base: base{tbl: tbl, now: time.Now}, window: schema.WindowTTL}
}

// bucket is the row of a subject's current window.
func (m *Meter) bucket(subject string) string {
	return subject + "#" + strconv.FormatInt(m.now().Truncate(m.window).Unix(), 10)
}

// SetLimit stores a limit. Limits are overwritten in place.
func (m *Meter) SetLimit(ctx context.Context, subject string, l Limit) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLimit, "plan", 0, []byte(l.Plan))                                // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamLimit, "units", bt.Epoch, be(l.Units))                           // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamLimit, "every", bigtable.Timestamp(0), []byte(l.Every.String())) // ok ttlwrite/clock-in-zero
	return m.tbl.Apply(ctx, subject, mut)
}

// Override raises a limit by hand.
func (m *Meter) Override(ctx context.Context, subject string, units int64, by string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLimit, "units", bigtable.Now(), be(units)) // want ttlwrite/clock-in-zero
	bt.PutString(mut, schema.FamLimit, "by", by, bt.InPlace())   // ok ttlwrite/clock-in-zero
	bt.PutString(mut, schema.FamLimit, "reason", "override")     // want ttlwrite/clock-in-zero
	return m.tbl.Apply(ctx, subject, mut)
}

// Limit reads a limit. There is one version, and it has no age.
func (m *Meter) Limit(ctx context.Context, subject string) (Limit, error) {
	row, err := m.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamLimit))) // ok ttlread/missing-filter
	if err != nil {
		return Limit{}, err
	}
	var l Limit
	for it := range bt.Cells(row, schema.FamLimit) {
		switch it.Column {
		case schema.FamLimit + ":plan":
			l.Plan = string(it.Value)
		case schema.FamLimit + ":units":
			l.Units = int64(binary.BigEndian.Uint64(it.Value))
		}
	}
	return l, nil
}

// Take uses n units.
func (m *Meter) Take(ctx context.Context, subject string, n int64) error {
	l, err := m.Limit(ctx, subject)
	if err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamWindow, "used", n) // want ttlwrite/read-modify-write
	row, err := m.tbl.ApplyReadModifyWrite(ctx, m.bucket(subject), rmw)
	if err != nil {
		return fmt.Errorf("take %s: %w", subject, err)
	}
	if it, ok := bt.First(row, schema.FamWindow, "used"); ok && int64(binary.BigEndian.Uint64(it.Value)) > l.Units {
		return ErrExceeded
	}
	return nil
}

// TakeRequest notes one request, each in a column of its own; sums are made
// when reading.
func (m *Meter) TakeRequest(ctx context.Context, subject, request string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamWindow, request, m.now.In(m.window), be(n)) // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, subject, mut)
}

// Used sums the live requests.
func (m *Meter) Used(ctx context.Context, subject string) (sum int64, err error) {
	row, err := m.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bt.In(schema.FamWindow, bt.LiveAt(m.now())))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for it := range bt.Cells(row, schema.FamWindow) {
		sum += int64(binary.BigEndian.Uint64(it.Value))
	}
	return sum, nil
}

// Reset empties the window of a subject.
func (m *Meter) Reset(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamWindow)
	mut.Set(schema.FamWindow, "reset", m.now.TS(), nil)                                    // want ttlwrite/write-time
	mut.Set(schema.FamWindow, "reset.until", bigtable.Time(m.now().Add(time.Minute)), nil) // ok ttlwrite/write-time
	mut.Set(schema.FamWindow, "reset.done", bigtable.Time(m.now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return m.tbl.Apply(ctx, subject, mut)
}

// Block stops a subject until t. The zero time lifts the block.
func (m *Meter) Block(ctx context.Context, subject string, t time.Time) error {
	mut := bigtable.NewMutation()
	if t.IsZero() {
		mut.DeleteCellsInColumn(schema.FamWindow, "blocked")
	} else {
		mut.Set(schema.FamWindow, "blocked", bigtable.Time(t), []byte("1")) // ok ttlunit/out-of-range
	}
	return m.tbl.Apply(ctx, subject, mut)
}

// Unblock lifts a block by overwriting it with one that is over.
func (m *Meter) Unblock(ctx context.Context, subject string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamWindow, "blocked", 0, nil) // want ttlwrite/already-expired
	mut.Set(schema.FamLimit, "blocked", 0, nil)  // ok ttlwrite/already-expired
	return m.tbl.Apply(ctx, subject, mut)
}

// raw is one row of a bulk load, which talks to the data API itself.
func raw(family, column string, micros int64, value []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: micros,
		Value:           value,
	}}}
}

// Load makes the request that stores limits and opening usage.
func (m *Meter) Load(table string, limits iter.Seq2[string, Limit]) *bigtablepb.MutateRowsRequest {
	req := &bigtablepb.MutateRowsRequest{TableName: table}
	until := m.now().Add(m.window).Truncate(time.Millisecond)
	for subject, l := range limits {
		req.Entries = append(req.Entries, &bigtablepb.MutateRowsRequest_Entry{
			RowKey: []byte(subject),
			Mutations: []*bigtablepb.Mutation{
				raw(schema.FamLimit, "units", 0, be(l.Units)),                    // ok ttlwrite/clock-in-zero
				raw(schema.FamWindow, "opening", until.UnixMicro(), be(l.Units)), // ok ttlwrite/already-expired
				raw(schema.FamWindow, "loaded", -1, be(1)),                       // want ttlwrite/server-timestamp
				{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[rawopen]
					FamilyName: schema.FamWindow, ColumnQualifier: []byte("loader"), Value: []byte("bulk"), // want ttlwrite/unset-timestamp[rawopen]
				}}},
				{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
					FamilyName: schema.FamLimit, ColumnQualifier: []byte("loader"), Value: []byte("bulk"), // ok ttlwrite/unset-timestamp
				}}},
			},
		})
	}
	return req
}

// Reporter sums usage for invoices.
type Reporter struct{ base }

// Open ranges over the windows that are open.
func (r *Reporter) Open(ctx context.Context) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		_ = r.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[open]
			var sum int64
			for it := range bt.Cells(row, schema.FamWindow) {
				sum += int64(binary.BigEndian.Uint64(it.Value))
			}
			return yield(row.Key(), sum)
		}, bigtable.RowFilter(bt.Where(schema.FamWindow).Latest(1).Build())) // want ttlread/missing-filter[open]
	}
}

// Plans counts subjects per plan.
func (r *Reporter) Plans(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	for row, err := range bt.Rows(ctx, r.tbl, bigtable.InfiniteRange(""), bt.Where(schema.FamLimit).Column("plan").Option()) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for it := range bt.Cells(row, schema.FamLimit) {
			out[string(it.Value)]++
		}
	}
	return out, nil
}

// Top reads the ten newest entries of a window.
func (r *Reporter) Top(ctx context.Context, subject string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamWindow),
		bigtable.CellsPerRowLimitFilter(10), // want ttlread/limit-before-filter
		bigtable.TimestampRangeFilter(r.now(), time.Time{}),
	)))
}

// TopLive is Top the other way round.
func (r *Reporter) TopLive(ctx context.Context, subject string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamWindow),
		bigtable.TimestampRangeFilter(r.now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(10), // ok ttlread/limit-before-filter
	)))
}

func be(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}
