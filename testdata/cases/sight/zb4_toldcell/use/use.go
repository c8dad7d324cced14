// Package use makes caches.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/zb4_toldcell"
)

func okHandler(ctx context.Context, c *bigtable.Client) zb4_toldcell.Page {
	return zb4_toldcell.Handler(c, zb4_toldcell.Policy{TTL: time.Hour})(ctx, "k")
}

func okNew(ctx context.Context, c *bigtable.Client) (zb4_toldcell.Page, error) {
	return zb4_toldcell.New(c.Open("mixed"), zb4_toldcell.Policy{}).Get(ctx, "k")
}

func named(ctx context.Context, c *bigtable.Client) zb4_toldcell.Page {
	return zb4_toldcell.Reader(c, "log")(ctx, "k") // want `not-write-time: .*"log"`
}

func okNamed(ctx context.Context, c *bigtable.Client) zb4_toldcell.Page {
	return zb4_toldcell.Reader(c, "profile")(ctx, "k")
}
