// Package tool sets up tables from a list of plans, each of which is handed
// whole to the function that carries it out: the policies of a table that
// nobody registered are not those of a registered one with the same families.
package tool

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

type plan struct {
	table    string
	families map[string]bigtable.GCPolicy
	splits   []string
}

var plans = []plan{
	{
		table: "clicks",
		families: map[string]bigtable.GCPolicy{
			"event": bigtable.MaxAgePolicy(720 * time.Hour),
		},
	},
	{
		table:  "tickets",
		splits: []string{"8"},
		families: map[string]bigtable.GCPolicy{
			"ticket": bigtable.MaxAgePolicy(time.Hour), // want `sets the age 1h on one-second-expiration family "ticket"`
		},
	},
	{
		table: "mirror",
		families: map[string]bigtable.GCPolicy{
			"event":  bigtable.MaxAgePolicy(24 * 365 * time.Hour),
			"entry":  bigtable.MaxAgePolicy(24 * 30 * time.Hour),
			"latest": bigtable.MaxAgePolicy(24 * 30 * time.Hour),
			"token":  bigtable.MaxVersionsPolicy(3),
		},
	},
}

func stage(source string) plan {
	return plan{
		table: source + "-stage",
		families: map[string]bigtable.GCPolicy{
			"event": bigtable.MaxAgePolicy(24 * time.Hour),
		},
	}
}

func run(ctx context.Context, admin *bigtable.AdminClient, sources []string) error {
	all := slices.Clone(plans)
	for _, s := range sources {
		all = append(all, stage(s))
	}
	for _, p := range all {
		if err := apply(ctx, admin, p); err != nil {
			return err
		}
	}
	return nil
}

func apply(ctx context.Context, admin *bigtable.AdminClient, p plan) error {
	info, err := admin.TableInfo(ctx, p.table)
	if err != nil {
		return err
	}
	for f, pol := range p.families {
		if !slices.Contains(info.Families, f) {
			if err := admin.CreateColumnFamily(ctx, p.table, f); err != nil {
				return err
			}
		}
		if err := admin.SetGCPolicy(ctx, p.table, f, pol); err != nil {
			return err
		}
	}
	return nil
}

// A schema that is handed over by its address, with a list for a map.
type schema struct {
	name   string
	fams   []fam
	shards int
}

type fam struct {
	name   string
	policy bigtable.GCPolicy
}

func migrate(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, s := range []*schema{
		{name: "orders-ledger", fams: []fam{{"entry", bigtable.MaxVersionsPolicy(3)}}},
		{name: "eu-ledger", fams: []fam{{"entry", bigtable.MaxAgePolicy(time.Hour)}}}, // want `sets an age policy on sequential-numbers family "entry" of table "\*-ledger"`
		{name: "scratch", fams: []fam{{"entry", bigtable.MaxAgePolicy(time.Hour)}, {"latest", bigtable.MaxAgePolicy(time.Hour)}}},
	} {
		if err := ensure(ctx, admin, s); err != nil {
			return err
		}
	}
	return nil
}

func ensure(ctx context.Context, admin *bigtable.AdminClient, s *schema) error {
	tc := &bigtable.TableConf{TableID: s.name, ColumnFamilies: map[string]bigtable.Family{}}
	for _, f := range s.fams {
		tc.ColumnFamilies[f.name] = bigtable.Family{GCPolicy: f.policy}
	}
	if err := admin.CreateTableFromConf(ctx, tc); err == nil {
		return nil
	}
	for _, f := range s.fams {
		if err := admin.SetGCPolicy(ctx, s.name, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

// A set that methods fill: what they put there comes to its own method,
// whoever calls it.
type set struct {
	table    string
	policies map[string]bigtable.GCPolicy
}

func (s *set) add(family string, p bigtable.GCPolicy) { s.policies[family] = p }

func (s *set) apply(ctx context.Context, admin *bigtable.AdminClient) error {
	for f, p := range s.policies {
		if err := admin.SetGCPolicy(ctx, s.table, f, p); err != nil {
			return err
		}
	}
	return nil
}

func fill(ctx context.Context, admin *bigtable.AdminClient) error {
	s := &set{table: "mirror2", policies: map[string]bigtable.GCPolicy{}}
	s.add("event", bigtable.MaxAgePolicy(time.Hour))
	return s.apply(ctx, admin)
}
