package schema

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Step is one migration. Steps are never changed once they ran in production (some were).
type Step struct {
	No   int
	Name string
	Run  func(ctx context.Context, a Admin, o StepOptions) error
}

// StepOptions for all steps.
type StepOptions struct {
	Project, Instance string
	Tenant            string
	Days              int
	Force             bool
}

// Steps in order.
var Steps = []Step{
	{1, "sessions", step001},
	{2, "visitors", step002},
	{3, "budgets", step003},
	{4, "budgets-age", step004},
	{5, "contacts", step005},
	{6, "leads", step006},
	{7, "caps", step007},
	{8, "mailq", step008},
	{9, "bidcache", step009},
	{10, "consent", step010},
	{11, "suppress", step011},
	{12, "clicks", step012},
	{13, "rev-conversions", step013},
}

// RunSteps runs the steps between.
func RunSteps(ctx context.Context, a Admin, from, to int, o StepOptions) error {
	for _, s := range Steps {
		if s.No < from || s.No > to {
			continue
		}
		log.Printf("step %03d %s", s.No, s.Name)
		t0 := time.Now()
		if err := s.Run(ctx, a, o); err != nil {
			return fmt.Errorf("schema: step %03d %s: %w", s.No, s.Name, err)
		}
		log.Printf("step %03d done in %s", s.No, time.Since(t0))
	}
	return nil
}

func step001(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "sessions"); err != nil {
		return err
	}
	if err := a.CreateColumnFamily(ctx, "sessions", "tok"); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := a.SetGCPolicy(ctx, "sessions", "tok", bigtable.MaxAgePolicy(30*time.Minute)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := a.CreateColumnFamily(ctx, "sessions", "prof"); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, "sessions", "prof", bigtable.MaxAgePolicy(2160*time.Hour)) // ok ttlgc/policy-mismatch
}

func step002(ctx context.Context, a Admin, o StepOptions) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "visitors",
		Families: map[string]bigtable.GCPolicy{
			"idmap": bigtable.MaxAgePolicy(720 * time.Hour), // ok ttlgc/age-mismatch
			"seg":   bigtable.MaxAgePolicy(1 * time.Second), // ok ttlgc/age-mismatch
			"attr":  bigtable.MaxVersionsPolicy(1),          // want ttlgc/policy-mismatch
		},
	})
}

func step003(ctx context.Context, a Admin, o StepOptions) error {
	conf := &bigtable.TableConf{TableID: "budgets", ColumnFamilies: map[string]bigtable.Family{}}
	conf.ColumnFamilies["led"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(2)} // want ttlgc/policy-mismatch
	conf.ColumnFamilies["cur"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)} // ok ttlgc/age-on-zero
	conf.ColumnFamilies["audit"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(10)}
	return a.CreateTableFromConf(ctx, conf)
}

// step004: "finance keeps a year". They meant the audit.
func step004(ctx context.Context, a Admin, o StepOptions) error {
	year := bigtable.MaxAgePolicy(366 * day)                           // want ttlgc/age-on-sequence[year] ttlgc/age-on-zero[year]
	if err := a.SetGCPolicy(ctx, "budgets", "led", year); err != nil { // want ttlgc/age-on-sequence[year]
		return err
	}
	if err := a.SetGCPolicy(ctx, "budgets", "cur", year); err != nil { // want ttlgc/age-on-zero[year]
		return err
	}
	return a.SetGCPolicy(ctx, "budgets", "led", bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(366*day))) // want ttlgc/age-on-sequence
}

func step005(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "contacts"); err != nil {
		return err
	}
	fams := []struct {
		name string
		pol  bigtable.GCPolicy
	}{
		{"card", bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(5*365*day))}, // want ttlgc/age-on-zero
		{"rev", bigtable.MaxVersionsPolicy(5)},                                                          // ok ttlgc/age-on-sequence
		{"note", bigtable.MaxAgePolicy(8760 * time.Hour)},                                               // ok ttlgc/policy-mismatch
		{"opt", bigtable.MaxAgePolicy(60 * day)},                                                        // want ttlgc/age-mismatch
	}
	for _, f := range fams {
		if err := a.CreateColumnFamilyWithConfig(ctx, "contacts", f.name, bigtable.Family{GCPolicy: f.pol}); err != nil {
			return err
		}
	}
	return nil
}

