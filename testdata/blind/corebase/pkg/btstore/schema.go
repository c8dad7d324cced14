package btstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TableSpec declares a table.
type TableSpec struct {
	Name     string
	Families []FamilySpec
	Split    []string
}

// FamilySpec declares a family by its limits, or by a policy where the limits
// are not enough.
type FamilySpec struct {
	Name     string
	MaxAge   time.Duration
	Versions int
	Policy   bigtable.GCPolicy
}

// Of makes the spec of a typed family.
func Of(f Family) FamilySpec { return FamilySpec{Name: f.Name(), Policy: f.Policy()} }

func (f FamilySpec) gc() bigtable.GCPolicy {
	switch {
	case f.Policy != nil:
		return f.Policy
	case f.MaxAge > 0 && f.Versions > 0:
		return bigtable.UnionPolicy(bigtable.MaxAgePolicy(f.MaxAge), bigtable.MaxVersionsPolicy(f.Versions))
	case f.MaxAge > 0:
		return bigtable.MaxAgePolicy(f.MaxAge)
	case f.Versions > 0:
		return bigtable.MaxVersionsPolicy(f.Versions)
	}
	return bigtable.NoGcPolicy()
}

// Ensure creates the tables and families that are missing, and sets the
// policies of all of them.
func (s *Store) Ensure(ctx context.Context, specs ...TableSpec) error {
	existing, err := s.admin.Tables(ctx)
	if err != nil {
		return fmt.Errorf("btstore: list tables: %w", err)
	}
	for _, spec := range specs {
		if !slices.Contains(existing, spec.Name) {
			if err := s.admin.CreatePresplitTable(ctx, spec.Name, spec.Split); err != nil && status.Code(err) != codes.AlreadyExists {
				return fmt.Errorf("btstore: create %s: %w", spec.Name, err)
			}
		}
		for _, f := range spec.Families {
			if err := EnsureFamily(ctx, s.admin, spec.Name, f.Name, f.gc()); err != nil {
				return err
			}
		}
	}
	return nil
}

// EnsureFamily creates a family unless it is there, and sets its policy.
func EnsureFamily(ctx context.Context, admin *bigtable.AdminClient, table, family string, gc bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return fmt.Errorf("btstore: create %s.%s: %w", table, family, err)
	}
	if gc == nil {
		return nil
	}
	if err := admin.SetGCPolicy(ctx, table, family, gc); err != nil {
		return fmt.Errorf("btstore: policy of %s.%s: %w", table, family, err)
	}
	return nil
}

// Conf is the client's description of a table made of typed families.
func Conf(name string, fs ...Family) *bigtable.TableConf {
	conf := &bigtable.TableConf{TableID: name, ColumnFamilies: map[string]bigtable.Family{}}
	for _, f := range fs {
		conf.ColumnFamilies[f.Name()] = bigtable.Family{GCPolicy: f.Policy()}
	}
	return conf
}
