// Package columns reads cells of several families and tells them apart by their
// columns, which begin with the family's name.
package columns

import (
	"context"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

var families = []string{"token", "profile"}

func live() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})),
		bigtable.FamilyFilter("profile"),
	)
}

// Since says how old the profile is and how long the token lives.
func Since(ctx context.Context, c *bigtable.Client, now time.Time) (made, left time.Duration) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(live()))
	for _, fam := range families {
		for _, item := range row[fam] {
			switch item.Column {
			case "token:link":
				left = item.Timestamp.Time().Sub(now)
			case "profile:link", "profile:mail":
				made = now.Sub(item.Timestamp.Time())
			}
		}
	}
	return made, left
}

// Ages says how old cells are.
func Ages(ctx context.Context, c *bigtable.Client, now time.Time) (ages []time.Duration) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(live()))
	for _, fam := range families {
		for _, item := range row[fam] {
			if strings.HasPrefix(item.Column, "profile:") {
				ages = append(ages, now.Sub(item.Timestamp.Time()))
			}
			if item.Column != "token:link" {
				continue
			}
			ages = append(ages, now.Sub(item.Timestamp.Time())) // want `not-write-time: .*"token"`
		}
	}
	return ages
}

// All says how old all cells are.
func All(ctx context.Context, c *bigtable.Client, now time.Time) (ages []time.Duration) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(live()))
	for _, fam := range families {
		for _, item := range row[fam] {
			if strings.HasPrefix(item.Column, "t") {
				ages = append(ages, now.Sub(item.Timestamp.Time())) // want `not-write-time: .*"token"`
			}
			switch {
			case strings.HasPrefix(item.Column, "token:"):
				ages = append(ages, now.Sub(item.Timestamp.Time())) // want `not-write-time: .*"token"`
			case item.Column == "profile:link":
				ages = append(ages, now.Sub(item.Timestamp.Time()))
			}
		}
	}
	return ages
}
