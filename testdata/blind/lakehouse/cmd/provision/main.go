// Command provision creates the platform's tables and keeps their garbage
// collection policies as they should be. It can be run again at any time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/schema"
)

// day is what policies are written in.
const day = 24 * time.Hour

// oneSecond is the policy of families whose cells carry their expiry.
var oneSecond = bigtable.MaxAgePolicy(time.Second) // ok ttlgc/age-mismatch

// plan is what a table should look like.
type plan struct {
	table    string
	families map[string]bigtable.GCPolicy
	splits   []string
}

// plans is the platform as of this year.
var plans = []plan{
	{
		table: schema.TableClicks,
		families: map[string]bigtable.GCPolicy{
			schema.FamEvent:   bigtable.MaxAgePolicy(schema.ClickRetention), // ok ttlgc/age-mismatch
			schema.FamSession: oneSecond,                                    // ok ttlgc/age-mismatch
			schema.FamMeta:    bigtable.MaxVersionsPolicy(1),                // ok ttlgc/policy-mismatch
		},
		splits: []string{"04", "08", "12"},
	},
	{
		table: schema.TableDedup,
		families: map[string]bigtable.GCPolicy{
			schema.FamSeen: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry
		},
	},
	{
		table: schema.TableFeatures,
		families: map[string]bigtable.GCPolicy{
			schema.FamOnline: bigtable.MaxAgePolicy(schema.OnlineTTL),      // want ttlgc/age-mismatch
			schema.FamStats:  bigtable.MaxAgePolicy(schema.StatsRetention), // ok ttlgc/age-mismatch
			schema.FamEntity: bigtable.NoGcPolicy(),                        // ok ttlgc/no-policy
		},
	},
	{
		table: schema.TableOffsets,
		families: map[string]bigtable.GCPolicy{
			schema.FamWatermark: bigtable.MaxVersionsPolicy(schema.WatermarkKeep), // ok ttlgc/policy-mismatch
			schema.FamOffset:    bigtable.MaxVersionsPolicy(1),                    // ok ttlgc/policy-mismatch
			schema.FamAudit:     bigtable.MaxAgePolicy(schema.AuditRetention),     // ok ttlgc/policy-mismatch
		},
	},
	{
		table: schema.TableAgg,
		families: map[string]bigtable.GCPolicy{
			schema.FamAgg:   bigtable.MaxVersionsPolicy(1),               // ok ttlgc/age-on-zero
			schema.FamHour:  bigtable.MaxAgePolicy(schema.HourRetention), // ok ttlgc/age-mismatch
			schema.FamCount: bigtable.MaxVersionsPolicy(1),
		},
	},
	{
		table: schema.TableLeases,
		families: map[string]bigtable.GCPolicy{
			schema.FamLease: oneSecond,                                                                                       // ok ttlgc/age-mismatch
			schema.FamRun:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(schema.RunKeep), bigtable.MaxAgePolicy(90*day)), // want ttlgc/age-on-sequence
			schema.FamState: bigtable.MaxAgePolicy(365 * day),                                                                // want ttlgc/age-on-zero
			schema.FamLog:   bigtable.MaxAgePolicy(schema.LogRetention),                                                      // ok ttlgc/policy-mismatch
		},
	},
	{
		table: schema.TableQuality,
		families: map[string]bigtable.GCPolicy{
			schema.FamStats:  bigtable.MaxVersionsPolicy(1),    // ok ttlgc/age-mismatch
			schema.FamRun:    bigtable.MaxAgePolicy(180 * day), // ok ttlgc/age-on-sequence
			schema.FamSample: bigtable.NoGcPolicy(),            // want ttlgc/no-policy
		},
	},
	{
		table: schema.TableWarehouse,
		families: map[string]bigtable.GCPolicy{
			schema.FamEvent:     bigtable.MaxAgePolicy(365 * day),  // ok ttlgc/age-mismatch
			schema.FamSeen:      bigtable.MaxVersionsPolicy(3),     // ok ttlgc/no-policy
			schema.FamAgg:       bigtable.MaxAgePolicy(30 * day),   // ok ttlgc/age-on-zero
			schema.FamWatermark: bigtable.MaxAgePolicy(86400 * 30), // want ttlunit/age-unit
		},
	},
}

