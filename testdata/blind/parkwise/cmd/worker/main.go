// Command worker runs the background jobs.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/config"
	"github.com/parkwise/parkwise/internal/export"
	"github.com/parkwise/parkwise/internal/presence"
	"github.com/parkwise/parkwise/internal/session/sessionstore"
	"github.com/parkwise/parkwise/internal/tenant"
	"github.com/parkwise/parkwise/internal/worker"
)

func main() {
	if err := run(); err != nil {
		slog.Error("worker", "err", err)
		os.Exit(1)
	}
}

func run() error {
	names := flag.String("tenants", "acme", "comma separated tenants")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()

	var tenants []tenant.ID
	for _, n := range strings.Split(*names, ",") {
		id, err := tenant.Parse(n)
		if err != nil {
			return err
		}
		tenants = append(tenants, id)
	}
	ctx = clock.With(ctx, clock.System{})
	rollup := worker.NewRollup(client, log)
	sessions := sessionstore.New(client)
	exporter := export.New(client, log)
	chargers := presence.New(client.Open(bt.TableCharging), "charger") // ok ttlwrite/server-timestamp

	r := worker.New(log, tenants,
		worker.WithJitter(3*time.Second),
		worker.WithJob("peaks", 5*time.Minute, rollup.Peaks),
		worker.WithJob("energy", time.Hour, rollup.Energy),
		worker.WithJob("stopped", time.Hour, rollup.Stopped),
		worker.WithJob("signed-in", time.Minute, rollup.SignedIn),
		worker.WithJob("sweep", 6*time.Hour, sessions.Sweep),
		worker.WithJob("export", 24*time.Hour, func(ctx context.Context, id tenant.ID) error {
			n, err := exporter.Week(ctx, tenant.Key(id, "chg", ""))
			log.InfoContext(ctx, "exported", "rows", n)
			return err
		}),
		worker.WithJob("presence", 10*time.Minute, func(ctx context.Context, id tenant.ID) error {
			return chargers.Mark(ctx, id, "worker", "depot")
		}),
		worker.WithJob("hours", time.Hour, func(ctx context.Context, id tenant.ID) error {
			return openingHours(ctx, client, id)
		}),
	)
	return r.Run(ctx)
}

// openingHours writes whether the garages of a tenant are open.
func openingHours(ctx context.Context, client *bigtable.Client, id tenant.ID) error {
	now := clock.Now(ctx)
	open := now.Hour() >= 6 && now.Hour() < 23
	state := "closed"
	if open {
		state = "open"
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamGauge, "open", 0, []byte(state))                                               // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamLimit, "open", bigtable.Time(now), []byte(state))                              // want ttlwrite/write-time
	mut.Set(bt.FamLimit, "open_until", bigtable.Time(now.Add(time.Hour)), []byte(state))         // ok ttlwrite/write-time
	mut.Set(bt.FamLimit, "open_millis", bigtable.Timestamp(now.Add(time.Hour).UnixMilli()), nil) // want ttlunit/wrong-unit
	return client.Open(bt.TableCounters).Apply(ctx, tenant.Key(id, "hours"), mut)
}
