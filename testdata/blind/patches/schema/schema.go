// Package schema creates tables. Terraform was planned for 2022.
package schema

import (
	"context"
	"fmt"
	"log"
	"sort"
	"strings"
	"time"

	"brightpost.example/monolith/conf"

	"cloud.google.com/go/bigtable"
)

// familyDef is of 2018.
type familyDef struct {
	table, family string
	policy        bigtable.GCPolicy
}

// v1 is what EnsureV1 sets.
var v1 = []familyDef{
	{"impressions", "cap", bigtable.MaxAgePolicy(time.Second)},                 // ok ttlgc/age-mismatch
	{"impressions", "seen", bigtable.MaxAgePolicy(7 * 24 * time.Hour)},         // ok ttlgc/age-mismatch
	{"impressions", "meta", bigtable.MaxVersionsPolicy(1)},                     // ok ttlgc/policy-mismatch
	{"campaigns", "rev", bigtable.MaxAgePolicy(90 * 24 * time.Hour)},           // want ttlgc/age-on-sequence
	{"campaigns", "state", bigtable.MaxVersionsPolicy(1)},                      // ok ttlgc/age-on-zero
	{"campaigns", "info", bigtable.MaxVersionsPolicy(5)},                       // ok ttlgc/policy-mismatch
	{"subscribers", "confirm", bigtable.MaxAgePolicy(48 * time.Hour)},          // want ttlgc/age-mismatch
	{"subscribers", "opens", bigtable.MaxAgePolicy(30 * 24 * time.Hour)},       // ok ttlgc/age-mismatch
	{"subscribers", "profile", bigtable.NoGcPolicy()},                          // ok ttlgc/no-policy
	{"sends", "job", bigtable.MaxAgePolicy(5 * time.Minute)},                   // want ttlgc/age-mismatch
	{"sends", "log", bigtable.MaxAgePolicy(2160 * time.Hour)},                  // ok ttlgc/policy-mismatch
	{"clicks", "raw", bigtable.MaxAgePolicy(90 * 24 * time.Hour)},              // ok ttlgc/age-mismatch
	{"clicks", "rev", bigtable.MaxAgePolicy(365 * 24 * time.Hour)},             // ok ttlgc/age-on-sequence
	{"acme-ledger", "entry", bigtable.MaxVersionsPolicy(5)},                    // ok ttlgc/policy-mismatch
	{"beta-ledger", "entry", bigtable.MaxAgePolicy(2555 * 24 * time.Hour)},     // want ttlgc/age-on-sequence
	{"acme-ledger", "note", bigtable.MaxVersionsPolicy(1)},                     // ok ttlgc/policy-mismatch
	{"impressions_archive", "cap", bigtable.MaxAgePolicy(30 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
	{"subscribers_v1", "confirm", bigtable.MaxVersionsPolicy(1)},               // ok ttlgc/no-policy
}

// v2 is what EnsureV2 sets; a map of maps, because somebody liked it.
var v2 = map[string]map[string]bigtable.GCPolicy{
	conf.TblImpressions: {
		conf.FamCap:  bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)),  // want ttlgc/versions-with-expiry
		conf.FamSeen: bigtable.MaxAgePolicy(conf.OpensTTL),                                                     // want ttlgc/age-mismatch
		conf.FamMeta: bigtable.UnionPolicy(bigtable.MaxAgePolicy(conf.SeenTTL), bigtable.MaxVersionsPolicy(1)), // ok ttlgc/versions-with-expiry
	},
	conf.TblCampaigns: {
		conf.FamRev:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(conf.ClickTTL)), // want ttlgc/age-on-sequence
		conf.FamState: bigtable.MaxAgePolicy(conf.ClickTTL),                                                      // want ttlgc/age-on-zero
		conf.FamInfo:  bigtable.MaxAgePolicy(conf.ClickTTL),                                                      // ok ttlgc/age-on-zero
	},
	conf.TblSubscribers: {
		conf.FamConfirm: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		conf.FamOpens:   bigtable.MaxVersionsPolicy(1),      // want ttlgc/no-policy
		conf.FamProfile: bigtable.MaxVersionsPolicy(1),      // ok ttlgc/no-policy
	},
	conf.TblSends: {
		conf.FamJob: bigtable.MaxAgePolicy(time.Millisecond),    // ok ttlgc/age-mismatch
		conf.FamLog: bigtable.MaxAgePolicy(30 * 24 * time.Hour), // want ttlgc/policy-mismatch
	},
	conf.TblClicks: {
		conf.FamRaw: bigtable.MaxAgePolicy(conf.OpensTTL),                                                      // want ttlgc/age-mismatch
		conf.FamRev: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(conf.ClickTTL)), // ok ttlgc/age-on-sequence
	},
}

// EnsureV1 creates what is missing and sets all policies.
func EnsureV1(ctx context.Context, ac *bigtable.AdminClient, only string, dry bool) error {
	tables, err := ac.Tables(ctx)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, t := range tables {
		have[t] = true
	}
	for _, d := range v1 {
		if only != "" && d.table != only {
			continue
		}
		if dry {
			log.Printf("schema: would set %s/%s", d.table, d.family)
			continue
		}
		if !have[d.table] {
			if err := ac.CreateTable(ctx, d.table); err != nil {
				return err
			}
			have[d.table] = true
		}
		if err := ac.CreateColumnFamily(ctx, d.table, d.family); err != nil && !strings.Contains(err.Error(), "exists") { // ok ttlgc/no-policy
			return fmt.Errorf("schema: %s/%s: %w", d.table, d.family, err)
		}
		if err := ac.SetGCPolicy(ctx, d.table, d.family, d.policy); err != nil {
			return err
		}
	}
	return nil
}

