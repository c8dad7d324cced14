// Package schema brings an instance to the generated schema.
package schema

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/hotelbook/gen/archivebt"
	"example.com/hotelbook/gen/availbt"
	"example.com/hotelbook/gen/guestsbt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/gen/ledgerbt"
	"example.com/hotelbook/gen/offersbt"
	"example.com/hotelbook/gen/ratesbt"
	"example.com/hotelbook/gen/schemabt"
)

const day = 24 * time.Hour

// Admin is the part of the admin client used here.
type Admin interface {
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

// Apply sets every generated policy.
func Apply(ctx context.Context, a Admin, log *slog.Logger) error {
	var errs []error
	for _, t := range schemabt.Tables {
		if err := a.CreateTable(ctx, t.Name); err != nil {
			log.Info("create table", "table", t.Name, "err", err)
		}
		for _, f := range t.Families {
			if err := a.CreateColumnFamily(ctx, t.Name, f.Name); err != nil { // ok ttlgc/no-policy
				log.Info("create family", "family", f.Name, "err", err)
			}
			errs = append(errs, a.SetGCPolicy(ctx, t.Name, f.Name, f.Policy))
		}
	}
	return errors.Join(errs...)
}

// expiring creates a family that is collected by age.
func expiring(ctx context.Context, a Admin, table, family string, age time.Duration) error {
	if err := a.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age))
}

// versioned creates a family that is collected by versions.
func versioned(ctx context.Context, a Admin, table, family string, n int) error {
	if err := a.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsPolicy(n))
}

// Ledger creates the ledger of a hotel.
func Ledger(ctx context.Context, a Admin, hotel string) error {
	table := hotel + ledgerbt.TableSuffix
	return errors.Join(
		a.CreateTable(ctx, table),
		versioned(ctx, a, table, ledgerbt.FamilyEntry, 3),     // ok ttlgc/policy-mismatch
		expiring(ctx, a, table, ledgerbt.FamilyMeta, 365*day), // ok ttlgc/age-on-sequence
	)
}

// TestLedger creates the ledger of the test hotel.
func TestLedger(ctx context.Context, a Admin) error {
	return errors.Join(
		a.CreateTable(ctx, "test-ledger"),
		expiring(ctx, a, "test-ledger", ledgerbt.FamilyEntry, 7*day), // want ttlgc/age-on-sequence
		versioned(ctx, a, "test-ledger", ledgerbt.FamilyMeta, 1),     // ok ttlgc/policy-mismatch
	)
}

// DemoLedger creates the ledger of the demo hotel.
func DemoLedger(ctx context.Context, a Admin) error {
	return errors.Join(
		a.CreateTable(ctx, "demo-ledger"),
		versioned(ctx, a, "demo-ledger", ledgerbt.FamilyEntry, 10),    // want ttlgc/policy-mismatch
		a.CreateColumnFamily(ctx, "demo-ledger", ledgerbt.FamilyMeta), // ok ttlgc/no-policy
	)
}

// Emulator creates what the emulator needs.
func Emulator(ctx context.Context, a Admin) error {
	return errors.Join(
		expiring(ctx, a, holdsbt.TableName, holdsbt.FamilyHold, time.Millisecond), // ok ttlgc/age-mismatch
		expiring(ctx, a, guestsbt.TableName, guestsbt.FamilySession, time.Minute), // want ttlgc/age-mismatch
		versioned(ctx, a, guestsbt.TableName, guestsbt.FamilyPref, 2),             // ok ttlgc/policy-mismatch
		expiring(ctx, a, ratesbt.TableName, ratesbt.FamilyQuote, 6*time.Hour),     // ok ttlgc/age-mismatch
		expiring(ctx, a, offersbt.TableName, offersbt.FamilyOffer, 7*day),         // want ttlgc/age-mismatch
		expiring(ctx, a, availbt.TableName, availbt.FamilyDelta, 90*day),          // want ttlgc/age-on-sequence
		versioned(ctx, a, availbt.TableName, availbt.FamilyDelta, 5),              // ok ttlgc/age-on-sequence
		expiring(ctx, a, archivebt.TableName, archivebt.FamilySession, 365*day),   // ok ttlgc/age-mismatch
		a.CreateColumnFamily(ctx, offersbt.TableName, "clicks"),                   // ok ttlgc/no-policy
	)
}

