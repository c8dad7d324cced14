// Package patternrows sets the policies of several tables that one pattern covers.
package patternrows

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type spec struct {
	table, family string
	policy        bigtable.GCPolicy
}

var schema = []spec{
	{"stage-ledger", "entry", bigtable.MaxVersionsPolicy(1)},      // want `policy-mismatch`
	{"archive-ledger", "entry", bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-sequence`
	{"eu-ledger", "entry", bigtable.MaxVersionsPolicy(3)},
	{"us-ledger", "entry", bigtable.MaxVersionsPolicy(9)}, // want `policy-mismatch`
}

// Apply sets them.
func Apply(ctx context.Context, a *bigtable.AdminClient) error {
	for _, s := range schema {
		if err := a.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
			return err
		}
	}
	return nil
}
