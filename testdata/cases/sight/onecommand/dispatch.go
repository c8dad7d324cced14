// Package onecommand has commands of which a run does one: what one of them leaves
// out another does not make up for.
package onecommand

import (
	"context"
	"errors"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

func Main(ctx context.Context, admin *bigtable.AdminClient) error {
	return run(ctx, admin, os.Args[1], os.Args[2])
}

func run(ctx context.Context, admin *bigtable.AdminClient, step, family string) error {
	switch step {
	case "apply":
		return apply(ctx, admin)
	case "named":
		return named(ctx, admin, family)
	case "quick":
		return quick(ctx, admin)
	}
	return errors.New("usage")
}

func apply(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(time.Second))
}

// named sets the policy of a family that its callers name.
func named(ctx context.Context, admin *bigtable.AdminClient, family string) error {
	return admin.SetGCPolicy(ctx, "sessions", family, bigtable.MaxAgePolicy(time.Second))
}

func quick(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateColumnFamily(ctx, "sessions", "token") // want `no-policy: .*"token"`
}

// Each runs all steps, one after the other.
func Each(ctx context.Context, admin *bigtable.AdminClient, steps []string) error {
	for _, s := range steps {
		if err := step(ctx, admin, s); err != nil {
			return err
		}
	}
	return nil
}

func step(ctx context.Context, admin *bigtable.AdminClient, name string) error {
	if name == "create" {
		return okCreate(ctx, admin)
	}
	return limit(ctx, admin)
}

func okCreate(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateColumnFamily(ctx, "tickets", "ticket")
}

func limit(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicy(ctx, "tickets", "ticket", bigtable.MaxAgePolicy(time.Second))
}

// Both runs the two by two calls.
func Both(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := codes(ctx, admin, true); err != nil {
		return err
	}
	return codes(ctx, admin, false)
}

func codes(ctx context.Context, admin *bigtable.AdminClient, create bool) error {
	if create {
		return okCreateCodes(ctx, admin)
	}
	return limitCodes(ctx, admin)
}

func okCreateCodes(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateColumnFamily(ctx, "otp", "code")
}

func limitCodes(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicy(ctx, "otp", "code", bigtable.MaxAgePolicy(time.Millisecond))
}

// Through calls both below one function that a caller leads to.
func Through(ctx context.Context, admin *bigtable.AdminClient) error { return through(ctx, admin) }

func through(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := okCreateClicks(ctx, admin); err != nil {
		return err
	}
	return limitClicks(ctx, admin)
}

func okCreateClicks(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateColumnFamily(ctx, "clicks", "event")
}

func limitClicks(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicy(ctx, "clicks", "event", bigtable.MaxAgePolicy(720*time.Hour))
}
