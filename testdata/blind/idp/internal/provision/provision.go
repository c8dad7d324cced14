// Package provision creates the tables and families.
package provision

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
)

const day = 24 * time.Hour

type family struct {
	name   string
	policy bigtable.GCPolicy
}

type table struct {
	name     string
	families []family
}

// tables is the schema, as Apply creates it.
var tables = []table{
	{schema.TableSessions, []family{
		{schema.FamSession, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
		{schema.FamDevice, bigtable.MaxVersionsPolicy(1)},       // ok ttlgc/policy-mismatch
	}},
	{schema.TableTokens, []family{
		{schema.FamAccess, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
		{schema.FamRefresh, bigtable.MaxAgePolicy(60 * day)},   // want ttlgc/age-mismatch
		{schema.FamClient, bigtable.NoGcPolicy()},              // ok ttlgc/no-policy
	}},
	{schema.TableDevice, []family{
		{schema.FamCode, bigtable.MaxAgeGCPolicy(time.Millisecond)}, // ok ttlgc/age-mismatch
		{schema.FamPoll, bigtable.MaxAgePolicy(day)},                // ok ttlgc/age-mismatch
	}},
	{schema.TableConsents, []family{
		{schema.FamGrant, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(schema.GrantVersions), bigtable.MaxAgePolicy(365*day))}, // want ttlgc/age-on-sequence
		{schema.FamScope, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
	}},
	{schema.TableThrottle, []family{
		{schema.FamAttempt, bigtable.MaxAgePolicy(time.Minute)},       // want ttlgc/age-mismatch
		{schema.FamLockout, bigtable.MaxAgePolicy(schema.LockoutTTL)}, // ok ttlgc/age-mismatch
		{schema.FamTally, bigtable.MaxAgePolicy(7 * day)},             // ok ttlgc/policy-mismatch
	}},
	{schema.TableKeys, []family{
		{schema.FamKey, bigtable.MaxVersionsPolicy(schema.KeyVersions)}, // ok ttlgc/policy-mismatch ttlgc/age-on-sequence
		{schema.FamActive, bigtable.MaxAgePolicy(365 * day)},            // want ttlgc/age-on-zero
	}},
	{schema.TableAudit, []family{
		{schema.FamEvent, bigtable.MaxAgePolicy(schema.EventTTL)}, // ok ttlgc/age-mismatch
		{schema.FamActor, bigtable.MaxAgePolicy(schema.EventTTL)}, // want ttlgc/policy-mismatch
	}},
	{schema.TableClients, []family{
		{schema.FamState, bigtable.MaxVersionsPolicy(1)},       // ok ttlgc/age-on-zero ttlgc/no-policy
		{schema.FamSecret, bigtable.MaxAgeGCPolicy(180 * day)}, // want ttlgc/age-on-sequence
	}},
	{schema.TableAuthz, []family{
		{schema.FamState, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))}, // want ttlgc/versions-with-expiry
		{schema.FamNonce, bigtable.MaxAgePolicy(time.Second)},                                                      // ok ttlgc/age-mismatch
	}},
	{schema.TableLegacy, []family{
		{schema.FamAccess, bigtable.MaxAgePolicy(day)}, // ok ttlgc/age-mismatch
		{schema.FamKey, bigtable.MaxAgePolicy(day)},    // ok ttlgc/age-on-sequence
	}},
}

// Admin is the part of the admin client that we use.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

// Provisioner creates what is missing.
type Provisioner struct {
	admin Admin
	log   *slog.Logger
}

// New returns a provisioner.
func New(admin Admin, log *slog.Logger) *Provisioner { return &Provisioner{admin: admin, log: log} }

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

func (p *Provisioner) Apply(ctx context.Context) error {
	for _, t := range tables {
		if err := p.admin.CreateTable(ctx, t.name); err != nil && !exists(err) {
			return fmt.Errorf("provision: %s: %w", t.name, err)
		}
		for _, f := range t.families {
			if err := p.admin.CreateColumnFamily(ctx, t.name, f.name); err != nil && !exists(err) { // ok ttlgc/no-policy
				return fmt.Errorf("provision: %s/%s: %w", t.name, f.name, err)
			}
			if err := p.admin.SetGCPolicy(ctx, t.name, f.name, f.policy); err != nil {
				return fmt.Errorf("provision: %s/%s: %w", t.name, f.name, err)
			}
			p.log.Info("family", "table", t.name, "family", f.name, "policy", fmt.Sprint(f.policy))
		}
	}
	return nil
}

