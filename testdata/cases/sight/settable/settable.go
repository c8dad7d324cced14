// Package settable makes another package's objects by itself: what the constructors there
// put in their exported fields says nothing of those.
package settable

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/settable/models"
)

func unset(ctx context.Context, c *bigtable.Client, key string) error {
	t := &models.Ticket{Key: key}
	return t.Save(ctx, c.Open("tickets")) // want `write-time: .*"ticket"`
}

func past(ctx context.Context, c *bigtable.Client, key string) error {
	t := &models.Ticket{Key: key, Lifetime: -time.Hour}
	return t.Save(ctx, c.Open("tickets")) // want `already-expired: .*"ticket"`
}

func okMade(ctx context.Context, c *bigtable.Client, key string) error {
	return models.NewTicket(key).Save(ctx, c.Open("tickets"))
}

func okSet(ctx context.Context, c *bigtable.Client, key string) error {
	t := &models.Ticket{Key: key}
	t.Lifetime = time.Hour
	return t.Save(ctx, c.Open("tickets"))
}
