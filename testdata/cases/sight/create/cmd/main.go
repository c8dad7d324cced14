// Command cmd creates families by another package's functions.
package main

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/create/ops"
)

func later(ctx context.Context, a *bigtable.AdminClient) error {
	if err := ops.Create(ctx, a, "sessions", "token", nil); err != nil { // its policy comes by hand
		return err
	}
	return ops.Create(ctx, a, "clicks", "event", bigtable.MaxAgePolicy(time.Hour)) // want `sets the age 1h on default-expiration family "event" of table "clicks"`
}

func create(ctx context.Context, a *bigtable.AdminClient, family string) error {
	return ops.Create(ctx, a, "sessions", family, nil)
}

func never(ctx context.Context, a *bigtable.AdminClient) error {
	return ops.Bare(ctx, a, "sessions", "token") // want `no-policy: creates one-second-expiration family "token"`
}

func specs(ctx context.Context, a *bigtable.AdminClient) error {
	o := ops.New(a, "sessions")
	for _, s := range []ops.Spec{{Family: "profile"}, {Family: "token"}} {
		if err := o.Ensure(ctx, s); err != nil {
			return err
		}
	}
	return ops.New(a, "tickets").Ensure(ctx, ops.Spec{Family: "ticket", Policy: bigtable.NoGcPolicy()}) // want `no-policy: .*"ticket"`
}

func main() {
	ctx := context.Background()
	a, err := bigtable.NewAdminClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	for _, err := range []error{later(ctx, a), create(ctx, a, "token"), never(ctx, a), specs(ctx, a)} {
		if err != nil {
			panic(err)
		}
	}
}
