// Package plan declares what a table looks like, and sets it up for those who
// say so.
package plan

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Plan is a table with its families.
type Plan struct {
	Table    string
	Families map[string]bigtable.GCPolicy
}

// Mirror is for those who copy the registered tables.
func Mirror() Plan {
	return Plan{
		Table: "mirror",
		Families: map[string]bigtable.GCPolicy{
			"event": bigtable.MaxAgePolicy(24 * 365 * time.Hour),
			"entry": bigtable.MaxAgePolicy(24 * time.Hour),
		},
	}
}

// Apply sets the policies of a plan.
func Apply(ctx context.Context, admin *bigtable.AdminClient, p Plan) error {
	for f, pol := range p.Families {
		if err := admin.SetGCPolicy(ctx, p.Table, f, pol); err != nil {
			return err
		}
	}
	return nil
}
