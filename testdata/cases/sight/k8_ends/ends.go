// Package k8_ends reads up to now from a start that is not known exactly.
package k8_ends

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// Conf says how long things are kept.
type Conf struct{ Retention time.Duration }

func load() (conf Conf) {
	conf.Retention, _ = time.ParseDuration(os.Getenv("RETENTION"))
	return conf
}

// Window hides what lives longer than usual, whatever the retention is.
func Window(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter( // want `upper-bound: .*"event" of table "clicks"`
		bigtable.TimestampRangeFilter(now.Add(-load().Retention), now)))
}

// Dead returns what has expired.
func Dead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter( // want `expired-only: .*"ticket" of table "tickets"`
		bigtable.TimestampRangeFilter(now.Add(-load().Retention), now)))
}

// Live may be right.
func Live(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.TimestampRangeFilter(time.Now().Add(-load().Retention), time.Time{})))
}

// Between is any time.
func Between(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.TimestampRangeFilter(now.Add(-load().Retention), now.Add(load().Retention))))
}