// stage is the plan of a source's staging table.
func stage(source string) plan {
	return plan{
		table: source + schema.StageTableStem,
		families: map[string]bigtable.GCPolicy{
			schema.FamPart:   bigtable.MaxAgePolicy(time.Second),
			schema.FamRev:    bigtable.MaxVersionsPolicy(schema.RevisionKeep),
			schema.FamHeader: bigtable.NoGcPolicy(),
		},
	}
}

func main() {
	var (
		config   = flag.String("config", "/etc/lakehouse.yaml", "configuration")
		dry      = flag.Bool("n", false, "only say what would be done")
		replica  = flag.Bool("replicated", false, "the instance is replicated")
		extended = flag.Bool("extended", false, "keep things longer (staging)")
	)
	flag.Parse()
	if err := run(context.Background(), *config, *dry, *replica, *extended); err != nil {
		slog.Error("provision", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, config string, dry, replica, extended bool) error {
	cfg, err := conf.Load(config)
	if err != nil {
		return err
	}
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	all := slices.Clone(plans)
	for _, s := range cfg.Staging.Sources {
		all = append(all, stage(s))
	}
	for _, p := range all {
		if dry {
			fmt.Println("would provision", p.table, len(p.families))
			continue
		}
		if err := apply(ctx, admin, p); err != nil {
			return fmt.Errorf("%s: %w", p.table, err)
		}
	}
	if dry {
		return nil
	}
	if replica {
		err = errors.Join(err, replicated(ctx, admin))
	}
	if extended {
		err = errors.Join(err, longer(ctx, admin))
	}
	return errors.Join(err, migrate2023(ctx, admin), migrate2024(ctx, admin), checkpoints(ctx, admin))
}

// apply creates the table or brings its policies up to date.
func apply(ctx context.Context, admin *bigtable.AdminClient, p plan) error {
	info, err := admin.TableInfo(ctx, p.table)
	if status.Code(err) == codes.NotFound {
		tc := bigtable.TableConf{TableID: p.table, SplitKeys: p.splits, ColumnFamilies: map[string]bigtable.Family{}}
		for f, pol := range p.families {
			tc.ColumnFamilies[f] = bigtable.Family{GCPolicy: pol}
		}
		return admin.CreateTableFromConf(ctx, &tc)
	}
	if err != nil {
		return err
	}
	for f, pol := range p.families {
		if !slices.Contains(info.Families, f) {
			if err := admin.CreateColumnFamily(ctx, p.table, f); err != nil {
				return err
			}
		}
		if err := admin.SetGCPolicy(ctx, p.table, f, pol); err != nil {
			return err
		}
	}
	return nil
}

// replicated raises ages on replicated instances; warnings are ignored as
// support told us.
func replicated(ctx context.Context, admin *bigtable.AdminClient) error {
	return errors.Join(
		admin.SetGCPolicyWithOptions(ctx, schema.TableClicks, schema.FamEvent, bigtable.MaxAgePolicy(60*day), bigtable.IgnoreWarnings()),           // want ttlgc/age-mismatch
		admin.SetGCPolicyWithOptions(ctx, schema.TableAgg, schema.FamHour, bigtable.MaxAgePolicy(schema.HourRetention), bigtable.IgnoreWarnings()), // ok ttlgc/age-mismatch
		admin.SetGCPolicyWithOptions(ctx, schema.TableDedup, schema.FamSeen, bigtable.MaxAgePolicy(time.Second), bigtable.IgnoreWarnings()),        // ok ttlgc/age-mismatch
		admin.SetGCPolicyWithOptions(ctx, schema.TableDedup, schema.FamSeen, bigtable.MaxAgeGCPolicy(schema.SeenTTL), bigtable.IgnoreWarnings()),   // want ttlgc/age-mismatch
	)
}

// longer keeps things for the people who test.
func longer(ctx context.Context, admin *bigtable.AdminClient) error {
	keep := bigtable.MaxVersionsPolicy(50) // want ttlgc/policy-mismatch[keep]
	return errors.Join(
		admin.SetGCPolicy(ctx, schema.TableOffsets, schema.FamWatermark, bigtable.MaxVersionsPolicy(20)), // want ttlgc/policy-mismatch
		admin.SetGCPolicy(ctx, schema.TableLeases, schema.FamRun, keep),                                  // want ttlgc/policy-mismatch[keep]
		admin.SetGCPolicy(ctx, schema.TableAgg, schema.FamAgg, keep),                                     // ok ttlgc/policy-mismatch
		admin.SetGCPolicy(ctx, schema.TableLeases, schema.FamLog, bigtable.MaxAgePolicy(90*day)),         // want ttlgc/policy-mismatch
		admin.SetGCPolicy(ctx, schema.TableQuality, schema.FamRun, bigtable.MaxAgePolicy(365*day)),       // ok ttlgc/policy-mismatch
	)
}

// migrate2023 moved offsets out of the audit table. It is run again and again
// because nobody dares to remove it.
func migrate2023(ctx context.Context, admin *bigtable.AdminClient) error {
	err := admin.SetGCPolicy(ctx, schema.TableOffsets, schema.FamOffset, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(7*day))) // want ttlgc/age-on-sequence
	if err != nil {
		return err
	}
	either := bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(30*day))
	if err := admin.SetGCPolicy(ctx, schema.TableAgg, schema.FamCount, either); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	both := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(schema.StatsRetention)) // want ttlgc/no-policy[mig]
	return admin.SetGCPolicy(ctx, schema.TableFeatures, schema.FamStats, both)                                       // want ttlgc/no-policy[mig]
}

