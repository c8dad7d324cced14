package loopdel

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func Sync(ctx context.Context, t *bigtable.Table, keys []string, gone map[string]bool) error {
	muts := make([]*bigtable.Mutation, 0, len(keys))
	for _, k := range keys {
		m := bigtable.NewMutation()
		muts = append(muts, m)
		if gone[k] {
			m.DeleteRow() // silent
			continue
		}
		m.Set("profile", "name", bigtable.Now(), nil)
	}
	_, err := t.ApplyBulk(ctx, keys, muts)
	return err
}

func Sync2(ctx context.Context, t *bigtable.Table, keys []string, gone map[string]bool) error {
	muts := make([]*bigtable.Mutation, len(keys))
	for i, k := range keys {
		m := bigtable.NewMutation()
		if gone[k] {
			m.DeleteCellsInColumn("profile", "name") // silent
		} else {
			m.Set("profile", "name", bigtable.Now(), nil)
		}
		muts[i] = m
	}
	_, err := t.ApplyBulk(ctx, keys, muts)
	return err
}

func Sync3(ctx context.Context, t *bigtable.Table, keys []string, gone map[string]bool) error {
	for _, k := range keys {
		m := bigtable.NewMutation()
		if gone[k] {
			m.DeleteCellsInFamily("profile") // silent
		} else {
			m.Set("profile", "name", bigtable.Now(), nil)
		}
		if err := t.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

func Sync4(ctx context.Context, t *bigtable.Table, keys <-chan string, gone map[string]bool) error {
	for k := range keys {
		m := bigtable.NewMutation()
		if gone[k] {
			m.DeleteCellsInFamily("profile") // silent
			if err := t.Apply(ctx, k, m); err != nil {
				return err
			}
			continue
		}
		m.Set("profile", "name", bigtable.Now(), nil)
		if err := t.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}
