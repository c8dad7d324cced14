// Schema applies the schema of an environment.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/schema"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/config"
)

func main() {
	env := flag.String("env", "staging", "environment")
	dry := flag.Bool("dry", true, "print only")
	step := flag.String("step", "apply", "apply, rebuild, load, patch or quick")
	flag.Parse()
	if err := run(context.Background(), *env, *step, *dry); err != nil {
		slog.Error("schema", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, env, step string, dry bool) error {
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	m := schema.New(admin, slog.Default(), dry)
	switch step {
	case "apply":
		return m.Apply(ctx, env)
	case "rebuild":
		return m.Rebuild(ctx)
	case "load":
		return m.LoadTest(ctx)
	case "patch":
		if err := m.Patch2023(ctx); err != nil {
			return err
		}
		return m.Patch2024(ctx)
	case "quick":
		return quick(ctx, admin)
	}
	return fmt.Errorf("unknown step %q", step)
}

// quick sets up the tables of a developer's instance.
func quick(ctx context.Context, admin *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{
		TableID: names.Slots,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamHold:   {},                                                                                                // want ttlgc/no-policy
			names.FamState:  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(time.Hour))}, // want ttlgc/age-on-sequence
			names.FamClinic: {},                                                                                                // ok ttlgc/no-policy
		},
	}
	if err := admin.CreateTableFromConf(ctx, conf); err != nil {
		return err
	}
	conf = &bigtable.TableConf{
		TableID: names.Patients,
		ColumnFamilies: map[string]bigtable.Family{
			names.FamConsent: {GCPolicy: bigtable.MaxVersionsPolicy(5)},  // ok ttlgc/policy-mismatch
			names.FamPref:    {},                                         // ok ttlgc/no-policy
			names.FamDemo:    {GCPolicy: bigtable.MaxVersionsPolicy(10)}, // ok ttlgc/policy-mismatch
		},
	}
	if err := admin.CreateTableFromConf(ctx, conf); err != nil {
		return err
	}
	if err := admin.CreateTable(ctx, names.Reminders); err != nil {
		return err
	}
	if err := admin.CreateColumnFamily(ctx, names.Reminders, names.FamDue); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.SetGCPolicy(ctx, names.Reminders, names.FamDue, bigtable.UnionPolicy(bigtable.MaxAgePolicy(168*time.Hour), bigtable.MaxVersionsPolicy(1))); err != nil { // want ttlgc/versions-with-expiry
		return err
	}
	if err := admin.CreateColumnFamily(ctx, names.Waitlist, names.FamPlace); err != nil { // want ttlgc/no-policy
		return err
	}
	return admin.CreateColumnFamily(ctx, names.Archive, names.FamState) // ok ttlgc/no-policy
}
