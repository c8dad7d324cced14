package schema

import (
	"context"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/platform/bt"
)

// Manager creates and changes tables.
type Manager interface {
	CreateAll(ctx context.Context) error
	ApplyPolicies(ctx context.Context) error
}

// AdminManager implements Manager on the admin client.
type AdminManager struct {
	admin *bigtable.AdminClient
}

var _ Manager = (*AdminManager)(nil)

// NewAdminManager returns an AdminManager.
func NewAdminManager(ctx context.Context, f bt.AdminFactory) (*AdminManager, error) {
	admin, err := f.CreateAdmin(ctx)
	if err != nil {
		return nil, err
	}
	return &AdminManager{admin: admin}, nil
}

// policySetter is the visitor that sets policies.
type policySetter struct {
	ctx   context.Context
	admin *bigtable.AdminClient
}

// VisitFamily implements Visitor.
func (p *policySetter) VisitFamily(table string, f FamilyDefinition) error {
	if err := p.admin.SetGCPolicy(p.ctx, table, f.Name, f.Policy); err != nil {
		return fmt.Errorf("policy of %s.%s: %w", table, f.Name, err)
	}
	return nil
}

// familyCreator is the visitor that creates families.
type familyCreator struct {
	ctx   context.Context
	admin *bigtable.AdminClient
}

// VisitFamily implements Visitor.
func (c *familyCreator) VisitFamily(table string, f FamilyDefinition) error {
	if err := c.admin.CreateColumnFamily(c.ctx, table, f.Name); err != nil { // ok ttlgc/no-policy
		return err
	}
	return c.admin.SetGCPolicy(c.ctx, table, f.Name, f.Policy)
}

// CreateAll implements Manager.
func (m *AdminManager) CreateAll(ctx context.Context) error {
	for _, t := range Definitions {
		if err := m.admin.CreateTable(ctx, t.Name); err != nil {
			return err
		}
		if err := t.Accept(&familyCreator{ctx: ctx, admin: m.admin}); err != nil {
			return err
		}
	}
	return nil
}

// ApplyPolicies implements Manager.
func (m *AdminManager) ApplyPolicies(ctx context.Context) error {
	for _, t := range Definitions {
		for _, f := range t.Families {
			if err := m.admin.SetGCPolicy(ctx, t.Name, f.Name, f.Policy); err != nil {
				return fmt.Errorf("policy of %s.%s: %w", t.Name, f.Name, err)
			}
		}
	}
	return nil
}

