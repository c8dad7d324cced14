// Package schema creates the tables and their garbage collection.
package schema

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	second = time.Second
	day    = 24 * time.Hour
	week   = 7 * day
	month  = 30 * day
)

type family struct {
	name   string
	policy bigtable.GCPolicy
}

type table struct {
	name     string
	families []family
}

// current is the layout of production.
var current = []table{
	{"flow-leases", []family{
		{"lease", bigtable.MaxAgePolicy(second)}, // ok ttlgc/age-mismatch
		{"fence", bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/policy-mismatch
	}},
	{"flow-history", []family{
		{"event", bigtable.MaxVersionsPolicy(5)}, // ok ttlgc/age-on-sequence
		{"snap", bigtable.MaxVersionsPolicy(2)},  // ok ttlgc/policy-mismatch
	}},
	{"flow-audit", []family{
		{"event", bigtable.MaxAgePolicy(90 * day)}, // ok ttlgc/age-on-sequence // ok ttlgc/policy-mismatch
	}},
	{"flow-idempotency", []family{
		{"key", bigtable.MaxAgePolicy(second)}, // ok ttlgc/age-mismatch
		{"hit", bigtable.MaxAgePolicy(month)},  // ok ttlgc/policy-mismatch
	}},
	{"flow-signals", []family{
		{"inbox", bigtable.MaxAgePolicy(week)}, // ok ttlgc/age-mismatch
		{"ack", bigtable.MaxAgePolicy(week)},   // ok ttlgc/policy-mismatch
	}},
	{"flow-schedules", []family{
		{"spec", bigtable.MaxVersionsPolicy(1)},                   // ok ttlgc/age-on-zero
		{"claim", bigtable.MaxAgePolicy(1000 * time.Millisecond)}, // ok ttlgc/age-mismatch // ok ttlunit/age-unit
		{"run", bigtable.MaxVersionsPolicy(10)},                   // ok ttlgc/policy-mismatch
	}},
	{"flow-results", []family{
		{"output", bigtable.MaxAgePolicy(month)}, // ok ttlgc/age-mismatch
		{"pinned", bigtable.NoGcPolicy()},        // ok ttlgc/no-policy
	}},
	{"flow-tasks", []family{
		{"task", bigtable.MaxAgeGCPolicy(second)},    // ok ttlgc/age-mismatch
		{"attempt", bigtable.MaxVersionsGCPolicy(3)}, // ok ttlgc/policy-mismatch
	}},
	{"flow-archive", []family{
		{"event", bigtable.MaxAgePolicy(400 * day)}, // ok ttlgc/age-on-sequence
		{"output", bigtable.MaxVersionsPolicy(1)},   // ok ttlgc/no-policy
		{"lease", bigtable.NoGcPolicy()},            // ok ttlgc/no-policy
	}},
	{"flow-metrics", []family{
		{"key", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(week))}, // ok ttlgc/versions-with-expiry
		{"minute", bigtable.MaxAgePolicy(week)},
		{"hour", bigtable.MaxAgePolicy(90 * day)},
		{"day", bigtable.MaxAgePolicy(month * 12)},
		{"event", bigtable.MaxAgePolicy(day)}, // ok ttlgc/age-on-sequence
	}},
}

