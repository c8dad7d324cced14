// Package app supplies the tables; what is done with the objects, other packages say.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/filledabroad/store"
)

func okOpen(c *bigtable.Client) *store.Passes { return store.New(c.Open("sessions")) }

func okRun(ctx context.Context, c *bigtable.Client, now time.Time) (out []string, err error) {
	err = store.New(c.Open("sessions")).Scan(ctx, func(p *store.Pass) bool {
		if p.Valid(now) {
			out = append(out, p.Holder)
		}
		return true
	})
	return out, err
}
