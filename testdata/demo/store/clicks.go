package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
)

// Clicks is what visitors looked at, a row per visitor.
type Clicks struct{ tbl *bigtable.Table }

// Put stores a click. It is kept until schema.ClickAge after at.
func (c *Clicks) Put(ctx context.Context, visitor, page string, at time.Time) error {
	return put(ctx, c.tbl, visitor, schema.Event, page, bigtable.Time(at), []byte(page))
}

// Pages returns what the visitor looked at.
func (c *Clicks) Pages(ctx context.Context, visitor string) ([]string, error) {
	return c.pages(ctx, visitor, bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // BAD: ttlread/wrong-bound
}

// PagesFixed asks for what is younger than the family's age.
func (c *Clicks) PagesFixed(ctx context.Context, visitor string) ([]string, error) {
	return c.pages(ctx, visitor, bigtable.TimestampRangeFilter(time.Now().Add(-schema.ClickAge), time.Time{}))
}

func (c *Clicks) pages(ctx context.Context, visitor string, f bigtable.Filter) ([]string, error) {
	row, err := c.tbl.ReadRow(ctx, visitor, bigtable.RowFilter(f))
	var pages []string
	for _, item := range row[schema.Event] {
		pages = append(pages, string(item.Value))
	}
	return pages, err
}