// Staging creates tables by configuration.
func Staging(ctx context.Context, a Admin) error {
	confs := []*bigtable.TableConf{
		{TableID: holdsbt.TableName, ColumnFamilies: map[string]bigtable.Family{
			holdsbt.FamilyHold: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
		}},
		{TableID: guestsbt.TableName, ColumnFamilies: map[string]bigtable.Family{
			guestsbt.FamilySession: {GCPolicy: bigtable.MaxAgeGCPolicy(time.Second)},                                                // ok ttlgc/age-mismatch
			guestsbt.FamilyProfile: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(730*day))}, // want ttlgc/age-on-zero
		}},
		{TableID: ratesbt.TableName, ColumnFamilies: map[string]bigtable.Family{
			ratesbt.FamilyQuote: {GCPolicy: bigtable.NoGcPolicy()}, // want ttlgc/no-policy
			ratesbt.FamilyPlan:  {GCPolicy: bigtable.NoGcPolicy()}, // ok ttlgc/no-policy
		}},
		{TableID: availbt.TableName, ColumnFamilies: map[string]bigtable.Family{
			availbt.FamilyNight: {GCPolicy: bigtable.MaxVersionsGCPolicy(1)},                                                        // ok ttlgc/age-on-zero
			availbt.FamilyDelta: {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(day))}, // want ttlgc/age-on-sequence
		}},
		{TableID: offersbt.TableName, ColumnFamilies: map[string]bigtable.Family{
			offersbt.FamilyOffer: {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // want ttlgc/no-policy
		}},
	}
	var errs []error
	for _, c := range confs {
		errs = append(errs, a.CreateTableFromConf(ctx, c))
	}
	return errors.Join(errs...)
}

// Repair sets single policies by hand.
func Repair(ctx context.Context, a Admin, what string) error {
	switch what {
	case "holds":
		return a.SetGCPolicy(ctx, holdsbt.TableName, holdsbt.FamilyHold, bigtable.MaxAgePolicy(15*time.Minute)) // want ttlgc/age-mismatch
	case "holds-second":
		return a.SetGCPolicy(ctx, holdsbt.TableName, holdsbt.FamilyHold, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
	case "delta":
		return a.SetGCPolicy(ctx, availbt.TableName, availbt.FamilyDelta, bigtable.MaxAgeGCPolicy(14*day)) // want ttlgc/age-on-sequence
	case "delta-versions":
		return a.SetGCPolicy(ctx, availbt.TableName, availbt.FamilyDelta, bigtable.MaxVersionsGCPolicy(5)) // ok ttlgc/policy-mismatch
	case "quote":
		return a.SetGCPolicy(ctx, ratesbt.TableName, ratesbt.FamilyQuote, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(6*time.Hour), bigtable.MaxVersionsPolicy(1))) // want ttlgc/no-policy
	case "plan":
		return a.SetGCPolicy(ctx, ratesbt.TableName, ratesbt.FamilyPlan, bigtable.MaxAgePolicy(7776000)) // want ttlunit/age-unit
	case "plan-days":
		return a.SetGCPolicy(ctx, ratesbt.TableName, ratesbt.FamilyPlan, bigtable.MaxAgePolicy(90*day)) // ok ttlunit/age-unit
	case "session":
		return a.CreateColumnFamily(ctx, guestsbt.TableName, guestsbt.FamilySession) // want ttlgc/no-policy
	case "archive":
		return a.CreateColumnFamily(ctx, archivebt.TableName, archivebt.FamilySession) // ok ttlgc/no-policy
	}
	return errors.New("nothing to repair")
}

// ClearRule builds the request that resets the offers.
func ClearRule(name string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{ // want ttlgc/empty-mask[mask]
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
			Id:  "clicks",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[mask]
		}},
	}
}

// SetRule builds the request that sets the rule of the offers.
func SetRule(name string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: offersbt.FamilyOffer,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(day)}}, // ok ttlgc/age-mismatch
			}},
		}},
	}
}
