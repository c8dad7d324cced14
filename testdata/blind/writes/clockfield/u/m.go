package u

import (
	"context"

	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/clockfield/c"
)

type H struct{ c *c.Cache }

func New(cl *bigtable.Client) *H { return &H{c: c.New(cl, "val")} }

func (h *H) Do(ctx context.Context) {
	_ = h.c.Set(ctx, nil, time.Minute)
	_ = h.c.Set(ctx, nil, -time.Second) // want `already-expired: .*"val"`
	_ = h.c.Set(ctx, nil, 0)            // want `write-time: .*"val"`
}
