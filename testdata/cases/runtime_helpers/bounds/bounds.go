// Package bounds has bounds and policies beside those of declarations.
package bounds

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_helpers/schema"
)

// Bounds beside the live filter, and bounds made by helpers.

func deadOnly(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Grant.Name()), bigtable.TimestampRangeFilter(time.Time{}, time.Now()))
	return c.Open("logins").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `expired-only: .*"grant"`
}

func ends(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	soon := bigtable.TimestampRangeFilter(time.Now(), time.Now().Add(time.Minute))
	return c.Open("logins").ReadRow(ctx, "k", schema.Logins.LiveAnd(bigtable.FamilyFilter("grant"), soon)) // want `upper-bound: .*"grant"`
}

func boundOfAnother(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("visits").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(ttl.ExpiresAt(time.Now()), 0))) // want `wrong-bound: .*"visit"`
}

func okBoundByHelper(ctx context.Context, c *bigtable.Client) ([]bigtable.ReadItem, error) {
	row, err := c.Open("logins").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(ttl.ExpiresAt(time.Now()), 0)))
	return row["grant"], err
}

func versionsOfAnother(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	audit := ttl.NewTable("audit-books", ttl.Sequence("amount", 10))
	return c.Open("books").ReadRow(ctx, "k", audit.Live()) // want `version-limit: .*"amount"`
}

func otherLifetime(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	archive := ttl.NewTable("archived-visits", ttl.Default("visit", 24*time.Hour))
	return c.Open("visits").ReadRow(ctx, "k", archive.Live()) // want `wrong-bound: .*"visit"`
}

// Policies put over those of the declaration.

func changedConf(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := schema.Books.Conf()
	conf.ColumnFamilies["amount"] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Hour)} // not seen: age-on-sequence
	return ac.CreateTableFromConf(ctx, conf)
}

func okCorrectedConf(ctx context.Context, ac *bigtable.AdminClient, more []string) error {
	other := ttl.NewTable("other-books", ttl.Default("amount", time.Hour))
	conf := other.Conf()
	conf.TableID = "books"
	conf.ColumnFamilies["amount"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(3)}
	for _, name := range more {
		conf.ColumnFamilies[name] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}
	}
	return ac.CreateTableFromConf(ctx, conf)
}

func renamedConf(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := ttl.NewTable("other-books", ttl.Default("amount", time.Hour)).Conf()
	conf.TableID = "books"
	return ac.CreateTableFromConf(ctx, conf) // not seen: age-on-sequence
}

func okPerhaps(ctx context.Context, ac *bigtable.AdminClient, keep bool) error {
	conf := schema.Books.Conf()
	if keep {
		conf.ColumnFamilies["amount"] = bigtable.Family{}
	}
	return ac.CreateTableFromConf(ctx, conf)
}

func setAfterwards(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTableFromConf(ctx, schema.Books.Conf()); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, schema.Books.Name(), schema.Amount.Name(), bigtable.MaxAgePolicy(time.Hour)) // want `age-on-sequence: .*"amount"`
}
