// Command ingestd takes telemetry.
package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/config"
	"example.com/skylark/internal/events"
	"example.com/skylark/internal/ingest"
	"example.com/skylark/internal/journal"
	"example.com/skylark/internal/leases"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/presence"
	"example.com/skylark/internal/queue"
	"example.com/skylark/internal/rollup"
	"example.com/skylark/internal/shadow"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("ingestd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	log, m := slog.Default(), metrics.NewSet()
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	stores := bt.Open(client)
	broker := queue.New(5)
	ing := ingest.New(stores, cfg.Workers, log, m)
	seen := presence.NewTracker(stores, log, m)
	shadows := shadow.NewStore(stores, log)
	jr := journal.Open(client, cfg.Journal, log)
	evs := make(chan events.Event, 64)
	keeper := leases.NewKeeper(client, cfg.Region)

	g, ctx := pipeline.NewGroup(ctx)
	g.Go(func() error { return ing.Run(ctx) })
	g.Go(func() error { return seen.Run(ctx, broker, cfg.Workers) })
	g.Go(func() error { return shadows.Run(ctx) })
	g.Go(func() error { return jr.Consume(ctx, evs) })
	g.Go(func() error { return broker.Subscribe(ctx, "telemetry", cfg.Workers, ing.Handle) })
	g.Go(func() error { return broker.Subscribe(ctx, "shadow", 2, shadows.Consume) })
	g.Go(func() error { return broker.Subscribe(ctx, "journal", 1, jr.Handle) })
	g.Go(func() error { return fold(ctx, client, keeper, cfg, log, m) })
	g.Go(func() error {
		mux := http.NewServeMux()
		mux.Handle("POST /points", ing)
		mux.Handle("GET /shadow/{tenant}/{device}", shadows)
		srv := &http.Server{Addr: cfg.Listen, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
		go func() {
			<-ctx.Done()
			_ = srv.Close()
		}()
		return srv.ListenAndServe()
	})
	return g.Wait()
}

// fold rolls samples up while it holds the lease.
func fold(ctx context.Context, c *bigtable.Client, k *leases.Keeper, cfg *config.Config, log *slog.Logger, m *metrics.Set) error {
	for {
		switch err := k.Take(ctx, "rollup"); {
		case err == nil:
			w := rollup.NewWorker(c, rollup.Schedule(ctx, cfg.Topics, "temp", time.Minute), cfg.Workers, log, m)
			if err := w.Run(ctx); err != nil {
				return err
			}
			t := c.Open(bt.Samples)
			mut := bigtable.NewMutation()
			mut.Set(bt.FamRollup, "folded", bigtable.Now(), []byte(cfg.Region))   // ok ttlwrite/write-time
			mut.Set(bt.FamRaw, "folded", bigtable.ServerTime, []byte(cfg.Region)) // ok ttlwrite/server-timestamp
			if err := t.Apply(ctx, "~folded", mut); err != nil {
				return err
			}
		case errors.Is(err, leases.ErrTaken):
		default:
			return err
		}
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
