package schema

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// A migration changes the schema once. They run in their order; what ran is
// in the deploy tool's own database.
type migration struct {
	name string
	run  func(ctx context.Context, admin *bigtable.AdminClient) error
}

// migrations are all there were.
var migrations = []migration{
	{"0007-session-tokens", sessionTokens},
	{"0009-inventory-audit", inventoryAudit},
	{"0012-presence-longer", presenceLonger},
	{"0013-presence-back", presenceBack},
	{"0015-match-versions", matchVersions},
	{"0018-mailbox2", mailbox2},
	{"0019-ladder", ladder},
	{"0021-profiles", profiles},
	{"0022-chat", chats},
}

// Migrate runs the migrations after the one with the given name.
func Migrate(ctx context.Context, admin *bigtable.AdminClient, after string) error {
	for _, m := range migrations {
		if m.name <= after {
			continue
		}
		if err := m.run(ctx, admin); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// sessionTokens creates the families of the sessions.
func sessionTokens(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, Sessions); err != nil {
		return err
	}
	if err := admin.CreateColumnFamily(ctx, Sessions, FamDevice); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.CreateColumnFamily(ctx, Sessions, FamToken) // want ttlgc/no-policy
}

// inventoryAudit adds the families of the main shard's inventory.
func inventoryAudit(ctx context.Context, admin *bigtable.AdminClient) error {
	tbl := InventoryTable("main")
	if err := admin.CreateColumnFamilyWithConfig(ctx, tbl, FamAudit, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(400 * day)}); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, tbl, FamStack, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(400 * day)}); err != nil { // want ttlgc/age-on-zero
		return err
	}
	return admin.CreateColumnFamilyWithConfig(ctx, tbl, FamLease, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(2 * time.Minute)}) // want ttlgc/age-mismatch
}

// presenceLonger raised the lifetime of presence.
func presenceLonger(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicyWithOptions(ctx, Presence, FamOnline, bigtable.MaxAgePolicy(15*time.Minute), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
}

// presenceBack took that back.
func presenceBack(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.SetGCPolicyWithOptions(ctx, Presence, FamOnline, bigtable.MaxAgePolicy(5*time.Minute), bigtable.IgnoreWarnings()) // ok ttlgc/age-mismatch
}

// matchVersions bounds the states of a match.
func matchVersions(ctx context.Context, admin *bigtable.AdminClient) error {
	keep := bigtable.MaxVersionsPolicy(3)
	if err := admin.SetGCPolicy(ctx, Matches, FamState, keep); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return admin.UpdateFamily(ctx, Matches, FamEvent, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}) // ok ttlgc/policy-mismatch
}

// mailbox2 creates the new mailbox.
func mailbox2(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: Mailbox2,
		ColumnFamilies: map[string]bigtable.Family{
			FamMail: {GCPolicy: bigtable.NoGcPolicy()}, // want ttlgc/no-policy
			FamFlag: {GCPolicy: bigtable.NoGcPolicy()}, // ok ttlgc/no-policy
		},
	})
}

// ladder creates the ladder.
func ladder(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, Ladder); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		gc   bigtable.GCPolicy
	}{
		{FamScore, bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsGCPolicy(1), bigtable.MaxAgeGCPolicy(90 * day)}}}, // want ttlgc/age-on-sequence
		{FamBoost, bigtable.MaxVersionsPolicy(1)},  // want ttlgc/no-policy
		{FamSeason, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero ttlgc/no-policy
	} {
		if err := admin.CreateColumnFamilyWithConfig(ctx, Ladder, f.name, bigtable.Family{GCPolicy: f.gc}); err != nil {
			return err
		}
	}
	return nil
}

// profiles creates the profiles.
func profiles(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, Profiles); err != nil {
		return err
	}
	if err := addFamily(ctx, admin, Profiles, FamCur, 1, 0); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	return addFamily(ctx, admin, Profiles, FamRev, 5, 0) // ok ttlgc/policy-mismatch
}

// chats creates the chat of the main shard.
func chats(ctx context.Context, admin *bigtable.AdminClient) error {
	tbl := ChatTable("main")
	if err := admin.CreateTable(ctx, tbl); err != nil {
		return err
	}
	if err := addFamily(ctx, admin, tbl, FamMsg, 0, 168*time.Hour); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return addFamily(ctx, admin, tbl, FamSeen, 1, 168*time.Hour) // want ttlgc/age-on-sequence
}

// addFamily creates a family that keeps some versions or some time. Zero
// means no limit.
func addFamily(ctx context.Context, admin *bigtable.AdminClient, table, family string, versions int, age time.Duration) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		return err
	}
	var limits []bigtable.GCPolicy
	if versions > 0 {
		limits = append(limits, bigtable.MaxVersionsPolicy(versions))
	}
	if age > 0 {
		limits = append(limits, bigtable.MaxAgePolicy(age))
	}
	switch len(limits) {
	case 0:
		return nil
	case 1:
		return admin.SetGCPolicy(ctx, table, family, limits[0])
	}
	return admin.SetGCPolicy(ctx, table, family, bigtable.UnionPolicy(limits...))
}

// RawRequests returns the requests that the operators' tool sends itself,
// since it has no client of its own.
func RawRequests(instance string) []*adminpb.ModifyColumnFamiliesRequest {
	return []*adminpb.ModifyColumnFamiliesRequest{
		{
			Name: instance + "/tables/" + Matches,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
				{Id: FamState, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxVersions(3)}}},         // ok ttlgc/policy-mismatch ttlgc/empty-mask
				{Id: FamEvent, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(48 * time.Hour)}}}, // want ttlgc/age-on-sequence
			},
		},
		{
			Name: instance + "/tables/" + Sessions,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
				{Id: FamToken, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{GcRule: maxAge(time.Second)}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}}, // ok ttlgc/age-mismatch ttlgc/empty-mask
			},
		},
		{
			Name: instance + "/tables/" + Mailbox2,
			Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
				{Id: FamMail, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}},                                                                    // want ttlgc/empty-mask
				{Id: FamFlag, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}}}, // ok ttlgc/empty-mask
			},
		},
	}
}

// maxVersions returns the rule that keeps n versions.
func maxVersions(n int32) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: n}}
}

// maxAge returns the rule that keeps cells for d.
func maxAge(d time.Duration) *adminpb.GcRule {
	return &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(d)}}
}
