package cfgdecode

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct {
	Retention time.Duration
	Versions  int
}

func imps(ctx context.Context, c *bigtable.Client, k string, d time.Duration) int {
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})))
	return len(row["imp"])
}

func Decoded(ctx context.Context, c *bigtable.Client, k string, b []byte) int {
	var cfg config
	if json.Unmarshal(b, &cfg) != nil {
		return 0
	}
	return imps(ctx, c, k, cfg.Retention) // silent
}

func Default(ctx context.Context, c *bigtable.Client, k string, b []byte) int {
	cfg := config{Retention: time.Hour}
	if json.Unmarshal(b, &cfg) != nil {
		return 0
	}
	return imps(ctx, c, k, cfg.Retention) // silent
}

func Scanned(ctx context.Context, c *bigtable.Client, k, s string) int {
	var n int
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil {
		return 0
	}
	row, _ := c.Open("eu-journal").ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters( // silent
		bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(n))))
	return len(row["entry"])
}

func ScannedTen(ctx context.Context, c *bigtable.Client, k, s string) int {
	n := 10
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil {
		return 0
	}
	row, _ := c.Open("eu-journal").ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters( // silent
		bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(n))))
	return len(row["entry"])
}
