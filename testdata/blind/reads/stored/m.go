package stored

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Items stored and checked, or used, later.

type cell struct {
	value []byte
	until time.Time
}

func Slice(ctx context.Context, c *bigtable.Client) (n int) {
	var all []bigtable.ReadItem
	_ = c.Open("magic_links").ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // silent
		all = append(all, r["link"]...)
		return true
	})
	for _, it := range all {
		if it.Timestamp > bigtable.Now() {
			n++
		}
	}
	return n
}

func Struct(ctx context.Context, c *bigtable.Client, k string) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		x := cell{it.Value, it.Timestamp.Time()}
		if time.Now().Before(x.until) {
			n++
		}
	}
	return n
}

func Map(ctx context.Context, c *bigtable.Client, k string) (out [][]byte) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	m := map[string]time.Time{}
	for _, it := range row["link"] {
		m[string(it.Value)] = it.Timestamp.Time()
	}
	for v, t := range m {
		if t.After(time.Now()) {
			out = append(out, []byte(v))
		}
	}
	return out
}

func conv(it bigtable.ReadItem) ([]byte, time.Time) { return it.Value, it.Timestamp.Time() }

func Results(ctx context.Context, c *bigtable.Client, k string) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if _, t := conv(it); t.After(time.Now()) {
			n++
		}
	}
	return n
}

func first(ctx context.Context, c *bigtable.Client, k string) ([]byte, time.Time, error) {
	row, err := c.Open("magic_links").ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		return it.Value, it.Timestamp.Time(), err
	}
	return nil, time.Time{}, err
}

func First(ctx context.Context, c *bigtable.Client, k string) []byte {
	v, t, err := first(ctx, c, k)
	if err != nil || t.Before(time.Now()) {
		return nil
	}
	return v
}
