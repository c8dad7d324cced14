// Package conditional has conditional mutations: their predicate is a read.
package conditional

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }

func set() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("code", "otp", bigtable.Time(time.Now().Add(time.Minute)), nil)
	return mut
}

func del() *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("code")
	return mut
}

func deadMatches(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("code"), nil, set()) // want `conditional-mutation: .*"code"`
	return c.Open("otp").Apply(ctx, "k", cond)
}

func latest(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("code"), bigtable.LatestNFilter(1)), set(), nil) // want `conditional-mutation: .*"code"`
	return c.Open("otp").Apply(ctx, "k", cond)
}

func rowKey(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(bigtable.RowKeyFilter("k"), nil, set()) // want `conditional-mutation: .*"code"`
	return c.Open("otp").Apply(ctx, "k", cond)
}

func noPredicate(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(nil, nil, set()) // want `conditional-mutation: .*"code"`
	return c.Open("otp").Apply(ctx, "k", cond)
}

func okLive(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("code"), live()), nil, set())
	return c.Open("otp").Apply(ctx, "k", cond)
}

func okOnlyDeletes(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("code"), del(), nil)
	return c.Open("otp").Apply(ctx, "k", cond)
}

func okOnlyDeletesInline(ctx context.Context, c *bigtable.Client) error {
	remove := bigtable.NewMutation()
	remove.DeleteRow()
	return c.Open("otp").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ColumnFilter("otp"), remove, nil))
}

func deletesAndSets(ctx context.Context, c *bigtable.Client) error {
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("code"), del(), set()) // want `conditional-mutation: .*"code"`
	return c.Open("otp").Apply(ctx, "k", cond)
}

func okOtherFamily(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "name", bigtable.Now(), nil)
	return c.Open("sessions").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.FamilyFilter("profile"), nil, mut))
}

func okOtherTable(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("sample", "v", bigtable.Now(), nil)
	return c.Open("metrics").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.LatestNFilter(1), nil, mut))
}

func okUnregistered(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("a", "v", bigtable.Now(), nil)
	return c.Open("plain").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ColumnFilter("v"), nil, mut))
}

func okUnknownPredicate(ctx context.Context, c *bigtable.Client, f bigtable.Filter) error {
	return c.Open("otp").Apply(ctx, "k", bigtable.NewCondMutation(f, nil, set()))
}

func okUnknownTable(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	mut.Set("a", "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ColumnFilter("v"), nil, mut))
}

// The family alone tells the table.

func familyOnly(ctx context.Context, tbl *bigtable.Table) error {
	return tbl.Apply(ctx, "k", bigtable.NewCondMutation(bigtable.FamilyFilter("code"), nil, set())) // want `conditional-mutation: .*"code"`
}

// The default and the sequence strategy.

func onDefault(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("event", "first", bigtable.Now(), nil)
	return c.Open("clicks").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ColumnFilter("first"), nil, mut)) // want `conditional-mutation: .*"event"`
}

func okDefault(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("event", "first", bigtable.Now(), nil)
	return c.Open("clicks").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}), nil, mut))
}

func onSequence(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "state", 4000, nil)
	return c.Open("bank-ledger").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ValueFilter("open"), mut, nil)) // want `conditional-mutation: .*"entry"`
}

func okSequence(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "state", 4000, nil)
	return c.Open("bank-ledger").Apply(ctx, "k", bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.ValueFilter("open")), mut, nil))
}

// A version that newer ones have superseded can match, whatever value is asked for.

func onSequenceOfValue(ctx context.Context, c *bigtable.Client, state string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "state", 4000, nil)
	booked := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ValueFilter(state), bigtable.LatestNFilter(1))
	return c.Open("bank-ledger").Apply(ctx, "k", bigtable.NewCondMutation(booked, mut, nil)) // want `conditional-mutation: .*"entry"`
}

func okSequenceOfValue(ctx context.Context, c *bigtable.Client, state string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "state", 4000, nil)
	booked := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(1), bigtable.ValueFilter(state))
	return c.Open("bank-ledger").Apply(ctx, "k", bigtable.NewCondMutation(booked, mut, nil))
}

func okSequenceOfColumn(ctx context.Context, c *bigtable.Client, column string) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "state", 4000, nil)
	booked := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter(column), bigtable.LatestNFilter(1))
	return c.Open("bank-ledger").Apply(ctx, "k", bigtable.NewCondMutation(booked, mut, nil))
}
