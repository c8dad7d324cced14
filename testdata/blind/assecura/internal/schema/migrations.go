package schema

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
)

// SchemaDao is what migrations need.
type SchemaDao interface {
	EnsureTable(ctx context.Context, table string) error
	EnsureFamily(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	ChangePolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

type schemaDaoImpl struct {
	admin *bigtable.AdminClient
	log   *slog.Logger
}

// NewSchemaDao makes the DAO of schemas.
func NewSchemaDao(admin *bigtable.AdminClient, log *slog.Logger) SchemaDao {
	return &schemaDaoImpl{admin: admin, log: log}
}

// EnsureTable implements SchemaDao.
func (d *schemaDaoImpl) EnsureTable(ctx context.Context, table string) error {
	if err := d.admin.CreateTable(ctx, table); err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
		return common.NewTechnicalException("create "+table, err)
	}
	return nil
}

// EnsureFamily implements SchemaDao.
func (d *schemaDaoImpl) EnsureFamily(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	if err := d.admin.CreateColumnFamily(ctx, table, family); err != nil && !strings.Contains(err.Error(), "AlreadyExists") { // ok ttlgc/no-policy
		return common.NewTechnicalException("create "+family, err)
	}
	return d.ChangePolicy(ctx, table, family, policy)
}

// ChangePolicy implements SchemaDao.
func (d *schemaDaoImpl) ChangePolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	d.log.Info("policy", "table", table, "family", family, "policy", policy.String())
	return common.NewTechnicalException("policy of "+family, d.admin.SetGCPolicy(ctx, table, family, policy))
}

// Migration is one step.
type Migration interface {
	GetVersion() int
	GetDescription() string
	Migrate(ctx context.Context, dao SchemaDao, admin *bigtable.AdminClient) error
}

// AbstractMigration is the base of migrations.
type AbstractMigration struct {
	version     int
	description string
}

// GetVersion implements Migration.
func (m AbstractMigration) GetVersion() int { return m.version }

// GetDescription implements Migration.
func (m AbstractMigration) GetDescription() string { return m.description }

// V1Baseline creates what Definitions says.
type V1Baseline struct{ AbstractMigration }

// Migrate implements Migration.
func (V1Baseline) Migrate(ctx context.Context, dao SchemaDao, _ *bigtable.AdminClient) error {
	for _, def := range Definitions {
		if err := dao.EnsureTable(ctx, def.Table); err != nil {
			return err
		}
		if err := dao.EnsureFamily(ctx, def.Table, def.Family, def.Policy); err != nil { // ok ttlgc/age-mismatch
			return err
		}
	}
	return nil
}

// V2Sessions tunes sessions and codes.
type V2Sessions struct{ AbstractMigration }

// Migrate implements Migration.
func (V2Sessions) Migrate(ctx context.Context, dao SchemaDao, admin *bigtable.AdminClient) error {
	if err := dao.ChangePolicy(ctx, constants.TableSessions, constants.FamilyToken, bigtable.MaxAgePolicy(constants.SessionTTL)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TableOtp, constants.FamilyCode, bigtable.MaxAgePolicy(time.Millisecond)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TableSessions, constants.FamilyToken, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TableSessions, constants.FamilyUser, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(8760*time.Hour))); err != nil { // ok ttlgc/versions-with-expiry
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TableSessions, constants.FamilyToken, bigtable.MaxAgePolicy(constants.SessionTTLSeconds)); err != nil { // want ttlunit/age-unit
		return err
	}
	return admin.SetGCPolicyWithOptions(ctx, constants.TableMailbox, "msg", bigtable.MaxAgePolicy(constants.MailTTL), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
}

// V3Sequences tunes the families of numbers.
type V3Sequences struct{ AbstractMigration }

