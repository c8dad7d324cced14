// Package aggregate keeps materialised aggregates. Family agg has one version
// per cell, at timestamp zero; hour holds hourly rollups for 90 days; cnt is
// an ordinary family of counters.
package aggregate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// zero is the timestamp of every cell of agg.
const zero bigtable.Timestamp = 0

// families is indexed by level.
var families = []string{schema.FamAgg, schema.FamHour, schema.FamCount}

// Levels of families.
const (
	levelTotal = iota
	levelHour
	levelCount
)

// Total is an aggregate over a dimension.
type Total struct {
	Dim     string    `json:"dim"`
	Sum     float64   `json:"sum"`
	N       int64     `json:"n"`
	Updated time.Time `json:"updated,omitzero"`
}

// View is a materialised view.
type View struct {
	tbl  *bigtable.Table
	name string
	log  *slog.Logger
	out  *etl.Batcher
}

// NewView opens the table.
func NewView(client *bigtable.Client, name string, log *slog.Logger) *View {
	t := client.Open(schema.TableAgg)
	return &View{tbl: t, name: name, log: log, out: etl.NewBatcher(t, 0, log)}
}

func (v *View) key(dim string) string { return etl.Key(v.name, dim) }

// Put replaces a total.
func (v *View) Put(ctx context.Context, t Total) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamAgg, "total", zero, b)                // ok ttlwrite/clock-in-zero
	m.Set(schema.FamAgg, "n", 0, etl.Int64(t.N))          // ok ttlwrite/already-expired
	m.Set(schema.FamCount, "writes", bigtable.Now(), nil) // ok ttlwrite/clock-in-zero
	return v.out.Add(ctx, v.key(t.Dim), m)
}

// PutStamped wants to know when it was written and so hides what comes later.
func (v *View) PutStamped(ctx context.Context, t Total) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamAgg, "total", bigtable.Now(), b) // want ttlwrite/clock-in-zero
	return v.tbl.Apply(ctx, v.key(t.Dim), m)
}

// PutAs is for backfills: the aggregate as of a day.
func (v *View) PutAs(ctx context.Context, day time.Time, t Total) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(families[levelTotal], "asof", bigtable.Time(day), b)     // want ttlwrite/clock-in-zero
	m.Set(families[levelHour], "asof", bigtable.Time(day), b)      // ok ttlwrite/clock-in-zero
	m.Set(families[levelCount], "asof", bigtable.Time(day), b)     // ok ttlwrite/clock-in-zero
	m.Set(families[levelTotal], "day", zero, []byte(day.String())) // ok ttlwrite/clock-in-zero
	return v.tbl.Apply(ctx, v.key(t.Dim), m)
}

// Touch notes the last refresh.
func (v *View) Touch(ctx context.Context, dim string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamAgg, "refreshed", bigtable.ServerTime, []byte(time.Now().Format(time.RFC3339))) // want ttlwrite/clock-in-zero
	m.Set(schema.FamAgg, "refreshed_by", zero, []byte("view"))                                      // ok ttlwrite/clock-in-zero
	return v.tbl.Apply(ctx, v.key(dim), m)
}

// Add increments a total on the server.
func (v *View) Add(ctx context.Context, dim string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamAgg, "n", n) // want ttlwrite/read-modify-write
	_, err := v.tbl.ApplyReadModifyWrite(ctx, v.key(dim), rmw)
	return err
}

// AddCount increments the ordinary counter.
func (v *View) AddCount(ctx context.Context, dim string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamCount, "n", n) // ok ttlwrite/read-modify-write
	_, err := v.tbl.ApplyReadModifyWrite(ctx, v.key(dim), rmw)
	return err
}

// AddHour increments a rollup. The cell's timestamp becomes now, which is
// what the default lifetime means.
func (v *View) AddHour(ctx context.Context, dim string, hour time.Time, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamHour, hour.UTC().Format("2006010215"), n) // ok ttlwrite/read-modify-write
	_, err := v.tbl.ApplyReadModifyWrite(ctx, v.key(dim), rmw)
	return err
}

// Get reads a total. One version, no age: no filter needed.
func (v *View) Get(ctx context.Context, dim string) (*Total, error) {
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAgg))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return total(row)
}

func total(row bigtable.Row) (*Total, error) {
	b := etl.First(row, schema.FamAgg, "total")
	if b == nil {
		return nil, nil
	}
	var t Total
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, fmt.Errorf("aggregate: %w", err)
	}
	return &t, nil
}

// Updated is when a total was written; it answers 1970.
func (v *View) Updated(ctx context.Context, dim string) (*Total, error) {
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAgg)))
	if err != nil {
		return nil, err
	}
	t, err := total(row)
	if err != nil || t == nil {
		return t, err
	}
	for _, it := range row[schema.FamAgg] {
		if it.Column == "agg:total" {
			t.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	return t, nil
}

// Hours reads the rollups of the retention.
func (v *View) Hours(ctx context.Context, dim string) (map[string]int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(families[levelHour]), etl.Within(schema.HourRetention), etl.Newest())
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return counters(row, schema.FamHour)
}

