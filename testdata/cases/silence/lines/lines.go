// Package lines silences findings on their line and above their statement.
// Nothing but what no directive covers is reported.
package lines

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func okOnTheLine(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //ttlvet:ignore ttlwrite/server-timestamp the row is deleted at logout
}

func okAbove(mut *bigtable.Mutation) {
	//ttlvet:ignore ttlwrite/write-time a tombstone, which may go at once
	mut.Set("token", "jwt", bigtable.Now(), nil)
}

func okAboveStatementOfSeveralLines(ctx context.Context, c *bigtable.Client) error {
	//ttlvet:ignore ttlread/missing-filter the report wants dead rows as well
	return c.Open("otp").ReadRows(
		ctx,
		bigtable.PrefixRange("a"),
		func(row bigtable.Row) bool { return len(row["code"]) > 0 },
	)
}

func okSecondLineOfStatement(ctx context.Context, c *bigtable.Client, visit func(bigtable.Row) bool) error {
	//ttlvet:ignore ttlread/expired-only counts what has expired
	return c.Open("otp").ReadRows(ctx, bigtable.PrefixRange("a"), visit,
		bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
}

func okWholeAnalyzer(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) //ttlvet:ignore ttlwrite the row is deleted at logout
}

func okPolicy(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Hour)) //ttlvet:ignore ttlgc/age-mismatch widened while the migration runs
}

func okUnit(mut *bigtable.Mutation, t time.Time) {
	mut.Set("data", "a", bigtable.Timestamp(t.Unix()), nil) //ttlvet:ignore ttlunit/wrong-unit old cells are in seconds
}

func okAge(row bigtable.Row) time.Duration {
	return time.Since(row["event"][0].Timestamp.Time()) //ttlvet:ignore ttlage/not-write-time nobody moves these timestamps
}

func otherStatementsRemain(mut *bigtable.Mutation) {
	//ttlvet:ignore ttlwrite/write-time a tombstone, which may go at once
	mut.Set("token", "jwt", bigtable.Now(), nil)
	mut.Set("token", "csrf", bigtable.Now(), nil) // want `write-time: .*"token"`
}
