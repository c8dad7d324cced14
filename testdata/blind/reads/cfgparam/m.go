package cfgparam

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct{ Retention time.Duration }

// Demo is a configuration for another purpose, and flows nowhere.
func Demo() Config { return Config{Retention: time.Hour} }

// Imps is exported, and nobody calls it: cfg is not known.
func Imps(ctx context.Context, c *bigtable.Client, cfg Config, k string) int {
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter( // silent
		bigtable.TimestampRangeFilter(time.Now().Add(-cfg.Retention), time.Time{})))
	return len(row["imp"])
}

func Ptr(ctx context.Context, c *bigtable.Client, cfg *Config, k string) int {
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter( // silent
		bigtable.TimestampRangeFilter(time.Now().Add(-cfg.Retention), time.Time{})))
	return len(row["imp"])
}