func counters(row bigtable.Row, family string) (map[string]int64, error) {
	out := map[string]int64{}
	for _, it := range row[family] {
		n, err := etl.ParseInt64(it.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", it.Column, err)
		}
		out[etl.Column(it)] = n
	}
	return out, nil
}

// HoursWeek shows a week, by timestamp instead of by column.
func (v *View) HoursWeek(ctx context.Context, dim string) (map[string]int64, error) {
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(etl.InFamily(schema.FamHour, etl.Within(7*24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return counters(row, schema.FamHour)
}

// HoursByColumn shows the hours of a week by their columns.
func (v *View) HoursByColumn(ctx context.Context, dim string, from, to time.Time) (map[string]int64, error) {
	f := bigtable.ChainFilters(
		bigtable.ColumnRangeFilter(schema.FamHour, from.UTC().Format("2006010215"), to.UTC().Format("2006010215")),
		bigtable.TimestampRangeFilter(time.Now().Add(-schema.HourRetention), time.Time{}),
	)
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return counters(row, schema.FamHour)
}

// HoursAll reads them with the newest version only.
func (v *View) HoursAll(ctx context.Context, dim string) (map[string]int64, error) {
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(etl.Newest())) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return counters(row, schema.FamHour)
}

// Counts reads the ordinary counters.
func (v *View) Counts(ctx context.Context, dim string) (map[string]int64, error) {
	row, err := v.tbl.ReadRow(ctx, v.key(dim), bigtable.RowFilter(etl.Newest())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return counters(row, schema.FamCount)
}

// Rebuild writes all totals of the view from a channel.
func (v *View) Rebuild(ctx context.Context, in <-chan Total) (int, error) {
	for t := range in {
		b, err := json.Marshal(t)
		if err != nil {
			return v.out.Sent(), err
		}
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamAgg) // ok ttlwrite/delete-after-set
		m.Set(schema.FamAgg, "total", zero, b)
		m.Set(schema.FamAgg, "n", zero, etl.Int64(t.N))
		m.Set(schema.FamAgg, "rebuilt", bigtable.Timestamp(time.Now().UnixMicro()), nil) // want ttlwrite/clock-in-zero
		if err := v.out.Add(ctx, v.key(t.Dim), m); err != nil {
			return v.out.Sent(), err
		}
	}
	return v.out.Sent(), v.out.Flush(ctx)
}

// Rollup writes hours; all hours of a row in one mutation.
func (v *View) Rollup(ctx context.Context, dim string, hours map[time.Time]int64) error {
	m := bigtable.NewMutation()
	for h, n := range hours {
		m.Set(schema.FamHour, h.UTC().Format("2006010215"), bigtable.Time(h), etl.Int64(n)) // ok ttlwrite/same-timestamp
	}
	m.Set(schema.FamHour, "n", bigtable.ServerTime, etl.Int64(int64(len(hours)))) // ok ttlwrite/server-timestamp
	return v.tbl.Apply(ctx, v.key(dim), m)
}

// Merge folds partial totals into one cell and loses all but the last.
func (v *View) Merge(ctx context.Context, dim string, parts []Total) error {
	m := bigtable.NewMutation()
	for _, p := range parts {
		b, err := json.Marshal(p)
		if err != nil {
			return err
		}
		m.Set(schema.FamAgg, "partial", zero, b) // want ttlwrite/same-timestamp
	}
	return v.tbl.Apply(ctx, v.key(dim), m)
}

// MergeColumns gives every part a column.
func (v *View) MergeColumns(ctx context.Context, dim string, parts []Total) error {
	m := bigtable.NewMutation()
	for i, p := range parts {
		b, err := json.Marshal(p)
		if err != nil {
			return err
		}
		m.Set(schema.FamAgg, fmt.Sprintf("partial%d", i), zero, b) // ok ttlwrite/same-timestamp
	}
	return v.tbl.Apply(ctx, v.key(dim), m)
}

// Compact sums the hours that are live into the total.
func (v *View) Compact(ctx context.Context, dim string) error {
	hours, err := v.Hours(ctx, dim)
	if err != nil {
		return err
	}
	var n int64
	for _, k := range hours {
		n += k
	}
	return errors.Join(v.Put(ctx, Total{Dim: dim, N: n, Sum: float64(n)}), v.out.Flush(ctx))
}

// PutOnce writes a total unless there is one; zero cells do not die.
func (v *View) PutOnce(ctx context.Context, t Total) (bool, error) {
	b, err := json.Marshal(t)
	if err != nil {
		return false, err
	}
	set := bigtable.NewMutation()
	set.Set(schema.FamAgg, "total", zero, b)
	has := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamAgg), bigtable.ColumnFilter("total"))
	var had bool
	err = v.tbl.Apply(ctx, v.key(t.Dim), bigtable.NewCondMutation(has, nil, set), bigtable.GetCondMutationResult(&had)) // ok ttlread/conditional-mutation
	return !had, err
}

// Sum keeps a sum in an aggregate family of the mirror.
func (v *View) Sum(ctx context.Context, dim string, n int64) error {
	m := bigtable.NewMutation()
	m.AddIntToCell("sums", "n", 0, n)                     // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("sums", "all", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return v.tbl.Apply(ctx, v.key(dim), m)
}
