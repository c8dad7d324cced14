// Package warehouse mirrors tables for the analysts. The mirror has the same
// family names, ordinary timestamps and no registry entry.
package warehouse

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Cell is a line of the exchange format.
type Cell struct {
	Row    string `json:"row"`
	Family string `json:"family"`
	Column string `json:"column"`
	Micros int64  `json:"micros"`
	Value  string `json:"value"`
}

// Mirror writes and reads the mirror table.
type Mirror struct {
	tbl *bigtable.Table
	out *etl.Batcher
}

// Open opens it.
func Open(client *bigtable.Client, log *slog.Logger) *Mirror {
	t := client.Open(schema.TableWarehouse)
	return &Mirror{tbl: t, out: etl.NewBatcher(t, 1000, log)}
}

// Copy stores a row under today's time.
func (m *Mirror) Copy(ctx context.Context, row bigtable.Row) error {
	mut := bigtable.NewMutation()
	for fam, items := range row {
		for _, it := range items {
			mut.Set(fam, etl.Column(it), bigtable.Now(), it.Value)
		}
	}
	return m.tbl.Apply(ctx, row.Key(), mut)
}

// Event stores an event.
func (m *Mirror) Event(ctx context.Context, key, url string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamEvent, "url", bigtable.Now(), []byte(url)) // ok ttlwrite/write-time
	mut.Set(schema.FamSeen, "mirror", bigtable.Now(), nil)       // ok ttlwrite/write-time
	mut.Set(schema.FamAgg, "copied", bigtable.ServerTime, nil)   // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamWatermark, "copied", bigtable.Now(), nil)  // ok ttlwrite/clock-in-sequence
	return m.tbl.Apply(ctx, key, mut)
}

// Read reads a row; nothing expires in the mirror.
func (m *Mirror) Read(ctx context.Context, key string) (map[string]string, error) {
	row, err := m.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[schema.FamEvent] {
		out[etl.Column(it)] = string(it.Value)
	}
	return out, nil
}

// Since reads what was copied since t.
func (m *Mirror) Since(ctx context.Context, t time.Time) ([]Cell, error) {
	var out []Cell
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for fam, items := range row {
			for _, it := range items {
				out = append(out, Cell{Row: it.Row, Family: fam, Column: etl.Column(it), Micros: int64(it.Timestamp), Value: base64.StdEncoding.EncodeToString(it.Value)})
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(t, time.Now()))) // ok ttlread/upper-bound
	return out, err
}

// Age is how old the copy of a row is.
func (m *Mirror) Age(ctx context.Context, key string) (time.Duration, error) {
	row, err := m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamEvent] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Newest has two row filters; the author wanted both.
func (m *Mirror) Newest(ctx context.Context, family string) ([]string, error) {
	var out []string
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/overridden-filter[m2]
		for _, it := range row[family] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(family)), bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.LimitRows(1000)) // want ttlread/overridden-filter[m2]
	return out, err
}

// NewestOne joins them.
func (m *Mirror) NewestOne(ctx context.Context, family string) ([]string, error) {
	var out []string
	err := m.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[family] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(1))), bigtable.LimitRows(1000)) // ok ttlread/overridden-filter
	return out, err
}

// Restore writes cells of the exchange format with their own timestamps.
func (m *Mirror) Restore(ctx context.Context, cells []Cell) error {
	var errs []error
	for _, c := range cells {
		v, err := base64.StdEncoding.DecodeString(c.Value)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		mut := bigtable.NewMutation()
		mut.Set(c.Family, c.Column, bigtable.Timestamp(c.Micros), v) // ok ttlwrite/unscaled-sequence
		errs = append(errs, m.out.Add(ctx, c.Row, mut))
	}
	return errors.Join(append(errs, m.out.Flush(ctx))...)
}

// Hits counts in the mirror.
func (m *Mirror) Hits(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamSeen, "hits", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamAgg, "hits", 1)  // ok ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Purge removes cells of the first second of 1970 that a bug had left; the
// end is cut to 0, which means for ever.
func (m *Mirror) Purge(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamEvent, "url", 0, 500) // want ttlunit/sub-millisecond
	return m.tbl.Apply(ctx, key, mut)
}

// Odd are filters that do not do what they say.
func (m *Mirror) Odd(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.TimestampRangeFilterMicros(2_000_000, 1_000_000), // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(1_000_000, 2_000_000), // ok ttlunit/empty-range
		bigtable.LatestNFilter(0),                                 // want ttlunit/invalid-filter
		bigtable.LatestNFilter(1),                                 // ok ttlunit/invalid-filter
	)
	return m.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// Only has a chain of one, which the server rejects.
func (m *Mirror) Only(ctx context.Context, key string) (bigtable.Row, error) {
	return m.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1)))) // want ttlunit/invalid-filter
}