// Migrate implements Migration.
func (V3Sequences) Migrate(ctx context.Context, dao SchemaDao, admin *bigtable.AdminClient) error {
	ver := constants.Policy.Version
	if err := dao.ChangePolicy(ctx, constants.TablePolicies, ver, bigtable.MaxAgePolicy(365*24*time.Hour)); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TablePolicies, ver, bigtable.MaxVersionsPolicy(constants.PolicyVersions)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TablePolicies, ver, bigtable.MaxVersionsPolicy(2)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	any := NewPolicyBuilder().MoreThan(1).OlderThan(24 * time.Hour).BuildAny()                                     // want ttlgc/age-on-sequence[any]
	if err := dao.ChangePolicy(ctx, constants.TableClaims, constants.ClaimEvent.ColumnFamily(), any); err != nil { // want ttlgc/age-on-sequence[any]
		return err
	}
	one := NewPolicyBuilder().MoreThan(1).BuildAny()
	if err := dao.ChangePolicy(ctx, constants.TableClaims, constants.ClaimEvent.ColumnFamily(), one); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	all := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Hour))            // want ttlgc/age-on-sequence[all]
	if err := dao.ChangePolicy(ctx, constants.TableClaims, constants.ClaimEvent.ColumnFamily(), all); err != nil { // want ttlgc/age-on-sequence[all]
		return err
	}
	if err := dao.ChangePolicy(ctx, constants.TablePolicies, constants.Policy.Header, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(720*time.Hour))); err != nil { // want ttlgc/age-on-zero
		return err
	}
	return admin.SetGCPolicy(ctx, constants.TablePolicies, constants.Policy.Audit, bigtable.MaxAgeGCPolicy(720*time.Hour)) // ok ttlgc/age-on-zero
}

// V4Quotes tunes quotes, discounts and documents.
type V4Quotes struct{ AbstractMigration }

// Migrate implements Migration.
func (V4Quotes) Migrate(ctx context.Context, dao SchemaDao, admin *bigtable.AdminClient) error {
	policies := map[string]bigtable.GCPolicy{
		constants.FamilyOffer: bigtable.MaxAgeGCPolicy(constants.QuoteDefaultTTL), // ok ttlgc/age-mismatch
		constants.FamilyCalc:  bigtable.MaxAgeGCPolicy(constants.ShortQuoteTTL),   // ok ttlgc/age-mismatch
	}
	for family, policy := range policies {
		if err := dao.EnsureFamily(ctx, constants.TableQuotes, family, policy); err != nil { // ok ttlgc/age-mismatch
			return err
		}
	}
	if err := admin.SetGCPolicy(ctx, constants.TableTariffs, constants.FamilyDisc, bigtable.MaxAgeGCPolicy(30*24*time.Hour)); err != nil { // want ttlgc/age-mismatch
		return common.NewTechnicalException("discounts", err)
	}
	if err := admin.SetGCPolicy(ctx, constants.TableTariffs, constants.FamilyDisc, bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{ // want ttlgc/versions-with-expiry[disc]
		bigtable.MaxAgeGCPolicy(constants.DiscountTTL), // ok ttlgc/age-mismatch
		bigtable.MaxVersionsGCPolicy(3),                // want ttlgc/versions-with-expiry[disc]
	}}); err != nil { // want ttlgc/versions-with-expiry[disc]
		return common.NewTechnicalException("discounts", err)
	}
	if err := admin.UpdateFamily(ctx, constants.TableDocuments, constants.FamilyIndex, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(constants.DocumentIndexTTL)}); err != nil { // ok ttlgc/age-mismatch
		return common.NewTechnicalException("documents", err)
	}
	if err := admin.UpdateFamily(ctx, constants.TableDocuments, constants.FamilyIndex, bigtable.Family{GCPolicy: bigtable.NoGcPolicy()}); err != nil { // want ttlgc/no-policy
		return common.NewTechnicalException("documents", err)
	}
	return dao.ChangePolicy(ctx, constants.TableCustomers, constants.FamilyPerson, bigtable.MaxVersionsPolicy(1)) // want ttlgc/policy-mismatch
}

// V5Tables creates tables of later releases.
type V5Tables struct{ AbstractMigration }

