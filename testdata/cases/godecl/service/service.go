// Package service uses the tables that package schema declares.
package service

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/godecl/schema"
)

// Writes with the plain client.

func serverTime(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("item", "sku", bigtable.ServerTime, nil) // want `server-timestamp: .*"item"`
	mut.Set("owner", "id", bigtable.ServerTime, nil)
	return c.Open("carts").Apply(ctx, "k", mut)
}

func writeTime(mut *bigtable.Mutation) {
	mut.Set("item", "sku", bigtable.Now(), nil) // want `write-time: .*"item"`
}

func nameOfFamily(mut *bigtable.Mutation) {
	mut.Set(schema.Item.Name(), "sku", bigtable.Now(), nil) // want `write-time: .*"item"`
}

func nameOfTable(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("item", "sku", bigtable.Now(), nil) // want `write-time: .*"item"`
	return c.Open(schema.Carts.Name()).Apply(ctx, "k", mut)
}

func okExpiry(mut *bigtable.Mutation) {
	mut.Set("item", "sku", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

func okDefault(mut *bigtable.Mutation) {
	mut.Set("post", "text", bigtable.ServerTime, nil)
}

func expiredPost(mut *bigtable.Mutation) {
	mut.Set("post", "text", bigtable.Time(time.Now().Add(-200*time.Hour)), nil) // want `already-expired: .*"post"`
}

func unscaled(mut *bigtable.Mutation) {
	mut.Set("position", "p", 17, nil) // want `unscaled-sequence: .*"position"`
}

func clockInZero(mut *bigtable.Mutation) {
	mut.Set("flag", "on", bigtable.Now(), nil) // want `clock-in-zero: .*"flag"`
}

func okOtherTable(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("item", "sku", bigtable.Now(), nil)
	return c.Open("plain").Apply(ctx, "k", mut)
}

// Writes with the runtime package.

func okHelpers(mut *bigtable.Mutation, deadline time.Time) error {
	if err := schema.Item.Set(mut, "sku", nil); err != nil {
		return err
	}
	if err := schema.Item.SetFor(mut, "promo", nil, time.Minute); err != nil {
		return err
	}
	if err := schema.Item.SetUntil(mut, "coupon", nil, deadline); err != nil {
		return err
	}
	if err := schema.Item.Replace(mut, "gift", nil, time.Minute); err != nil {
		return err
	}
	if err := schema.Owner.Set(mut, "id", nil); err != nil {
		return err
	}
	if err := schema.Post.Set(mut, "text", nil); err != nil {
		return err
	}
	return schema.Position.Set(mut, "p", nil, 17)
}

func okTimestamps(mut *bigtable.Mutation, t time.Time, n int64) {
	mut.Set("item", "a", ttl.ExpiresIn(time.Hour), nil)
	mut.Set("item", "b", ttl.ExpiresAt(t), nil)
	mut.Set("position", "p", ttl.SequenceNumber(n), nil)
}

func okSequenceCounter(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("position", "p", ttl.SequenceNumber(int64(i)), nil)
	}
}

func okReplaceFirst(mut *bigtable.Mutation) error {
	mut.DeleteCellsInColumn("item", "sku")
	return schema.Item.Set(mut, "sku", nil)
}

// Reads.

func read(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k") // want `missing-filter: .*"item"`
}

func okLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k", schema.Carts.Live())
}

func okLiveAnd(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k", schema.Carts.LiveAnd(bigtable.ColumnFilter("sku"), bigtable.LatestNFilter(1)))
}

func okLiveFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k", bigtable.RowFilter(schema.Carts.LiveFilter()))
}

func okLiveFilterInChain(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(schema.Carts.LiveFilter(), bigtable.LatestNFilter(1))))
}

func liveAndFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("carts").ReadRow(ctx, "k", schema.Carts.Live(), bigtable.RowFilter(bigtable.ColumnFilter("sku"))) // want `overridden-filter: `
}

func readDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("feeds").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `wrong-bound: .*"post"`
}

func okReadDefault(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("feeds").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-168*time.Hour), time.Time{})))
}

func readSequence(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("offsets").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(5))) // want `version-limit: .*"position"`
}

func okLiveCondition(ctx context.Context, c *bigtable.Client) error {
	set := bigtable.NewMutation()
	if err := schema.Item.Set(set, "sku", nil); err != nil {
		return err
	}
	return c.Open("carts").Apply(ctx, "k", bigtable.NewCondMutation(schema.Carts.LiveFilter(), nil, set))
}

// Policies.

func okConf(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, schema.Carts.Conf())
}

func policy(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "feeds", "post", bigtable.MaxAgePolicy(24*time.Hour)) // want `age-mismatch: .*"post"`
}

// Dates.

func okExpiresAt(row bigtable.Row) time.Time {
	return schema.Item.Expiry(row["item"][0])
}

func since(row bigtable.Row) time.Duration {
	return time.Since(row["item"][0].Timestamp.Time()) // want `not-write-time: .*"item"`
}
