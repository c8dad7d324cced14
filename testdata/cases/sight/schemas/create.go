// Package schemas creates the tables that another package describes.
package schemas

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/schemas/schema"
)

// What is wrong with a description is wrong there, however often it is used.
func dev(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateTableFromConf(ctx, schema.Ledger("dev")); err != nil {
		return err
	}
	return a.CreateTableFromConf(ctx, schema.Sessions())
}

func prod(ctx context.Context, a *bigtable.AdminClient, name string) error {
	conf := schema.Ledger(name)
	if err := a.CreateTableFromConf(ctx, conf); err != nil {
		return err
	}
	tickets, err := schema.Tickets()
	if err != nil {
		return err
	}
	return a.CreateTableFromConf(ctx, tickets)
}

func given(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateTableFromConf(ctx, schema.Of("sessions", time.Second)); err != nil {
		return err
	}
	return a.CreateTableFromConf(ctx, schema.Of("sessions", time.Hour)) // want `age-mismatch: .*"token"`
}

func bare(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateTableFromConf(ctx, schema.Bare()); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}
