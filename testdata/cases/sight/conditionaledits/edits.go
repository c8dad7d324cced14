// Package conditionaledits builds the branches of conditional mutations of steps:
// those that only delete may do so to what is dead.
package conditionaledits

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/conditionaledits/step"
)

type change func(*bigtable.Mutation)

func build(changes ...change) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, c := range changes {
		c(m)
	}
	return m
}

func drop(family, column string) change {
	return func(m *bigtable.Mutation) { m.DeleteCellsInColumn(family, column) }
}

func clear() change { return func(m *bigtable.Mutation) { m.DeleteRow() } }

func put(family, column string, ts bigtable.Timestamp) change {
	return func(m *bigtable.Mutation) { m.Set(family, column, ts, nil) }
}

// all is several changes.
func all(changes ...change) change {
	return func(m *bigtable.Mutation) {
		for _, c := range changes {
			c(m)
		}
	}
}

func of(worker string) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.ValueFilter(worker))
}

func unclaim(ctx context.Context, c *bigtable.Client, worker string) {
	t := c.Open("sessions")
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), build(drop("token", "by")), nil))
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), nil, build(clear())))
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), build(all(drop("token", "by"), drop("token", "at"))), nil))
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), step.Build(step.Drop("token", "by")), nil))
}

func claim(ctx context.Context, c *bigtable.Client, worker string, until time.Time) {
	t := c.Open("sessions")
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), build(drop("token", "by"), put("profile", "free", bigtable.Now())), nil))                // want `conditional-mutation: .*"token"`
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), build(drop("token", "by")), build(put("token", "by", bigtable.Time(until)))))            // want `conditional-mutation: .*"token"`
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), build(all(clear(), put("token", "by", bigtable.Time(until)))), nil))                     // want `conditional-mutation: .*"token"`
	_ = t.Apply(ctx, "k", bigtable.NewCondMutation(of(worker), step.Build(step.Drop("token", "by"), step.Put("profile", "free", bigtable.Now())), nil)) // want `conditional-mutation: .*"token"`
}
