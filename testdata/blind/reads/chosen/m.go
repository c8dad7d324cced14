package chosen

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func filter(mode string) bigtable.Filter {
	if mode == "all" {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func show(ctx context.Context, c *bigtable.Client, k string, f bigtable.Filter) int {
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(f))
	return len(row["link"])
}

// Param: a parameter without known caller decides.
func Param(ctx context.Context, c *bigtable.Client, k, mode string) int {
	return show(ctx, c, k, filter(mode)) // silent
}

type kind int

const (
	aLive kind = iota
	anAll
)

func parse(s string) kind {
	if s == "all" {
		return anAll
	}
	return aLive
}

func (m kind) filter() bigtable.Filter {
	if m == anAll {
		return bigtable.PassAllFilter()
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func Parsed(ctx context.Context, c *bigtable.Client, k, mode string) int {
	return show(ctx, c, k, parse(mode).filter()) // silent
}
