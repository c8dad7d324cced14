package use

import (
	"context"

	"cloud.google.com/go/bigtable"
	"example.com/blind/optfamily/lib"
)

func Bad(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, lib.WithTTL(0)).Save(ctx, nil) // want `write-time: .*"token"`
}

func Good(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, lib.WithFamily("profile"), lib.WithTTL(0)).Save(ctx, nil)
}
