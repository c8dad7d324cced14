// Package setpolicies sets policies after loops that may end it early.
package setpolicies

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/setpolicies/ops"
)

func depot(ctx context.Context, a *bigtable.AdminClient, args []string) error {
	for _, d := range args {
		if err := a.CreateTable(ctx, d); err != nil {
			return err
		}
	}
	return ops.EnsureAge(ctx, a, "sessions", "token", time.Hour) // want `age-mismatch: .*"token"`
}

func dry(ctx context.Context, a *bigtable.AdminClient, args []string) error {
	for _, arg := range args {
		if arg == "-n" || strings.HasPrefix(arg, "--dry") {
			return nil
		}
	}
	return a.SetGCPolicy(ctx, "tickets", "ticket", bigtable.MaxAgePolicy(time.Hour)) // want `age-mismatch: .*"ticket"`
}

type command struct {
	admin *bigtable.AdminClient
	args  []string
}

func (c *command) run(ctx context.Context) error {
	for i := range c.args {
		if c.args[i] == "" {
			return nil
		}
	}
	if slices.Contains(c.args, "-q") {
		return nil
	}
	return c.admin.SetGCPolicy(ctx, "main-ledger", "entry", bigtable.MaxAgePolicy(time.Hour)) // want `age-on-sequence: .*"entry"`
}

// What the loop chooses is what its callers give.
func age(args []string) time.Duration {
	for _, a := range args {
		if a == "long" {
			return time.Hour
		}
	}
	return time.Second
}

func chosen(ctx context.Context, a *bigtable.AdminClient, args []string) error {
	return a.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(age(args)))
}

func main() {
	var a *bigtable.AdminClient
	ctx := context.Background()
	_ = depot(ctx, a, nil)
	_ = dry(ctx, a, []string{"-v"})
	_ = (&command{a, []string{"x"}}).run(ctx)
	_ = chosen(ctx, a, []string{"short"})
	_ = chosen(ctx, a, []string{"x", "long"}) // want `age-mismatch: .*"token"`
}
