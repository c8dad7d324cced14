package ttl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Verify compares the live schema of the table with the declaration. It returns
// nil if every declared family exists and has the GC policy of its strategy,
// and an error that wraps [ErrSchema] and lists all differences, in the order
// of the declaration, if not.
//
// Families that are not declared are no difference: a schema grows before the
// programs that use it are deployed, and [Table.Live] does not read them.
//
// The client library reports ages in whole seconds, cut off, so that ages which
// differ by less cannot be told apart: 1ms is the same as 999ms.
//
// https://cloud.google.com/bigtable/docs/garbage-collection
func (t *Table) Verify(ctx context.Context, admin *bigtable.AdminClient) error {
	policies, err := t.livePolicies(ctx, admin)
	if err != nil {
		return err
	}
	var differences []string
	for _, f := range t.families {
		policy, ok := policies[f.Name()]
		if !ok {
			differences = append(differences, fmt.Sprintf("family %q is missing", f.Name()))
		} else if !samePolicy(policy, f.policy()) {
			differences = append(differences, fmt.Sprintf("family %q has %s, declared is %s",
				f.Name(), describe(policy, 0), describe(f.policy(), 0)))
		}
	}
	if len(differences) > 0 {
		return fmt.Errorf("ttl: table %q: %w: %s", t.name, ErrSchema, strings.Join(differences, "; "))
	}
	return nil
}

func (t *Table) livePolicies(ctx context.Context, admin *bigtable.AdminClient) (map[string]bigtable.GCPolicy, error) {
	info, err := admin.TableInfo(ctx, t.name)
	if err != nil {
		return nil, fmt.Errorf("ttl: table %q: reading the schema: %w", t.name, err)
	}
	policies := make(map[string]bigtable.GCPolicy)
	for _, f := range info.FamilyInfos {
		policies[f.Name] = f.FullGCPolicy
	}
	return policies, nil
}

// samePolicy compares as far as the client reports policies.
func samePolicy(a, b bigtable.GCPolicy) bool {
	return describe(a, time.Second) == describe(b, time.Second)
}

// describe returns a text that is the same for policies that mean the same,
// with ages cut to the unit.
func describe(policy bigtable.GCPolicy, unit time.Duration) string {
	switch p := policy.(type) {
	case bigtable.MaxAgeGCPolicy:
		return "max age " + time.Duration(p).Truncate(unit).String()
	case bigtable.MaxVersionsGCPolicy:
		return fmt.Sprintf("max versions %d", int(p))
	case bigtable.UnionGCPolicy:
		return describeAll(p.Children, " or ", unit)
	case bigtable.IntersectionGCPolicy:
		return describeAll(p.Children, " and ", unit)
	}
	return "no policy"
}

func describeAll(policies []bigtable.GCPolicy, conjunction string, unit time.Duration) string {
	var parts []string
	for _, p := range policies {
		parts = append(parts, describe(p, unit))
	}
	switch len(parts) {
	case 0:
		return describe(nil, unit)
	case 1:
		return parts[0]
	}
	slices.Sort(parts)
	return "(" + strings.Join(parts, conjunction) + ")"
}