// first is the layout that the staging instance still has.
var first = map[string]map[string]bigtable.GCPolicy{
	"flow-leases": {
		"lease": bigtable.MaxAgePolicy(45 * time.Second), // want ttlgc/age-mismatch
		"fence": bigtable.MaxAgePolicy(day),              // want ttlgc/age-on-sequence
	},
	"flow-history": {
		"event": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(90*day)), // want ttlgc/age-on-sequence
		"snap":  bigtable.MaxVersionsPolicy(1),                                                      // want ttlgc/policy-mismatch
	},
	"flow-audit": {
		"event": bigtable.MaxAgePolicy(month), // want ttlgc/policy-mismatch
	},
	"flow-idempotency": {
		"key": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(second)), // want ttlgc/versions-with-expiry
		"hit": bigtable.MaxAgePolicy(month),                                                       // ok ttlgc/policy-mismatch
	},
	"flow-signals": {
		"inbox": bigtable.MaxAgePolicy(day), // want ttlgc/age-mismatch
		"ack":   bigtable.NoGcPolicy(),      // ok ttlgc/no-policy
	},
	"flow-schedules": {
		"spec":  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(400*day)), // want ttlgc/age-on-zero
		"claim": bigtable.MaxAgePolicy(5 * time.Minute),                                              // want ttlgc/age-mismatch
		"run":   bigtable.MaxVersionsPolicy(5),                                                       // want ttlgc/policy-mismatch
	},
	"flow-results": {
		"output": bigtable.MaxVersionsPolicy(1), // want ttlgc/no-policy
		"pinned": bigtable.MaxAgePolicy(month),  // want ttlgc/age-on-zero
	},
	"flow-tasks": {
		"task":    bigtable.MaxAgePolicy(time.Hour),                                                       // want ttlgc/age-mismatch
		"attempt": bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(day)), // want ttlgc/age-on-sequence
	},
	"flow-scratch": {
		"event": bigtable.MaxAgePolicy(day),              // ok ttlgc/age-on-sequence
		"tmp":   bigtable.MaxAgePolicy(86400),            // want ttlunit/age-unit
		"inbox": bigtable.MaxAgePolicy(30 * time.Minute), // ok ttlgc/age-mismatch
	},
}

// admin is what is needed of *bigtable.AdminClient.
type admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// Ensure brings the instance to the current layout.
func Ensure(ctx context.Context, a admin) error {
	var errs []error
	for _, t := range current {
		if err := a.CreateTable(ctx, t.name); err != nil && !exists(err) {
			return err
		}
		for _, f := range t.families {
			errs = append(errs, ensureFamily(ctx, a, t.name, f.name, f.policy))
		}
	}
	return errors.Join(errs...)
}

// EnsureFirst brings a staging instance to the first layout.
func EnsureFirst(ctx context.Context, a admin) error {
	for name, families := range first {
		conf := bigtable.TableConf{TableID: name, Families: families}
		if err := a.CreateTableFromConf(ctx, &conf); err != nil && !exists(err) {
			return err
		}
	}
	return nil
}

func ensureFamily(ctx context.Context, a admin, table, family string, p bigtable.GCPolicy) error {
	if err := a.CreateColumnFamily(ctx, table, family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return fmt.Errorf("create %s/%s: %w", table, family, err)
	}
	return a.SetGCPolicy(ctx, table, family, p)
}

// EnsureTimers makes the timers of env.
func EnsureTimers(ctx context.Context, a admin, env string) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: env + "-timers",
		ColumnFamilies: map[string]bigtable.Family{
			"due":  {GCPolicy: bigtable.MaxAgePolicy(second)}, // ok ttlgc/age-mismatch
			"meta": {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/policy-mismatch
		},
	})
}

// EnsureTimersLegacy makes them as they were.
func EnsureTimersLegacy(ctx context.Context, a admin, env string) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: env + "-timers",
		ColumnFamilies: map[string]bigtable.Family{
			"due":  {GCPolicy: bigtable.MaxAgeGCPolicy(2 * time.Hour)}, // want ttlgc/age-mismatch
			"meta": {},                                                 // ok ttlgc/no-policy
		},
	})
}

// rule is a rule as namespaces write it.
type rule struct {
	versions int
	age      time.Duration
}

func (r rule) policy() bigtable.GCPolicy {
	switch {
	case r.versions > 0 && r.age > 0:
		return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(r.versions), bigtable.MaxAgePolicy(r.age))
	case r.versions > 0:
		return bigtable.MaxVersionsPolicy(r.versions)
	case r.age > 0:
		return bigtable.MaxAgePolicy(r.age)
	}
	return bigtable.NoGcPolicy()
}

