// Command featurectl creates, migrates and checks the platform's tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"

	"example.com/featureplat/schema"
)

const day = 24 * time.Hour

type ctl struct {
	admin *bigtable.AdminClient
	name  string
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "features", "instance")
	flag.Parse()
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	c := &ctl{admin: admin, name: fmt.Sprintf("projects/%s/instances/%s", *project, *instance)}
	commands := map[string]func(context.Context, []string) error{
		"migrate": c.migrate, "project": c.project, "gc": c.gc, "emulator": c.emulator,
		"2024-02": c.february, "2024-09": c.september, "describe": func(context.Context, []string) error {
			_, err := fmt.Print(schema.Describe())
			return err
		},
	}
	cmd := commands[flag.Arg(0)]
	if cmd == nil {
		log.Fatalf("unknown command %q", flag.Arg(0))
	}
	if err := cmd(ctx, flag.Args()[1:]); err != nil {
		log.Fatal(err)
	}
}

// migrate sets what schema.Policies says, table by table.
func (c *ctl) migrate(ctx context.Context, _ []string) error {
	for _, table := range schema.Tables() {
		for _, family := range schema.Families(table) {
			if err := c.admin.SetGCPolicy(ctx, table, family, schema.Policies[table][family]); err != nil {
				return fmt.Errorf("%s/%s: %w", table, family, err)
			}
		}
	}
	for _, r := range schema.ScratchRules {
		if err := c.ensure(ctx, schema.Scratch, r.Family, r.Policy); err != nil { // ok ttlgc/age-on-sequence
			return err
		}
	}
	return schema.EnsureLocks(ctx, c.admin)
}

// ensure creates a family and sets its policy.
func (c *ctl) ensure(ctx context.Context, table, family string, p bigtable.GCPolicy) error {
	if err := c.admin.CreateColumnFamily(ctx, table, family); err != nil { // ok ttlgc/no-policy
		log.Printf("%s/%s: %v", table, family, err)
	}
	return c.admin.SetGCPolicy(ctx, table, family, p)
}

// project creates a project's snapshot table.
func (c *ctl) project(ctx context.Context, args []string) error {
	for _, name := range args {
		table := schema.SnapshotTable(name)
		if err := c.admin.CreateTable(ctx, table); err != nil {
			return err
		}
		for _, r := range schema.SnapshotRules() {
			if err := c.ensure(ctx, table, r.Family, r.Policy); err != nil {
				return err
			}
		}
	}
	return nil
}

// days sets an age in days.
func (c *ctl) days(ctx context.Context, table, family string, n int) error {
	return c.admin.SetGCPolicyWithOptions(ctx, table, family, bigtable.MaxAgePolicy(time.Duration(n)*day), bigtable.IgnoreWarnings())
}

// versions sets a number of versions.
func (c *ctl) versions(ctx context.Context, table, family string, n int) error {
	return c.admin.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsGCPolicy(n))
}

