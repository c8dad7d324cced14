// Command main uses tables by factories.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/s3_factory"
	"example.com/cases/sight/s3_factory/bt"
)

func main() {
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		return
	}
	f := &bt.Logging{Inner: bt.Metered{Factory: s3_factory.WithRetries(bt.Client{C: c})}}
	_ = s3_factory.NewArchive(f).Store(ctx)
	_, _ = s3_factory.NewSessions(f).Dump(ctx)
	_ = s3_factory.Cache(ctx, f, nil)
	_ = s3_factory.Tenant(ctx, bt.Prefixed{Inner: bt.Plain{C: c}, ID: "a-"})
}