// Migrate implements Migration.
func (V5Tables) Migrate(ctx context.Context, dao SchemaDao, admin *bigtable.AdminClient) error {
	if err := admin.CreateColumnFamily(ctx, constants.TableMailbox, constants.MailboxFamilies[constants.MailboxCounter]); err != nil { // maybe ttlgc/no-policy
		return common.NewTechnicalException("mailbox", err)
	}
	if err := admin.CreateColumnFamily(ctx, constants.TableMailbox, "attachments"); err != nil { // ok ttlgc/no-policy
		return common.NewTechnicalException("mailbox", err)
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, constants.TableClaims, "lock", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(constants.OneSecond)}); err != nil { // ok ttlgc/age-mismatch
		return common.NewTechnicalException("claims", err)
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, constants.TableClaims, "evt", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(constants.OneSecond)}); err != nil { // want ttlgc/age-on-sequence
		return common.NewTechnicalException("claims", err)
	}
	conf := &bigtable.TableConf{
		TableID: constants.TableQuotes,
		ColumnFamilies: map[string]bigtable.Family{
			constants.FamilyOffer: {GCPolicy: bigtable.MaxAgePolicy(60 * 24 * time.Hour)}, // want ttlgc/age-mismatch
			constants.FamilyCalc:  {GCPolicy: bigtable.MaxAgePolicy(60 * 24 * time.Hour)}, // ok ttlgc/age-mismatch
		},
	}
	if err := admin.CreateTableFromConf(ctx, conf); err != nil {
		return common.NewTechnicalException("quotes", err)
	}
	legacy := &bigtable.TableConf{
		TableID: constants.TableLegacySessions,
		Families: map[string]bigtable.GCPolicy{
			constants.FamilyToken: bigtable.MaxAgePolicy(720 * time.Hour), // ok ttlgc/age-mismatch
		},
	}
	return common.NewTechnicalException("legacy", admin.CreateTableFromConf(ctx, legacy))
}

// LedgerMigration creates the ledger of one tenant.
type LedgerMigration struct {
	AbstractMigration
	tenant string
}

// NewLedgerMigration makes the migration of a tenant.
func NewLedgerMigration(tenant string) Migration {
	return &LedgerMigration{AbstractMigration{100, "ledger of " + tenant}, tenant}
}

// Migrate implements Migration.
func (m *LedgerMigration) Migrate(ctx context.Context, dao SchemaDao, admin *bigtable.AdminClient) error {
	table := m.tenant + constants.LedgerSuffix
	if err := dao.EnsureTable(ctx, table); err != nil {
		return err
	}
	for family, policy := range ledgerPolicies {
		if err := dao.EnsureFamily(ctx, table, family, policy); err != nil { // ok ttlgc/policy-mismatch
			return err
		}
	}
	if strings.HasPrefix(m.tenant, "demo") {
		return dao.ChangePolicy(ctx, table, constants.FamilyEntry, bigtable.MaxAgePolicy(24*time.Hour)) // want ttlgc/age-on-sequence
	}
	if strings.HasPrefix(m.tenant, "big") {
		return dao.ChangePolicy(ctx, table, constants.FamilyEntry, bigtable.MaxVersionsPolicy(30)) // want ttlgc/policy-mismatch
	}
	return nil
}

// MigrationFactory lists the migrations.
type MigrationFactory interface {
	CreateMigrations(tenants []string) []Migration
}

type migrationFactoryImpl struct{}

// NewMigrationFactory makes the factory.
func NewMigrationFactory() MigrationFactory { return migrationFactoryImpl{} }

// CreateMigrations implements MigrationFactory.
func (migrationFactoryImpl) CreateMigrations(tenants []string) []Migration {
	out := []Migration{
		V1Baseline{AbstractMigration{1, "baseline"}},
		V2Sessions{AbstractMigration{2, "sessions"}},
		V3Sequences{AbstractMigration{3, "sequences"}},
		V4Quotes{AbstractMigration{4, "quotes"}},
		V5Tables{AbstractMigration{5, "tables"}},
	}
	for _, t := range tenants {
		out = append(out, NewLedgerMigration(t))
	}
	return out
}

// Migrator runs migrations.
type Migrator struct {
	dao     SchemaDao
	admin   *bigtable.AdminClient
	factory MigrationFactory
	log     *slog.Logger
}

// NewMigrator makes a migrator.
func NewMigrator(admin *bigtable.AdminClient, factory MigrationFactory, log *slog.Logger) *Migrator {
	return &Migrator{dao: NewSchemaDao(admin, log), admin: admin, factory: factory, log: log}
}

// Run runs everything from a version on.
func (m *Migrator) Run(ctx context.Context, from int, tenants []string) error {
	for _, mig := range m.factory.CreateMigrations(tenants) {
		if mig.GetVersion() < from {
			continue
		}
		m.log.Info("migrating", "version", mig.GetVersion(), "description", mig.GetDescription())
		if err := mig.Migrate(ctx, m.dao, m.admin); err != nil {
			return err
		}
	}
	return nil
}
