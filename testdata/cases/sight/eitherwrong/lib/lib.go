// Package lib writes lists of cells, and has a clock unless one is given.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Cell struct {
	Family string
	At     bigtable.Timestamp
}

func Write(ctx context.Context, tbl *bigtable.Table, key string, cells ...Cell) error {
	mut := bigtable.NewMutation()
	for _, c := range cells {
		mut.Set(c.Family, "c", c.At, nil)
	}
	return tbl.Apply(ctx, key, mut)
}

func OrSystem(c func() time.Time) func() time.Time {
	if c == nil {
		return time.Now
	}
	return c
}
