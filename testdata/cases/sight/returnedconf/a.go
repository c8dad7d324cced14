// Package returnedconf creates tables as another package says.
package returnedconf

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/returnedconf/conf"
)

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, conf.Sessions()) // want `no-policy: .*"token"`
}

func okThere(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, conf.Tickets())
}

func okSet(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTableFromConf(ctx, conf.Sessions()); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}
