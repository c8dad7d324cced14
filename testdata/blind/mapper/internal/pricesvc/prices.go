// Package pricesvc has the history of prices; its timestamps are when prices were true.
package pricesvc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// Point is a price at a time.
type Point struct {
	Cents     int64     `json:"cents"`
	CreatedAt time.Time `json:"created_at"`
}

// History keeps prices.
type History struct {
	tbl    *bigtable.Table
	points *mapper.Repo[*model.PricePoint]
	frozen *mapper.Repo[*model.PriceHold]
	log    *slog.Logger
}

// New makes a history.
func New(client *bigtable.Client, log *slog.Logger) *History {
	h := &History{tbl: client.Open(schema.TablePrices), log: log}
	h.points = mapper.NewRepo[*model.PricePoint](h.tbl, mapper.WithLog(log))
	h.frozen = mapper.NewRepo[*model.PriceHold](h.tbl)
	return h
}

func key(listing string) string { return "price#" + listing }

// Record notes a price.
func (h *History) Record(ctx context.Context, listing string, cents int64) error {
	return h.points.Save(ctx, &model.PricePoint{Listing: listing, Cents: cents, At: time.Now()}) // ok ttlwrite/write-time
}

// Backfill notes a price of the past.
func (h *History) Backfill(ctx context.Context, listing string, cents int64, at time.Time) error {
	return h.points.SaveAt(ctx, &model.PricePoint{Listing: listing, Cents: cents}, bigtable.Time(at)) // ok ttlunit/wrong-unit
}

// BackfillUnix notes a price of the past, as the old system has it.
func (h *History) BackfillUnix(ctx context.Context, listing string, cents int64, at time.Time) error {
	return h.points.SaveAt(ctx, &model.PricePoint{Listing: listing, Cents: cents}, bigtable.Timestamp(at.Unix())) // want ttlunit/wrong-unit
}

// Freeze keeps a price while a contract is made.
func (h *History) Freeze(ctx context.Context, listing, reason string) error {
	if err := h.frozen.Save(ctx, &model.PriceHold{Listing: listing, Reason: reason}); err != nil { // ok ttlwrite/write-time
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.FamHold, "by", bigtable.ServerTime, []byte("contracts")) // ok ttlwrite/server-timestamp
	return h.tbl.Apply(ctx, key(listing), mut)
}

// Frozen says since when a price is frozen.
func (h *History) Frozen(ctx context.Context, listing string) (time.Duration, error) {
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamHold] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, mapper.ErrNotFound
}

// Freezes counts how often a price was frozen.
func (h *History) Freezes(ctx context.Context, listing string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamHold, "times", 1) // ok ttlwrite/read-modify-write
	_, err := h.tbl.ApplyReadModifyWrite(ctx, key(listing), rmw)
	return err
}

// ThawOnce writes why a price was thawed unless somebody did.
func (h *History) ThawOnce(ctx context.Context, listing, why string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamHold, "thawed", bigtable.Now(), []byte(why))                                                                            // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.ColumnFilter("thawed")), nil, set) // ok ttlread/conditional-mutation
	return h.tbl.Apply(ctx, key(listing), cond)
}

// Quote notes what a comparison site says.
func (h *History) Quote(ctx context.Context, listing, site string, cents int64, at time.Time) error {
	mut := bigtable.NewMutation()
	v := strconv.AppendInt(nil, cents, 10)
	mut.Set(schema.FamHist, "site:"+site, bigtable.Timestamp(at.UnixNano()), v)       // want ttlunit/wrong-unit
	mut.Set(schema.FamHist, "best:"+site, bigtable.Timestamp(at.UnixNano()/1000), v)  // ok ttlunit/wrong-unit
	mut.Set(schema.FamHist, "seen:"+site, bigtable.Timestamp(at.UnixMilli()*1000), v) // ok ttlunit/wrong-unit
	return h.tbl.Apply(ctx, key(listing), mut)
}

// Later notes a price that is true from a delay on.
func (h *History) Later(ctx context.Context, listing string, cents int64, delay time.Duration) error {
	mut := bigtable.NewMutation()
	v := strconv.AppendInt(nil, cents, 10)
	mut.Set(schema.FamHist, "next", bigtable.Now()+bigtable.Timestamp(delay), v)                  // want ttlunit/wrong-unit
	mut.Set(schema.FamHist, "plan", bigtable.Now()+bigtable.Timestamp(delay/time.Microsecond), v) // ok ttlunit/wrong-unit
	mut.Set(schema.FamHist, "due", bigtable.Time(time.Now().Add(delay)), v)                       // ok ttlunit/wrong-unit
	return h.tbl.Apply(ctx, key(listing), mut)
}

// Epoch notes a price that was always true.
func (h *History) Epoch(ctx context.Context, listing string, cents int64) error {
	var never time.Time
	mut := bigtable.NewMutation()
	v := strconv.AppendInt(nil, cents, 10)
	mut.Set(schema.FamHist, "list", bigtable.Time(never), v)          // want ttlunit/out-of-range
	mut.Set(schema.FamHist, "rrp", bigtable.Time(time.Unix(0, 0)), v) // ok ttlunit/out-of-range
	return h.tbl.Apply(ctx, key(listing), mut)
}

