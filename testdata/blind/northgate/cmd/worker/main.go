// Command worker runs the background processes.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/northgate/identity/internal/app"
)

func main() {
	var cfg app.Config
	flag.StringVar(&cfg.Project, "project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	flag.StringVar(&cfg.Instance, "instance", "identity", "instance")
	flag.StringVar(&cfg.ExportDir, "export", "/var/lib/export", "where exports go")
	flag.DurationVar(&cfg.Slow, "slow", time.Second, "log calls that take longer")
	flag.Parse()
	cfg.Node, _ = os.Hostname()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pool, cleanup, err := app.InjectWorkers(ctx, cfg)
	if err != nil {
		slog.Error("worker", "err", err)
		os.Exit(1)
	}
	defer cleanup()
	if err := pool.Run(ctx); err != nil {
		slog.Error("worker", "err", err)
	}
}
