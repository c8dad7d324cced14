package typeswitch

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type expr interface{ isExpr() }

type (
	alive  struct{}
	newest int
)

func (alive) isExpr()  {}
func (newest) isExpr() {}

func compile(e expr) bigtable.Filter {
	switch e := e.(type) {
	case newest:
		return bigtable.LatestNFilter(int(e))
	default:
		return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	}
}

func run(ctx context.Context, c *bigtable.Client, k string, e expr) int {
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(compile(e)))
	return len(row["link"])
}

func Alive(ctx context.Context, c *bigtable.Client, k string) int { return run(ctx, c, k, alive{}) } // silent

// Run is told what to do by its caller, and has none.
func Run(ctx context.Context, c *bigtable.Client, k string, e expr) int { return run(ctx, c, k, e) } // silent

type (
	and []expr
	fam string
)

func (and) isExpr() {}
func (fam) isExpr() {}

func compile2(e expr) bigtable.Filter {
	switch e := e.(type) {
	case and:
		var fs []bigtable.Filter
		for _, x := range e {
			fs = append(fs, compile2(x))
		}
		return bigtable.ChainFilters(fs...)
	case fam:
		return bigtable.FamilyFilter(string(e))
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

func Run2(ctx context.Context, c *bigtable.Client, k string, e expr) int {
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(compile2(e))) // silent
	return len(row["link"])
}

func Alive2(ctx context.Context, c *bigtable.Client, k string) int {
	return Run2(ctx, c, k, and{fam("link"), alive{}}) // silent
}
