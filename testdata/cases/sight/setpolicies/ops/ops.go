// Package ops sets policies.
package ops

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Admin is what it needs of the client.
type Admin interface {
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

// EnsureAge creates a family.
func EnsureAge(ctx context.Context, a Admin, table, family string, age time.Duration) error {
	return a.CreateColumnFamilyWithConfig(ctx, table, family, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(age)})
}
