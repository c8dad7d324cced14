// Package use makes caches.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/toldcell"
)

func okHandler(ctx context.Context, c *bigtable.Client) toldcell.Page {
	return toldcell.Handler(c, toldcell.Policy{TTL: time.Hour})(ctx, "k")
}

func okNew(ctx context.Context, c *bigtable.Client) (toldcell.Page, error) {
	return toldcell.New(c.Open("mixed"), toldcell.Policy{}).Get(ctx, "k")
}

func named(ctx context.Context, c *bigtable.Client) toldcell.Page {
	return toldcell.Reader(c, "log")(ctx, "k") // want `not-write-time: .*"log"`
}

func okNamed(ctx context.Context, c *bigtable.Client) toldcell.Page {
	return toldcell.Reader(c, "profile")(ctx, "k")
}
