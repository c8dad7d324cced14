package rowinstruct

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type batch struct{ rows []bigtable.Row }

func (b *batch) segments() (n int) {
	for _, r := range b.rows {
		n += len(r["seg"])
	}
	return n
}

func collect(ctx context.Context, c *bigtable.Client) (int, error) {
	var b batch
	err := c.Open("freqcap").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		b.rows = append(b.rows, r)
		return true
	})
	return b.segments(), err
}

func collectLocal(ctx context.Context, c *bigtable.Client) (n int, err error) {
	var rows []bigtable.Row
	err = c.Open("freqcap").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		rows = append(rows, r)
		return true
	})
	for _, r := range rows {
		n += len(r["seg"])
	}
	return n, err
}

var _ = []any{collect, collectLocal}
