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

// A function that calls the wrapper is traced again.
func other(c *gen.Client) {
	c.Other("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func scan(ctx context.Context, target any) {
	gen.Scan(ctx, bigtable.LatestNFilter(1), target) // want `missing-filter: .*"code"`
	gen.Scan(ctx, bigtable.TimestampRangeFilter(time.Now(), time.Time{}), target)
}
