// Command main uses tables by factories.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/factory"
	"example.com/cases/sight/factory/bt"
)

func main() {
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		return
	}
	f := &bt.Logging{Inner: bt.Metered{Factory: factory.WithRetries(bt.Client{C: c})}}
	_ = factory.NewArchive(f).Store(ctx)
	_, _ = factory.NewSessions(f).Dump(ctx)
	_ = factory.Cache(ctx, f, nil)
	_ = factory.Tenant(ctx, bt.Prefixed{Inner: bt.Plain{C: c}, ID: "a-"})
}
