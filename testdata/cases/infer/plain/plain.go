// Package plain has no registry for its tables: a policy of at most one
// second marks the family as one-second expiration.
package plain

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "nonces", "nonce", bigtable.MaxAgePolicy(time.Second)); err != nil {
		return err
	}
	if err := ac.SetGCPolicy(ctx, "nonces", "audit", bigtable.MaxAgePolicy(time.Hour)); err != nil {
		return err
	}
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "invites",
		Families: map[string]bigtable.GCPolicy{
			"invite": bigtable.MaxAgePolicy(time.Millisecond),
			"sender": bigtable.MaxVersionsPolicy(1),
		},
	})
}

func write(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("nonce", "n", bigtable.Now(), nil) // want `write-time: .*"nonce"`
	mut.Set("audit", "n", bigtable.Now(), nil)
	return c.Open("nonces").Apply(ctx, "k", mut)
}

func okWrite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("nonce", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
	return c.Open("nonces").Apply(ctx, "k", mut)
}

func writeInvite(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("invite", "n", bigtable.ServerTime, nil) // want `server-timestamp: .*"invite"`
	mut.Set("sender", "n", bigtable.ServerTime, nil)
	return c.Open("invites").Apply(ctx, "k", mut)
}

func okOtherTable(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("nonce", "n", bigtable.Now(), nil)
	return c.Open("elsewhere").Apply(ctx, "k", mut)
}

func increment(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("nonce", "uses", 1) // want `read-modify-write: .*"nonce"`
	return c.Open("nonces").ApplyReadModifyWrite(ctx, "k", rmw)
}

func read(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("nonces").ReadRow(ctx, "k") // want `missing-filter: .*"nonce"`
	return len(row["nonce"]), err
}

func okRead(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("nonces").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("nonce"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	return len(row["nonce"]), err
}

func okReadOther(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := c.Open("nonces").ReadRow(ctx, "k")
	return len(row["audit"]), err
}
