// Package iteratorfails reads rows out of iterators that yield their errors too, of
// tables that are known and not registered, and of such that are.
package iteratorfails

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/iteratorfails/bt"
)

// Run supplies the client.
func Run(c *bigtable.Client) int {
	ctx := context.Background()
	return legacy(ctx, c) + sessions(ctx, c) + cells(ctx, c) + keys(ctx, c) + own(ctx, c)
}

func legacy(ctx context.Context, c *bigtable.Client) (old int) {
	for row, err := range bt.Scan(ctx, c.Open("legacy_sessions")) {
		if err != nil {
			return old
		}
		for _, it := range row["token"] {
			if time.Since(it.Timestamp.Time()) > 24*time.Hour {
				old++
			}
		}
	}
	return old
}

func sessions(ctx context.Context, c *bigtable.Client) (old int) {
	for row, err := range bt.Scan(ctx, c.Open("sessions")) {
		if err != nil {
			return old
		}
		for _, it := range row["token"] {
			if time.Since(it.Timestamp.Time()) > 24*time.Hour { // want `not-write-time: .*"token" of table "sessions"`
				old++
			}
		}
	}
	return old
}

func cells(ctx context.Context, c *bigtable.Client) (old int) {
	for it, err := range bt.Open(c, "legacy_sessions").Items(ctx, "token") {
		if err != nil {
			return old
		}
		if time.Since(it.Timestamp.Time()) > 24*time.Hour {
			old++
		}
	}
	for it, err := range bt.Open(c, "sessions").Items(ctx, "token") {
		if err != nil {
			return old
		}
		if time.Since(it.Timestamp.Time()) > 24*time.Hour { // want `not-write-time: .*"token" of table "sessions"`
			old++
		}
	}
	return old
}

func keys(ctx context.Context, c *bigtable.Client) (old int) {
	for row, err := range bt.Keys(ctx, c.Open("legacy_sessions"), "a", "b") {
		if err != nil {
			continue
		}
		old += aged(row)
	}
	return old
}

// All its callers have rows of a table that is not registered.
func aged(row bigtable.Row) (old int) {
	for _, it := range row["token"] {
		if time.Since(it.Timestamp.Time()) > 24*time.Hour {
			old++
		}
	}
	return old
}

func scan(ctx context.Context, t *bigtable.Table) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		if err := t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { return yield(r, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

func own(ctx context.Context, c *bigtable.Client) (old int) {
	for row, err := range scan(ctx, c.Open("legacy_sessions")) {
		if err == nil {
			for _, it := range row["token"] {
				if time.Since(it.Timestamp.Time()) > 24*time.Hour {
					old++
				}
			}
		}
	}
	for row, err := range scan(ctx, c.Open("sessions")) {
		if err == nil {
			for _, it := range row["token"] {
				if time.Since(it.Timestamp.Time()) > 24*time.Hour { // want `not-write-time: .*"token" of table "sessions"`
					old++
				}
			}
		}
	}
	return old
}
