package cellhelper

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var _ = time.Now

func cell(row bigtable.Row, fam, col string) []byte {
	for _, it := range row[fam] {
		if it.Column == fam+":"+col {
			return it.Value
		}
	}
	return nil
}

func items(row bigtable.Row, fam string) []bigtable.ReadItem { return row[fam] }

func first(row bigtable.Row, fam string) []byte {
	for _, it := range row[fam] {
		return it.Value
	}
	return nil
}

func twoResults(row bigtable.Row, fam string) ([]byte, bool) {
	for _, it := range row[fam] {
		return it.Value, true
	}
	return nil, false
}

func Cell(ctx context.Context, c *bigtable.Client, k string) []byte {
	row, _ := c.Open("carts").ReadRow(ctx, k) // silent
	return cell(row, "owner", "email")
}

func Items(ctx context.Context, c *bigtable.Client, k string) []bigtable.ReadItem {
	row, _ := c.Open("carts").ReadRow(ctx, k) // silent
	return items(row, "owner")
}

func First(ctx context.Context, c *bigtable.Client, k string) []byte {
	row, _ := c.Open("carts").ReadRow(ctx, k) // silent
	return first(row, "owner")
}

func Both(ctx context.Context, c *bigtable.Client, k string) []byte {
	row, _ := c.Open("carts").ReadRow(ctx, k) // silent
	b, _ := twoResults(row, "owner")
	return b
}

const fam = "owner"

func direct(row bigtable.Row) []byte {
	for _, it := range row[fam] {
		return it.Value
	}
	return nil
}

func Direct(ctx context.Context, c *bigtable.Client, k string) []byte {
	row, _ := c.Open("carts").ReadRow(ctx, k) // silent
	return direct(row)
}
