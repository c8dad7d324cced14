// Package schema creates tables and changes their policies.
package schema

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/obs"
)

// Apply sets the generated policies.
func Apply(ctx context.Context, a *bigtable.AdminClient) error {
	for table, fams := range Policies {
		for fam, p := range fams {
			if err := a.SetGCPolicy(ctx, table, fam, p); err != nil {
				return fmt.Errorf("%s.%s: %w", table, fam, err)
			}
		}
	}
	return nil
}

// Migration is one numbered step.
type Migration struct {
	N    int
	Name string
	Run  func(context.Context, *bigtable.AdminClient) error
}

// All are the migrations in order.
var All = []Migration{
	{1, "tables", m001}, {2, "late families", m002}, {3, "sessions", m003}, {4, "tariffs", m004},
	{5, "state", m005}, {6, "outages", m006}, {7, "contracts", m007}, {8, "staging", m008},
}

// Up runs what is after from.
func Up(ctx context.Context, a *bigtable.AdminClient, from int) error {
	for _, m := range All {
		if m.N <= from {
			continue
		}
		obs.Logger.Info("migrating", "n", m.N, "name", m.Name)
		if err := m.Run(ctx, a); err != nil {
			return fmt.Errorf("migration %d: %w", m.N, err)
		}
	}
	return nil
}

func m001(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: bm.MeterSessionsName,
		ColumnFamilies: map[string]bigtable.Family{
			bm.MeterSessionsFamilySess: {GCPolicy: bigtable.MaxAgePolicy(30 * time.Minute)}, // want ttlgc/age-mismatch
			bm.MeterSessionsFamilyPair: {GCPolicy: bigtable.MaxAgePolicy(time.Second)},      // ok ttlgc/age-mismatch
			bm.MeterSessionsFamilyDev:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},           // ok ttlgc/no-policy
		},
	})
}

func m002(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.CreateColumnFamily(ctx, bm.OutagesName, bm.OutagesFamilyAck); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, bm.OutagesName, bm.OutagesFamilyArea); err != nil { // ok ttlgc/no-policy
		return err
	}
	return ensure(ctx, a, bm.ContractsName, bm.ContractsFamilyLock, bigtable.MaxVersionsPolicy(1)) // want ttlgc/no-policy
}

// ensure creates a family and sets its policy.
func ensure(ctx context.Context, a *bigtable.AdminClient, table, fam string, p bigtable.GCPolicy) error {
	if err := a.CreateColumnFamily(ctx, table, fam); err != nil { // ok ttlgc/no-policy
		obs.Logger.Warn("family exists", "table", table, "family", fam)
	}
	return a.SetGCPolicy(ctx, table, fam, p) // ok ttlgc/age-mismatch
}

