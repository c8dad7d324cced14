// Package fleetindex finds devices by model and by what they run.
package fleetindex

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
)

// Index is the table.
type Index struct{ tbl *bigtable.Table }

// Open opens it.
func Open(c *bigtable.Client) *Index { return &Index{c.Open(keys.TableIndex)} }

// Put notes a device under its model. Here rev is an ordinary family.
func (x *Index) Put(ctx context.Context, model, dev, rev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamByModel, dev, 0, []byte(rev))               // ok ttlwrite/clock-in-zero
	m.Set(keys.FamRev, dev, bigtable.Now(), []byte(rev))      // ok ttlwrite/clock-in-sequence
	m.Set(keys.FamRev, "n", bigtable.Timestamp(1000000), nil) // ok ttlwrite/unscaled-sequence
	return x.tbl.Apply(ctx, keys.Model(model), m)
}

// Move takes a device from one model to another.
func (x *Index) Move(ctx context.Context, from, to, dev string) error {
	del, add := bigtable.NewMutation(), bigtable.NewMutation()
	del.DeleteCellsInColumn(keys.FamByModel, dev)
	add.Set(keys.FamByModel, dev, bigtable.ServerTime, nil) // want ttlwrite/clock-in-zero
	add.Set(keys.FamRev, dev, bigtable.ServerTime, nil)     // ok ttlwrite/clock-in-sequence
	_, err := x.tbl.ApplyBulk(ctx, []string{keys.Model(from), keys.Model(to)}, []*bigtable.Mutation{del, add})
	return err
}

// Devices lists what the index has under a model, newest first.
func (x *Index) Devices(ctx context.Context, model string) (map[string]time.Duration, error) {
	row, err := btutil.Get(ctx, x.tbl, keys.Model(model), nil) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Duration{}
	for _, it := range row[keys.FamRev] {
		out[it.Column] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return out, nil
}

// Count counts by the table's own arithmetic.
func (x *Index) Count(ctx context.Context, model string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamRev, "count", 1) // ok ttlwrite/read-modify-write
	_, err := x.tbl.ApplyReadModifyWrite(ctx, keys.Model(model), rmw)
	return err
}

// Recent reads what has changed within a week.
func (x *Index) Recent(ctx context.Context, model string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamRev), btutil.Within(time.Now(), 7*24*time.Hour))
	return x.tbl.ReadRow(ctx, keys.Model(model), bigtable.RowFilter(f)) // ok ttlread/wrong-bound ttlread/version-limit
}
