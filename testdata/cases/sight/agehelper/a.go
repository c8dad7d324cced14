// Package agehelper hands times of cells to helpers of a package that does not
// import the client, and takes what they return for an age.
package agehelper

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/agehelper/clock"
)

func since(c clock.Clock, t time.Time) time.Duration { return c.Now().Sub(t) }

func items(ctx context.Context, c *bigtable.Client, family string) []bigtable.ReadItem {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))
	row, _ := c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return row["event"]
}

func fresh(ctx context.Context, c *bigtable.Client, clk clock.Clock) (n int) {
	for _, it := range items(ctx, c, "event") {
		if since(clk, it.Timestamp.Time()) < time.Hour { // want `ttlage/not-write-time`
			n++
		}
		if clock.Since(clk, it.Timestamp.Time()) < time.Hour { // want `ttlage/not-write-time`
			n++
		}
		if clock.Age(it.Timestamp.Time()) < time.Hour { // want `ttlage/not-write-time`
			n++
		}
		if clock.AgeIn(clk.Now(), it.Timestamp.Time()) < time.Hour { // want `ttlage/not-write-time`
			n++
		}
		if clock.Older(it.Timestamp.Time(), time.Hour) { // want `ttlage/not-write-time`
			n++
		}
	}
	return n
}

func made(ctx context.Context, c *bigtable.Client) (list []clock.Entry) {
	for _, it := range items(ctx, c, "event") {
		list = append(list, clock.Made(it.Timestamp.Time())) // want `ttlage/not-write-time`
	}
	return list
}

func okOrdinary(ctx context.Context, c *bigtable.Client, clk clock.Clock) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	for _, it := range row["profile"] {
		if clock.Since(clk, it.Timestamp.Time()) < time.Hour || clock.Older(it.Timestamp.Time(), time.Hour) {
			n++
		}
	}
	return n
}

func okLeft(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("ticket"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	for _, it := range row["ticket"] {
		if clock.Left(it.Timestamp.Time()) < time.Hour || clock.Live(it.Timestamp.Time()) || clock.Until(it.Timestamp.Time()).ExpiresAt.IsZero() {
			n++
		}
	}
	return n
}

func expired(t time.Time) bool { return time.Since(t) > 0 }

func expiredAt(now, t time.Time) bool { return now.Sub(t) >= 0 }

func okExpired(ctx context.Context, c *bigtable.Client, clk clock.Clock) (n int) {
	row, _ := c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("ticket")))
	for _, it := range row["ticket"] {
		at := it.Timestamp.Time()
		if expired(at) || expiredAt(clk.Now(), at) || clock.Expired(at) || clock.ExpiredAt(clk.Now(), at) || clock.Remains(clk.Now(), at) < 0 {
			n++
		}
	}
	return n
}
