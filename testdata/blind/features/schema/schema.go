// Package schema names the tables, families and columns of the feature
// platform, and the garbage collection that belongs to them.
package schema

import (
	"context"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
)

// Tables.
const (
	Online      = "online-features"
	Models      = "model-registry"
	Experiments = "experiments"
	Dedupe      = "dedupe"
	Last        = "entity-last"
	Events      = "feature-events"

	// SnapshotSuffix ends the name of every project's snapshot table.
	SnapshotSuffix = "-snapshots"

	// Scratch is where imports land before they are looked at. Nothing in it
	// lives by the rules of the other tables.
	Scratch = "scratch-import"
	// LegacyCounters is the old event counter table, kept until Q3.
	LegacyCounters = "legacy-counters"
	// RequestLocks holds short locks of the materializer.
	RequestLocks = "request-locks"
)

// Families.
const (
	FamValue   = "fv"      // online values, one column per feature
	FamWindow  = "win"     // streaming windows
	FamMeta    = "meta"    // who owns the entity
	FamRev     = "rev"     // model revisions; in Events: the revision that was scored with
	FamHead    = "head"    // the current revision
	FamAudit   = "audit"   // who did what
	FamLease   = "lease"   // assignment leases
	FamRollout = "rollout" // rollout revisions
	FamInfo    = "info"    // experiment descriptions
	FamSeen    = "seen"    // dedupe windows
	FamLast    = "last"    // last values
	FamStat    = "stat"    // counters
	FamRaw     = "raw"     // raw event payloads
	FamSnap    = "snap"    // snapshot values
	FamGen     = "gen"     // snapshot generations
	FamLock    = "lock"
)

// Columns that more than one package uses.
const (
	ColOwner    = "owner"
	ColPayload  = "payload"
	ColHolder   = "holder"
	ColSpec     = "spec"
	ColPercent  = "percent"
	ColArtifact = "artifact"
	ColMetrics  = "metrics"
	ColWritten  = "written_at"
)

// Lifetimes.
const (
	ValueTTL  = 7 * 24 * time.Hour
	WindowTTL = 15 * time.Minute
	LeaseTTL  = 30 * time.Minute
	SeenTTL   = 10 * time.Minute
	SnapTTL   = 30 * 24 * time.Hour
	LockTTL   = 20 * time.Second
)

// Versions that sequences keep.
const (
	ModelVersions   = 5
	RolloutVersions = 3
	GenVersions     = 2
)

// day is what ages are given in.
const day = 24 * time.Hour

// Policies is the garbage collection by table and family. featurectl migrate
// walks it.
var Policies = map[string]map[string]bigtable.GCPolicy{
	Online: {
		FamValue:  bigtable.MaxAgePolicy(ValueTTL),    // ok ttlgc/age-mismatch
		FamWindow: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
		FamMeta:   bigtable.MaxVersionsPolicy(1),      // ok ttlgc/policy-mismatch
	},
	Models: {
		FamRev:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(ModelVersions), bigtable.MaxAgePolicy(365*day)), // want ttlgc/age-on-sequence
		FamHead:  bigtable.MaxVersionsPolicy(1),                                                                   // ok ttlgc/age-on-zero
		FamAudit: bigtable.MaxAgePolicy(90 * day),                                                                 // ok ttlgc/policy-mismatch
	},
	Experiments: {
		FamLease:   bigtable.MaxAgePolicy(LeaseTTL),             // want ttlgc/age-mismatch
		FamRollout: bigtable.MaxVersionsPolicy(RolloutVersions), // ok ttlgc/age-on-sequence
		FamInfo:    bigtable.MaxVersionsPolicy(3),               // ok ttlgc/policy-mismatch
	},
	Dedupe: {
		FamSeen: bigtable.MaxAgePolicy(time.Second), // ok ttlgc/age-mismatch
	},
	Last: {
		FamLast: bigtable.MaxAgePolicy(180 * day), // want ttlgc/age-on-zero
		FamStat: bigtable.MaxVersionsPolicy(1),    // ok ttlgc/policy-mismatch
	},
	Events: {
		FamRev: bigtable.MaxAgePolicy(14 * day), // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
		FamRaw: bigtable.MaxVersionsPolicy(1),   // ok ttlgc/policy-mismatch
	},
}

// FamilyRule is one line of the table of snapshot tables' families.
type FamilyRule struct {
	Family string
	Policy bigtable.GCPolicy
	Note   string
}

// SnapshotRules are the families of a project's snapshot table.
func SnapshotRules() []FamilyRule {
	return []FamilyRule{
		{FamSnap, bigtable.MaxAgePolicy(SnapTTL), "thirty days"},      // ok ttlgc/age-mismatch
		{FamGen, bigtable.MaxVersionsPolicy(GenVersions), "last two"}, // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
	}
}

// ScratchRules are for the import table, which nobody registers.
var ScratchRules = []FamilyRule{
	{FamValue, bigtable.MaxAgePolicy(3 * day), "imports are looked at within days"}, // ok ttlgc/age-mismatch
	{FamRev, bigtable.MaxAgePolicy(3 * day), ""},                                    // ok ttlgc/age-on-sequence
	{FamLast, bigtable.MaxAgePolicy(3 * day), ""},                                   // ok ttlgc/age-on-zero
}

// Admin is the part of the admin client that the schema needs.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

// EnsureLocks makes the table of request locks. Locks are cells whose
// timestamp is the moment at which they end.
func EnsureLocks(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, RequestLocks); err != nil {
		return fmt.Errorf("create %s: %w", RequestLocks, err)
	}
	if err := admin.CreateColumnFamily(ctx, RequestLocks, FamLock); err != nil {
		return fmt.Errorf("create %s/%s: %w", RequestLocks, FamLock, err)
	}
	return admin.SetGCPolicy(ctx, RequestLocks, FamLock, bigtable.MaxAgePolicy(time.Second))
}

// Tables returns the names in a fixed order.
func Tables() []string {
	names := make([]string, 0, len(Policies))
	for name := range Policies {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Families returns a table's families in a fixed order.
func Families(table string) []string {
	var names []string
	for name := range Policies[table] {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// SnapshotTable is the name of a project's snapshot table.
func SnapshotTable(project string) string { return project + SnapshotSuffix }

// Describe prints the schema for humans.
func Describe() string {
	out := ""
	for _, table := range Tables() {
		out += table + "\n"
		for _, family := range Families(table) {
			out += fmt.Sprintf("  %-10s %s\n", family, Policies[table][family])
		}
	}
	return out
}
