package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"pennywise.example/shop/internal/bt"
)

// Migrations, oldest first. They have run and are kept, because staging is made
// from scratch with them.
var migrations = map[string]func(context.Context, *bigtable.AdminClient) error{
	"2020-carts":     m2020carts,
	"2020-prices":    m2020prices,
	"2021-login":     m2021login,
	"2021-devices":   m2021devices,
	"2022-settings":  m2022settings,
	"2022-audit":     m2022audit,
	"2023-notify":    m2023notify,
	"2023-longer":    m2023longer,
	"2024-proto":     m2024proto,
	"2024-mask":      m2024mask,
	"2025-cleanup":   m2025cleanup,
	"2025-tmp":       m2025tmp,
	"2025-hold-fix":  m2025hold,
	"2025-audit-fix": m2025audit,
}

func m2020carts(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, bt.TableCarts); err != nil {
		return err
	}
	for _, f := range []string{bt.FamItem, bt.FamHold, bt.FamMeta} {
		if err := admin.CreateColumnFamily(ctx, bt.TableCarts, f); err != nil { // ok ttlgc/no-policy
			return err
		}
	}
	if err := admin.SetGCPolicy(ctx, bt.TableCarts, bt.FamItem, bigtable.MaxAgePolicy(30*day)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, bt.TableCarts, bt.FamHold, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, bt.TableCarts, bt.FamMeta, bigtable.MaxVersionsPolicy(2)) // want ttlgc/policy-mismatch
}

func m2020prices(ctx context.Context, admin *bigtable.AdminClient) error {
	policies := []struct {
		fam    string
		policy bigtable.GCPolicy
	}{
		{bt.FamTick, bigtable.MaxAgePolicy(7 * day)},  // want ttlgc/age-on-sequence
		{bt.FamLast, bigtable.MaxAgePolicy(30 * day)}, // want ttlgc/age-on-zero
		{bt.FamSrc, bigtable.MaxAgePolicy(30 * day)},  // ok ttlgc/policy-mismatch
	}
	for _, p := range policies {
		if err := ensure(ctx, admin, bt.TablePrices, p.fam, p.policy); err != nil {
			return err
		}
	}
	return nil
}

func m2021login(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := ensure(ctx, admin, bt.TableLogin, bt.FamSess, bigtable.MaxAgePolicy(12*time.Hour)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := ensure(ctx, admin, bt.TableLogin, bt.FamOtp, bigtable.MaxAgePolicy(second)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return ensure(ctx, admin, bt.TableLogin, bt.FamWho, bigtable.NoGcPolicy()) // ok ttlgc/no-policy
}

func m2021devices(ctx context.Context, admin *bigtable.AdminClient) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: bt.TableDevices,
		Families: map[string]bigtable.GCPolicy{
			bt.FamBeat: bigtable.MaxAgeGCPolicy(3 * day),  // ok ttlgc/age-mismatch
			bt.FamCmd:  bigtable.MaxAgeGCPolicy(second),   // want ttlgc/age-mismatch
			bt.FamRaw:  bigtable.MaxAgeGCPolicy(30 * day), // want ttlgc/policy-mismatch
		},
	})
}

func m2022settings(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, bt.TableSettings); err != nil {
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, bt.TableSettings, bt.FamFlag, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, bt.TableSettings, bt.FamHist, bigtable.Family{GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(10), bigtable.MaxAgePolicy(365*day))}); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	return admin.CreateColumnFamily(ctx, bt.TableSettings, bt.FamDraft) // want ttlgc/no-policy
}

func m2022audit(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, r := range regions {
		if err := admin.CreateTable(ctx, r+"-audit"); err != nil {
			return err
		}
		if err := ensure(ctx, admin, r+"-audit", "entry", bigtable.MaxAgePolicy(10*365*day)); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		if err := ensure(ctx, admin, r+"-audit", "state", bigtable.MaxVersionsPolicy(1)); err != nil { // ok ttlgc/age-on-zero
			return err
		}
		if err := ensure(ctx, admin, r+"-audit", "note", bigtable.MaxAgePolicy(10*365*day)); err != nil { // ok ttlgc/age-on-sequence
			return err
		}
	}
	return nil
}

func m2023notify(ctx context.Context, admin *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{TableID: bt.TableNotify, ColumnFamilies: map[string]bigtable.Family{}}
	conf.ColumnFamilies[bt.FamPend] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(second)}  // ok ttlgc/age-mismatch
	conf.ColumnFamilies[bt.FamSeen] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(7 * day)} // want ttlgc/age-mismatch
	conf.ColumnFamilies[bt.FamSeq] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(3)}   // ok ttlgc/policy-mismatch
	conf.ColumnFamilies[bt.FamItem] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}  // ok ttlgc/no-policy
	return admin.CreateTableFromConf(ctx, conf)
}

