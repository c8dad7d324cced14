package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/runtime_helpers/schema"
)

func okOptions(mut *bigtable.Mutation, d time.Duration) error {
	if err := schema.Lease.Set(mut, "holder", nil); err != nil {
		return err
	}
	if err := schema.Mark.Replace(mut, "a", nil, d); err != nil {
		return err
	}
	return schema.Log.Replace(mut, "line", nil)
}

func untilNowWithSkew(mut *bigtable.Mutation) error {
	return schema.Mark.SetUntil(mut, "a", nil, time.Now().Add(-time.Hour)) // want `already-expired: .*"mark"`
}

func replaceUntilNow(mut *bigtable.Mutation) error {
	return schema.Grant.ReplaceUntil(mut, "a", nil, time.Now()) // want `write-time: .*"grant".*ReplaceUntil returns an error`
}

func markedByServer(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("lease", "holder", bigtable.ServerTime, nil) // want `server-timestamp: .*"lease"`
	return c.Open("leases").Apply(ctx, "k", mut)
}

func okLatest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("leases").ReadRow(ctx, "k", schema.Leases.Latest(bigtable.ColumnFilter("holder")))
}

func okCareful(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("leases").ReadRow(ctx, "k", schema.Leases.LiveAt(time.Now().Add(5*time.Second)))
}

func okOneTime(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	now := time.Now()
	return c.Open("leases").ReadRow(ctx, "k", schema.Leases.LiveAt(now, bigtable.ColumnFilter("holder")))
}

func earlier(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open("leases").ReadRow(ctx, "k", schema.Leases.LiveAt(time.Now().Add(-time.Hour))) // want `wrong-bound: .*"lease"`
	return row["lease"], err
}

func atStart(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open("leases").ReadRow(ctx, "k", schema.Leases.LiveAt(started)) // want `stale-bound: .*"lease"`
	return row["lease"], err
}

func okFamilyFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("leases").ReadRow(ctx, "k", bigtable.RowFilter(schema.Lease.LiveFilter()))
}

func conditionOfAnother(ctx context.Context, c *bigtable.Client) error {
	set := bigtable.NewMutation()
	if err := schema.Lease.Set(set, "holder", nil); err != nil {
		return err
	}
	f := bigtable.InterleaveFilters(schema.Lease.LiveFilter(), bigtable.FamilyFilter("mark"))
	return c.Open("leases").Apply(ctx, "k", bigtable.NewCondMutation(f, nil, set)) // want `conditional-mutation: .*"mark"`
}

func okEnsure(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := schema.Leases.Ensure(ctx, ac); err != nil {
		return err
	}
	_, err := schema.Leases.Undeclared(ctx, ac)
	return err
}
