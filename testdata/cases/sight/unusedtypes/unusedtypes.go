// Package unusedtypes gives a library's function an object of its own type, and one of the
// library's.
package unusedtypes

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/unusedtypes/books"
)

type numbered struct{}

func (numbered) Stamp(n int64) bigtable.Timestamp { return bigtable.Timestamp(n * 1000) }

type byClock struct{}

func (byClock) Stamp(int64) bigtable.Timestamp { return bigtable.Now() }

func run(ctx context.Context, c *bigtable.Client) {
	_ = books.Import(ctx, c, 2, numbered{})
	_ = books.Import(ctx, c, 2, byClock{})       // want `clock-in-sequence`
	_ = books.Import(ctx, c, 2, books.ByClock{}) // want `clock-in-sequence`
}
