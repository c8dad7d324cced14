package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/optnested/lib"
)

var _ = time.Now

func Bad(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, lib.WithTTL(-time.Minute)).Save(ctx) // want `already-expired: .*"token"`
}
func Good(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, lib.WithTTL(5)).Save(ctx)
}
