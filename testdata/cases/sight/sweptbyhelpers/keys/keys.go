// Package keys writes to rows.
package keys

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Touch writes to rows, and deletes a column.
func Touch(ctx context.Context, tbl *bigtable.Table, keys []string) error {
	for _, key := range keys {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn("profile", "old")
		mut.Set("profile", "seen", bigtable.Now(), nil)
		if err := tbl.Apply(ctx, key, mut); err != nil {
			return err
		}
	}
	return nil
}
