package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_helpers/schema"
)

func okConf(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTableFromConf(ctx, schema.Trips.Conf()); err != nil {
		return err
	}
	return schema.Trips.Verify(ctx, ac)
}

// The configuration of one table for another.
func confOfAnother(ctx context.Context, ac *bigtable.AdminClient) error {
	old := ttl.NewTable("books", ttl.Default("amount", 24*time.Hour)) // want `registry: .*"amount"`
	return ac.CreateTableFromConf(ctx, old.Conf())                    // want `age-on-sequence: .*"amount"`
}

func ownPolicy(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, schema.Logins.Name(), schema.Grant.Name(), bigtable.MaxVersionsPolicy(1)) // want `no-policy: .*"grant"`
}

func okMigrate(ctx context.Context, c *bigtable.Client, ac *bigtable.AdminClient) error {
	return schema.Logins.Migrate(ctx, c, ac, schema.Grant)
}
