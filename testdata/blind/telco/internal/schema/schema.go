// Package schema creates tables and sets GC policies. It is linked into subsadm only; the
// services must not change schemas.
package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"telco.example/subs/internal/names"
)

const day = 24 * time.Hour

// Admin is the part of the admin client that is used here.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	TableInfo(ctx context.Context, table string) (*bigtable.TableInfo, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	SetGCPolicyWithOptions(ctx context.Context, table, family string, policy bigtable.GCPolicy, opts ...bigtable.GCPolicyOption) error
	DeleteColumnFamily(ctx context.Context, table, family string) error
}

// expiring is the policy of the families whose timestamps are expiry times.
var expiring = bigtable.MaxAgePolicy(time.Second)

// Creator creates tables.
type Creator struct {
	admin Admin
	log   *slog.Logger
	dry   bool
}

// NewCreator makes a creator.
func NewCreator(admin *bigtable.AdminClient, log *slog.Logger, dry bool) *Creator {
	return &Creator{admin: admin, log: log, dry: dry}
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }

// family creates a family, if need be, and sets its policy.
func (c *Creator) family(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	c.log.Info("family", "table", table, "family", family, "policy", policy.String())
	if c.dry {
		return nil
	}
	if err := c.admin.CreateColumnFamily(ctx, table, family); err != nil && !exists(err) { // ok ttlgc/no-policy
		return fmt.Errorf("%s/%s: %w", table, family, err)
	}
	return c.admin.SetGCPolicy(ctx, table, family, policy)
}

// spec is a line of the tables below.
type spec struct {
	table, family string
	policy        bigtable.GCPolicy
}

var base = []spec{
	{names.TableSessions, names.FamSession, expiring},                                                                             // ok ttlgc/age-mismatch
	{names.TableSessions, names.FamAuth, bigtable.MaxAgePolicy(names.AuthTTL)},                                                    // want ttlgc/age-mismatch
	{names.TableSessions, names.FamProfile, bigtable.MaxVersionsPolicy(1)},                                                        // ok ttlgc/versions-with-expiry
	{names.TablePorting, names.FamRoute, bigtable.MaxVersionsPolicy(names.RouteVersions)},                                         // ok ttlgc/policy-mismatch
	{names.TablePorting, names.FamClaim, bigtable.MaxAgePolicy(time.Second)},                                                      // ok ttlgc/age-mismatch
	{names.TablePorting, names.FamCase, bigtable.MaxAgePolicy(730 * day)},                                                         // ok ttlgc/age-on-sequence
	{names.TableBalances, names.FamBalance, bigtable.MaxVersionsPolicy(1)},                                                        // ok ttlgc/age-on-zero
	{names.TableBalances, names.FamHold, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
	{names.TableBalances, names.FamLedger, bigtable.MaxVersionsPolicy(names.LedgerVersions)},                                      // ok ttlgc/policy-mismatch
	{names.TableBalances, names.FamMeta, bigtable.MaxVersionsPolicy(1)},                                                           // ok ttlgc/policy-mismatch
	{names.TableReceipts, names.FamReceipt, bigtable.MaxAgePolicy(30 * day)},                                                      // want ttlgc/age-mismatch
	{names.TableReceipts, names.FamState, bigtable.NoGcPolicy()},                                                                  // ok ttlgc/no-policy
	{names.TableReceipts, names.FamRaw, bigtable.MaxAgePolicy(30 * day)},                                                          // ok ttlgc/policy-mismatch
	{names.TableSMSRoutes, names.FamRoute, bigtable.MaxAgePolicy(365 * day)},                                                      // ok ttlgc/age-on-sequence
	{names.TableSMSRoutes, names.FamScore, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(90*day))},    // want ttlgc/age-on-sequence
}

// Base creates the tables that every market shares.
func (c *Creator) Base(ctx context.Context) error {
	for _, s := range base {
		if err := c.family(ctx, s.table, s.family, s.policy); err != nil {
			return err
		}
	}
	return nil
}

