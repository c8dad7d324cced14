// Command ingestd takes envelopes from a message queue and feeds the pipelines.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/audit"
	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/commands"
	"example.com/gridwatch/internal/dedup"
	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/metrics"
	"example.com/gridwatch/internal/sessions"
	"example.com/gridwatch/internal/sink"
	"example.com/gridwatch/internal/store"
	"example.com/gridwatch/internal/telemetry"
)

func main() {
	project := flag.String("project", "gridwatch", "project")
	instance := flag.String("instance", "main", "instance")
	tenant := flag.String("tenant", "acme", "tenant of the command log")
	workers := flag.Int("workers", 8, "workers per stage")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *project, *instance, *tenant, *workers); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("ingestd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, project, instance, tenant string, workers int) error {
	tables, err := store.Open(ctx, project, instance)
	if err != nil {
		return err
	}
	defer tables.Close()

	reg := metrics.NewRegistry()
	sessionSink := sink.New("sessions", tables.Sessions, sink.WithBatch(200, 100*time.Millisecond), sink.WithMetrics(reg))
	telemetrySink := sink.New("telemetry", tables.Telemetry, sink.WithBatch(1000, 500*time.Millisecond), sink.WithWorkers(8), sink.WithMetrics(reg))

	raw := make(chan events.Envelope, 1024)
	fresh := make(chan events.Envelope, 1024)
	logins := make(chan events.Login, 64)
	beats := make(chan events.Heartbeat, 256)
	samples := make(chan telemetry.Sample, 1024)
	cmds := make(chan events.Command, 64)
	records := make(chan audit.Record, 64)
	topic := bus.NewTopic[sessions.Transition]("transitions")

	svc := sessions.New(tables)
	tracker := sessions.NewTracker(svc, sessionSink)
	ingester := telemetry.NewIngester(tables, telemetrySink, reg)
	log := commands.NewLog(tables, tenant)
	filter := dedup.New(tables, fresh)
	trail := audit.New(tables.Client())

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return sessionSink.Run(ctx) })
	g.Go(func() error { return telemetrySink.Run(ctx) })
	g.Go(func() error { return filter.Run(ctx, workers, raw) })
	g.Go(func() error { return svc.Run(ctx, logins, nil, sessionSink.Writes()) })
	g.Go(func() error { return tracker.Run(ctx, beats, topic) })
	g.Go(func() error { return tracker.Offline(ctx, topic.Subscribe(16), sessionSink.Writes()) })
	g.Go(func() error { return ingester.Run(ctx, workers, samples) })
	g.Go(func() error { return log.Run(ctx, cmds) })
	g.Go(func() error { return trail.Run(ctx, records) })
	g.Go(func() error {
		defer close(logins)
		defer close(beats)
		defer close(samples)
		defer close(cmds)
		return route(ctx, fresh, logins, beats, samples, cmds, records)
	})
	g.Go(func() error {
		defer close(raw)
		sc := bufio.NewScanner(os.Stdin)
		for sc.Scan() {
			env, _, err := events.Decode(sc.Bytes())
			if err != nil {
				slog.WarnContext(ctx, "dropped", "err", err)
				continue
			}
			select {
			case raw <- env:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return sc.Err()
	})
	return g.Wait()
}

// route sends each envelope to the stage for its kind.
func route(ctx context.Context, in <-chan events.Envelope, logins chan<- events.Login, beats chan<- events.Heartbeat, samples chan<- telemetry.Sample, cmds chan<- events.Command, records chan<- audit.Record) error {
	for env := range in {
		_, ev, err := events.Decode(env.Payload)
		if err != nil {
			continue
		}
		switch ev := ev.(type) {
		case *events.Login:
			logins <- *ev
			records <- audit.Record{Key: env.Device, Family: store.FamToken, What: "login"}
		case *events.Heartbeat:
			beats <- *ev
		case *events.Reading:
			samples <- telemetry.Sample{Reading: *ev}
		case *events.Command:
			cmds <- *ev
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
