package handslices

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

func Contains(ctx context.Context, c *bigtable.Client, k string) bool {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	return slices.ContainsFunc(row["link"], func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(time.Now()) })
}

func Delete(ctx context.Context, c *bigtable.Client, k string) []bigtable.ReadItem {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	now := bigtable.Now()
	return slices.DeleteFunc(row["link"], func(it bigtable.ReadItem) bool { return it.Timestamp < now })
}

func expired(it bigtable.ReadItem) bool { return it.Timestamp < bigtable.Now() }

func Named(ctx context.Context, c *bigtable.Client, k string) []bigtable.ReadItem {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	return slices.DeleteFunc(row["link"], expired)
}

func Index(ctx context.Context, c *bigtable.Client, k string) []byte {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	items := row["link"]
	i := slices.IndexFunc(items, func(it bigtable.ReadItem) bool { return it.Timestamp > bigtable.Now() })
	if i < 0 {
		return nil
	}
	return items[i].Value
}
