package agelife

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const life = 15 * time.Minute

func Written(ctx context.Context, c *bigtable.Client, k string) (gone time.Duration, createdAt time.Time) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	for _, it := range row["link"] {
		gone = time.Since(it.Timestamp.Time().Add(-life)) // silent
		createdAt = it.Timestamp.Time().Add(-life)        // silent
	}
	return gone, createdAt
}

func Shifted(ctx context.Context, c *bigtable.Client, k string) (left time.Duration) {
	const d = 14 * 24 * time.Hour
	row, _ := c.Open("impressions").ReadRow(ctx, k, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-d), time.Time{})))
	for _, it := range row["imp"] {
		left = d - time.Since(it.Timestamp.Time()) // silent
		if time.Since(it.Timestamp.Time()) > d {   // silent
			left = 0
		}
	}
	return left
}

func HandDefault(ctx context.Context, c *bigtable.Client, k string) (n int) {
	const d = 14 * 24 * time.Hour
	row, _ := c.Open("impressions").ReadRow(ctx, k) // silent
	for _, it := range row["imp"] {
		if time.Since(it.Timestamp.Time()) > d { // silent
			continue
		}
		n++
	}
	return n
}

func HandDefault2(ctx context.Context, c *bigtable.Client, k string) (n int) {
	const d = 14 * 24 * time.Hour
	row, _ := c.Open("impressions").ReadRow(ctx, k) // silent
	for _, it := range row["imp"] {
		if it.Timestamp.Time().Add(d).Before(time.Now()) { // silent
			continue
		}
		n++
	}
	return n
}

func HandSub(ctx context.Context, c *bigtable.Client, k string) (n int) {
	row, _ := c.Open("magic_links").ReadRow(ctx, k) // silent
	now := time.Now()
	for _, it := range row["link"] {
		if now.Sub(it.Timestamp.Time()) > 0 { // silent
			continue
		}
		n++
	}
	return n
}
