// Package ops wraps the admin client: its functions create families, and set
// the policies that they are given.
package ops

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Create creates a family, with a policy if there is one.
func Create(ctx context.Context, a *bigtable.AdminClient, table, family string, p bigtable.GCPolicy) error {
	if err := a.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	if p == nil {
		return nil
	}
	return a.SetGCPolicy(ctx, table, family, p)
}

// Bare creates one without.
func Bare(ctx context.Context, a *bigtable.AdminClient, table, family string) error {
	return a.CreateColumnFamily(ctx, table, family)
}

// Ops are the operations on one table.
type Ops struct {
	admin *bigtable.AdminClient
	table string
}

// New returns the operations on a table.
func New(admin *bigtable.AdminClient, table string) *Ops { return &Ops{admin, table} }

// A Spec says what a family looks like.
type Spec struct {
	Family string
	Policy bigtable.GCPolicy
}

// Ensure creates a family.
func (o *Ops) Ensure(ctx context.Context, s Spec) error {
	if err := o.admin.CreateColumnFamily(ctx, o.table, s.Family); err != nil {
		return fmt.Errorf("create %s: %w", s.Family, err)
	}
	if s.Policy != nil {
		if err := o.admin.SetGCPolicy(ctx, o.table, s.Family, s.Policy); err != nil {
			return err
		}
	}
	return nil
}
