// Package missing reads tables with expiring families without a filter that
// keeps the dead cells out.
package missing

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// No filter at all.

func readRow(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func readRows(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), visit) // want `missing-filter: .*"code"`
}

func otherOptions(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), visit, bigtable.LimitRows(10)) // want `missing-filter: .*"code"`
}

func defaultExpiration(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k") // want `missing-filter: .*"event"`
}

func sequence(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k") // want `missing-filter: .*"entry"`
}

func besideOrdinaryFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
}

func local(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	tbl := c.Open("otp")
	row, err := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	if err != nil {
		return nil, err
	}
	return row, nil
}

// Live.

func okReadRow(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func okMicros(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Now(), 0)))
}

func okReadRows(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	live := bigtable.TimestampRangeFilter(time.Now(), time.Time{})
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), visit, bigtable.RowFilter(live), bigtable.LimitRows(10))
}

func okDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})))
}

func okDefaultByDate(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -30), time.Time{})))
}

func okSequence(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("bank-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

func okChain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("c"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1))))
}

func okLatestFirst(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
}

func okWithinMaxAge(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Second), time.Time{})))
}

func okNested(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	inner := bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1))
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("code"), inner)))
}

// Filters that do not bound.

func latest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"code"`
}

func family(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
}

func column(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("url"))) // want `missing-filter: .*"event"`
}

func passAll(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.PassAllFilter())) // want `missing-filter: .*"code"`
}

func chain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("c"), bigtable.LatestNFilter(1)))) // want `missing-filter: .*"code"`
}

func openRange(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Time{}))) // want `missing-filter: .*"code"`
}

func existence(ctx context.Context, c *bigtable.Client) (bool, error) {
	row, err := c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want `missing-filter: .*"code"`
	return len(row) > 0, err
}

func bareExistence(ctx context.Context, c *bigtable.Client) (bool, error) {
	row, err := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return row != nil, err
}

// Nothing that could be dead.

func okOrdinaryTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("metrics").ReadRow(ctx, "k")
}

func okZeroTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("catalog").ReadRow(ctx, "k")
}

func okUnregisteredTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("plain").ReadRow(ctx, "k")
}

func okOtherFamily(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
}

func okOtherFamilyByRange(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnRangeFilter("profile", "a", "z")))
}

func okOtherFamilyInChain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("pro.*"), bigtable.LatestNFilter(1))))
}

func okBlocked(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.BlockAllFilter()))
}

func okUnknownTable(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k")
}

func okUnknownName(ctx context.Context, c *bigtable.Client, name string) (bigtable.Row, error) {
	return c.Open(name).ReadRow(ctx, "k")
}

func okUnknownFilter(ctx context.Context, c *bigtable.Client, f bigtable.Filter) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(f))
}

func okUnknownOptions(ctx context.Context, c *bigtable.Client, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", opts...)
}

func okUnknownPartOfChain(ctx context.Context, c *bigtable.Client, f bigtable.Filter) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), f)))
}

func okUnknownStart(ctx context.Context, c *bigtable.Client, since time.Time) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(since, time.Time{})))
}

func okUnknownFamilyPattern(ctx context.Context, c *bigtable.Client, fam string) (bigtable.Row, error) {
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter(fam)))
}