// m2023longer: marketing wanted carts to stay for a quarter. It was taken back.
func m2023longer(ctx context.Context, admin *bigtable.AdminClient) error {
	if os.Getenv("QUARTER") != "" {
		return admin.SetGCPolicyWithOptions(ctx, bt.TableCarts, bt.FamItem, bigtable.MaxAgePolicy(90*day), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
	}
	return admin.SetGCPolicyWithOptions(ctx, bt.TableCarts, bt.FamItem, bigtable.MaxAgePolicy(bt.CartTTL), bigtable.IgnoreWarnings()) // ok ttlgc/age-mismatch
}

// m2024proto uses the raw API, because the client could not do change streams.
func m2024proto(ctx context.Context, _ *bigtable.AdminClient) error {
	conn, err := grpc.NewClient("bigtableadmin.googleapis.com:443", grpc.WithTransportCredentials(credentials.NewTLS(nil)))
	if err != nil {
		return err
	}
	defer conn.Close()
	c := adminpb.NewBigtableTableAdminClient(conn)
	_, err = c.CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent:  "projects/" + os.Getenv("BT_PROJECT") + "/instances/" + os.Getenv("BT_INSTANCE"),
		TableId: bt.TablePrices,
		Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{
			bt.FamTick: {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}},        // want ttlgc/policy-mismatch
			bt.FamLast: {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}},        // ok ttlgc/policy-mismatch
			bt.FamSrc:  {GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(30 * day)}}}, // ok ttlgc/policy-mismatch
		}},
	})
	return err
}

// m2024mask sets policies raw.
func m2024mask(ctx context.Context, _ *bigtable.AdminClient) error {
	conn, err := grpc.NewClient("bigtableadmin.googleapis.com:443", grpc.WithTransportCredentials(credentials.NewTLS(nil)))
	if err != nil {
		return err
	}
	defer conn.Close()
	c := adminpb.NewBigtableTableAdminClient(conn)
	name := "projects/" + os.Getenv("BT_PROJECT") + "/instances/" + os.Getenv("BT_INSTANCE") + "/tables/" + bt.TableDevices
	_, err = c.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: name,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{
				Id: bt.FamBeat,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(bt.BeatTTL)}}, // ok ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
			{ // want ttlgc/empty-mask[raw]
				Id:  bt.FamRaw,                                                                                 // want ttlgc/empty-mask[raw]
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}, // want ttlgc/empty-mask[raw]
			},
			{
				Id: bt.FamCmd,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
					GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(day)}}, // want ttlgc/age-mismatch
				}},
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
			},
		},
	})
	return err
}

// m2025cleanup sets all policies as the wiki has them. The wiki was wrong in places.
func m2025cleanup(ctx context.Context, admin *bigtable.AdminClient) error {
	var errs []error
	set := func(table, fam string, p bigtable.GCPolicy) {
		if err := admin.UpdateFamily(ctx, table, fam, bigtable.Family{GCPolicy: p}); err != nil {
			errs = append(errs, fmt.Errorf("%s.%s: %w", table, fam, err))
		}
	}
	set(bt.TableLogin, bt.FamSess, bigtable.MaxAgePolicy(second))                                                            // ok ttlgc/age-mismatch
	set(bt.TableLogin, bt.FamOtp, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(second), bigtable.MaxVersionsPolicy(1))) // want ttlgc/no-policy
	set(bt.TableCarts, bt.FamItem, bigtable.UnionPolicy(bigtable.MaxAgePolicy(bt.CartTTL), bigtable.MaxVersionsPolicy(1)))   // want ttlgc/versions-with-expiry
	set(bt.TableCarts, bt.FamHold, bigtable.MaxAgePolicy(500*time.Millisecond))                                              // ok ttlgc/age-mismatch
	set(bt.TableCarts, bt.FamMeta, bigtable.MaxVersionsPolicy(1))                                                            // ok ttlgc/policy-mismatch
	set(bt.TablePrices, bt.FamTick, bigtable.MaxVersionsPolicy(5))                                                           // ok ttlgc/policy-mismatch
	set(bt.TableSettings, bt.FamFlag, bigtable.MaxVersionsGCPolicy(1))                                                       // ok ttlgc/age-on-zero
	set(bt.TableSettings, bt.FamDraft, bigtable.MaxAgePolicy(day))                                                           // want ttlgc/age-mismatch
	set(bt.TableSettings, bt.FamHist, bigtable.MaxVersionsPolicy(3))                                                         // want ttlgc/policy-mismatch
	set(bt.TableNotify, bt.FamSeq, bigtable.MaxVersionsPolicy(3))                                                            // ok ttlgc/policy-mismatch
	set(bt.TableNotify, bt.FamItem, bigtable.MaxAgePolicy(day))                                                              // ok ttlgc/age-mismatch
	return errors.Join(errs...)
}

// m2025tmp makes the scratch table of the data people.
func m2025tmp(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, bt.TableTmp); err != nil {
		return err
	}
	if err := ensure(ctx, admin, bt.TableTmp, "a", bigtable.MaxAgePolicy(86400)); err != nil { // want ttlunit/age-unit
		return err
	}
	if err := ensure(ctx, admin, bt.TableTmp, "b", bigtable.MaxAgePolicy(86400*time.Second)); err != nil { // ok ttlunit/age-unit
		return err
	}
	if err := ensure(ctx, admin, bt.TableTmp, bt.FamTick, bigtable.MaxAgePolicy(-day)); err != nil { // want ttlunit/age-unit
		return err
	}
	log.Print("tmp is there")
	return ensure(ctx, admin, bt.TableTmp, bt.FamHist, bigtable.MaxAgePolicy(day)) // ok ttlgc/age-on-sequence
}

func m2025hold(ctx context.Context, admin *bigtable.AdminClient) error {
	hold := bigtable.MaxAgePolicy(15 * time.Minute)                // want ttlgc/age-mismatch[hold]
	return admin.SetGCPolicy(ctx, bt.TableCarts, bt.FamHold, hold) // want ttlgc/age-mismatch[hold]
}

func m2025audit(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, r := range regions {
		for fam, f := range auditFamilies {
			if err := admin.UpdateFamily(ctx, r+"-audit", fam, f); err != nil {
				return err
			}
		}
	}
	return nil
}