// Sales adds to the sales of a minute.
func (h *History) Sales(ctx context.Context, listing string, n int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell(schema.FamHist, "sales", bigtable.Time(time.Now().Truncate(time.Minute)), n) // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell(schema.FamHist, "total", bigtable.ServerTime, n)                             // want ttlwrite/aggregate-server-time
	return h.tbl.Apply(ctx, key(listing), mut)
}

// Points are the prices of a listing.
func (h *History) Points(ctx context.Context, listing string) ([]Point, error) {
	row, err := h.tbl.ReadRow(ctx, key(listing)) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("prices of %s: %w", listing, err)
	}
	return points(row), nil
}

func points(row bigtable.Row) []Point {
	var out []Point
	for _, it := range row[schema.FamHist] {
		n, err := strconv.ParseInt(string(it.Value), 10, 64)
		if err != nil {
			continue
		}
		out = append(out, Point{Cents: n, CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	sort.Slice(out, func(i, j int) bool { return out[i].CreatedAt.Before(out[j].CreatedAt) })
	return out
}

// Between are the prices of a window.
func (h *History) Between(ctx context.Context, listing string, from, to time.Time) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHist), bigtable.TimestampRangeFilter(from, to))
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(f)) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// Month are the prices of a month, by the mapper.
func (h *History) Month(ctx context.Context, prefix string) ([]*model.PricePoint, error) {
	var out []*model.PricePoint
	now := time.Now()
	q := mapper.Where().Family(schema.FamHist).Between(now.AddDate(0, -1, 0), now)
	err := h.points.Each(ctx, key(prefix), func() *model.PricePoint { return new(model.PricePoint) }, q, func(p *model.PricePoint) bool { // ok ttlread/upper-bound
		out = append(out, p)
		return true
	})
	return out, err
}

// Last is the last price.
func (h *History) Last(ctx context.Context, listing string) (*model.PricePoint, error) {
	p := &model.PricePoint{Listing: listing}
	err := h.points.Get(ctx, key(listing), p) // ok ttlread/missing-filter
	if errors.Is(err, mapper.ErrNotFound) {
		return nil, nil
	}
	return p, err
}

// Before2020 are prices of the old system.
func (h *History) Before2020(ctx context.Context, listing string) ([]Point, error) {
	const (
		from = 1577836800 * 1000 * 1000
		to   = 1262304000 * 1000 * 1000
	)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHist), bigtable.TimestampRangeFilterMicros(from, to)) // want ttlunit/empty-range
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// Tens are prices of the tens.
func (h *History) Tens(ctx context.Context, listing string) ([]Point, error) {
	const (
		from = 1262304000 * 1000 * 1000
		to   = 1577836800 * 1000 * 1000
	)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHist), bigtable.TimestampRangeFilterMicros(from, to)) // ok ttlunit/empty-range
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// Undated are prices whose date nobody knew: they were written at zero.
func (h *History) Undated(ctx context.Context, listing string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHist), bigtable.TimestampRangeFilterMicros(0, 1)) // want ttlunit/sub-millisecond
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// UndatedMs are prices whose date nobody knew.
func (h *History) UndatedMs(ctx context.Context, listing string) ([]Point, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHist), bigtable.TimestampRangeFilterMicros(0, 1000)) // ok ttlunit/sub-millisecond
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// DropUndated deletes prices whose date nobody knew.
func (h *History) DropUndated(ctx context.Context, listing string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange(schema.FamHist, "list", 0, 1000) // ok ttlunit/sub-millisecond
	mut.DeleteTimestampRange(schema.FamHist, "rrp", 0, 500)   // want ttlunit/sub-millisecond
	return h.tbl.Apply(ctx, key(listing), mut)
}

// Newest is the newest n prices of a listing.
func (h *History) Newest(ctx context.Context, listing string) ([]Point, error) {
	f := bigtable.LatestNFilter(0)                                      // want ttlunit/invalid-filter[newest]
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(f)) // want ttlunit/invalid-filter[newest]
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// Sites are the prices of the comparison sites.
func (h *History) Sites(ctx context.Context, listing string) ([]Point, error) {
	row, err := h.tbl.ReadRow(ctx, key(listing), bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("site:.*")))) // want ttlunit/invalid-filter
	if err != nil {
		return nil, err
	}
	return points(row), nil
}

// Both are the prices and the freezes of the last day.
func (h *History) Both(ctx context.Context, listing string) (bigtable.Row, error) {
	return h.tbl.ReadRow(ctx, key(listing), // want ttlread/overridden-filter[both]
		bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -1), time.Time{})), // want ttlread/overridden-filter[both]
		bigtable.RowFilter(bigtable.LatestNFilter(5)))                                                // want ttlread/overridden-filter[both]
}
