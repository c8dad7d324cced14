package schema

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// Emergency measures. Each was "only for this night". The on-call book still refers to them.

// keepFor is the policy that people ask for when they say "keep for n days".
func keepFor(n int) bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Duration(n) * day) }

// keepLast is the other one.
func keepLast(n int) bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(n) }

// either deletes what is old and what is too much.
func either(p ...bigtable.GCPolicy) bigtable.GCPolicy { return bigtable.UnionPolicy(p...) }

// both deletes what is old and too much.
func both(p ...bigtable.GCPolicy) bigtable.GCPolicy { return bigtable.IntersectionPolicy(p...) }

// change is one measure.
type change struct {
	table, family string
	to            func() bigtable.GCPolicy
}

// Shrink makes space. level 1 to 3, the higher the worse.
func Shrink(ctx context.Context, a Admin, level int, confirmed bool) error {
	if !confirmed {
		return fmt.Errorf("schema: shrink %d is not confirmed", level)
	}
	set := func(table, family string, p bigtable.GCPolicy) error {
		log.Printf("shrink: %s.%s to %s", table, family, p)
		return a.SetGCPolicyWithOptions(ctx, table, family, p, bigtable.IgnoreWarnings())
	}
	if level >= 1 {
		if err := set("budgets", "audit", keepLast(10)); err != nil { // ok ttlgc/policy-mismatch
			return err
		}
		if err := set("budgets", "led", keepFor(30)); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		if err := set("freqcaps", "roll", keepFor(7)); err != nil { // ok ttlgc/age-mismatch
			return err
		}
	}
	if level >= 2 {
		if err := set("visitors", "idmap", keepFor(14)); err != nil { // want ttlgc/age-mismatch
			return err
		}
		if err := set("contacts", "rev", either(keepLast(5), keepFor(365))); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		if err := set("contacts", "note", keepFor(365)); err != nil { // ok ttlgc/policy-mismatch
			return err
		}
		if err := set("impressions", "led", keepFor(2)); err != nil { // ok ttlgc/age-on-sequence
			return err
		}
	}
	if level >= 3 {
		if err := set("consent", "log", both(keepLast(20), keepFor(365))); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		if err := set("consent", "grant", either(keepLast(1), bigtable.MaxAgePolicy(time.Second))); err != nil { // want ttlgc/versions-with-expiry
			return err
		}
		if err := set("sessions", "tok", bigtable.MaxAgePolicy(time.Second)); err != nil { // ok ttlgc/age-mismatch
			return err
		}
		if err := set("suppress", "list", keepFor(90)); err != nil { // want ttlgc/age-mismatch
			return err
		}
	}
	return nil
}

// restores are what Shrink's counterpart does.
var restores = []change{
	{"budgets", "audit", func() bigtable.GCPolicy { return keepLast(10) }}, // ok ttlgc/policy-mismatch
	{"budgets", "led", func() bigtable.GCPolicy { return keepLast(3) }},    // ok ttlgc/age-on-sequence
	{"visitors", "idmap", func() bigtable.GCPolicy { return keepFor(30) }}, // ok ttlgc/age-mismatch
	{"contacts", "rev", func() bigtable.GCPolicy { return keepLast(5) }},   // ok ttlgc/age-on-sequence
	{"consent", "log", func() bigtable.GCPolicy { return keepLast(20) }},   // ok ttlgc/policy-mismatch
}

// Restore undoes Shrink.
func Restore(ctx context.Context, a Admin) error {
	for _, c := range restores {
		if err := a.SetGCPolicy(ctx, c.table, c.family, c.to()); err != nil {
			return err
		}
	}
	return nil
}

// QA creates what the test people need, in their own project. Short lives, they said.
func QA(ctx context.Context, a Admin) error {
	short := os.Getenv("QA_SHORT") != ""
	age := bigtable.MaxAgePolicy(30 * day)
	if short {
		age = bigtable.MaxAgePolicy(day) // want ttlgc/age-mismatch[qa]
	}
	err := a.CreateTableFromConf(ctx, &bigtable.TableConf{ // want ttlgc/age-mismatch[qa]
		TableID: "visitors",
		ColumnFamilies: map[string]bigtable.Family{
			"idmap": {GCPolicy: age}, // want ttlgc/age-mismatch[qa]
			"seg":   {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
			"attr":  {GCPolicy: keepLast(5)}, // ok ttlgc/policy-mismatch
		},
	})
	if err != nil {
		return err
	}
	err = a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "budgets",
		ColumnFamilies: map[string]bigtable.Family{
			"led":   {GCPolicy: keepFor(1)},  // want ttlgc/age-on-sequence
			"cur":   {GCPolicy: keepFor(1)},  // want ttlgc/age-on-zero
			"audit": {GCPolicy: keepLast(2)}, // want ttlgc/policy-mismatch
		},
	})
	if err != nil {
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, "mailq", "job", bigtable.Family{}); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, "mailq", "st", bigtable.Family{GCPolicy: keepLast(1)}); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	return a.UpdateFamily(ctx, "leads", "score", bigtable.Family{GCPolicy: bigtable.UnionPolicy()}) // want ttlgc/no-policy
}
