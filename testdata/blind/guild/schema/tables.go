package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const day = 24 * time.Hour

// Policy is what the garbage collector does to one family.
type Policy struct {
	Table  string
	Family string
	GC     bigtable.GCPolicy
}

// Policies are the policies of all tables that have constant names. Those of
// the shards are in ShardPolicies.
var Policies = []Policy{
	{Sessions, FamToken, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
	{Sessions, FamDevice, bigtable.MaxVersionsPolicy(1)},     // ok ttlgc/policy-mismatch ttlgc/no-policy

	{Presence, FamOnline, bigtable.MaxAgePolicy(5 * time.Minute)}, // ok ttlgc/age-mismatch

	{Lobbies, FamState, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch ttlgc/age-on-sequence
	{Lobbies, FamHost, bigtable.MaxAgePolicy(90 * day)},     // ok ttlgc/policy-mismatch ttlgc/age-mismatch

	{Matches, FamState, bigtable.MaxVersionsPolicy(3)},                                                            // ok ttlgc/policy-mismatch ttlgc/no-policy
	{Matches, FamEvent, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(48*time.Hour))}, // want ttlgc/age-on-sequence
	{Matches, FamMeta, bigtable.MaxAgePolicy(30 * day)},                                                           // ok ttlgc/policy-mismatch ttlgc/age-on-sequence

	{Mailbox, FamMail, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
	{Mailbox, FamFlag, bigtable.NoGcPolicy()},              // ok ttlgc/no-policy
	{Mailbox2, FamMail, bigtable.MaxAgePolicy(30 * day)},   // ok ttlgc/age-mismatch
	{Mailbox2, FamFlag, bigtable.MaxVersionsPolicy(1)},     // ok ttlgc/age-on-zero ttlgc/policy-mismatch

	{Profiles, FamCur, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*day))}, // want ttlgc/age-on-zero
	{Profiles, FamRev, bigtable.MaxVersionsPolicy(5)},                                                       // ok ttlgc/policy-mismatch

	{Ladder, FamScore, bigtable.MaxVersionsPolicy(1)},    // ok ttlgc/policy-mismatch
	{Ladder, FamBoost, bigtable.MaxAgePolicy(time.Hour)}, // want ttlgc/age-mismatch
	{Ladder, FamSeason, bigtable.NoGcPolicy()},           // ok ttlgc/no-policy

	{Telemetry, FamToken, bigtable.MaxAgePolicy(14 * day)},                                                   // ok ttlgc/age-mismatch
	{Telemetry, FamState, bigtable.MaxAgePolicy(14 * day)},                                                   // ok ttlgc/age-on-sequence ttlgc/age-mismatch
	{Telemetry, FamEvent, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(2*day))}, // ok ttlgc/age-on-sequence ttlgc/versions-with-expiry
	{Telemetry, FamCur, bigtable.MaxAgePolicy(365 * day)},                                                    // ok ttlgc/age-on-zero

	{Nonces, FamNonce, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
}

// ShardPolicies are the policies of a shard's tables.
func ShardPolicies(shard string) []Policy {
	inv, chat := InventoryTable(shard), ChatTable(shard)
	return []Policy{
		{inv, FamStack, bigtable.MaxVersionsPolicy(1)},                                                            // ok ttlgc/age-on-zero ttlgc/policy-mismatch
		{inv, FamLease, bigtable.MaxAgePolicy(time.Second)},                                                       // ok ttlgc/age-mismatch
		{inv, FamAudit, bigtable.MaxAgePolicy(400 * day)},                                                         // ok ttlgc/policy-mismatch
		{chat, FamMsg, bigtable.MaxAgePolicy(7 * day)},                                                            // ok ttlgc/age-mismatch
		{chat, FamSeen, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(7*day))}, // want ttlgc/age-on-sequence
	}
}

// Admin is the part of the admin client that Apply needs.
type Admin interface {
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

// Apply creates what is missing of the policies' tables and families, and
// sets the policies.
func Apply(ctx context.Context, admin Admin, policies []Policy) error {
	var tables []string
	for _, p := range policies {
		if !slices.Contains(tables, p.Table) {
			tables = append(tables, p.Table)
		}
	}
	for _, name := range tables {
		err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: name})
		if err != nil && !exists(err) {
			return fmt.Errorf("create table %s: %w", name, err)
		}
	}
	var errs []error
	for _, p := range policies {
		if err := applyOne(ctx, admin, p); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// applyOne creates one family and sets its policy.
func applyOne(ctx context.Context, admin Admin, p Policy) error {
	if err := admin.CreateColumnFamily(ctx, p.Table, p.Family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return fmt.Errorf("create family %s of %s: %w", p.Family, p.Table, err)
	}
	if err := admin.SetGCPolicy(ctx, p.Table, p.Family, p.GC); err != nil {
		return fmt.Errorf("policy of %s in %s: %w", p.Family, p.Table, err)
	}
	slog.Info("policy set", "table", p.Table, "family", p.Family, "policy", p.GC.String())
	return nil
}

// ApplyAll applies the policies of all tables and of the given shards.
func ApplyAll(ctx context.Context, admin Admin, shards []string) error {
	if err := Apply(ctx, admin, Policies); err != nil {
		return err
	}
	for _, shard := range shards {
		if err := Apply(ctx, admin, ShardPolicies(shard)); err != nil {
			return fmt.Errorf("shard %s: %w", shard, err)
		}
	}
	return nil
}

// exists says whether err says that something is there already.
func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }
