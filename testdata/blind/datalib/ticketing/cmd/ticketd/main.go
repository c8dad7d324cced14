// Command ticketd serves tickets.
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"example.com/datalib/datalib/tables"
	"example.com/datalib/ticketing/api"
	"example.com/datalib/ticketing/config"
	"example.com/datalib/ticketing/jobs"
	"example.com/datalib/ticketing/metrics"
)

func main() {
	if err := run(); err != nil {
		slog.Error("ticketd", "err", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	set, err := tables.Open(ctx, cfg.Project, cfg.Instance, cfg.Region)
	if err != nil {
		return err
	}
	defer set.Close()
	srv := &http.Server{Addr: cfg.Listen, Handler: api.New(cfg, set, metrics.New()).Handler(), ReadTimeout: 5 * time.Second}
	go jobs.New(cfg, set).Run(ctx)
	go func() {
		<-ctx.Done()
		_ = srv.Shutdown(context.Background())
	}()
	return srv.ListenAndServe()
}
