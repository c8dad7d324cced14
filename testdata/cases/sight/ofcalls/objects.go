package ofcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type checker interface{ alive(bigtable.ReadItem) bool }

type clock struct{ now func() time.Time }

func (c clock) alive(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(c.now()) }

type nonEmpty struct{}

func (nonEmpty) alive(it bigtable.ReadItem) bool { return len(it.Value) > 0 }

func count(items []bigtable.ReadItem, c checker) (n int) {
	for _, it := range items {
		if c.alive(it) {
			n++
		}
	}
	return n
}

func okObject(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return count(row["code"], clock{time.Now})
}

func object(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return count(row["code"], nonEmpty{})
}

// The whole row goes to the helper.
func countRow(r bigtable.Row, c checker) int { return count(r["code"], c) }

func okRow(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return countRow(row, &clock{time.Now})
}

func wholeRow(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return countRow(row, &nonEmpty{})
}

// In a variable, chosen by a helper, both the same.
func clockOf(now time.Time) checker { return clock{func() time.Time { return now }} }

func okMade(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	var by checker = clockOf(time.Now())
	return count(row["code"], by)
}

// An object keeps its checker.
type counter struct {
	tbl *bigtable.Table
	by  checker
}

func (c counter) okCount(ctx context.Context) int {
	row, _ := c.tbl.ReadRow(ctx, "k")
	return count(row["code"], c.by)
}

func newCounter(c *bigtable.Client) counter { return counter{c.Open("otp"), clock{time.Now}} }

// Decoders of rows.
type decoder interface{ decode(bigtable.Row) int }

type profiles struct{}

func (profiles) decode(r bigtable.Row) int { return len(r["profile"]) }

type tokens struct{}

func (*tokens) decode(r bigtable.Row) int { return len(r["token"]) }

type liveTokens struct{ by checker }

func (l liveTokens) decode(r bigtable.Row) int { return count(r["token"], l.by) }

func fetch(ctx context.Context, tbl *bigtable.Table, d decoder) (int, error) {
	row, err := tbl.ReadRow(ctx, "k")
	if err != nil {
		return 0, err
	}
	return d.decode(row), nil
}

// Through another function.
func fetchTwice(ctx context.Context, tbl *bigtable.Table, d decoder) (int, error) {
	if n, err := fetch(ctx, tbl, d); err == nil {
		return n, nil
	}
	return fetch(ctx, tbl, d)
}

func scan(ctx context.Context, tbl *bigtable.Table, d decoder) (n int, err error) {
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		n += d.decode(r)
		return true
	})
	return n, err
}

func decoders(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	_, _ = fetch(ctx, tbl, profiles{})
	_, _ = fetch(ctx, tbl, &tokens{}) // want `missing-filter: .*"token"`
	_, _ = fetch(ctx, tbl, liveTokens{clock{time.Now}})
	_, _ = fetch(ctx, tbl, liveTokens{nonEmpty{}}) // want `missing-filter: .*"token"`
	_, _ = fetchTwice(ctx, tbl, profiles{})
	_, _ = fetchTwice(ctx, tbl, &tokens{}) // want `missing-filter: .*"token"`
	_, _ = scan(ctx, tbl, profiles{})
	_, _ = scan(ctx, tbl, &tokens{}) // want `missing-filter: .*"token"`
}

var _ = []any{okObject, object, okRow, wholeRow, okMade, counter.okCount, newCounter, decoders}
