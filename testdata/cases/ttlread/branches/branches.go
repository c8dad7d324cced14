// Package branches holds interleaves and conditions: each branch needs its
// own bound, and a predicate bounds nothing.
package branches

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func interleave(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(live(), bigtable.LatestNFilter(1)))) // want `unfiltered-branch: .*"code"`
}

func okInterleave(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.ColumnFilter("a"), live()), bigtable.ChainFilters(bigtable.ColumnFilter("b"), live()))))
}

func oneColumnUnbounded(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.ColumnFilter("a"), live()), bigtable.ColumnFilter("b")))) // want `unfiltered-branch: .*"code"`
}

func okBoundedAfterwards(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.InterleaveFilters(bigtable.ColumnFilter("a"), bigtable.ColumnFilter("b")), live())))
}

func okBoundedBefore(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(live(), bigtable.InterleaveFilters(bigtable.ColumnFilter("a"), bigtable.ColumnFilter("b")))))
}

func okPerFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.FamilyFilter("token"), live()), bigtable.FamilyFilter("profile"))))
}

func perFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)), bigtable.FamilyFilter("profile")))) // want `unfiltered-branch: .*"token"`
}

func predicateOnly(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(live(), bigtable.PassAllFilter(), nil))) // want `unfiltered-branch: .*"code"`
}

// The predicate asks for a live cell of the row: the dead ones of other columns pass with it.
func predicateOfFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), live()), bigtable.LatestNFilter(1), bigtable.BlockAllFilter()))) // want `unfiltered-branch: .*"code"`
}

func predicateOfColumn(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.ConditionFilter(bigtable.ChainFilters(bigtable.ColumnFilter("a"), live()), bigtable.ColumnFilter("b"), nil)))) // want `unfiltered-branch: .*"code"`
}

func okPredicateOfFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), live()), bigtable.ChainFilters(live(), bigtable.LatestNFilter(1)), bigtable.BlockAllFilter())))
}

// Of one column the newest cell is alive where any is.
func okPredicateOfSameColumn(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.ColumnFilter("a"), live()), bigtable.ChainFilters(bigtable.ColumnFilter("a"), bigtable.LatestNFilter(1)), nil)))
}

func falseBranch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(bigtable.ColumnFilter("a"), live(), bigtable.LatestNFilter(1)))) // want `unfiltered-branch: .*"code"`
}

func okBothBranches(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(bigtable.ColumnFilter("a"), live(), bigtable.ChainFilters(bigtable.LatestNFilter(1), live()))))
}

func okNoFalseBranch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(bigtable.ColumnFilter("a"), live(), nil)))
}

func okConditionThenLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ConditionFilter(bigtable.ColumnFilter("a"), bigtable.PassAllFilter(), nil), live())))
}

func okOtherTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("metrics").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(live(), bigtable.LatestNFilter(1))))
}

func okBranchOfOtherFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ConditionFilter(live(), bigtable.FamilyFilter("profile"), nil)))
}

func okUnknownBranch(ctx context.Context, c *bigtable.Client, f bigtable.Filter) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(live(), f)))
}