func step006(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "leads"); err != nil {
		return err
	}
	if err := ensure(ctx, a, "leads", "rev", bigtable.MaxVersionsPolicy(1), false); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	// six hours like the model says
	return ensure(ctx, a, "leads", "score", bigtable.MaxAgePolicy(6*time.Hour), o.Force) // want ttlgc/age-mismatch
}

func step007(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "freqcaps"); err != nil {
		return err
	}
	if err := a.CreateColumnFamily(ctx, "freqcaps", "cap"); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := a.CreateColumnFamily(ctx, "freqcaps", "roll"); err != nil { // ok ttlgc/no-policy
		return err
	}
	return a.UpdateFamily(ctx, "freqcaps", "roll", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(168 * time.Hour)}) // ok ttlgc/age-mismatch
}

func step008(ctx context.Context, a Admin, o StepOptions) error {
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "mailq",
		ColumnFamilies: map[string]bigtable.Family{
			"job": {GCPolicy: bigtable.NoGcPolicy()}, // want ttlgc/no-policy
			"st":  {GCPolicy: bigtable.NoGcPolicy()}, // ok ttlgc/no-policy
		},
	})
}

func step009(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "bidcache"); err != nil {
		return err
	}
	return ensure(ctx, a, "bidcache", "bid", bigtable.MaxAgePolicy(time.Second), true) // want ttlgc/age-mismatch
}

func step010(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "consent"); err != nil {
		return err
	}
	if err := ensure(ctx, a, "consent", "grant", bigtable.MaxVersionsPolicy(1), false); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := ensure(ctx, a, "consent", "grant", bigtable.MaxAgePolicy(1), false); err != nil { // want ttlunit/age-unit
		return err
	}
	if o.Force {
		if err := ensure(ctx, a, "consent", "log", bigtable.NoGcPolicy(), true); err != nil { // want ttlgc/no-policy
			return err
		}
	}
	return ensure(ctx, a, "consent", "log", bigtable.MaxVersionsGCPolicy(20), false) // ok ttlgc/policy-mismatch
}

func step011(ctx context.Context, a Admin, o StepOptions) error {
	if err := a.CreateTable(ctx, "suppress"); err != nil {
		return err
	}
	if err := ensure(ctx, a, "suppress", "list", bigtable.MaxAgePolicy(4320), false); err != nil { // want ttlunit/age-unit // maybe ttlgc/age-mismatch
		return err
	}
	if o.Days > 0 {
		return ensure(ctx, a, "suppress", "list", bigtable.MaxAgePolicy(time.Duration(o.Days)*day), false) // ok ttlgc/age-mismatch
	}
	return ensure(ctx, a, "suppress", "list", bigtable.MaxAgePolicy(4320*time.Hour), false) // ok ttlunit/age-unit
}

func step012(ctx context.Context, a Admin, o StepOptions) error {
	if o.Tenant == "" {
		return errors.New("no tenant")
	}
	name := o.Tenant + "-clicks"
	if err := a.CreateTable(ctx, name); err != nil {
		return err
	}
	if err := ensure(ctx, a, name, "ev", bigtable.MaxAgePolicy(336*time.Hour), false); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ensure(ctx, a, name, "ev", bigtable.UnionPolicy(bigtable.MaxAgePolicy(14*day), bigtable.MaxVersionsPolicy(1)), false); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	return ensure(ctx, a, name, "dedup", bigtable.MaxAgePolicy(time.Second), false) // ok ttlgc/age-mismatch
}

// step013 is raw because the client had no mask then.
func step013(ctx context.Context, a Admin, o StepOptions) error {
	raw, ok := a.(interface {
		ModifyRaw(ctx context.Context, req *adminpb.ModifyColumnFamiliesRequest) error
	})
	if !ok {
		return nil
	}
	req := &adminpb.ModifyColumnFamiliesRequest{
		Name: "projects/" + o.Project + "/instances/" + o.Instance + "/tables/contacts",
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id: "rev",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(90 * day)}}, // want ttlgc/age-on-sequence
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{
				Id: "opt",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(2160 * time.Hour)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{ // want ttlgc/empty-mask[s13]
				Id: "card",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // want ttlgc/empty-mask[s13]
					ValueType: &adminpb.Type{Kind: &adminpb.Type_BytesType{BytesType: &adminpb.Type_Bytes{}}},
				}},
			},
			{
				Id: "note",
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ // ok ttlgc/empty-mask
					ValueType: &adminpb.Type{Kind: &adminpb.Type_BytesType{BytesType: &adminpb.Type_Bytes{}}},
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
			},
		},
	}
	return raw.ModifyRaw(ctx, req)
}
