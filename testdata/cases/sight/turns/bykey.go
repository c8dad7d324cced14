package turns

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// The mutation is another in the next turn, or it was begun by one before.
func okByKey(ctx context.Context, tbl *bigtable.Table, keys []string) error {
	muts := map[string]*bigtable.Mutation{}
	for _, key := range keys {
		m := muts[key]
		if m == nil {
			m = bigtable.NewMutation()
			muts[key] = m
		}
		m.DeleteCellsInColumn("latest", "v")
		m.Set("latest", "v", 0, nil)
	}
	for key, m := range muts {
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

func sometimesNew(ctx context.Context, tbl *bigtable.Table, keys []string) error {
	m := bigtable.NewMutation()
	for _, key := range keys {
		m.Set("latest", "v", 0, nil) // want `same-timestamp: .*"latest"`
		if len(key) > 3 {
			if err := tbl.Apply(ctx, key, m); err != nil {
				return err
			}
			m = bigtable.NewMutation()
		}
	}
	return nil
}
