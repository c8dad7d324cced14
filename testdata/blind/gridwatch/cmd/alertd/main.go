// Command alertd evaluates rules and notifies.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/alerts"
	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/metrics"
	"example.com/gridwatch/internal/notify"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
)

func main() {
	project := flag.String("project", "gridwatch", "project")
	instance := flag.String("instance", "main", "instance")
	tenant := flag.String("tenant", "acme", "tenant")
	hook := flag.String("hook", "", "webhook")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *project, *instance, *tenant, *hook); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("alertd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, project, instance, tenant, hook string) error {
	tables, err := store.Open(ctx, project, instance)
	if err != nil {
		return err
	}
	defer tables.Close()
	reg := metrics.NewRegistry()
	out := sink.New("alerts", tables.Alerts, sink.WithMetrics(reg))
	engine := alerts.NewEngine(tables)
	if err := engine.LoadRules(ctx, tenant); err != nil {
		return err
	}
	keeper := alerts.NewKeeper(tables, out)
	channels := []notify.Channel{notify.Log{Logger: slog.Default()}}
	if hook != "" {
		channels = append(channels, &notify.Webhook{URL: hook, Client: &http.Client{Timeout: 5 * time.Second}})
	}
	dispatcher := notify.NewDispatcher(reg, 4, channels...)

	readings := bus.NewTopic[events.Reading]("readings")
	toKeeper := engine.Alerts().Subscribe(64)
	toPeople := engine.Alerts().Subscribe(64)

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return out.Run(ctx) })
	g.Go(func() error { return engine.Run(ctx, readings.Subscribe(256)) })
	g.Go(func() error { return keeper.Run(ctx, toKeeper) })
	g.Go(func() error { return dispatcher.Run(ctx, toPeople) })
	g.Go(func() error {
		for range bus.Tick(ctx, time.Minute) {
			if err := engine.LoadRules(ctx, tenant); err != nil {
				slog.WarnContext(ctx, "rules", "err", err)
			}
		}
		return ctx.Err()
	})
	return g.Wait()
}
