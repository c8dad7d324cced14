package careful

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A chain that is there is extended.
func chained(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.ChainFilters( // want `missing-filter: .*"ticket"`
			bigtable.ColumnFilter("seat"), // no others
			bigtable.LatestNFilter(1),
		)))
}

func mergedChain(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	tbl := client.Open("tickets")
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("seat"), bigtable.LatestNFilter(1))), bigtable.RowFilter(bigtable.ChainFilters(bigtable.StripValueFilter(), bigtable.FamilyFilter("ticket")))) // want `overridden-filter: .*"ticket"`
}

// A limit that is there is changed.
func limited(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("entry"),
		bigtable.LatestNFilter(10 /* enough */), // newest first // want `version-limit: .*"entry"`
	)))
}

func limitedToo(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(10))) // want `version-limit: .*"entry"`
}

// What follows limits the other families' versions too.
func bounded(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
}

func limitedTwice(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}), bigtable.LatestNFilter(1)))) // want `wrong-bound: .*"entry"`
}

func limitedLast(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("eu-ledger").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("c"), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}), bigtable.LatestNFilter(1)))) // want `wrong-bound: .*"entry"`
}

// Comments move with what they speak of.
func moved(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	// The name.
	mut.Set("profile", "name", ts, nil) // as given
	mut.Set("profile", "mail", ts, nil)

	// Nothing older.
	mut.DeleteCellsInFamily("profile") // the whole // want `delete-after-set: .*"profile"`
}

func oneLine(mut *bigtable.Mutation) {
	func() { mut.Set("profile", "x", 0, nil); mut.DeleteRow() }() // want `delete-after-set: .*"profile"`
}

func units(mut *bigtable.Mutation, s *service) {
	mut.Set("profile", "name", bigtable.Timestamp(s.clock( /* the service's */ ).Unix()), nil) // want `wrong-unit: `
}

// A comment above the first link stays above it.
func commentedLink(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("tickets").ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.ChainFilters( // want `missing-filter: .*"ticket"`
			// The seat alone:
			// the rest is large.
			bigtable.ColumnFilter("seat"), // no more
			bigtable.LatestNFilter(1),
		)))
}

// An argument on lines of its own gets another.
func lines(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("tickets").ReadRow( // want `missing-filter: .*"ticket"`
		ctx,
		"k", // the key, as it was booked
		// No filter.
	)
}

func remarked(ctx context.Context, client *bigtable.Client) (bigtable.Row, error) {
	return client.Open("tickets").ReadRow(ctx, "k" /* the key, as booked */) // want `missing-filter: .*"ticket"`
}
