// Package far makes the repositories of another package.
package far

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/crossed"
)

func use(ctx context.Context, c *bigtable.Client) int {
	t := c.Open("sessions")
	names := crossed.NewBare(t, "profile", nil)
	tokens := crossed.NewBare(t, "token", nil) // want `missing-filter: .*"token" of table "sessions"`
	bounded := crossed.NewBare(t, "token", func() bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	})
	return names.Get(ctx, "k") + tokens.Get(ctx, "k") + bounded.Get(ctx, "k")
}
