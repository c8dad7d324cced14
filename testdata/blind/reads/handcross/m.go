package handcross

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/blind/handcross/expiry"
)

func Item(ctx context.Context, c *bigtable.Client, k string) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if expiry.Live(it) {
			n++
		}
	}
	return n
}

func Stamp(ctx context.Context, c *bigtable.Client, k string) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if expiry.LiveTS(it.Timestamp) {
			n++
		}
	}
	return n
}

func Items(ctx context.Context, c *bigtable.Client, k string) int {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	return len(expiry.Keep(row["link"]))
}

func Row(ctx context.Context, c *bigtable.Client, k string) int {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	return len(expiry.KeepRow(row))
}
