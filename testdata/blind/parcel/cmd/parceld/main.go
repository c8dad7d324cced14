// Parceld serves the API.
package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/clock"
	"northlane.example/parcel/internal/config"
	"northlane.example/parcel/internal/httpapi"
	"northlane.example/parcel/internal/jobs"
	"northlane.example/parcel/internal/logx"
	"northlane.example/parcel/internal/metrics"
	"northlane.example/parcel/internal/service"
	"northlane.example/parcel/internal/store/dedupe"
	"northlane.example/parcel/internal/store/event"
	"northlane.example/parcel/internal/store/hold"
	"northlane.example/parcel/internal/store/manifest"
	"northlane.example/parcel/internal/store/outbox"
	"northlane.example/parcel/internal/store/position"
	"northlane.example/parcel/internal/store/session"
	"northlane.example/parcel/internal/store/shipment"
)

func main() {
	if err := run(); err != nil {
		slog.Error("parceld", "err", err)
		os.Exit(1)
	}
}

func run() error {
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	log := logx.New(os.Stderr, cfg.LogLevel)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := bigtable.NewClientWithConfig(ctx, cfg.Project, cfg.Instance, bigtable.ClientConfig{AppProfile: cfg.AppProfile})
	if err != nil {
		return err
	}
	defer client.Close()

	m := metrics.New()
	box := outbox.New(client, m)
	go box.Run(ctx)
	holds := hold.New(client, hold.WithClock(clock.System{}), hold.WithTTL(cfg.LeaseTTL), hold.WithMetrics(m)) // ok ttlread/missing-filter
	go holds.Run(ctx)
	manifests := manifest.New(client, cfg.ManifestTbl, manifest.WithLogger(log), manifest.WithVersions(1)) // ok ttlread/version-limit
	seen := dedupe.Open(client, dedupe.WithNode(cfg.AppProfile), dedupe.WithKeep(48*time.Hour))            // ok ttlwrite/write-time
	_ = position.NewLog(client, clock.System{})
	svc := &service.Service{
		Shipments: shipment.NewRepo(client, shipment.WithMetrics(m), shipment.WithClock(time.Now)),
		Events:    event.New(client),
		Holds:     holds,
		Sessions:  session.New(client, session.WithTTL(cfg.SessionTTL), session.WithLogger(log)),
		Log:       log,
	}
	jobs.Loop(ctx, m, jobs.Heartbeat(client, cfg.AppProfile), jobs.Cleaner(client),
		jobs.Reminder(client, func(c string) { log.Info("remind", "courier", c) }),
		jobs.Job{Name: "manifests", Every: time.Hour, Run: func(ctx context.Context) error {
			keys, err := manifests.TourKeys(ctx, time.Now().Format(time.DateOnly))
			for _, k := range keys {
				if dup, err := seen.Seen(ctx, k); err != nil || dup {
					continue
				}
				box.PingFor(k)
			}
			return err
		}})
	srv := &http.Server{Addr: cfg.Listen, Handler: httpapi.Handler(svc, m), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(c)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
