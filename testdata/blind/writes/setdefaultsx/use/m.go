package use

import (
	"context"

	"cloud.google.com/go/bigtable"
	"example.com/blind/setdefaultsx/lib"
)

func I(ctx context.Context, c *bigtable.Client) {
	s := lib.NewD(c, lib.Config{Family: "token"})
	_ = s.Put2(ctx)
}