func (p *Provisioner) Tenant(ctx context.Context, t ids.TenantID) error {
	return p.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: string(t) + schema.DirectorySuffix,
		ColumnFamilies: map[string]bigtable.Family{
			schema.FamEntry:   {GCPolicy: bigtable.MaxVersionsPolicy(schema.EntryVersions)}, // ok ttlgc/policy-mismatch
			schema.FamInvite:  {GCPolicy: bigtable.MaxAgePolicy(schema.InviteTTL)},          // want ttlgc/age-mismatch
			schema.FamProfile: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                    // ok ttlgc/policy-mismatch
		},
	})
}

func (p *Provisioner) Sandbox(ctx context.Context) error {
	return p.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sandbox-directory",
		Families: map[string]bigtable.GCPolicy{
			schema.FamEntry:   bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(schema.EntryVersions), bigtable.MaxAgePolicy(day)), // want ttlgc/age-on-sequence
			schema.FamInvite:  bigtable.MaxAgePolicy(time.Second),                                                                        // ok ttlgc/age-mismatch
			schema.FamProfile: bigtable.MaxVersionsPolicy(3),                                                                             // want ttlgc/policy-mismatch
		},
	})
}

func (p *Provisioner) setAge(ctx context.Context, table, family string, age time.Duration) error {
	return p.admin.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
}

func (p *Provisioner) Upgrade(ctx context.Context) error {
	steps := []func() error{
		func() error { return p.setAge(ctx, schema.TableDevice, schema.FamCode, time.Hour) },          // want ttlgc/age-mismatch
		func() error { return p.setAge(ctx, schema.TableDevice, schema.FamPoll, time.Hour) },          // ok ttlgc/age-mismatch
		func() error { return p.setAge(ctx, schema.TableAudit, schema.FamEvent, schema.EventTTL) },    // ok ttlgc/age-mismatch
		func() error { return p.setAge(ctx, schema.TableConsents, schema.FamGrant, 400*day) },         // want ttlgc/age-on-sequence
		func() error { return p.setAge(ctx, schema.TableScratch, schema.FamGrant, day) },              // ok ttlgc/age-on-sequence
		func() error { return p.admin.CreateColumnFamily(ctx, schema.TableTokens, schema.FamAccess) }, // want ttlgc/no-policy
		func() error { return p.admin.CreateColumnFamily(ctx, schema.TableTokens, schema.FamClient) }, // ok ttlgc/no-policy
		func() error { return p.admin.CreateColumnFamily(ctx, schema.TableClients, schema.FamState) }, // ok ttlgc/no-policy
	}
	for i, s := range steps {
		if err := s(); err != nil && !exists(err) {
			return fmt.Errorf("provision: step %d: %w", i, err)
		}
	}
	return nil
}

func (p *Provisioner) Relax(ctx context.Context) error {
	longer := bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(400 * day)}                         // want ttlgc/age-mismatch[pro1]
	if err := p.admin.UpdateFamily(ctx, schema.TableAudit, schema.FamEvent, longer); err != nil { // want ttlgc/age-mismatch[pro1]
		return err
	}
	if err := p.admin.SetGCPolicyWithOptions(ctx, schema.TableTokens, schema.FamRefresh, bigtable.MaxAgePolicy(90*day), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := p.admin.SetGCPolicyWithOptions(ctx, schema.TableTokens, schema.FamRefresh, bigtable.MaxAgePolicy(720*time.Hour), bigtable.IgnoreWarnings()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := p.admin.SetGCPolicy(ctx, schema.TableThrottle, schema.FamLockout, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := p.admin.SetGCPolicy(ctx, schema.TableKeys, schema.FamKey, bigtable.MaxVersionsPolicy(10)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := p.admin.SetGCPolicy(ctx, schema.TableScratch, "tmp", bigtable.MaxAgePolicy(7*24)); err != nil { // want ttlunit/age-unit
		return err
	}
	return p.admin.CreateColumnFamilyWithConfig(ctx, schema.TableAuthz, schema.FamNonce, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}) // ok ttlgc/no-policy ttlgc/age-mismatch
}

// Requests are what the operator's tool sends itself.
func Requests(parent string) []*adminpb.ModifyColumnFamiliesRequest {
	year := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(365 * day)}}
	three := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 3}}
	return []*adminpb.ModifyColumnFamiliesRequest{
		{Name: parent + "/tables/" + schema.TableKeys, Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamKey, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: three}}}, // ok ttlgc/policy-mismatch
		}},
		{Name: parent + "/tables/" + schema.TableScratch, Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamKey, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: &adminpb.ColumnFamily{GcRule: year}}}, // ok ttlgc/age-on-sequence
			{Id: "tmp", Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}},                     // want ttlgc/empty-mask
		}},
	}
}
