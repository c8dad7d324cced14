package ingest

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// ErrTaken says that another worker has the partition.
var ErrTaken = errors.New("ingest: lease taken")

func (c *Cursors) leaseUntil() bigtable.Timestamp {
	return bigtable.Time(c.clk.Now().Add(names.LeaseTTL))
}

func liveLease() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.ColumnFilter(colOwner), bt.Live())
}

func anyLease() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLease), bigtable.ColumnFilter(colOwner))
}

func (c *Cursors) Acquire(ctx context.Context, cur Cursor) error {
	take := bigtable.NewMutation()
	take.DeleteCellsInColumn(names.FamLease, colOwner)
	take.Set(names.FamLease, colOwner, c.leaseUntil(), []byte(c.me)) // ok ttlwrite/write-time
	var taken bool
	cond := bigtable.NewCondMutation(liveLease(), nil, take) // ok ttlread/conditional-mutation
	if err := c.tbl.Apply(ctx, cur.key(), cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return ErrTaken
	}
	return nil
}

func (c *Cursors) Steal(ctx context.Context, cur Cursor, from string) error {
	take := bigtable.NewMutation()
	take.Set(names.FamLease, colOwner, c.leaseUntil(), []byte(c.me))
	mine := bigtable.ChainFilters(anyLease(), bigtable.ValueFilter(from))         // want ttlread/conditional-mutation[steal]
	return c.tbl.Apply(ctx, cur.key(), bigtable.NewCondMutation(mine, take, nil)) // want ttlread/conditional-mutation[steal]
}

func (c *Cursors) Release(ctx context.Context, cur Cursor) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(names.FamLease, colOwner)
	mine := bigtable.ChainFilters(anyLease(), bigtable.ValueFilter(c.me))
	return c.tbl.Apply(ctx, cur.key(), bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

func (c *Cursors) Renew(ctx context.Context, cur Cursor) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, colOwner, bigtable.Time(c.clk.Now()), []byte(c.me)) // want ttlwrite/write-time
	return c.tbl.Apply(ctx, cur.key(), mut)
}

func (c *Cursors) RenewAll(ctx context.Context, curs []Cursor) error {
	b := bt.NewBatch(c.tbl, 100)
	for _, cur := range curs {
		mut := bigtable.NewMutation()
		mut.Set(names.FamLease, colOwner, bt.ExpiresIn(names.LeaseTTL), []byte(c.me)) // ok ttlwrite/write-time
		mut.Set(names.FamLease, colBeat, bigtable.ServerTime, nil)                    // want ttlwrite/server-timestamp
		if err := b.Add(ctx, cur.key(), mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (c *Cursors) Beats(ctx context.Context, cur Cursor) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamLease, "beats", 1) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, cur.key(), rmw)
	return err
}

func (c *Cursors) Holder(ctx context.Context, cur Cursor) (string, error) {
	row, err := bt.One(ctx, c.tbl, cur.key(), anyLease()) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, _ := bt.Cell(row, names.FamLease, colOwner)
	return string(it.Value), nil
}

func (c *Cursors) HolderNow(ctx context.Context, cur Cursor) (string, time.Duration, error) {
	row, err := bt.One(ctx, c.tbl, cur.key(), liveLease()) // ok ttlread/missing-filter
	if err != nil {
		return "", 0, err
	}
	it, _ := bt.Cell(row, names.FamLease, colOwner)
	return string(it.Value), it.Timestamp.Time().Sub(c.clk.Now()), nil // ok ttlage/not-write-time
}

func (c *Cursors) Held(ctx context.Context, cur Cursor) (time.Duration, error) {
	row, err := bt.One(ctx, c.tbl, cur.key(), liveLease())
	if err != nil {
		return 0, err
	}
	it, _ := bt.Cell(row, names.FamLease, colOwner)
	return c.clk.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (c *Cursors) State(ctx context.Context, cur Cursor) (bigtable.Row, error) {
	return c.tbl.ReadRow(ctx, cur.key(), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
}

func (c *Cursors) StateNow(ctx context.Context, cur Cursor) (bigtable.Row, error) {
	f := bt.Either(bt.InFamily(names.FamPos, bigtable.LatestNFilter(1)), liveLease())
	return c.tbl.ReadRow(ctx, cur.key(), bigtable.RowFilter(f)) // ok ttlread/missing-filter
}

func (c *Cursors) StateHalf(ctx context.Context, cur Cursor) (bigtable.Row, error) {
	f := bt.Either(bt.InFamily(names.FamPos, bigtable.LatestNFilter(1)), bigtable.FamilyFilter(names.FamLease)) // want ttlread/unfiltered-branch[half]
	return c.tbl.ReadRow(ctx, cur.key(), bigtable.RowFilter(f))                                                 // want ttlread/unfiltered-branch[half]
}
