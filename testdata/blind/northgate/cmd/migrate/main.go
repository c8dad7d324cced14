// Command migrate applies the schema's migrations to an instance.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/migrate"
	"github.com/northgate/identity/internal/schema"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(log); err != nil {
		log.Error("migrate", "err", err)
		os.Exit(1)
	}
}

func run(log *slog.Logger) error {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "identity", "instance")
	dry := flag.Bool("n", false, "only say what would be done")
	check := flag.Bool("check", false, "compare the instance with the schema")
	dev := flag.Bool("dev", false, "prepare an emulator")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer admin.Close()
	switch {
	case *check:
		return migrate.Check(ctx, admin)
	case *dev:
		return emulator(ctx, admin)
	}
	var opts []migrate.Option
	if *dry {
		opts = append(opts, migrate.DryRun())
	}
	return migrate.New(admin, log, opts...).Run(ctx, migrate.Steps)
}

// emulator creates just enough to start a server on a laptop.
func emulator(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, t := range []*bigtable.TableConf{
		{TableID: schema.Tokens.String(), ColumnFamilies: map[string]bigtable.Family{
			string(schema.Access):  {GCPolicy: bigtable.NoGcPolicy()}, // want ttlgc/no-policy
			string(schema.Refresh): {GCPolicy: schema.AtExpiry},       // ok ttlgc/no-policy
			string(schema.Audit):   {},                                // ok ttlgc/no-policy
		}},
		{TableID: schema.Grants.String(), ColumnFamilies: map[string]bigtable.Family{
			schema.FamGrant: {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // want ttlgc/policy-mismatch
			schema.FamMeta:  {GCPolicy: bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/policy-mismatch
		}},
		{TableID: schema.Prefs.String(), ColumnFamilies: map[string]bigtable.Family{
			schema.FamPref:   {}, // ok ttlgc/no-policy
			schema.FamDevice: {}, // want ttlgc/no-policy
		}},
		schema.Journal("user"),
	} {
		if err := admin.CreateTableFromConf(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
