// Package app makes wheels, of which nothing is wrong that it gives.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockmoved"
)

// Run turns wheels.
func Run(ctx context.Context, c *bigtable.Client) (n int) {
	for _, w := range []*clockmoved.Wheel{clockmoved.Real(c), clockmoved.NewWheel(c.Open("sessions"), clockmoved.System{})} {
		dead, _ := w.Overdue(ctx)
		alive, _ := w.Alive(ctx)
		n += dead + alive
	}
	return n
}
