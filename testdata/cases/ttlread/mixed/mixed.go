// Package mixed reads tables whose families follow different strategies.
package mixed

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func bareRange(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: `
}

func bareRangeInChain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1)))) // want `hides-other-families: `
}

func bareRangeBothUsed(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: `
	return len(row["token"]) + len(row["profile"]), err
}

func okRestricted(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func okInterleaved(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})), bigtable.FamilyFilter("profile"))))
}

func okSingleFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

// Three strategies, each with its own bound.

func okEachItsOwn(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	hot := bigtable.ChainFilters(bigtable.FamilyFilter("hot"), bigtable.TimestampRangeFilter(now, time.Time{}))
	log := bigtable.ChainFilters(bigtable.FamilyFilter("log"), bigtable.TimestampRangeFilter(now.Add(-24*time.Hour), time.Time{}))
	seq := bigtable.ChainFilters(bigtable.FamilyFilter("seq"), bigtable.LatestNFilter(1))
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(hot, log, seq)))
}

func okHot(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("hot"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func hot(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("hot"), bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{})))) // want `wrong-bound: .*"hot"`
}

func log(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("log"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // want `wrong-bound: .*"log"`
}

func okLog(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("log"), bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -1), time.Time{}))))
}

func seq(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("seq"))) // want `version-limit: .*"seq"`
}

func okSeq(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("seq"), bigtable.LatestNFilter(1))))
}

func twoOfThree(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("hot|log"))) // want `missing-filter: .*"hot".*"log"`
}

// What is right for one family lets the dead cells of the other pass, and hides none.
func bareTooEarly(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("mixed").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}))) // want `wrong-bound: .*"hot"`
	return len(row["log"]) + len(row["hot"]), err
}

// No range that begins at a time of the clock has a cell at the timestamp 0.
func zeroHidden(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("gauges").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}))) // want `hides-other-families: .*"unit"`
	return len(row["gauge"]) + len(row["unit"]), err
}

func okZeroUnused(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("gauges").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})))
	return len(row["gauge"]), err
}

func okZeroOpen(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("gauges").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
	return len(row["gauge"]) + len(row["unit"]), err
}

func okZeroOtherwise(ctx context.Context, c *bigtable.Client) (int, error) {
	hour := bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})
	row, err := c.Open("gauges").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.InterleaveFilters(hour, bigtable.ColumnFilter("name"))))
	return len(row["gauge"]) + len(row["unit"]), err
}

// What does not expire beside an ordinary family has the timestamp 0, which no range
// from the clock lets pass, in whatever link of the chain it stands.
func zeroBesideOrdinary(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}), bigtable.LatestNFilter(1))
	return c.Open("notes").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `hides-other-families: .*"draft"`
}

func okZeroBesideOrdinary(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter("text"), bigtable.LatestNFilter(1))
	return c.Open("notes").ReadRow(ctx, "k", bigtable.RowFilter(f))
}
