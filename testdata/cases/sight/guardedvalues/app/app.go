// Package app leaves lifetimes out.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/guardedvalues"
)

// Run writes.
func Run(ctx context.Context, c *bigtable.Client) {
	q := guardedvalues.Open(c)
	_ = q.Field(ctx, guardedvalues.Task{ID: "1"})
	for _, to := range []int{1, 2} {
		_ = q.Move(ctx, guardedvalues.Task{ID: "1", Status: to - 1}, to)
	}
	_ = q.Unguarded(ctx, guardedvalues.Task{ID: "1"}) // want `write-time: .*"token"`
}
