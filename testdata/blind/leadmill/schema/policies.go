// Package schema creates tables and keeps their garbage collection as it should be.
package schema

import (
	"context"
	"fmt"
	"log"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const day = 24 * time.Hour

// ages of the expiring families: the cell says itself when it ends.
const (
	expiring = time.Second
	instant  = time.Millisecond
)

// current is what `migrate apply` brings about.
var current = map[string]map[string]bigtable.GCPolicy{
	"sessions": {
		"tok":  bigtable.MaxAgePolicy(expiring), // ok ttlgc/age-mismatch
		"prof": bigtable.MaxAgePolicy(90 * day), // ok ttlgc/policy-mismatch
	},
	"visitors": {
		"idmap": bigtable.MaxAgePolicy(30 * day), // ok ttlgc/age-mismatch
		"seg":   bigtable.MaxAgePolicy(day),      // want ttlgc/age-mismatch
		"attr":  bigtable.MaxVersionsPolicy(5),   // ok ttlgc/policy-mismatch
	},
	"freqcaps": {
		"cap":  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(expiring)), // want ttlgc/versions-with-expiry
		"roll": bigtable.MaxAgePolicy(14 * day),                                                      // want ttlgc/age-mismatch
	},
	"budgets": {
		"led":   bigtable.MaxVersionsPolicy(3),  // ok ttlgc/age-on-sequence
		"cur":   bigtable.MaxVersionsPolicy(1),  // ok ttlgc/age-on-zero
		"audit": bigtable.MaxVersionsPolicy(10), // ok ttlgc/policy-mismatch
	},
	"contacts": {
		"card": bigtable.MaxVersionsPolicy(1),                                                       // ok ttlgc/age-on-zero
		"rev":  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(365*day)), // want ttlgc/age-on-sequence
		"note": bigtable.MaxAgePolicy(365 * day),                                                    // ok ttlgc/policy-mismatch
		"opt":  bigtable.MaxAgePolicy(90 * day),                                                     // ok ttlgc/age-mismatch
	},
	"leads": {
		"rev":   bigtable.MaxVersionsPolicy(1),   // ok ttlgc/age-on-sequence
		"score": bigtable.MaxAgePolicy(expiring), // ok ttlgc/age-mismatch
	},
	"scratch": {
		"tok": bigtable.NoGcPolicy(),          // ok ttlgc/no-policy
		"led": bigtable.MaxAgePolicy(7 * day), // ok ttlgc/age-on-sequence
	},
}

// famPolicy is a row of the list that came later, for what was added in 2022.
type famPolicy struct {
	table, family string
	policy        bigtable.GCPolicy
	why           string
}

var added = []famPolicy{
	{"bidcache", "bid", bigtable.MaxAgePolicy(instant), "cells end by themselves"},     // ok ttlgc/age-mismatch
	{"consent", "grant", bigtable.MaxAgePolicy(time.Second), "13 months, in the cell"}, // ok ttlgc/age-mismatch
	{"consent", "log", bigtable.MaxVersionsPolicy(10), "enough for the auditors"},      // want ttlgc/policy-mismatch
	{"suppress", "list", bigtable.MaxAgeGCPolicy(180 * day), "half a year"},            // ok ttlgc/age-mismatch
	{"mailq", "job", bigtable.MaxAgeGCPolicy(2 * time.Hour), "two hours"},              // want ttlgc/age-mismatch
	{"mailq", "st", bigtable.MaxAgePolicy(7 * day), "nobody asks after a week"},        // want ttlgc/age-on-zero
}

// clickFamilies is the same for every tenant.
func clickFamilies(tenant string, long bool) map[string]bigtable.Family {
	keep := bigtable.MaxAgePolicy(14 * day)
	if long {
		log.Printf("schema: %s wanted long clicks, that is not sold any more", tenant)
	}
	return map[string]bigtable.Family{
		"ev":    {GCPolicy: keep},                             // ok ttlgc/age-mismatch
		"dedup": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}, // want ttlgc/age-mismatch[cf]
	}
}

// Admin is what of the admin client is needed.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
	Tables(ctx context.Context) ([]string, error)
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
}

var _ Admin = (*bigtable.AdminClient)(nil)

// Apply creates what is missing and sets all policies.
func Apply(ctx context.Context, a Admin, dry, force bool, tenants ...string) error {
	have := map[string]bool{}
	ts, err := a.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range ts {
		have[t] = true
	}
	var names []string
	for t := range current {
		names = append(names, t)
	}
	sort.Strings(names)
	for _, t := range names {
		if !have[t] {
			if dry {
				log.Printf("would create %s", t)
				continue
			}
			if err := a.CreateTable(ctx, t); err != nil {
				return err
			}
			have[t] = true
		}
		for f, p := range current[t] {
			if dry {
				log.Printf("would set %s.%s to %s", t, f, p)
				continue
			}
			if err := ensure(ctx, a, t, f, p, force); err != nil {
				return err
			}
		}
	}
	for _, r := range added {
		if dry {
			log.Printf("would set %s.%s to %s (%s)", r.table, r.family, r.policy, r.why)
			continue
		}
		if !have[r.table] {
			if err := a.CreateTable(ctx, r.table); err != nil {
				return err
			}
			have[r.table] = true
		}
		if err := ensure(ctx, a, r.table, r.family, r.policy, force); err != nil {
			return err
		}
	}
	for _, tn := range tenants {
		name := strings.ToLower(tn) + "-clicks"
		if have[name] || dry {
			continue
		}
		if err := a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: name, ColumnFamilies: clickFamilies(tn, force)}); err != nil { // want ttlgc/age-mismatch[cf]
			return err
		}
	}
	return nil
}

// ensure creates a family and sets its policy.
func ensure(ctx context.Context, a Admin, table, family string, p bigtable.GCPolicy, force bool) error {
	err := a.CreateColumnFamily(ctx, table, family) // ok ttlgc/no-policy
	if err != nil && status.Code(err) != codes.AlreadyExists {
		return fmt.Errorf("schema: create %s.%s: %w", table, family, err)
	}
	if force {
		err = a.SetGCPolicyWithOptions(ctx, table, family, p, bigtable.IgnoreWarnings())
	} else {
		err = a.SetGCPolicy(ctx, table, family, p)
	}
	if err != nil {
		return fmt.Errorf("schema: policy of %s.%s: %w", table, family, err)
	}
	return nil
}
