package ttl

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cloud.google.com/go/bigtable"
)

// Verify compares the live schema of the table with the declaration. It returns
// nil if every declared family exists and has a GC policy with which its
// strategy works, and an error that wraps [ErrSchema] and lists all differences,
// in the order of the declaration, if not.
//
// Policies that mean the same are no difference, such as a union of one. A
// family with one-second expiration may have any max age up to a second, a
// family with timestamp zero any policy that keeps the latest cell.
//
// Families that are not declared are no difference: a schema grows before the
// programs that use it are deployed, and [Table.Live] does not read them.
// [Table.Undeclared] lists them. What is stored in the family, Verify does not
// see: [Table.Migrate] does.
//
// The client library reports ages in whole seconds, cut off, so that ages which
// differ by less cannot be told apart: 1ms is the same as 999ms.
//
// https://cloud.google.com/bigtable/docs/garbage-collection
func (t *Table) Verify(ctx context.Context, admin *bigtable.AdminClient) error {
	live, err := t.liveRules(ctx, admin)
	if err != nil {
		return err
	}
	return t.differences(live)
}

// Undeclared returns the families of the live table that are not declared, in
// the order of their names.
func (t *Table) Undeclared(ctx context.Context, admin *bigtable.AdminClient) ([]string, error) {
	live, err := t.liveRules(ctx, admin)
	if err != nil {
		return nil, err
	}
	for _, f := range t.families {
		delete(live, f.Name())
	}
	return slices.Sorted(maps.Keys(live)), nil
}

// differences returns an error for what the declared families lack.
func (t *Table) differences(live map[string]rule) error {
	var list []string
	for _, f := range t.families {
		r, ok := live[f.Name()]
		if !ok {
			list = append(list, fmt.Sprintf("family %q is missing", f.Name()))
		} else if !f.works(r) {
			list = append(list, fmt.Sprintf("family %q has %v, declared is %v", f.Name(), r, ruleOf(f.policy())))
		}
	}
	if len(list) > 0 {
		return fmt.Errorf("ttl: table %q: %w: %s", t.name, ErrSchema, strings.Join(list, "; "))
	}
	return nil
}

// liveRules returns the families that exist, with their GC policies.
func (t *Table) liveRules(ctx context.Context, admin *bigtable.AdminClient) (map[string]rule, error) {
	if admin == nil {
		return nil, fmt.Errorf("ttl: table %q: %w", t.name, ErrNilClient)
	}
	if err := t.one(); err != nil {
		return nil, err
	}
	info, err := admin.TableInfo(ctx, t.name)
	if err != nil {
		return nil, fmt.Errorf("ttl: table %q: reading the schema: %w", t.name, err)
	}
	rules := make(map[string]rule)
	for _, f := range info.FamilyInfos {
		rules[f.Name] = ruleOf(f.FullGCPolicy)
	}
	return rules, nil
}
