// Package rows makes iterators over rows and over what they hold.
package rows

import (
	"context"
	"iter"

	"cloud.google.com/go/bigtable"
)

func All(ctx context.Context, t *bigtable.Table, opts ...bigtable.ReadOption) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		stopped := false
		err := t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool {
			stopped = !yield(r, nil)
			return !stopped
		}, opts...)
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

func Columns(row bigtable.Row, family string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, it := range row[family] {
			if !yield(it.Column[len(family)+1:]) {
				return
			}
		}
	}
}

func Each(ctx context.Context, t *bigtable.Table, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return t.ReadRows(ctx, bigtable.PrefixRange(""), f, opts...)
}