// ApplyLegacy sets the policies of the Java service.
func (m *AdminManager) ApplyLegacy(ctx context.Context) error {
	for table, families := range legacyPolicies {
		names := make([]string, 0, len(families))
		for name := range families {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if err := m.admin.SetGCPolicy(ctx, table, name, families[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// CreateLedger creates the table of a merchant.
func (m *AdminManager) CreateLedger(ctx context.Context, merchant string) error {
	return m.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: merchant + constants.LedgerSuffix,
		ColumnFamilies: map[string]bigtable.Family{
			constants.FamilyEntry: {GCPolicy: bigtable.MaxVersionsPolicy(constants.EntryVersions)}, // ok ttlgc/policy-mismatch
			constants.FamilyAudit: {GCPolicy: bigtable.MaxAgePolicy(constants.AuditMaxAge)},        // ok ttlgc/policy-mismatch
		},
	})
}

// CreateTrialLedger creates the table of a merchant on trial, with shorter lives.
func (m *AdminManager) CreateTrialLedger(ctx context.Context, merchant string) error {
	return m.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "trial-" + merchant + constants.LedgerSuffix,
		ColumnFamilies: map[string]bigtable.Family{
			constants.FamilyEntry: {GCPolicy: bigtable.MaxAgePolicy(14 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
			constants.FamilyAudit: {GCPolicy: bigtable.MaxAgePolicy(14 * 24 * time.Hour)}, // want ttlgc/policy-mismatch
		},
	})
}

// CreateDemoLedger creates one for demonstrations.
func (m *AdminManager) CreateDemoLedger(ctx context.Context) error {
	conf := &bigtable.TableConf{
		TableID: "demo" + constants.LedgerSuffix,
		Families: map[string]bigtable.GCPolicy{
			constants.FamilyEntry: bigtable.MaxVersionsPolicy(1),                                                                       // want ttlgc/policy-mismatch
			constants.FamilyAudit: bigtable.UnionPolicy(bigtable.MaxAgePolicy(constants.AuditMaxAge), bigtable.MaxVersionsPolicy(100)), // maybe ttlgc/policy-mismatch
		},
	}
	return m.admin.CreateTableFromConf(ctx, conf)
}

// AddDeviceFamily was a migration.
func (m *AdminManager) AddDeviceFamily(ctx context.Context) error {
	return m.admin.CreateColumnFamily(ctx, constants.TableSessions, constants.FamilyDevice) // want ttlgc/no-policy
}

// AddHoldFamily was another, and was better.
func (m *AdminManager) AddHoldFamily(ctx context.Context) error {
	if err := m.admin.CreateColumnFamily(ctx, constants.TableOrders, constants.FamilyHold); err != nil { // ok ttlgc/no-policy
		return err
	}
	return m.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyHold, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
}

// AddProfileFamily was a third.
func (m *AdminManager) AddProfileFamily(ctx context.Context) error {
	return m.admin.CreateColumnFamily(ctx, constants.TableSessions, constants.FamilyProfile) // ok ttlgc/no-policy
}

// AddAudienceFamily creates the family with its policy.
func (m *AdminManager) AddAudienceFamily(ctx context.Context) error {
	return m.admin.CreateColumnFamilyWithConfig(ctx, constants.TableCampaigns, constants.FamilyAudience, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(constants.AudienceTTL)}) // ok ttlgc/no-policy
}

// AddInboxFamily creates the family, and believes in defaults.
func (m *AdminManager) AddInboxFamily(ctx context.Context) error {
	return m.admin.CreateColumnFamilyWithConfig(ctx, constants.TableNotifications, constants.FamilyInbox, bigtable.Family{}) // want ttlgc/no-policy
}

// setAge is what the older migrations call.
func (m *AdminManager) setAge(ctx context.Context, table, family string, age time.Duration) error {
	return m.admin.SetGCPolicyWithOptions(ctx, table, family, bigtable.MaxAgePolicy(age), bigtable.IgnoreWarnings())
}

// setVersions is the other.
func (m *AdminManager) setVersions(ctx context.Context, table, family string, n int) error {
	return m.admin.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsPolicy(n))
}

// Migration0007 sets what the tables of 2022 needed.
func (m *AdminManager) Migration0007(ctx context.Context) error {
	if err := m.setAge(ctx, constants.TableSessions, constants.FamilyToken, constants.GcImmediately); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := m.setAge(ctx, constants.TableSessions, constants.FamilyDevice, time.Minute); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := m.setAge(ctx, constants.TableNotifications, constants.FamilyInbox, constants.InboxTTL); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := m.setVersions(ctx, constants.TableOrders, constants.FamilyRevision, constants.RevisionVersions); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return m.setAge(ctx, constants.TableOrders, constants.FamilyRevision, 30*24*time.Hour) // want ttlgc/age-on-sequence
}

// Migration0008 mended some of it.
func (m *AdminManager) Migration0008(ctx context.Context) error {
	if err := m.setVersions(ctx, constants.TableOrders, constants.FamilyRevision, 1); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	if err := m.setAge(ctx, constants.TableOrders, constants.FamilyState, constants.InboxTTL); err != nil { // want ttlgc/age-on-zero
		return err
	}
	if err := m.setAge(ctx, constants.TableCampaigns, constants.FamilyAudience, constants.AudienceTTL); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return m.setVersions(ctx, constants.TableOrders, constants.FamilyState, 1) // ok ttlgc/age-on-zero
}

// Migration0009 stops collecting the inbox while the bug was looked for.
func (m *AdminManager) Migration0009(ctx context.Context) error {
	if err := m.admin.SetGCPolicy(ctx, constants.TableNotifications, constants.FamilyInbox, bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
		return err
	}
	return m.admin.SetGCPolicy(ctx, constants.TableNotifications, constants.FamilyReceipt, bigtable.NoGcPolicy()) // ok ttlgc/no-policy
}

// Migration0010 starts again. UpdateFamily was new then.
func (m *AdminManager) Migration0010(ctx context.Context) error {
	if err := m.admin.UpdateFamily(ctx, constants.TableNotifications, constants.FamilyInbox, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(constants.InboxTTL)}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return m.admin.UpdateFamily(ctx, constants.TableSessions, constants.FamilyToken, bigtable.Family{GCPolicy: bigtable.MaxAgeGCPolicy(24 * time.Hour)}) // want ttlgc/age-mismatch
}

// Migration0011 takes seconds from the old configuration, and forgets the unit.
func (m *AdminManager) Migration0011(ctx context.Context) error {
	if err := m.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyHeader, bigtable.MaxAgePolicy(constants.RetentionSeconds)); err != nil { // want ttlunit/age-unit
		return err
	}
	return m.admin.SetGCPolicy(ctx, constants.TableNotifications, constants.FamilyReceipt, bigtable.MaxAgePolicy(constants.RetentionSeconds*time.Second)) // ok ttlunit/age-unit
}

// Migration0012 keeps only what both limits allow.
func (m *AdminManager) Migration0012(ctx context.Context) error {
	p := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(24*time.Hour)) // want ttlgc/age-on-sequence[m12]
	return m.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyRevision, p)                  // want ttlgc/age-on-sequence[m12]
}

// Migration0013 uses the exported types, as somebody had read their documentation.
func (m *AdminManager) Migration0013(ctx context.Context) error {
	if err := m.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyHold, bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxAgeGCPolicy(time.Second), bigtable.MaxVersionsGCPolicy(2)}}); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	return m.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyHeader, bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxAgeGCPolicy(5 * 365 * 24 * time.Hour), bigtable.MaxVersionsGCPolicy(2)}}) // ok ttlgc/versions-with-expiry
}
