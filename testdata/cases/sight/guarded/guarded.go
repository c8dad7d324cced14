// Package guarded sends a mutation only where something was counted.
package guarded

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func guardedApply(ctx context.Context, tbl *bigtable.Table, deadlines []time.Time, v []byte) error {
	var until time.Time
	n := 0
	for _, d := range deadlines {
		n++
		until = d
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(until), v)
	if n == 0 {
		return nil
	}
	return tbl.Apply(ctx, "k", mut)
}

func guardedCondition(ctx context.Context, tbl *bigtable.Table, deadlines []time.Time, old, v []byte) error {
	var until time.Time
	n := 0
	for _, d := range deadlines {
		if d.After(until) {
			until = d
		}
		n++
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(until), v)
	if n > 0 {
		if len(old) == 0 {
			mut = bigtable.NewCondMutation(bigtable.FamilyFilter("profile"), nil, mut)
		}
		return tbl.Apply(ctx, "k", mut)
	}
	return nil
}

// bad guards with something else.
func bad(ctx context.Context, tbl *bigtable.Table, n int, v []byte) error {
	var until time.Time
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(until), v) // want `already-expired: .*"token"`
	if n == 0 {
		return nil
	}
	return tbl.Apply(ctx, "k", mut)
}

// elsewhere sends it to another row where the loop took no turn: what until
// begins with is no value that a rule judges.
func elsewhere(ctx context.Context, tbl *bigtable.Table, deadlines []time.Time, v []byte) error {
	var until time.Time
	n := 0
	for _, d := range deadlines {
		n++
		until = d
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(until), v)
	if n == 0 {
		return tbl.Apply(ctx, "none", mut)
	}
	return tbl.Apply(ctx, "k", mut)
}

// Write writes.
func Write(ctx context.Context, client *bigtable.Client, ds []time.Time, v []byte) error {
	tbl := client.Open("sessions")
	if err := guardedApply(ctx, tbl, ds, v); err != nil {
		return err
	}
	if err := guardedCondition(ctx, tbl, ds, nil, v); err != nil {
		return err
	}
	if err := elsewhere(ctx, tbl, ds, v); err != nil {
		return err
	}
	return bad(ctx, tbl, len(v), v)
}