// EnsureNamespace makes the table of a namespace.
func EnsureNamespace(ctx context.Context, a admin, ns string) error {
	name := "flow-state-" + ns
	return errors.Join(
		ensureFamily(ctx, a, name, "state", bigtable.MaxVersionsPolicy(1)), // ok ttlgc/age-on-zero
		ensureFamily(ctx, a, name, "step", bigtable.MaxVersionsPolicy(3)),  // ok ttlgc/policy-mismatch
		ensureFamily(ctx, a, name, "lock", bigtable.MaxAgePolicy(second)),  // ok ttlgc/age-mismatch
	)
}

// EnsureNamespaceOld makes the table of a namespace of the first customers.
func EnsureNamespaceOld(ctx context.Context, a admin, ns string) error {
	name := "flow-state-" + ns
	return errors.Join(
		ensureFamily(ctx, a, name, "state", bigtable.MaxAgePolicy(month)),                                                    // want ttlgc/age-on-zero
		ensureFamily(ctx, a, name, "step", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(week))), // want ttlgc/age-on-sequence
		ensureFamily(ctx, a, name, "lock", bigtable.NoGcPolicy()),                                                            // want ttlgc/no-policy
	)
}

// EnsureNamespaceRules makes the table of a namespace by rules.
func EnsureNamespaceRules(ctx context.Context, a admin, ns string) error {
	name := "flow-state-" + ns
	for family, p := range map[string]bigtable.GCPolicy{
		"state": rule{versions: 1}.policy(),            // ok ttlgc/age-on-zero
		"step":  rule{versions: 3, age: week}.policy(), // want ttlgc/age-on-sequence
		"lock":  rule{age: time.Minute}.policy(),       // want ttlgc/age-mismatch
	} {
		if err := ensureFamily(ctx, a, name, family, p); err != nil {
			return err
		}
	}
	return nil
}

// AddSnapshots was the migration of March.
func AddSnapshots(ctx context.Context, a admin) error {
	return a.CreateColumnFamily(ctx, "flow-history", "snap") // want ttlgc/no-policy
}

// AddAcks was the migration of April.
func AddAcks(ctx context.Context, a admin) error {
	return a.CreateColumnFamily(ctx, "flow-signals", "ack") // ok ttlgc/no-policy
}

// AddInbox was the migration before.
func AddInbox(ctx context.Context, a admin) error {
	return a.CreateColumnFamilyWithConfig(ctx, "flow-signals", "inbox", bigtable.Family{
		GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(week), bigtable.MaxVersionsPolicy(1)), // want ttlgc/no-policy
	})
}

// AddInboxAgain repaired it.
func AddInboxAgain(ctx context.Context, a admin) error {
	return a.SetGCPolicy(ctx, "flow-signals", "inbox", bigtable.MaxAgePolicy(7*24*time.Hour)) // ok ttlgc/age-mismatch
}

// WidenHistory keeps more events.
func WidenHistory(ctx context.Context, a admin) error {
	return a.SetGCPolicy(ctx, "flow-history", "event", bigtable.MaxVersionsPolicy(50)) // want ttlgc/policy-mismatch
}

// Shrink is for the demo instance.
func Shrink(ctx context.Context, a *bigtable.AdminClient) error {
	return errors.Join(
		a.SetGCPolicyWithOptions(ctx, "flow-results", "output", bigtable.MaxAgePolicy(day), bigtable.IgnoreWarnings()),         // want ttlgc/age-mismatch
		a.SetGCPolicyWithOptions(ctx, "flow-audit", "event", bigtable.MaxAgePolicy(2160*time.Hour), bigtable.IgnoreWarnings()), // ok ttlgc/policy-mismatch
		a.UpdateFamily(ctx, "flow-tasks", "attempt", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Hour)}),              // want ttlgc/age-on-sequence
		a.UpdateFamily(ctx, "flow-tasks", "task", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}),               // ok ttlgc/age-mismatch
	)
}
