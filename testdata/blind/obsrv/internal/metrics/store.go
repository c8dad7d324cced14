// Package metrics stores raw points and the labels of series.
package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

const (
	colValue  = "v"
	colLabels = "json"
	colCount  = "n"
	colFirst  = "first"
)

// Point is a value at a time.
type Point struct {
	At    time.Time `json:"t"`
	Value float64   `json:"v"`
}

// Series is points under labels.
type Series struct {
	Tenant  string            `json:"tenant"`
	ID      string            `json:"id"`
	Labels  map[string]string `json:"labels"`
	Points  []Point           `json:"points"`
	Updated time.Time         `json:"updated"`
}

// ReadOptions select points.
type ReadOptions struct {
	From, To time.Time
	Limit    int64
	Newest   int
	Labels   bool
}

// Store keeps points.
type Store struct {
	tbl     *bigtable.Table
	tenants *bigtable.Table
}

func New(c *bigtable.Client) *Store {
	return &Store{tbl: c.Open(names.TablePoints), tenants: c.Open(names.TableTenants)}
}

func key(tenant, id string) string { return tenant + "#" + id }

func (s *Store) Write(ctx context.Context, sr Series) error {
	mut := bigtable.NewMutation()
	for _, p := range sr.Points {
		mut.Set(names.FamPoint, colValue, bigtable.Time(p.At), strconv.AppendFloat(nil, p.Value, 'g', -1, 64)) // ok ttlwrite/same-timestamp
	}
	mut.Set(names.FamPoint, "last", bigtable.Now(), nil) // ok ttlwrite/write-time
	labels, err := json.Marshal(sr.Labels)
	if err != nil {
		return err
	}
	mut.Set(names.FamLabels, colLabels, 0, labels) // ok ttlwrite/clock-in-zero
	return bt.Retry(ctx, "write", func() error { return s.tbl.Apply(ctx, key(sr.Tenant, sr.ID), mut) })
}

func (s *Store) WriteNow(ctx context.Context, tenant, id string, v float64) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPoint, colValue, bigtable.ServerTime, strconv.AppendFloat(nil, v, 'g', -1, 64)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, key(tenant, id), mut)
}

func (s *Store) WriteMillis(ctx context.Context, tenant, id string, ps []Point) error {
	mut := bigtable.NewMutation()
	for _, p := range ps {
		ms := p.At.UnixMilli()
		mut.Set(names.FamPoint, colValue, bigtable.Timestamp(ms), nil) // want ttlunit/wrong-unit
	}
	return s.tbl.Apply(ctx, key(tenant, id), mut)
}

func (s *Store) WriteMillisOf(ctx context.Context, tenant, id string, ps []Point) error {
	mut := bigtable.NewMutation()
	for _, p := range ps {
		ms := p.At.UnixMilli()
		mut.Set(names.FamPoint, colValue, bigtable.Timestamp(ms*1000), nil) // ok ttlunit/wrong-unit
	}
	return s.tbl.Apply(ctx, key(tenant, id), mut)
}

func (s *Store) WriteShifted(ctx context.Context, tenant, id string, p Point, off time.Duration) error {
	ts := bigtable.Time(p.At)
	ts += bigtable.Timestamp(off) // want ttlunit/wrong-unit
	return bt.Put(ctx, s.tbl, key(tenant, id), names.FamPoint, colValue, ts, nil)
}

func (s *Store) WriteShiftedOf(ctx context.Context, tenant, id string, p Point, off time.Duration) error {
	ts := bigtable.Time(p.At)
	ts += bigtable.Timestamp(off / time.Microsecond) // ok ttlunit/wrong-unit
	return bt.Put(ctx, s.tbl, key(tenant, id), names.FamPoint, colValue, ts, nil)
}

func (s *Store) Relabel(ctx context.Context, tenant, id string, labels []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLabels, colLabels, bt.Stamp(), labels) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(tenant, id), mut)
}

func (s *Store) CountPoints(ctx context.Context, tenant, id string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamPoint, colCount, n) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(tenant, id), rmw)
	return err
}

func (s *Store) AppendLabel(ctx context.Context, tenant, id, k, v string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(names.FamLabels, "more", fmt.Appendf(nil, "%s=%s,", k, v)) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(tenant, id), rmw)
	return err
}

func window(from, to time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(from, to) }

func (o ReadOptions) filter() bigtable.Filter {
	var parts []bigtable.Filter
	parts = append(parts, bigtable.FamilyFilter(names.FamPoint), bigtable.ColumnFilter(colValue))
	parts = append(parts, window(o.From, o.To))
	if o.Newest > 0 {
		parts = append(parts, bigtable.LatestNFilter(o.Newest))
	}
	f := bt.And(parts...)
	if o.Labels {
		return bt.Either(f, bigtable.FamilyFilter(names.FamLabels))
	}
	return f
}