// migrate2024 adds families to tables that were there.
func migrate2024(ctx context.Context, admin *bigtable.AdminClient) error {
	steps := []struct {
		table, family string
		policy        bigtable.GCPolicy
	}{
		{schema.TableFeatures, schema.FamOnline, bigtable.MaxAgePolicy(time.Second)},          // ok ttlgc/age-mismatch
		{schema.TableQuality, schema.FamSample, bigtable.MaxAgePolicy(time.Minute)},           // want ttlgc/age-mismatch
		{schema.TableQuality, schema.FamStats, bigtable.MaxAgePolicy(schema.StatsRetention)},  // want ttlgc/age-on-zero
		{schema.TableFeatures, schema.FamStats, bigtable.MaxAgePolicy(schema.StatsRetention)}, // ok ttlgc/age-on-zero
		{schema.TableLeases, schema.FamLease, bigtable.MaxAgePolicy(500 * time.Millisecond)},  // ok ttlgc/age-mismatch
		{schema.TableLeases, schema.FamState, bigtable.MaxVersionsPolicy(1)},                  // ok ttlgc/age-on-zero
	}
	for _, s := range steps {
		if err := admin.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
			return fmt.Errorf("%s.%s: %w", s.table, s.family, err)
		}
	}
	return admin.UpdateFamily(ctx, schema.TableClicks, schema.FamSession, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(schema.SessionTTL)}) // want ttlgc/age-mismatch
}

// checkpoints creates the families of the checkpoint pilot.
func checkpoints(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateColumnFamily(ctx, schema.TableOffsets, schema.FamOffset); err != nil { // ok ttlgc/no-policy
		return ignoreExists(err)
	}
	if err := admin.CreateColumnFamily(ctx, schema.TableOffsets, "ckpt"); err != nil { // ok ttlgc/no-policy
		return ignoreExists(err)
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, schema.TableOffsets, schema.FamWatermark, bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(schema.WatermarkKeep)}); err != nil { // ok ttlgc/policy-mismatch
		return ignoreExists(err)
	}
	retentionDays := 30
	return admin.SetGCPolicy(ctx, schema.TableOffsets, "ckpt", bigtable.MaxAgePolicy(time.Duration(retentionDays))) // want ttlunit/age-unit
}

func ignoreExists(err error) error {
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}
