package migrate

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"example.com/payments/internal/schema"
)

// FamilyPlan describes a family declaratively; staging is made from these.
type FamilyPlan struct {
	Name     schema.Family
	MaxAge   time.Duration
	Versions int
}

// TablePlan describes a table.
type TablePlan struct {
	Name     schema.Table
	Families []FamilyPlan
}

// Policy turns a plan into a policy: the age, else the versions, else none.
func (f FamilyPlan) Policy() bigtable.GCPolicy {
	switch {
	case f.MaxAge > 0:
		return bigtable.MaxAgePolicy(f.MaxAge)
	case f.Versions > 0:
		return bigtable.MaxVersionsPolicy(f.Versions)
	}
	return bigtable.NoGcPolicy()
}

// Apply creates a table from its plan.
func Apply(ctx context.Context, a Admin, t TablePlan) error {
	conf := bigtable.TableConf{TableID: string(t.Name), ColumnFamilies: map[string]bigtable.Family{}}
	for _, f := range t.Families {
		conf.ColumnFamilies[string(f.Name)] = bigtable.Family{GCPolicy: f.Policy()}
	}
	if err := a.CreateTableFromConf(ctx, &conf); err != nil {
		return fmt.Errorf("create %s: %w", t.Name, err)
	}
	return nil
}

// Ensure sets a family's age, and creates the family if it is not there.
func Ensure(ctx context.Context, a Admin, t schema.Table, f schema.Family, age time.Duration) error {
	if err := a.CreateColumnFamily(ctx, string(t), string(f)); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.SetGCPolicy(ctx, string(t), string(f), bigtable.MaxAgePolicy(age))
}

// Staging brings the staging instance to where production is.
func Staging(ctx context.Context, a Admin) error {
	if err := Ensure(ctx, a, schema.TableQuotes, schema.FamFX, 15*time.Minute); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := Ensure(ctx, a, schema.TableQuotes, schema.FamRisk, 7*24*time.Hour); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := Ensure(ctx, a, schema.TableOneTime, schema.FamToken, time.Second); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := Ensure(ctx, a, schema.TableIdempotency, schema.FamKey, 24*time.Hour); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := Ensure(ctx, a, schema.TablePayouts, schema.FamOutbox, 24*time.Hour); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := Ensure(ctx, a, schema.TablePayouts, schema.FamNotes, 24*time.Hour); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	return Ensure(ctx, a, schema.TableArchive, schema.FamEntry, 24*time.Hour) // ok ttlgc/age-on-sequence
}

// RawRule changes a family through the raw API, for what the client hides.
func RawRule(table string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[rawrule]
			Id: "scratch",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // want ttlgc/empty-mask[rawrule]
				Update: &adminpb.ColumnFamily{}, // want ttlgc/empty-mask[rawrule]
			},
		}},
	}
}

// RawAge is RawRule with the mask that keeps the rest.
func RawAge(table string, age time.Duration) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: table,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: "scratch",
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{ // ok ttlgc/empty-mask
				Update: &adminpb.ColumnFamily{GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(age)}}},
			},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	}
}

// RawLedger creates the sequence families of a ledger through the raw API.
func RawLedger(parent string) *adminpb.CreateTableRequest {
	return &adminpb.CreateTableRequest{
		Parent:  parent,
		TableId: "test-ledger",
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			"entry":   {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}}, // want ttlgc/age-on-sequence
			"balance": {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}},              // ok ttlgc/policy-mismatch
			"memo":    {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(24 * time.Hour)}}}, // ok ttlgc/age-on-sequence
		}},
	}
}

// stagingTables are created anew every night.
var stagingTables = []TablePlan{
	{Name: schema.TableRateLimits, Families: []FamilyPlan{
		{Name: schema.FamWindow, MaxAge: time.Second}, // ok ttlgc/age-mismatch
	}},
	{Name: schema.TablePayouts, Families: []FamilyPlan{
		{Name: schema.FamLease, MaxAge: LeaseAge}, // want ttlgc/age-mismatch[stagingplan]
		{Name: schema.FamOutbox, Versions: 1},     // ok ttlgc/policy-mismatch
		{Name: schema.FamNotes},                   // ok ttlgc/no-policy
	}},
}

// LeaseAge is how long leases stay on staging, for debugging.
const LeaseAge = time.Hour

// Nightly creates the staging tables.
func Nightly(ctx context.Context, a Admin) error {
	for _, t := range stagingTables {
		if err := Apply(ctx, a, t); err != nil { // want ttlgc/age-mismatch[stagingplan]
			return err
		}
	}
	return nil
}
