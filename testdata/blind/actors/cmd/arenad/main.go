// Command arenad is the arena's server.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/board"
	"example.com/arena/internal/cache"
	"example.com/arena/internal/chat"
	"example.com/arena/internal/conf"
	"example.com/arena/internal/feed"
	"example.com/arena/internal/gateway"
	"example.com/arena/internal/inventory"
	"example.com/arena/internal/jobs"
	"example.com/arena/internal/match"
	"example.com/arena/internal/presence"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/session"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(log); err != nil {
		log.Error("arenad", "err", err)
		os.Exit(1)
	}
}

// closer is something that takes part in the shutdown.
type closer struct {
	name  string
	close func(context.Context) error
}

func run(log *slog.Logger) error {
	cfg, err := conf.FromEnv()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	defer client.Close()
	admin, err := bigtable.NewAdminClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return fmt.Errorf("admin client: %w", err)
	}
	defer admin.Close()
	if err := schema.NewBootstrapper(admin, log).Run(ctx); err != nil {
		return err
	}

	reg := telemetry.New("arena")
	var closers []closer
	later := func(name string, f func(context.Context) error) { closers = append(closers, closer{name, f}) }

	sessions := session.New(client, reg, log)
	later("sessions", sessions.Close)
	tracker := presence.New(ctx, client, time.Second, reg, log)
	later("presence", tracker.Close)
	maker := match.New(client, reg, log)
	later("match", maker.Close)
	bag := inventory.New(client, cache.Options{Every: cfg.FlushEvery, Size: cfg.FlushSize, Workers: cfg.Workers}, reg, log)
	later("inventory", bag.Close)
	hub := chat.NewHub(client, reg, log)
	later("chat", hub.Close)
	fd := feed.New(client, 4, log)
	later("feed", func(context.Context) error { fd.Close(); return nil })
	boards := map[string]*board.Board{}
	for _, name := range []string{"daily", "weekly", "clan"} {
		b := board.Open(client, name, reg, log)
		boards[name] = b
		later("board "+name, b.Close)
	}

	pool := jobs.NewPool(ctx, cfg.Workers, reg, log)
	later("jobs", pool.Close)
	sweeper := jobs.NewSweeper(client, log)
	pool.Schedule(ctx, time.Hour, sweeper.Job())
	pool.Schedule(ctx, 24*time.Hour, jobs.Job{Name: "tokens", Run: func(ctx context.Context) error {
		n, err := sessions.Sweep(ctx)
		log.InfoContext(ctx, "swept tokens", "n", n)
		return err
	}})
	pool.Schedule(ctx, time.Minute, jobs.Job{Name: "alive", Run: func(ctx context.Context) error { return alive(ctx, client, cfg) }})
	pool.Schedule(ctx, time.Minute, jobs.Job{Name: "guests", Run: func(ctx context.Context) error { return guests(ctx, client, cfg.GuestTTL) }})
	go jobs.Tick(ctx)

	srv := &http.Server{
		Addr: cfg.Listen,
		Handler: gateway.New(gateway.Deps{
			Client: client, Sessions: sessions, Presence: tracker, Match: maker, Boards: boards,
			Inventory: bag, Chat: hub, Feed: fd, Registry: reg, Log: log, Conf: cfg,
		}),
		ReadHeaderTimeout: 5 * time.Second,
	}
	failed := make(chan error, 1)
	go func() {
		log.Info("listening", "addr", cfg.Listen)
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}

	grace, cancel := context.WithTimeout(context.Background(), cfg.Grace)
	defer cancel()
	errs := []error{err, srv.Shutdown(grace)}
	for i := len(closers) - 1; i >= 0; i-- {
		if err := closers[i].close(grace); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", closers[i].name, err))
		}
	}
	return errors.Join(errs...)
}

// alive says that this process is there.
func alive(ctx context.Context, client *bigtable.Client, cfg conf.Config) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	tbl := client.Open(schema.TablePresence)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamBeat, "node", stamp.In(3*time.Minute), []byte(cfg.Listen))            // ok ttlwrite/write-time
	mut.Set(schema.FamBeat, "addr", bigtable.ServerTime, []byte(cfg.Listen))                // want ttlwrite/server-timestamp
	mut.Set(schema.FamSeen, "addr", bigtable.ServerTime, []byte(cfg.Listen))                // ok ttlwrite/server-timestamp
	mut.Set(schema.FamBeat, "pid", bigtable.Timestamp(-1), []byte(fmt.Sprint(os.Getpid()))) // want ttlwrite/server-timestamp
	return tbl.Apply(ctx, "node#"+host, mut)
}

// guests gives the guests of the lobby their sessions.
func guests(ctx context.Context, client *bigtable.Client, ttl time.Duration) error {
	tbl := client.Open(schema.TableSessions)
	row, err := tbl.ReadRow(ctx, "guests", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamToken), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for _, it := range row[schema.FamToken] {
		col := it.Column[len(schema.FamToken)+1:]
		mut.DeleteCellsInColumn(schema.FamToken, col)                               // ok ttlwrite/delete-after-set
		mut.Set(schema.FamToken, col, bigtable.Time(time.Now().Add(ttl)), it.Value) // ok ttlwrite/write-time
	}
	if len(row[schema.FamToken]) == 0 {
		return nil
	}
	return tbl.Apply(ctx, "guests", mut)
}
