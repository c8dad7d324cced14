package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/ptrguardx/lib"
)

func Good(ctx context.Context, c *bigtable.Client, ttl time.Duration, exp *time.Time) {
	t := c.Open("sessions")
	soon := time.Now().Add(time.Hour)
	_ = lib.Put(ctx, t, lib.Req{Family: "token", Expires: &soon})
	_ = lib.Put(ctx, t, lib.Req{Family: "token", Expires: exp})
	_ = lib.Put(ctx, t, lib.Req{Family: "profile"})
	_ = lib.PutTTL(ctx, t, &lib.Req{Family: "token", TTL: time.Hour})
	_ = lib.PutTTL(ctx, t, &lib.Req{Family: "token", TTL: ttl})
	_ = lib.PutTTL(ctx, t, &lib.Req{Family: "profile"})
}

func Bad(ctx context.Context, c *bigtable.Client) {
	t := c.Open("sessions")
	now := time.Now()
	_ = lib.Put(ctx, t, lib.Req{Family: "token"})                // want `server-timestamp: .*"token"`
	_ = lib.Put(ctx, t, lib.Req{Family: "token", Expires: &now}) // want `write-time: .*"token"`
	_ = lib.PutTTL(ctx, t, &lib.Req{Family: "token"})            // want `server-timestamp: .*"token"`
}
