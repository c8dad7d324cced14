// Package tablerows sets policies by rows that name the table, while the call
// names the family.
package tablerows

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var boards = []struct {
	name   string
	scores bigtable.GCPolicy
}{
	{"daily-ledger", bigtable.MaxAgePolicy(48 * time.Hour)}, // want `age-on-sequence`
	{"weekly-ledger", bigtable.MaxVersionsPolicy(3)},
	{"clan-ledger", bigtable.MaxVersionsPolicy(1)}, // want `policy-mismatch`
}

func set(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, b := range boards {
		if err := admin.SetGCPolicy(ctx, b.name, "entry", b.scores); err != nil {
			return err
		}
	}
	return nil
}

func local(ctx context.Context, admin *bigtable.AdminClient) error {
	policies := map[string]bigtable.GCPolicy{
		"daily-ledger":  bigtable.MaxAgePolicy(48 * time.Hour), // want `age-on-sequence`
		"weekly-ledger": bigtable.MaxVersionsPolicy(3),
		"clan-ledger":   bigtable.MaxVersionsPolicy(1), // want `policy-mismatch`
	}
	for name, policy := range policies {
		if err := admin.SetGCPolicy(ctx, name, "entry", policy); err != nil {
			return err
		}
	}
	return nil
}

const scores = "entry"

type board struct {
	name           string
	scores, others bigtable.GCPolicy
}

var both = []board{
	{name: "year-ledger", scores: bigtable.MaxAgePolicy(48 * time.Hour), others: bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-sequence`
	{name: "month-ledger", scores: bigtable.MaxVersionsPolicy(3), others: bigtable.NoGcPolicy()},
}

func setBoth(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, b := range both {
		if err := apply(ctx, admin, b); err != nil {
			return err
		}
	}
	return nil
}

func apply(ctx context.Context, admin *bigtable.AdminClient, b board) error {
	if err := admin.SetGCPolicy(ctx, b.name, scores, b.scores); err != nil {
		return err
	}
	return admin.SetGCPolicy(ctx, b.name, "other", b.others)
}

// One policy for all: it stands at the call.

var names = []string{"a-ledger", "b-ledger"}

func setAll(ctx context.Context, admin *bigtable.AdminClient) error {
	p := bigtable.MaxAgePolicy(time.Hour)
	for _, name := range names {
		if err := admin.SetGCPolicy(ctx, name, "entry", p); err != nil { // want `age-on-sequence`
			return err
		}
	}
	return nil
}
