// Command nightly runs the jobs of the night and the migrations.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/batch"
	"example.com/assecura/internal/common"
	"example.com/assecura/internal/config"
	"example.com/assecura/internal/core"
	daoimpl "example.com/assecura/internal/dao/impl"
	"example.com/assecura/internal/schema"
)

func run(ctx context.Context, log *slog.Logger, migrate bool, from int) error {
	cfg := config.NewApplicationConfigBuilder().WithProject(os.Getenv("PROJECT")).WithInstance(os.Getenv("INSTANCE")).FromEnvironment().Build()
	if migrate {
		admin, err := bigtable.NewAdminClient(ctx, cfg.GetProject(), cfg.GetInstance())
		if err != nil {
			return common.NewTechnicalException("admin client", err)
		}
		return schema.NewMigrator(admin, schema.NewMigrationFactory(), log).Run(ctx, from, cfg.GetTenants())
	}
	client, err := bigtable.NewClient(ctx, cfg.GetProject(), cfg.GetInstance())
	if err != nil {
		return common.NewTechnicalException("client", err)
	}
	clock := common.NewSystemClock()
	factory := core.NewTableFactory(client, common.NewSimpleMeterRegistry())
	jobs := batch.NewJobFactory(client, factory, clock, log, daoimpl.NewMailboxDao(client, clock, log), daoimpl.NewSessionDao(factory, clock, log)) // want ttlwrite/write-time[reminder]
	for _, job := range jobs.CreateJobs(cfg.GetTenants()) {
		if err := job.Execute(ctx); err != nil {
			return err
		}
		log.Info("done", "job", job.GetName())
	}
	return nil
}

func main() {
	migrate := flag.Bool("migrate", false, "run the migrations instead of the jobs")
	from := flag.Int("from", 1, "first version of the migrations")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := run(context.Background(), log, *migrate, *from); err != nil {
		log.Error("failed", "error", err)
		os.Exit(1)
	}
}
