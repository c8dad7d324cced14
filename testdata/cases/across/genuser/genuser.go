// Package genuser calls wrappers that the registry describes.
package genuser

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/across/gen"
)

func put(c *gen.Client) {
	c.Put("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
	c.Put("profile", "name", bigtable.Now(), nil)
	c.Put("token", "csrf", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

// What the registry describes is known where it is called; a function of
// another package that calls it is not, since facts know no registry.
func okOther(c *gen.Client) {
	c.Other("token", "jwt", bigtable.ServerTime, nil)
}

func scan(ctx context.Context, target any) {
	gen.Scan(ctx, bigtable.LatestNFilter(1), target) // want `missing-filter: .*"code"`
	gen.Scan(ctx, bigtable.TimestampRangeFilter(time.Now(), time.Time{}), target)
}