func (s *Store) Read(ctx context.Context, tenant string, ids []string, o ReadOptions) ([]Series, error) {
	keys := make(bigtable.RowList, len(ids))
	for i, id := range ids {
		keys[i] = key(tenant, id)
	}
	var out []Series
	var bad error
	opts := []bigtable.ReadOption{bigtable.RowFilter(o.filter())}
	if o.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(o.Limit))
	}
	err := s.tbl.ReadRows(ctx, keys, func(r bigtable.Row) bool { // ok ttlread/hides-other-families
		sr, err := decode(r)
		if err != nil {
			bad = err
			return false
		}
		sr.Tenant = tenant
		out = append(out, sr)
		return true
	}, opts...)
	return out, errors.Join(err, bad)
}

func decode(r bigtable.Row) (Series, error) {
	_, id, _ := strings.Cut(r.Key(), "#")
	sr := Series{ID: id}
	for _, it := range r[names.FamPoint] {
		v, err := strconv.ParseFloat(string(it.Value), 64)
		if err != nil {
			return sr, fmt.Errorf("row %q: %w", r.Key(), err)
		}
		sr.Points = append(sr.Points, Point{At: it.Timestamp.Time(), Value: v})
		sr.Updated = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	for _, it := range r[names.FamLabels] {
		if err := json.Unmarshal(it.Value, &sr.Labels); err != nil {
			return sr, err
		}
	}
	return sr, nil
}

func (s *Store) Hour(ctx context.Context, tenant, id string) (Series, error) {
	row, err := s.tbl.ReadRow(ctx, key(tenant, id), bigtable.RowFilter(bt.Younger(time.Hour))) // want ttlread/hides-other-families
	if err != nil {
		return Series{}, err
	}
	return decode(row)
}

func (s *Store) HourPoints(ctx context.Context, tenant, id string) (n int, err error) {
	row, err := s.tbl.ReadRow(ctx, key(tenant, id), bigtable.RowFilter(bt.Younger(time.Hour))) // ok ttlread/hides-other-families
	if err != nil {
		return 0, err
	}
	return len(row[names.FamPoint]), nil
}

// All returns all there is of a series; the policy of the points is a matter
// for those who ask for strictness.
func (s *Store) All(ctx context.Context, tenant, id string) (Series, error) {
	row, err := s.tbl.ReadRow(ctx, key(tenant, id)) // ok ttlread/missing-filter // strict ttlread/missing-filter
	if err != nil {
		return Series{}, err
	}
	return decode(row)
}

func (s *Store) Labels(ctx context.Context, tenant string) ([]Series, error) {
	var out []Series
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := bt.Cell(r, names.FamLabels, colLabels)
		if !ok {
			return true
		}
		_, id, _ := strings.Cut(r.Key(), "#")
		out = append(out, Series{Tenant: tenant, ID: id, Updated: it.Timestamp.Time()}) // want ttlage/not-write-time
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamLabels)))
	return out, err
}

func (s *Store) Tiny(ctx context.Context, tenant, id string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPoint), bigtable.TimestampRangeFilterMicros(0, 500)) // want ttlunit/sub-millisecond
	return s.tbl.ReadRow(ctx, key(tenant, id), bigtable.RowFilter(f))
}

func (s *Store) Early(ctx context.Context, tenant, id string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPoint), bigtable.TimestampRangeFilterMicros(0, 5_000_000)) // ok ttlunit/sub-millisecond
	return s.tbl.ReadRow(ctx, key(tenant, id), bigtable.RowFilter(f))
}

// ---- tenants: "st" is an ordinary family here ----

func (s *Store) SetTenantState(ctx context.Context, tenant, state string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, "state", bigtable.Now(), []byte(state))          // ok ttlwrite/write-time
	mut.Set(names.FamState, "by", bigtable.ServerTime, []byte("api"))        // ok ttlwrite/server-timestamp
	mut.Set(names.FamLimits, "series", 0, []byte("100000"))                  // ok ttlwrite/clock-in-zero
	mut.Set(names.FamLimits, "points", bigtable.ServerTime, []byte("10000")) // want ttlwrite/clock-in-zero
	return s.tenants.Apply(ctx, tenant, mut)
}

func (s *Store) TenantState(ctx context.Context, tenant string) (string, time.Time, error) {
	row, err := s.tenants.ReadRow(ctx, tenant, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	it, ok := bt.Cell(row, names.FamState, "state")
	if !ok {
		return "", time.Time{}, bt.ErrNoRow
	}
	updatedAt := it.Timestamp.Time() // ok ttlage/not-write-time
	return string(it.Value), updatedAt, nil
}