// Roaming creates the core network's tables.
func (c *Creator) Roaming(ctx context.Context) error {
	conf := &bigtable.TableConf{
		TableID: names.TableRoaming,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamCache:   {GCPolicy: expiring},                         // want ttlgc/age-mismatch
			names.FamSteer:   {GCPolicy: bigtable.MaxAgePolicy(180 * day)}, // want ttlgc/age-on-sequence
			names.FamPartner: {GCPolicy: bigtable.MaxVersionsPolicy(2)},    // ok ttlgc/policy-mismatch
		},
	}
	if err := c.admin.CreateTableFromConf(ctx, conf); err != nil && !exists(err) {
		return err
	}
	return c.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: names.TableDevices,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamCache: {GCPolicy: bigtable.MaxAgePolicy(names.DeviceTTL)}, // ok ttlgc/age-mismatch
			names.FamModel: {},                                                 // ok ttlgc/no-policy
		},
	})
}

// RoamingV2 is what the load test's instance has.
func (c *Creator) RoamingV2(ctx context.Context) error {
	return c.admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: names.TableRoaming,
		Families: map[string]bigtable.GCPolicy{
			names.FamCache:   bigtable.MaxAgePolicy(time.Millisecond), // ok ttlgc/age-mismatch
			names.FamSteer:   bigtable.MaxVersionsGCPolicy(1),         // ok ttlgc/policy-mismatch
			names.FamPartner: bigtable.MaxAgeGCPolicy(30 * day),       // want ttlgc/policy-mismatch
		},
	})
}