func m003(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.SetGCPolicyWithOptions(ctx, bm.MeterSessionsName, bm.MeterSessionsFamilyPair, bigtable.MaxAgePolicy(24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, bm.MeterSessionsName, bm.MeterSessionsFamilySess, bigtable.NoGcPolicy()); err != nil { // want ttlgc/no-policy
		return err
	}
	return ensure(ctx, a, bm.MeterSessionsName, bm.MeterSessionsFamilySess, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
}

func m004(ctx context.Context, a *bigtable.AdminClient) error {
	steps := []struct {
		fam    string
		policy bigtable.GCPolicy
	}{
		{bm.TariffsFamilyRev, bigtable.MaxAgePolicy(365 * 24 * time.Hour)},                                                        // want ttlgc/age-on-sequence
		{bm.TariffsFamilyRev, bigtable.MaxVersionsPolicy(10)},                                                                     // want ttlgc/policy-mismatch
		{bm.TariffsFamilyRev, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(30*24*time.Hour))}, // want ttlgc/age-on-sequence
		{bm.TariffsFamilyRev, bigtable.MaxVersionsPolicy(5)},                                                                      // ok ttlgc/policy-mismatch
		{bm.TariffsFamilyMeta, bigtable.MaxAgePolicy(365 * 24 * time.Hour)},                                                       // ok ttlgc/age-on-sequence
	}
	for _, s := range steps {
		if err := a.SetGCPolicy(ctx, bm.TariffsName, s.fam, s.policy); err != nil {
			return err
		}
	}
	return ensure(ctx, a, bm.TariffsName, bm.TariffsFamilyRev, bigtable.NoGcPolicy()) // want ttlgc/no-policy
}

func m005(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.UpdateFamily(ctx, bm.MeterStateName, bm.MeterStateFamilyLast, bigtable.Family{GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(720*time.Hour))}); err != nil { // want ttlgc/age-on-zero
		return err
	}
	if err := a.UpdateFamily(ctx, bm.MeterStateName, bm.MeterStateFamilyLast, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	if err := a.SetGCPolicy(ctx, bm.MeterStateName, bm.MeterStateFamilyAcc, bigtable.MaxAgePolicy(216*time.Hour)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	return ensure(ctx, a, bm.ConsumptionName, bm.ConsumptionFamilyKwh, bigtable.MaxVersionsPolicy(1)) // want ttlgc/policy-mismatch
}

func m006(ctx context.Context, a *bigtable.AdminClient) error {
	old := bigtable.MaxAgeGCPolicy(7 * 24 * time.Hour)                                      // want ttlgc/age-mismatch[m006]
	if err := a.SetGCPolicy(ctx, bm.OutagesName, bm.OutagesFamilyNotice, old); err != nil { // want ttlgc/age-mismatch[m006]
		return err
	}
	if err := a.CreateColumnFamilyWithConfig(ctx, bm.OutagesName, bm.OutagesFamilyNotice, bigtable.Family{GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(bm.OutagesNoticeTTL), bigtable.MaxVersionsPolicy(2))}); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	return ensure(ctx, a, bm.OutagesName, bm.OutagesFamilyNotice, bigtable.MaxAgePolicy(bm.OutagesNoticeTTL)) // ok ttlgc/age-mismatch
}

func m007(ctx context.Context, a *bigtable.AdminClient) error {
	if err := ensure(ctx, a, bm.ContractsName, bm.ContractsFamilyOffer, bigtable.MaxAgePolicy(30*24*time.Hour)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	return ensure(ctx, a, bm.ContractsName, bm.ContractsFamilySig, bigtable.MaxAgePolicy(8760)) // want ttlunit/age-unit
}

// m008 prepares the load test's tables, which nothing else uses.
func m008(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.SetGCPolicy(ctx, "staging_sessions", bm.MeterSessionsFamilySess, bigtable.MaxAgePolicy(24*time.Hour)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, "staging_sessions", "load", bigtable.MaxAgePolicy(90)); err != nil { // want ttlunit/age-unit
		return err
	}
	return a.CreateColumnFamily(ctx, "staging_sessions", bm.MeterSessionsFamilyPair) // ok ttlgc/no-policy
}

// Ledger creates a region's ledger.
func Ledger(ctx context.Context, a *bigtable.AdminClient, region string) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: region + "-ledger",
		ColumnFamilies: map[string]bigtable.Family{
			bm.LedgerFamilyEntry: {GCPolicy: bigtable.MaxAgePolicy(10 * 365 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
			bm.LedgerFamilyHold:  {GCPolicy: bigtable.MaxAgePolicy(15 * time.Minute)},          // want ttlgc/age-mismatch
			bm.LedgerFamilyInfo:  {},                                                           // ok ttlgc/no-policy
		},
	})
}

// LedgerFix sets the policies that a ledger should have had.
func LedgerFix(ctx context.Context, a *bigtable.AdminClient, region string) error {
	if err := a.SetGCPolicy(ctx, region+"-ledger", bm.LedgerFamilyEntry, bigtable.MaxVersionsPolicy(3)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := a.SetGCPolicy(ctx, region+"-ledger", bm.LedgerFamilyEntry, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	return a.SetGCPolicy(ctx, region+"-ledger", bm.LedgerFamilyHold, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
}

// Raw builds what the provisioning API sends.
func Raw(parent string) []*adminpb.ModifyColumnFamiliesRequest {
	name := parent + "/tables/" + bm.TariffsName
	age := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}} // want ttlgc/age-on-sequence[raw]
	five := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 5}}
	mod := func(cf *adminpb.ColumnFamily) *adminpb.ModifyColumnFamiliesRequest_Modification {
		return &adminpb.ModifyColumnFamiliesRequest_Modification{
			Id:         bm.TariffsFamilyRev,
			Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: cf},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}
	}
	return []*adminpb.ModifyColumnFamiliesRequest{
		{Name: name, Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{mod(&adminpb.ColumnFamily{GcRule: age})}},  // want ttlgc/age-on-sequence[raw]
		{Name: name, Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{mod(&adminpb.ColumnFamily{GcRule: five})}}, // ok ttlgc/age-on-sequence
	}
}
