// Package eachonly is callbacks-merged/b.go with the checking callback alone.
package eachonly

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func each(ctx context.Context, tbl *bigtable.Table, fam string, f func(bigtable.ReadItem)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[fam] {
			f(it)
		}
		return true
	})
}

func run(ctx context.Context, c *bigtable.Client) (n int, err error) {
	err = each(ctx, c.Open("freqcap"), "cap", func(it bigtable.ReadItem) { // ok ttlread/missing-filter
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	})
	return n, err
}

var _ = run
