// Package bt writes what it is given.
package bt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Op is one cell.
type Op struct {
	Key, Family, Column string
	TS                  bigtable.Timestamp
}

// Apply writes cells.
func Apply(ctx context.Context, t *bigtable.Table, ops []Op) error {
	for _, op := range ops {
		mut := bigtable.NewMutation()
		mut.Set(op.Family, op.Column, op.TS, nil)
		if err := t.Apply(ctx, op.Key, mut); err != nil {
			return err
		}
	}
	return nil
}