// gc is the command of the on-call handbook.
func (c *ctl) gc(ctx context.Context, _ []string) error {
	for _, err := range []error{
		c.days(ctx, schema.Online, schema.FamValue, 7),                      // ok ttlgc/age-mismatch
		c.days(ctx, schema.Online, schema.FamValue, 14),                     // want ttlgc/age-mismatch
		c.days(ctx, schema.Models, schema.FamRev, 400),                      // want ttlgc/age-on-sequence
		c.days(ctx, schema.Events, schema.FamRev, 14),                       // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
		c.days(ctx, schema.Models, schema.FamAudit, 30),                     // want ttlgc/policy-mismatch
		c.versions(ctx, schema.Models, schema.FamRev, 5),                    // ok ttlgc/policy-mismatch
		c.versions(ctx, schema.Experiments, schema.FamRollout, 1),           // want ttlgc/policy-mismatch
		c.versions(ctx, schema.Last, schema.FamLast, 1),                     // ok ttlgc/age-on-zero
		c.versions(ctx, schema.Dedupe, schema.FamSeen, 1),                   // want ttlgc/no-policy
		c.days(ctx, schema.Scratch, schema.FamRev, 2),                       // ok ttlgc/age-on-sequence
		c.ensure(ctx, schema.Online, schema.FamMeta, bigtable.NoGcPolicy()), // ok ttlgc/no-policy
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// emulator makes the tables for tests on a laptop.
func (c *ctl) emulator(ctx context.Context, _ []string) error {
	confs := []bigtable.TableConf{
		{TableID: schema.Online, ColumnFamilies: map[string]bigtable.Family{
			schema.FamValue:  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(schema.ValueTTL))}, // want ttlgc/versions-with-expiry
			schema.FamWindow: {GCPolicy: bigtable.MaxAgePolicy(schema.WindowTTL)},                                                     // want ttlgc/age-mismatch
			schema.FamMeta:   {},                                                                                                      // ok ttlgc/no-policy
		}},
		{TableID: schema.Models, ColumnFamilies: map[string]bigtable.Family{
			schema.FamRev:   {GCPolicy: bigtable.MaxAgeGCPolicy(30 * day)},         // want ttlgc/age-on-sequence
			schema.FamHead:  {GCPolicy: bigtable.MaxVersionsPolicy(1)},             // ok ttlgc/age-on-zero
			schema.FamAudit: {GCPolicy: bigtable.MaxAgeGCPolicy(2160 * time.Hour)}, // ok ttlgc/policy-mismatch
		}},
		{TableID: schema.Experiments, Families: map[string]bigtable.GCPolicy{
			schema.FamLease:   bigtable.MaxAgePolicy(time.Second),                                                        // ok ttlgc/age-mismatch
			schema.FamRollout: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*day)), // want ttlgc/age-on-sequence
			schema.FamInfo:    bigtable.NoGcPolicy(),                                                                     // ok ttlgc/no-policy
		}},
		{TableID: schema.Last, ColumnFamilies: map[string]bigtable.Family{
			schema.FamLast: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(90*day))}, // want ttlgc/age-on-zero
			schema.FamStat: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                      // ok ttlgc/policy-mismatch
		}},
		{TableID: schema.Dedupe, ColumnFamilies: map[string]bigtable.Family{
			schema.FamSeen: {}, // want ttlgc/no-policy
		}},
	}
	for i := range confs {
		if err := c.admin.CreateTableFromConf(ctx, &confs[i]); err != nil {
			return fmt.Errorf("%s: %w", confs[i].TableID, err)
		}
	}
	return nil
}

// february is the migration of that month, kept for new environments.
func (c *ctl) february(ctx context.Context, _ []string) error {
	steps := []struct {
		table, family string
		policy        bigtable.GCPolicy
	}{
		{schema.Online, schema.FamValue, bigtable.MaxAgePolicy(30 * day)},                                                              // want ttlgc/age-mismatch
		{schema.Online, schema.FamWindow, bigtable.MaxAgePolicy(time.Millisecond)},                                                     // ok ttlgc/age-mismatch
		{schema.Experiments, schema.FamRollout, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(60*day))},    // want ttlgc/age-on-sequence
		{schema.Experiments, schema.FamLease, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))}, // want ttlgc/versions-with-expiry
		{schema.Dedupe, schema.FamSeen, bigtable.MaxAgePolicy(schema.SeenTTL)},                                                         // want ttlgc/age-mismatch
		{schema.Events, schema.FamRev, bigtable.MaxAgePolicy(336 * time.Hour)},                                                         // ok ttlgc/age-on-sequence
		{schema.Scratch, schema.FamValue, bigtable.MaxAgePolicy(604800)},                                                               // want ttlunit/age-unit
		{schema.LegacyCounters, schema.FamSeen, bigtable.MaxAgePolicy(90 * day)},                                                       // ok ttlgc/age-mismatch ttlunit/age-unit
	}
	for _, s := range steps {
		if err := c.admin.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
			return err
		}
	}
	return c.admin.CreateColumnFamily(ctx, schema.Models, schema.FamRev) // want ttlgc/no-policy
}

// september goes past the client, which had no types for families then.
func (c *ctl) september(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return c.admin.UpdateFamily(ctx, schema.Dedupe, schema.FamSeen, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Minute)}) // want ttlgc/age-mismatch
	}
	req := &adminpb.ModifyColumnFamiliesRequest{
		Name: c.name + "/tables/" + schema.Models,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{
			{Id: schema.FamRev, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{}}}, // want ttlgc/empty-mask
			{Id: schema.FamHead, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Drop{Drop: true}},                       // ok ttlgc/empty-mask
		},
	}
	fmt.Println(req)
	return nil
}
