package wipe

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func wipe(m *bigtable.Mutation)             { m.DeleteRow() }
func wipeOf(m *bigtable.Mutation, f string) { m.DeleteCellsInFamily(f) }
func name(m *bigtable.Mutation)             { m.Set("profile", "a", bigtable.Now(), nil) }

func A(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	m.Set("profile", "a", bigtable.Now(), nil)
	wipe(m) // want `delete-after-set: .*"profile"`
	return t.Apply(ctx, "k", m)
}

func B(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	m.Set("profile", "a", bigtable.Now(), nil)
	wipeOf(m, "profile") // want `delete-after-set: .*"profile"`
	return t.Apply(ctx, "k", m)
}

func C(ctx context.Context, t *bigtable.Table) error {
	m := bigtable.NewMutation()
	name(m)
	wipe(m) // want `delete-after-set: .*"profile"`
	return t.Apply(ctx, "k", m)
}
