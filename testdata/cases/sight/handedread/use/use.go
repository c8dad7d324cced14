// Package use gives the options.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	handedread "example.com/cases/sight/handedread"
)

func okDefaults(ctx context.Context, client *bigtable.Client) {
	_ = handedread.Wrap(client, handedread.Options{})
	_ = handedread.Handler(client, handedread.Options{})
	c := handedread.New(client.Open("clicks"), handedread.Options{})
	_, _ = c.Get(ctx)
	_, _ = c.List(ctx)
	_, _ = c.Live(ctx)
	_ = c.Keep(ctx)
}

func okFamily(client *bigtable.Client) *handedread.Cache {
	return handedread.New(client.Open("sessions"), handedread.Options{Family: "profile"})
}
