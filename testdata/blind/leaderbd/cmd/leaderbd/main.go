// Command leaderbd serves the game's backend.
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

	"studio.example/leaderbd/internal/board"
	"studio.example/leaderbd/internal/feed"
	"studio.example/leaderbd/internal/guard"
	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/match"
	"studio.example/leaderbd/internal/players"
	"studio.example/leaderbd/internal/schema"
	"studio.example/leaderbd/internal/vault"
)

// app is everything that handlers need.
type app struct {
	cfg     Config
	log     *slog.Logger
	players *players.Store
	match   *match.Service
	boards  *board.Service
	vault   *vault.Store
	guard   *guard.Engine
	feeds   map[string]*feed.Feed
	nonces  *nonces
	bg      chan func(context.Context) error
}

func newApp(cfg Config, c *bigtable.Client, log *slog.Logger) *app {
	gopts := []guard.Opt{guard.Through(bigtable.RowKeyFilter("[a-z0-9]+"))}
	if cfg.Hold > 0 {
		gopts = append(gopts, guard.HoldFor(cfg.Hold))
	}
	a := &app{
		cfg:     cfg,
		log:     log,
		players: players.New(c, log),
		match:   match.New(c, log, match.WithModes(match.Mode{Name: "royale", Size: 20, Spread: 800})),
		boards:  board.New(c, log),
		vault:   vault.New(c, log),
		guard:   guard.New(c, log, gopts...),
		feeds:   map[string]*feed.Feed{},
		nonces:  newNonces(c.Open(schema.Players), WithLife(3*time.Minute)), // ok ttlwrite/write-time
		bg:      make(chan func(context.Context) error, 256),
	}
	for _, r := range cfg.Regions {
		a.feeds[r] = feed.Open(c, cfg.Env, r, log, feed.As("leaderbd"))
	}
	return a
}

// background runs what handlers leave for later.
func (a *app) background(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case f := <-a.bg:
			if err := f(ctx); err != nil {
				kit.Metrics.Inc("bg.failed")
				a.log.Warn("background", "err", err)
			}
		}
	}
}

// every calls f again and again.
func every(ctx context.Context, d time.Duration, f func(context.Context) error) error {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			if err := f(ctx); err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
		}
	}
}

func (a *app) leases(ctx context.Context) error {
	for _, r := range kit.SortedKeys(a.feeds) {
		f := a.feeds[r]
		mine, err := f.Lease(ctx)
		if err != nil {
			return err
		}
		if mine {
			if err := f.Heartbeat(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *app) warm(ctx context.Context) error {
	for _, r := range a.cfg.Regions {
		if err := a.match.WarmUp(ctx, r, a.cfg.Bots); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, log *slog.Logger) error {
	cfg, err := load(fromEnv)
	if err != nil {
		return err
	}
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer c.Close()
	a := newApp(cfg, c, log)
	srv := &http.Server{Addr: cfg.Listen, Handler: a.routes(), ReadHeaderTimeout: 5 * time.Second}
	g, ctx := kit.NewGroup(ctx, 8)
	g.Go(func() error { return a.background(ctx) })
	g.Go(func() error { return every(ctx, 10*time.Second, a.leases) })
	g.Go(func() error { return every(ctx, 24*time.Hour, a.warm) })
	g.Go(func() error {
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return srv.Shutdown(sctx)
	})
	return g.Wait()
}

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log); err != nil {
		log.Error("leaderbd", "err", err)
		os.Exit(1)
	}
}
