package store

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
)

// Catalog is what the shop sells, a row per article. Every write replaces the
// value before.
type Catalog struct{ tbl *bigtable.Table }

// Put stores a column of an article.
func (c *Catalog) Put(ctx context.Context, article, column string, ts bigtable.Timestamp, value []byte) error {
	return put(ctx, c.tbl, article, schema.Latest, column, ts, value)
}

// Get returns a column of an article.
func (c *Catalog) Get(ctx context.Context, article, column string) ([]byte, error) {
	row, err := c.tbl.ReadRow(ctx, article)
	return first(row, schema.Latest, column), err
}
