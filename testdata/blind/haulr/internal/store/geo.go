package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// GeoCache caches the answers of the maps vendor for six hours.
type GeoCache struct {
	*bigtable.Table
	clk clock.Clock

	mu   sync.Mutex
	hits map[string]int
}

// NewGeoCache opens the table.
func NewGeoCache(client *bigtable.Client, clk clock.Clock) *GeoCache {
	return &GeoCache{Table: client.Open(tables.GeoCache), clk: clk, hits: map[string]int{}}
}

func tileFilter(now time.Time) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamTile),
		bigtable.TimestampRangeFilter(now.Add(-tables.TileTTL), time.Time{}),
		bigtable.LatestNFilter(1),
	))
}

// Get returns a tile, or loads it.
func (g *GeoCache) Get(ctx context.Context, tile string, load func(context.Context) ([]byte, error)) ([]byte, error) {
	row, err := g.ReadRow(ctx, tile, tileFilter(g.clk.Now())) // ok ttlread/missing-filter
	if err == nil {
		if v, ok := bigtablex.Value(row, tables.FamTile, "png"); ok {
			g.hit(tile)
			return v, nil
		}
	}
	v, err := load(ctx)
	if err != nil {
		return nil, fmt.Errorf("tile %s: %w", tile, err)
	}
	mut := bigtable.NewMutation()
	mut.Set(tables.FamTile, "png", bigtable.Time(g.clk.Now()), v) // ok ttlwrite/write-time
	return v, g.Apply(ctx, tile, mut)
}

// Peek returns a tile without loading.
func (g *GeoCache) Peek(ctx context.Context, tile string) ([]byte, error) {
	row, err := g.ReadRow(ctx, tile) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v, _ := bigtablex.Value(row, tables.FamTile, "png")
	return v, nil
}

// PeekFresh looks at the age itself.
func (g *GeoCache) PeekFresh(ctx context.Context, tile string) ([]byte, error) {
	row, err := g.ReadRow(ctx, tile) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[tables.FamTile] {
		if it.Timestamp.Time().After(g.clk.Now().Add(-tables.TileTTL)) {
			return it.Value, nil
		}
	}
	return nil, ErrNotFound
}

// Invalidate makes a tile old.
func (g *GeoCache) Invalidate(ctx context.Context, tile string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamTile, "png")
	mut.Set(tables.FamTile, "gone", bigtable.Time(g.clk.Now().Add(-tables.TileTTL+time.Minute)), nil) // ok ttlwrite/already-expired
	return g.Apply(ctx, tile, mut)
}

// Prewarm stores tiles ahead of a rush hour.
func (g *GeoCache) Prewarm(ctx context.Context, tiles map[string][]byte) error {
	w := bigtablex.NewBulkWriter(g.Table, 500)
	ts := bigtable.Time(g.clk.Now())
	for tile, v := range tiles {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamTile, "png", ts, v) // ok ttlwrite/same-timestamp
		if err := w.Add(ctx, tile, mut); err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// Region lists the tiles of a region.
func (g *GeoCache) Region(ctx context.Context, prefix string, f func(string, []byte)) error {
	return g.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/wrong-bound[reg]
		if v, ok := bigtablex.Value(row, tables.FamTile, "png"); ok {
			f(row.Key(), v)
		}
		return true
	}, bigtablex.LiveOption()) // want ttlread/wrong-bound[reg]
}

// RegionFresh lists them with their own bound.
func (g *GeoCache) RegionFresh(ctx context.Context, prefix string, f func(string, []byte)) error {
	return g.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		if v, ok := bigtablex.Value(row, tables.FamTile, "png"); ok {
			f(row.Key(), v)
		}
		return true
	}, tileFilter(time.Now()))
}

// Old returns tiles that GC should have taken, for the vendor's invoice.
func (g *GeoCache) Old(ctx context.Context) (int, error) {
	n := 0
	err := g.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/expired-only[old]
		n += len(row[tables.FamTile])
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, g.clk.Now().Add(-tables.TileTTL)))) // want ttlread/expired-only[old]
	return n, err
}

func (g *GeoCache) hit(tile string) {
	g.mu.Lock()
	g.hits[tile]++
	g.mu.Unlock()
}
