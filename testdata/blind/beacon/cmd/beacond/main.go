// Command beacond serves tenants' requests and runs their jobs.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/beacon/internal/alerts"
	"example.com/beacon/internal/config"
	"example.com/beacon/internal/httpapi"
	"example.com/beacon/internal/ingest"
	"example.com/beacon/internal/jobs"
	"example.com/beacon/internal/notify"
	"example.com/beacon/internal/store"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg := flag.String("config", "/etc/beacon/beacon.json", "settings")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *cfg, log); err != nil && !errors.Is(err, context.Canceled) {
		log.Error("stopped", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string, log *slog.Logger) error {
	s, err := config.Load(path)
	if err != nil {
		return err
	}
	client, err := bigtable.NewClient(ctx, s.Project, s.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	dir := store.NewDirectory(client, s)
	srv := &http.Server{Addr: s.Listen, Handler: httpapi.New(dir, log), ReadHeaderTimeout: 5 * time.Second}
	runner := jobs.NewRunner(dir, s.Workers, time.Hour, log,
		jobs.Expiry{Batch: 10_000, Lay: s.Layout.Audit},
		jobs.NewCompaction(s.Layout.Metrics),
		jobs.NewFunc("sessions", jobs.DropSessions),
		jobs.NewFunc("heartbeat", heartbeat),
		jobs.NewFunc("hooks", func(ctx context.Context, t *store.Tenant) error {
			return notify.New(t.Tables, "plain", notify.Remember(2*time.Hour)).Done(ctx, "self", 200) // ok ttlwrite/write-time
		}),
		jobs.NewFunc("silences", func(ctx context.Context, t *store.Tenant) error {
			_, err := alerts.New(t.Tables, log).Silenced(ctx, "all")
			return err
		}),
	)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return runner.Loop(ctx) })
	g.Go(func() error { return warm(ctx, dir) })
	g.Go(func() error {
		err := srv.ListenAndServe()
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	})
	g.Go(func() error {
		<-ctx.Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		return srv.Shutdown(stop)
	})
	return g.Wait()
}

// heartbeat tells the others that this process serves the tenant.
func heartbeat(ctx context.Context, t *store.Tenant) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("lease", "host", bigtable.Time(time.Now().Add(2*time.Hour)), []byte(host)) // ok ttlwrite/write-time
	mut.Set("lease", "beat", bigtable.ServerTime, []byte(host))                        // want ttlwrite/server-timestamp
	mut.Set("meta", "beat", bigtable.ServerTime, []byte(host))                         // ok ttlwrite/server-timestamp
	return t.Tables.State.Apply(ctx, "heartbeat", mut)
}

// warm opens all tenants, so that the first request is not slow.
func warm(ctx context.Context, dir *store.Directory) error {
	for _, n := range dir.Names() {
		t, err := dir.Tenant(ctx, n)
		if err != nil {
			return err
		}
		if _, err := t.Tables.State.ReadRow(ctx, "heartbeat", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.StripValueFilter()))); err != nil { // maybe ttlread/missing-filter
			return err
		}
		if _, err := t.Tables.Journal.ReadRow(ctx, "heartbeat"); err != nil { // ok ttlread/missing-filter
			return err
		}
		w := ingest.NewSpanWriter(t.Tables.Traces, ingest.SpanConfig{})
		if _, err := w.Name(ctx, [16]byte{}); err != nil {
			return err
		}
	}
	return nil
}
