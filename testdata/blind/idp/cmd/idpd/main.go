// Command idpd is the identity provider.
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/audit"
	"example.com/idp/internal/authz"
	"example.com/idp/internal/clients"
	"example.com/idp/internal/clock"
	"example.com/idp/internal/config"
	"example.com/idp/internal/consent"
	"example.com/idp/internal/device"
	"example.com/idp/internal/httpapi"
	"example.com/idp/internal/janitor"
	"example.com/idp/internal/keys"
	"example.com/idp/internal/metrics"
	"example.com/idp/internal/sessions"
	"example.com/idp/internal/store"
	"example.com/idp/internal/throttle"
	"example.com/idp/internal/tokens"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(log); err != nil {
		log.Error("exit", "err", err)
		os.Exit(1)
	}
}

func run(log *slog.Logger) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer c.Close()

	m := metrics.New()
	clk := clock.System{}
	opts := []store.Option{store.WithMetrics(m), store.WithAttempts(cfg.WriteAttempts)}
	repo := sessions.NewRepo(c, clk, log, opts...)
	events := audit.NewLog(c, clk, log, opts...)
	defer events.Close()
	ring := keys.NewRing(c, clk, log)
	states := authz.NewRepo(c, clk)
	consents := consent.NewRepo(c, clk, opts...)
	apps := clients.NewRepo(c, clk)
	sweeper := janitor.NewSweeper(c, clk)
	srv := &httpapi.Server{
		Sessions: sessions.NewService(repo, time.Now, 20),
		Repo:     repo,
		Tokens:   tokens.New(c, clk),
		Device:   device.NewStore(c, clk),
		Limiter:  throttle.New(c, clk, throttle.WithMax(cfg.MaxFailures), throttle.WithLogger(log)),
		Log:      log,
	}
	j := janitor.New(cfg.JanitorEvery, log, m,
		janitor.Job{Name: "sessions", Run: repo.Purge},
		janitor.Job{Name: "states", Run: states.Pending},
		janitor.Job{Name: "used", Run: sweeper.Used},
		janitor.Job{Name: "orphans", Run: sweeper.Orphans},
		janitor.Job{Name: "keys", Run: func(ctx context.Context) (int, error) {
			due, err := ring.DueByMeta(ctx, cfg.RotateEvery)
			if err != nil || !due {
				return 0, err
			}
			if _, err := ring.Rotate(ctx); err != nil {
				return 0, err
			}
			return 1, events.Record(audit.Event{Kind: audit.Rotation})
		}},
	)
	go j.Run(ctx)
	if _, err := apps.Get(ctx, "console"); err != nil {
		log.Warn("console", "err", err)
	}
	if err := consents.Note(ctx, "system", "console", 1, "boot"); err != nil {
		log.Warn("consent", "err", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", m)
	mux.Handle("/", srv.Routes())
	hs := &http.Server{Addr: cfg.Listen, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = hs.Close()
	}()
	if err := hs.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}
