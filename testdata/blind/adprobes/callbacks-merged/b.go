package callbacksmerged

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

// The other way round: the helper reads, and a callback that checks is reported
// because another does not. Wrong finding.
func each(ctx context.Context, tbl *bigtable.Table, fam string, f func(bigtable.ReadItem)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[fam] {
			f(it)
		}
		return true
	})
}

func run(ctx context.Context, c *bigtable.Client) (n int, err error) {
	tbl := c.Open("freqcap")
	err1 := each(ctx, tbl, "cap", func(it bigtable.ReadItem) { // ok ttlread/missing-filter
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	})
	err2 := each(ctx, tbl, "cap", func(it bigtable.ReadItem) { n += len(it.Value) }) // want ttlread/missing-filter
	err3 := each(ctx, tbl, "seg", func(it bigtable.ReadItem) { n += len(it.Value) }) // ok ttlread/missing-filter
	return n, errors.Join(err1, err2, err3)
}

var _ = run
