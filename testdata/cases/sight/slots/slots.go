// Package slots keeps numbers of slots as timestamps, and turns them into
// the moments at which the slots begin: that is no write time of a cell.
package slots

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/slots/clock"
)

const period = 12

type chain struct {
	tbl     *bigtable.Table
	genesis time.Time
	unix    int64
}

func open(c *bigtable.Client, genesis time.Time) *chain {
	return &chain{tbl: c.Open("eth-ledger"), genesis: genesis, unix: genesis.Unix()}
}

func (c *chain) last(ctx context.Context) (bigtable.ReadItem, error) {
	row, err := c.tbl.ReadRow(ctx, "head", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(1))))
	if err != nil || len(row["entry"]) == 0 {
		return bigtable.ReadItem{}, err
	}
	return row["entry"][0], nil
}

func (c *chain) okAge(ctx context.Context) time.Duration {
	it, _ := c.last(ctx)
	slot := int64(it.Timestamp) / 1000
	return time.Since(c.genesis.Add(time.Duration(slot) * period * time.Second))
}

func (c *chain) okUnix(ctx context.Context) time.Duration {
	it, _ := c.last(ctx)
	slot := it.Timestamp / 1000
	return time.Since(time.Unix(c.unix+int64(slot)*period, 0))
}

func (c *chain) okHelper(ctx context.Context) time.Duration {
	it, _ := c.last(ctx)
	return time.Since(clock.Start(clock.Slot(it.Timestamp)))
}

func (c *chain) okStored(ctx context.Context) string {
	it, _ := c.last(ctx)
	createdAt := clock.Start(uint64(it.Timestamp / 1000))
	return fmt.Sprint("created ", createdAt)
}

func (c *chain) okLag(ctx context.Context, now time.Time) time.Duration {
	it, _ := c.last(ctx)
	n := clock.Slot(it.Timestamp)
	return now.Sub(clock.Genesis.Add(time.Duration(n) * clock.Period))
}

func (c *chain) age(ctx context.Context) time.Duration {
	it, _ := c.last(ctx)
	return time.Since(it.Timestamp.Time()) // want `not-write-time: .*"entry"`
}

// A margin makes no moment of it.
func (c *chain) margin(ctx context.Context) time.Duration {
	it, _ := c.last(ctx)
	return time.Since(it.Timestamp.Time().Add(time.Minute)) // want `not-write-time: .*"entry"`
}
