// Package helpers writes with the runtime package, under the strict rules.
package helpers

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_helpers/schema"
)

func varying(d time.Duration) (*bigtable.Mutation, error) {
	mut := bigtable.NewMutation()
	return mut, schema.Grant.SetFor(mut, "a", nil, d) // want `stale-survivor: .*"grant".*call Replace`
}

func varyingInParameter(mut *bigtable.Mutation, d time.Duration) error {
	return schema.Visit.SetFor(mut, "a", nil, d) // want `stale-survivor: .*"visit".*call Replace`
}

func okReplaced(mut *bigtable.Mutation, d time.Duration) error {
	return schema.Grant.Replace(mut, "a", nil, d)
}

func okDeleted(mut *bigtable.Mutation, d time.Duration) error {
	mut.DeleteCellsInColumn(schema.Grant.Name(), "a")
	return schema.Grant.SetFor(mut, "a", nil, d)
}

func okUsual(mut *bigtable.Mutation) error { return schema.Grant.Set(mut, "a", nil) }

func okCounted(mut *bigtable.Mutation, deadline time.Time) error {
	return schema.Attempts.AddUntil(mut, 1, deadline)
}

func twiceAsLong(mut *bigtable.Mutation) {
	mut.Set("visit", "a", ttl.ExpiresIn(720*time.Hour), nil) // want `wrong-base: .*"visit"`
}

func okTwiceAsLong(mut *bigtable.Mutation) error {
	return schema.Visit.SetFor(mut, "a", nil, 1440*time.Hour)
}

// What garbage collection has not removed yet of an ordinary family.

func unlimited(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(bigtable.ChainFilters(bigtable.FamilyFilter("grant"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})), bigtable.FamilyFilter("person"))
	return c.Open("logins").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter: .*"person"`
}

func okLimited(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", schema.Logins.Live())
}

func okCreated(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, schema.Logins.Conf())
}
