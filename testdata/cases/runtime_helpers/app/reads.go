package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/runtime_helpers/schema"
)

// The live filter of another table.

func otherTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", schema.Visits.Live()) // want `hides-other-families: .*"visits"`
}

func otherTableByFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(schema.Visits.LiveFilter(), bigtable.LatestNFilter(1)))) // want `hides-other-families: .*"visits"`
}

func otherFamily(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open("logins").ReadRow(ctx, "k", schema.Logins.Live()) // want `hides-other-families: .*"audit"`
	return row["audit"], err
}

func otherNamed(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open(schema.Logins.Name()).ReadRow(ctx, "k", schema.Visits.LiveAnd(bigtable.LatestNFilter(1))) // want `hides-other-families: .*"grant"`
	return row[schema.Grant.Name()], err
}

func okOwn(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open("logins").ReadRow(ctx, "k", schema.Logins.Live())
	return row["grant"], err
}

func okOwnOtherName(ctx context.Context, c *bigtable.Client, tenant string) (bigtable.Row, error) {
	return c.Open(tenant+"-logins").ReadRow(ctx, "k", schema.Logins.Live())
}

func okUnknownTable(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", schema.Logins.Live())
}

func okThree(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("trips").ReadRow(ctx, "k", schema.Trips.Live())
}

// Filters beside it.

func beside(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", schema.Logins.Live(), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `overridden-filter: `
}

func besideFirst(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)), schema.Logins.Live()) // want `overridden-filter: `
}

func besideOther(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", schema.Visits.Live(), schema.Logins.Live()) // want `overridden-filter: `
}

func okLimit(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", schema.Logins.Live(), bigtable.LimitRows(1))
}

func inBranch(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(schema.Visits.LiveFilter(), bigtable.ColumnFilter("a"))
	return c.Open("visits").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `unfiltered-branch: .*"visit"`
}

func limitFirst(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), schema.Visits.LiveFilter())
	return c.Open("visits").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `limit-before-filter: .*"visit"`
}

func okLimitAfter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("visits").ReadRow(ctx, "k", schema.Visits.LiveAnd(bigtable.CellsPerRowLimitFilter(1)))
}

// A bound of another strategy, by the filter of another table.

func otherBound(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})
	return c.Open("trips").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Trace.Name()), f))) // want `wrong-bound: .*"trace"`
}

// Kept filters.

var live = schema.Logins.Live()

func kept(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", live) // want `stale-bound: .*"grant"`
}

var liveFilter = schema.Visits.LiveFilter()

func keptFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("visits").ReadRow(ctx, "k", bigtable.RowFilter(liveFilter)) // want `stale-bound: .*"visit"`
}

func okKeptHere(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	live := schema.Logins.Live()
	return c.Open("logins").ReadRow(ctx, "k", live)
}

var okNumbersOnly = schema.Books.Live()

func okKeptNumbers(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("books").ReadRow(ctx, "k", okNumbersOnly)
}

// Conditions.

func bareCondition(ctx context.Context, c *bigtable.Client) error {
	set := bigtable.NewMutation()
	if err := schema.Grant.Set(set, "lock", nil); err != nil {
		return err
	}
	return c.Open("logins").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ColumnFilter("lock"), nil, set)) // want `conditional-mutation: .*"grant"`
}

func bareConditionUnknownTable(set *bigtable.Mutation) (*bigtable.Mutation, error) {
	mut := bigtable.NewMutation()
	err := schema.Visit.Replace(mut, "lock", nil, time.Minute)
	return bigtable.NewCondMutation(bigtable.ColumnFilter("lock"), mut, nil), err // want `conditional-mutation: .*"visit"`
}

func okCondition(ctx context.Context, c *bigtable.Client) error {
	set := bigtable.NewMutation()
	if err := schema.Grant.Set(set, "lock", nil); err != nil {
		return err
	}
	f := bigtable.ChainFilters(schema.Logins.LiveFilter(), bigtable.ColumnFilter("lock"))
	return c.Open("logins").Apply(ctx, "k", bigtable.NewCondMutation(f, nil, set))
}

// The times of cells.

type grant struct {
	CreatedAt time.Time
	Expires   time.Time
}

func expiryAsCreation(ctx context.Context, c *bigtable.Client) (*grant, error) {
	row, err := c.Open("logins").ReadRow(ctx, "k", schema.Logins.Live())
	if err != nil || len(row["grant"]) == 0 {
		return nil, err
	}
	return &grant{CreatedAt: schema.Grant.Expiry(row["grant"][0])}, nil // want `not-write-time: .*"grant"`
}

func age(row bigtable.Row) time.Duration {
	return time.Since(schema.Grant.Expiry(row["grant"][0])) // want `not-write-time: .*"grant"`
}

func okExpiry(row bigtable.Row) grant {
	at, _ := schema.Issued.Time(row)
	return grant{CreatedAt: at, Expires: schema.Grant.Expiry(row["grant"][0])}
}

func okLeft(row bigtable.Row) time.Duration {
	return time.Until(schema.Grant.Expiry(row["grant"][0]))
}

func okNumberOf(row bigtable.Row) int64 {
	return schema.Amount.Number(row["amount"][0])
}
