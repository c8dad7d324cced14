// Package use reads with the helpers of another package.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/retry/rows"
)

func first(family string) func(bigtable.Row) (string, error) {
	return func(r bigtable.Row) (string, error) {
		for _, it := range r[family] {
			return string(it.Value), nil
		}
		return "", context.Canceled
	}
}

func tokens(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	rows.As(ctx, tbl, bigtable.FamilyFilter("token"), first("token")) // want "read of one-second-expiration family .token. of table .sessions."
	rows.As(ctx, tbl, bigtable.TimestampRangeFilter(time.Now(), time.Time{}), first("token"))
	rows.As(ctx, tbl, bigtable.LatestNFilter(1), first("profile"))
	r, err := rows.Whole(ctx, tbl, bigtable.LatestNFilter(1)) // want "read of one-second-expiration family .token. of table .sessions."
	if err == nil {
		println(len(r["token"]))
	}
	r, err = rows.Whole(ctx, tbl, bigtable.LatestNFilter(1))
	if err == nil {
		println(len(r["profile"]))
	}
}

var profile = rows.First("profile")

func parsers(ctx context.Context, c *bigtable.Client) (string, error) {
	tbl := c.Open("sessions")
	rows.As(ctx, tbl, bigtable.FamilyFilter("token"), rows.First("token")) // want "read of one-second-expiration family .token. of table .sessions."
	rows.As(ctx, tbl, bigtable.FamilyFilter("token"), rows.Alive("token"))
	rows.As(ctx, tbl, bigtable.LatestNFilter(1), rows.First("profile"))
	rows.As(ctx, tbl, bigtable.LatestNFilter(1), profile)
	rows.As(ctx, tbl, bigtable.LatestNFilter(1), rows.Same()) // want "read of one-second-expiration family .token. of table .sessions."
	row, err := tbl.ReadRow(ctx, "k")
	if err != nil {
		return "", err
	}
	return rows.First("profile")(row)
}
