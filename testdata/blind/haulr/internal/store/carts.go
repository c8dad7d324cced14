package store

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Line is a line of a cart.
type Line struct {
	SKU   string
	Count int
	Added time.Time
}

// CartStore keeps carts for thirty days from the last change.
type CartStore struct {
	tbl *bigtable.Table
}

// NewCartStore opens the table.
func NewCartStore(client *bigtable.Client) *CartStore {
	return &CartStore{tbl: client.Open(tables.Carts)}
}

// Add puts something into a cart.
func (s *CartStore) Add(ctx context.Context, cart, sku string, n int) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamItem, sku, bigtable.Now(), []byte(strconv.Itoa(n))) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, cart, mut)
}

// AddGuest puts something into the cart of somebody without an account; two
// days are enough.
func (s *CartStore) AddGuest(ctx context.Context, cart, sku string, n int) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamItem, sku)
	mut.Set(tables.FamItem, sku, bigtable.Time(time.Now().Add(48*time.Hour-tables.CartTTL)), []byte(strconv.Itoa(n))) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, cart, mut)
}

// AddReserved keeps a reservation for ten minutes.
func (s *CartStore) AddReserved(ctx context.Context, cart, sku string, n int) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamItem, "r:"+sku, bigtable.Time(time.Now().Add(-10*time.Minute-tables.CartTTL)), []byte(strconv.Itoa(n))) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, cart, mut)
}

// AddAt puts something in at a time of the client's.
func (s *CartStore) AddAt(ctx context.Context, cart, sku string, n int, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamItem, sku, bigtable.Timestamp(at.UnixMilli()), []byte(strconv.Itoa(n))) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, cart, mut)
}

// Remove takes something out.
func (s *CartStore) Remove(ctx context.Context, cart, sku string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamItem, sku, 0, nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, cart, mut)
}

// Replace changes a count.
func (s *CartStore) Replace(ctx context.Context, cart, sku string, n int) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamItem, sku, bigtable.Now(), []byte(strconv.Itoa(n)))
	if n == 0 {
		mut.DeleteCellsInColumn(tables.FamItem, sku) // want ttlwrite/delete-after-set
	}
	return s.tbl.Apply(ctx, cart, mut)
}

// ReplaceOrDelete does one or the other.
func (s *CartStore) ReplaceOrDelete(ctx context.Context, cart, sku string, n int) error {
	mut := bigtable.NewMutation()
	if n == 0 {
		mut.DeleteCellsInColumn(tables.FamItem, sku) // ok ttlwrite/delete-after-set
	} else {
		mut.Set(tables.FamItem, sku, bigtable.Now(), []byte(strconv.Itoa(n)))
	}
	return s.tbl.Apply(ctx, cart, mut)
}

// Count adds without reading first.
func (s *CartStore) Count(ctx context.Context, cart, sku string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamItem, "n:"+sku, by) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, cart, rmw)
	return err
}

// Lines reads a cart.
func (s *CartStore) Lines(ctx context.Context, cart string) ([]Line, error) {
	row, err := s.tbl.ReadRow(ctx, cart, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtablex.Within(tables.CartTTL),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	return decodeLines(row), nil
}

// LinesWeek reads what the cart mail is about.
func (s *CartStore) LinesWeek(ctx context.Context, cart string) ([]Line, error) {
	row, err := s.tbl.ReadRow(ctx, cart, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[lw]
		bigtablex.Within(7*24*time.Hour), // want ttlread/wrong-bound[lw]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	return decodeLines(row), nil
}

// LinesAll reads a cart the way it was done before there was an expiry.
func (s *CartStore) LinesAll(ctx context.Context, cart string) ([]Line, error) {
	row, err := s.tbl.ReadRow(ctx, cart, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeLines(row), nil
}

// LinesBoth passes two filters.
func (s *CartStore) LinesBoth(ctx context.Context, cart string) ([]Line, error) {
	row, err := s.tbl.ReadRow(ctx, cart, // want ttlread/overridden-filter[lb] // maybe ttlread/*
		bigtable.RowFilter(bigtablex.Within(tables.CartTTL)), // want ttlread/overridden-filter[lb] // maybe ttlread/*
		bigtable.RowFilter(bigtable.LatestNFilter(1)),        // want ttlread/overridden-filter[lb] // maybe ttlread/*
	)
	if err != nil {
		return nil, err
	}
	return decodeLines(row), nil
}

// LinesHelper passes its filter through the helper, which has one, too.
func (s *CartStore) LinesHelper(ctx context.Context, cart string) ([]Line, error) {
	row, err := bigtablex.MustRead(ctx, s.tbl, cart, bigtable.RowFilter(bigtablex.Within(tables.CartTTL))) // ok ttlread/overridden-filter
	if err != nil {
		return nil, err
	}
	return decodeLines(row), nil
}

// LinesHelperAll passes none.
func (s *CartStore) LinesHelperAll(ctx context.Context, cart string) ([]Line, error) {
	row, err := bigtablex.MustRead(ctx, s.tbl, cart) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeLines(row), nil
}

// decodeLines leaves it at the cell's timestamp for the date.
func decodeLines(row bigtable.Row) []Line {
	var out []Line
	for _, it := range row[tables.FamItem] {
		n, _ := strconv.Atoi(string(it.Value))
		out = append(out, Line{
			SKU:   column(it),
			Count: n,
			Added: it.Timestamp.Time(), // maybe ttlage/not-write-time
		})
	}
	return out
}

// Abandoned lists the carts that were not touched for three days.
func (s *CartStore) Abandoned(ctx context.Context, days int) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		lastModified := time.Time{}
		for _, it := range row[tables.FamItem] {
			if t := it.Timestamp.Time(); t.After(lastModified) {
				lastModified = t // want ttlage/not-write-time[aband]
			}
		}
		if time.Since(lastModified) > time.Duration(days)*24*time.Hour { // want ttlage/not-write-time[aband]
			out = append(out, row.Key())
		}
		return true
	}, bigtable.RowFilter(bigtablex.Within(tables.CartTTL)))
	return out, err
}

// Purge deletes whole carts by their keys.
func (s *CartStore) Purge(ctx context.Context, prefix string) error {
	var keys []string
	if err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtablex.KeysOnly()); err != nil {
		return err
	}
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range muts {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteRow()
	}
	_, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}