// Usage creates a market's usage table.
func (c *Creator) Usage(ctx context.Context, market string) error {
	table := names.Usage(market)
	if err := c.admin.CreateTable(ctx, table); err != nil && !exists(err) {
		return err
	}
	if err := c.family(ctx, table, names.FamCounter, bigtable.MaxAgePolicy(names.CounterTTL)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := c.family(ctx, table, names.FamDay, bigtable.MaxAgePolicy(names.CounterTTL)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return c.family(ctx, table, names.FamInfo, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(day))) // ok ttlgc/policy-mismatch
}

// UsageShort creates a market's usage table on an instance with little disk.
func (c *Creator) UsageShort(ctx context.Context, market string) error {
	table := names.Usage(market)
	policies := map[string]bigtable.GCPolicy{
		names.FamCounter: bigtable.MaxAgeGCPolicy(45 * day),     // want ttlgc/age-mismatch
		names.FamDay:     bigtable.MaxAgeGCPolicy(names.DayTTL), // ok ttlgc/age-mismatch
		names.FamInfo:    bigtable.MaxAgeGCPolicy(45 * day),     // ok ttlgc/age-mismatch
	}
	for fam, p := range policies {
		if err := c.family(ctx, table, fam, p); err != nil {
			return err
		}
	}
	return nil
}

// Archive creates tables that have no agreement with anybody.
func (c *Creator) Archive(ctx context.Context) error {
	for _, fam := range []string{names.FamSession, names.FamLedger, names.FamBalance} {
		if err := c.family(ctx, names.TableArchive, fam, bigtable.MaxAgePolicy(3650*day)); err != nil { // ok ttlgc/age-on-sequence
			return err
		}
	}
	if err := c.family(ctx, names.TableSandbox, names.FamRoute, bigtable.MaxAgePolicy(7*day)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := c.family(ctx, names.TableSandbox, "tmp", bigtable.MaxAgePolicy(604800)); err != nil { // want ttlunit/age-unit
		return err
	}
	return c.admin.CreateColumnFamily(ctx, names.TableSandbox, "free") // ok ttlgc/no-policy
}

// OTP creates the self care team's table: codes expire at their timestamp.
func (c *Creator) OTP(ctx context.Context) error {
	if err := c.admin.CreateTable(ctx, names.TableOTP); err != nil && !exists(err) {
		return err
	}
	return c.family(ctx, names.TableOTP, names.FamCode, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
}

// Loosen is run before a large import, so that nothing is collected meanwhile.
func (c *Creator) Loosen(ctx context.Context) error {
	if err := c.admin.SetGCPolicy(ctx, names.TableSessions, names.FamSession, bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := c.admin.SetGCPolicy(ctx, names.TableBalances, names.FamBalance, bigtable.NoGcPolicy()); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := c.admin.SetGCPolicy(ctx, names.TableReceipts, names.FamReceipt, bigtable.MaxVersionsPolicy(10)); err != nil { // want ttlgc/no-policy
		return err
	}
	return c.admin.SetGCPolicy(ctx, names.TableBalances, names.FamMeta, bigtable.NoGcPolicy()) // want ttlgc/policy-mismatch
}

// Tighten is run after it.
func (c *Creator) Tighten(ctx context.Context) error {
	var errs []error
	set := func(table, family string, p bigtable.GCPolicy) {
		if err := c.admin.SetGCPolicyWithOptions(ctx, table, family, p, bigtable.IgnoreWarnings()); err != nil {
			errs = append(errs, fmt.Errorf("%s/%s: %w", table, family, err))
		}
	}
	set(names.TableSessions, names.FamSession, expiring)                                                                                   // ok ttlgc/age-mismatch
	set(names.TableSessions, names.FamAuth, expiring)                                                                                      // ok ttlgc/age-mismatch
	set(names.TableReceipts, names.FamReceipt, bigtable.MaxAgePolicy(names.ReceiptTTL))                                                    // ok ttlgc/age-mismatch
	set(names.TableBalances, names.FamBalance, bigtable.MaxAgePolicy(2*365*day))                                                           // want ttlgc/age-on-zero
	set(names.TableReceipts, names.FamState, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(names.ReceiptTTL))) // want ttlgc/age-on-zero
	set(names.TablePorting, names.FamRoute, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*day)))     // want ttlgc/age-on-sequence
	set(names.TablePorting, names.FamClaim, bigtable.MaxAgePolicy(names.ClaimTTL))                                                         // want ttlgc/age-mismatch
	set(names.TableBalances, names.FamLedger, bigtable.MaxVersionsPolicy(20))                                                              // want ttlgc/policy-mismatch
	set(names.TableSMSRoutes, names.FamRoute, bigtable.MaxVersionsPolicy(5))                                                               // ok ttlgc/policy-mismatch
	return errors.Join(errs...)
}

// --- migrations ---

// Migration changes schemas once.
type Migration struct {
	ID   string
	Note string
	Up   func(ctx context.Context, a Admin) error
}

// Migrations in the order in which they run. Never edit one that has run.
var Migrations = []Migration{
	{ID: "2019-11-sessions", Note: "the first table", Up: func(ctx context.Context, a Admin) error {
		return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: names.TableSessions, Families: map[string]bigtable.GCPolicy{
			names.FamSession: bigtable.MaxAgePolicy(1 * time.Second), // ok ttlgc/age-mismatch
			names.FamProfile: bigtable.MaxVersionsPolicy(3),          // ok ttlgc/policy-mismatch
		}})
	}},
	{ID: "2020-02-auth", Note: "vectors", Up: func(ctx context.Context, a Admin) error {
		return a.CreateColumnFamily(ctx, names.TableSessions, names.FamAuth) // want ttlgc/no-policy
	}},
	{ID: "2020-06-ledger", Note: "ledger for prepaid", Up: func(ctx context.Context, a Admin) error {
		return a.CreateColumnFamilyWithConfig(ctx, names.TableBalances, names.FamLedger, bigtable.Family{
			GCPolicy: bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsPolicy(50), bigtable.MaxAgePolicy(365 * day)}}, // want ttlgc/age-on-sequence
		})
	}},
	{ID: "2020-07-hold", Note: "reservations", Up: func(ctx context.Context, a Admin) error {
		if err := a.CreateColumnFamily(ctx, names.TableBalances, names.FamHold); err != nil { // ok ttlgc/no-policy
			return err
		}
		return a.SetGCPolicy(ctx, names.TableBalances, names.FamHold, bigtable.MaxAgePolicy(15*time.Minute)) // want ttlgc/age-mismatch
	}},
	{ID: "2021-01-route", Note: "portability", Up: func(ctx context.Context, a Admin) error {
		if err := a.CreateColumnFamily(ctx, names.TablePorting, names.FamCase); err != nil { // ok ttlgc/no-policy
			return err
		}
		return a.CreateColumnFamilyWithConfig(ctx, names.TablePorting, names.FamRoute, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(730 * day)}) // want ttlgc/age-on-sequence
	}},
	{ID: "2022-03-steer", Note: "steering", Up: func(ctx context.Context, a Admin) error {
		return a.SetGCPolicy(ctx, names.TableRoaming, names.FamSteer, bigtable.MaxVersionsPolicy(10)) // want ttlgc/policy-mismatch
	}},
	{ID: "2022-09-dlr", Note: "receipts", Up: func(ctx context.Context, a Admin) error {
		p := bigtable.UnionPolicy(bigtable.MaxAgePolicy(names.ReceiptTTL), bigtable.MaxVersionsPolicy(1)) // want ttlgc/versions-with-expiry[dlr]
		return a.SetGCPolicy(ctx, names.TableReceipts, names.FamReceipt, p)                               // want ttlgc/versions-with-expiry[dlr]
	}},
	{ID: "2023-05-score", Note: "scores", Up: func(ctx context.Context, a Admin) error {
		if err := a.SetGCPolicy(ctx, names.TableSMSRoutes, names.FamScore, bigtable.MaxVersionsPolicy(1)); err != nil { // ok ttlgc/policy-mismatch
			return err
		}
		return a.CreateColumnFamilyWithConfig(ctx, names.TableSMSRoutes, names.FamScore+"_tmp", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(86400)}) // want ttlunit/age-unit
	}},
	{ID: "2024-02-raw", Note: "bodies for two months", Up: func(ctx context.Context, a Admin) error {
		return a.SetGCPolicy(ctx, names.TableReceipts, names.FamRaw, bigtable.MaxAgePolicy(60*day)) // want ttlgc/policy-mismatch
	}},
	{ID: "2024-08-devices", Note: "devices", Up: func(ctx context.Context, a Admin) error {
		return a.SetGCPolicy(ctx, names.TableDevices, names.FamCache, bigtable.MaxAgePolicy(time.Second)) // want ttlgc/age-mismatch
	}},
	{ID: "2025-01-info", Note: "info keeps two", Up: func(ctx context.Context, a Admin) error {
		return a.SetGCPolicy(ctx, names.TableSandbox, names.FamInfo, bigtable.MaxAgePolicy(-time.Hour)) // want ttlunit/age-unit
	}},
}

// Raw requests are for the operators' console, which speaks the admin API.

// RawCreate is the request that creates the sessions.
func RawCreate(parent string) *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: names.TableSessions,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			names.FamSession: {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}},   // ok ttlgc/age-mismatch
			names.FamAuth:    {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(names.AuthTTL)}}}, // want ttlgc/age-mismatch
			names.FamProfile: {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}},             // ok ttlgc/versions-with-expiry
		}},
	}
}

// RawTouch is the request with which the console sets a family's labels.
func RawTouch(parent string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + names.TablePorting,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: names.FamRoute, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}},                                                                                 // want ttlgc/empty-mask
			{Id: names.FamCase, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: nil}}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}}}, // ok ttlgc/empty-mask
		},
	}
}
