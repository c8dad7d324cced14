package atcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/fixes/atcalls/kit"
)

// Of a filter with branches, those get a bound that have none.
func branch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter("token"), // of the user
		kit.In("profile", bigtable.LatestNFilter(1)),
	)
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `unfiltered-branch: .*"token"`
}

func branches(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters( // want `unfiltered-branch: .*"code"`
		bigtable.ColumnFilter("a"),
		bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.ColumnFilter("b")),
		bigtable.ColumnFilter("c"),
	)))
}

func condition(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter( // want `unfiltered-branch: .*"code"`
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.PassAllFilter(), nil)))
}

// A branch that is made elsewhere stays, and the others do.
func half(ctx context.Context, c *bigtable.Client, more func() []bigtable.Filter) (bigtable.Row, error) {
	parts := []bigtable.Filter{bigtable.FamilyFilter("token")}
	if more == nil {
		parts = append(parts, bigtable.FamilyFilter("profile"))
	}
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(parts...))) // want `unfiltered-branch: .*"token"`
}

// Where all families need the same, one range is for all; those that need nothing share
// a branch.
func alike(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("pulses").ReadRow(ctx, "k") // want `missing-filter: .*"beat", "pace", "rest"`
}

func three(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("rounds").ReadRow(ctx, "k") // want `missing-filter: .*"lap"`
}

// A family that the registry does not list is kept where it is used.
func unlisted(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(row["token"]) + len(row["device"]), err
}

func listed(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("rounds").ReadRow(ctx, "k") // want `missing-filter: .*"lap"`
	return len(row["lap"]) + len(row["car"]), err
}
