// Package bounds has time ranges that are wrong for their family: those of
// another strategy, those that end, those that hold only dead cells.
package bounds

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	month = 720 * time.Hour
	day   = 24 * time.Hour
)

var none time.Time

// Only dead cells.

func expiredOnly(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // want `expired-only: .*"ticket"`
}

func expiredOnlyFromEpoch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now()))) // want `expired-only: .*"ticket"`
}

func expiredOnlyMicros(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(0, bigtable.Now()))) // want `expired-only: .*"ticket"`
}

func expiredOnlyWithoutTTL(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want `expired-only: .*"code"`
}

func expiredOnlyFromLately(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(now.Add(-time.Minute), now))) // want `expired-only: .*"ticket"`
}

func expiredOnlyDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-month)))) // want `expired-only: .*"event"`
}

// An end that hides live cells.

func end(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)))) // want `upper-bound: .*"ticket"`
}

func okEndBeyondTTL(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(time.Hour))))
}

func endWithoutTTL(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(time.Hour)))) // want `upper-bound: .*"code"`
}

func endOfDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(now.Add(-month), now))) // want `upper-bound: .*"event"`
}

func okUnknownEnd(ctx context.Context, c *bigtable.Client, end time.Time) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), end)))
}

// The bound of another strategy.

func nowOnDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `wrong-bound: .*"event"`
}

func tooShortOnDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-7*day), time.Time{}))) // want `wrong-bound: .*"event"`
}

func tooLongOnDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-90*day), time.Time{}))) // want `wrong-bound: .*"event"`
}

func ageOnOneSecond(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-15*time.Minute), time.Time{}))) // want `wrong-bound: .*"ticket"`
}

func ageOnOneSecondMicros(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	start := bigtable.Time(time.Now().Add(-time.Hour))
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(start, 0))) // want `wrong-bound: .*"ticket"`
}

// Good bounds.

func okDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-month), time.Time{})))
}

func okDefaultTruncated(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-month).Truncate(time.Millisecond), none)))
}

func okDefaultMicros(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Time(time.Now().Add(-month)), 0)))
}

func okDefaultUnknownAge(ctx context.Context, c *bigtable.Client, age time.Duration) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-age), time.Time{})))
}

func okOneSecondFuture(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	// Cells with at least a minute left.
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(time.Minute), time.Time{})))
}

func okVariableEnd(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), none)))
}

func okOrdinaryWindow(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	now := time.Now()
	return c.Open("metrics").ReadRows(ctx, bigtable.PrefixRange("cpu"), visit, bigtable.RowFilter(bigtable.TimestampRangeFilter(now.Add(-time.Hour), now)))
}

func okWindowOfCaller(ctx context.Context, c *bigtable.Client, from, to time.Time) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to)))
}

// Strategies of one family name differ by table.

func okCache(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("cache").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func history(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("history").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `wrong-bound: .*"val"`
}
