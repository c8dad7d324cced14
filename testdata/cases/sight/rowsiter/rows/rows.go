// Package rows makes iterators over rows.
package rows

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

type Standing struct{ UpdatedAt time.Time }

func All(ctx context.Context, t *bigtable.Table) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool {
			stopped = !yield(r, nil)
			return !stopped
		}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// Rank is given rows by other packages.
func Rank(rs iter.Seq2[bigtable.Row, error]) (out []Standing) {
	for row := range rs {
		for _, it := range row["page"] {
			out = append(out, Standing{UpdatedAt: it.Timestamp.Time()})
		}
	}
	return out
}

// Times keeps the times without saying what they are.
func Times(rs iter.Seq2[bigtable.Row, error]) (out []time.Time) {
	for row := range rs {
		for _, it := range row["page"] {
			out = append(out, it.Timestamp.Time())
		}
	}
	return out
}
