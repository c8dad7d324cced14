// Package ensured applies policies by functions of another package, some of which create
// the family.
package ensured

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/strict/ensured/lib"
)

func okAll(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, s := range lib.Schema {
		if err := lib.Ensure(ctx, ac, s.Table, s.Family, s.Policy); err != nil {
			return err
		}
	}
	return nil
}

func all(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, s := range lib.Schema {
		if err := lib.Set(ctx, ac, s.Table, s.Family, s.Policy); err != nil { // want `existing-data: .*"token"`
			return err
		}
	}
	return nil
}

// okSetup is called with the table's name.
func okSetup(ctx context.Context, ac *bigtable.AdminClient, table string) error {
	return lib.Ensure(ctx, ac, table, "token", bigtable.MaxAgePolicy(time.Second))
}

func setup(ctx context.Context, ac *bigtable.AdminClient, table string) error {
	return lib.Set(ctx, ac, table, "token", bigtable.MaxAgePolicy(time.Second)) // want `existing-data: .*"token"`
}

func okCommand(ctx context.Context, ac *bigtable.AdminClient) error {
	return okSetup(ctx, ac, "sessions")
}

func command(ctx context.Context, ac *bigtable.AdminClient) error {
	return setup(ctx, ac, "sessions")
}