// EnsureV2 does the same for the map.
func EnsureV2(ctx context.Context, ac *bigtable.AdminClient) error {
	var names []string
	for t := range v2 {
		names = append(names, t)
	}
	sort.Strings(names)
	for _, t := range names {
		for fam, p := range v2[t] {
			if err := ac.SetGCPolicy(ctx, t, fam, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// EnsureFamily is the helper of 2023.
func EnsureFamily(ctx context.Context, ac *bigtable.AdminClient, table, family string, age time.Duration, versions int) error {
	var p bigtable.GCPolicy
	if versions > 0 {
		p = bigtable.MaxVersionsPolicy(versions)
	} else {
		p = bigtable.MaxAgePolicy(age)
	}
	if err := ac.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		log.Printf("schema: %s/%s: %v", table, family, err)
	}
	return ac.SetGCPolicy(ctx, table, family, p)
}

// EnsureV3 uses it.
func EnsureV3(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := EnsureFamily(ctx, ac, "impressions", "cap", time.Second, 0); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := EnsureFamily(ctx, ac, "impressions", "seen", 24*time.Hour, 0); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := EnsureFamily(ctx, ac, "campaigns", "rev", 0, 3); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := EnsureFamily(ctx, ac, "campaigns", "rev", 24*time.Hour, 0); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := EnsureFamily(ctx, ac, "clicks", "rev", 24*time.Hour, 0); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := EnsureFamily(ctx, ac, "zeta-ledger", "entry", 0, 1); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := EnsureFamily(ctx, ac, "campaigns", "state", time.Hour, 0); err != nil { // want ttlgc/age-on-zero
		return err
	}
	return EnsureFamily(ctx, ac, "subscribers", "confirm", conf.ConfirmTTL, 0) // want ttlgc/age-mismatch
}

// CreateTenant creates the tables of a tenant. Copied from the wiki.
func CreateTenant(ctx context.Context, ac *bigtable.AdminClient, tenant string) error {
	table := tenant + "-ledger"
	if err := ac.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, table, "note"); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := ac.CreateColumnFamily(ctx, table, "entry"); err != nil { // ok ttlgc/no-policy
		return err
	}
	return ac.SetGCPolicy(ctx, table, "entry", bigtable.MaxVersionsPolicy(5)) // ok ttlgc/policy-mismatch
}

// CreateSends was run by hand.
func CreateSends(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTable(ctx, "sends"); err != nil {
		return err
	}
	if err := ac.CreateColumnFamily(ctx, "sends", "job"); err != nil { // want ttlgc/no-policy
		return err
	}
	return ac.CreateColumnFamily(ctx, "subscribers", "profile") // ok ttlgc/no-policy
}

// FromConf is the newest way.
func FromConf(ctx context.Context, ac *bigtable.AdminClient, kind string) error {
	switch kind {
	case "impressions":
		return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
			TableID: "impressions",
			ColumnFamilies: map[string]bigtable.Family{
				"cap":  {GCPolicy: bigtable.MaxAgeGCPolicy(time.Minute)},  // want ttlgc/age-mismatch
				"seen": {GCPolicy: bigtable.MaxAgeGCPolicy(conf.SeenTTL)}, // ok ttlgc/age-mismatch
				"meta": {GCPolicy: bigtable.MaxAgeGCPolicy(time.Minute)},  // ok ttlgc/age-mismatch
			},
		})
	case "campaigns":
		return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
			TableID: "campaigns",
			ColumnFamilies: map[string]bigtable.Family{
				"rev":   {GCPolicy: bigtable.MaxVersionsGCPolicy(1)}, // want ttlgc/policy-mismatch
				"state": {GCPolicy: bigtable.MaxVersionsGCPolicy(1)}, // ok ttlgc/policy-mismatch
				"info":  {},                                          // ok ttlgc/no-policy
			},
		})
	case "clicks":
		return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
			TableID: "clicks",
			Families: map[string]bigtable.GCPolicy{
				"raw": bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(conf.ClickTTL), bigtable.MaxVersionsPolicy(2)), // want ttlgc/no-policy
				"rev": bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(conf.ClickTTL), bigtable.MaxVersionsPolicy(2)), // ok ttlgc/no-policy
			},
		})
	}
	return fmt.Errorf("schema: kind %q", kind)
}

// Widen is what operations runs when the disk is empty.
func Widen(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicyWithOptions(ctx, "clicks", "raw", bigtable.MaxAgePolicy(180*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := ac.SetGCPolicyWithOptions(ctx, "clicks", "rev", bigtable.MaxAgePolicy(180*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ac.UpdateFamily(ctx, "subscribers", "opens", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(60 * 24 * time.Hour)}); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := ac.CreateColumnFamilyWithConfig(ctx, "subscribers", "opens", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(conf.OpensTTL)}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ac.SetGCPolicy(ctx, "sends", "job", bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
		return err
	}
	days := 30
	if err := ac.SetGCPolicy(ctx, "impressions_archive", "seen", bigtable.MaxAgePolicy(time.Duration(days*24*3600))); err != nil { // want ttlunit/age-unit
		return err
	}
	if err := ac.SetGCPolicy(ctx, "impressions_archive", "cap", bigtable.MaxAgePolicy(time.Duration(days)*24*time.Hour)); err != nil { // ok ttlunit/age-unit
		return err
	}
	return ac.SetGCPolicy(ctx, "campaigns", "rev", bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(conf.ClickTTL), bigtable.MaxVersionsPolicy(3))) // want ttlgc/age-on-sequence
}
