// Command depotd is the depot's server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/api"
	"example.com/depot/internal/dock"
	"example.com/depot/internal/gate"
	"example.com/depot/internal/manifest"
	"example.com/depot/internal/mobile"
	"example.com/depot/internal/names"
	"example.com/depot/internal/parcel"
	"example.com/depot/internal/quote"
	"example.com/depot/internal/seqx"
	"example.com/depot/internal/telemetry"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		slog.Error("depotd", "err", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	fs := flag.NewFlagSet("depotd", flag.ContinueOnError)
	addr := fs.String("listen", ":8080", "address")
	project := fs.String("project", os.Getenv("DEPOT_PROJECT"), "project")
	instance := fs.String("instance", os.Getenv("DEPOT_INSTANCE"), "instance")
	depots := fs.String("depots", "berlin,lyon", "depots, with commas")
	if err := fs.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	defer client.Close()

	s := &api.Server{
		Dock:      dock.New(client, log),
		Gate:      gate.NewOffice(client, gate.WithLogger(log)),
		Parcels:   parcel.New(client, log),
		Telemetry: telemetry.Open(client, log),
		Quotes:    quote.Open(client, log),
		Sessions:  mobile.NewSessions(client.Open(names.Sessions)),
		Inbox:     mobile.OpenInbox(client, log),
		Manifests: map[string]*manifest.Log{},
		Log:       log,
	}
	for d := range strings.SplitSeq(*depots, ",") {
		s.Manifests[d] = manifest.Open(client, d, log)
	}

	srv := &http.Server{Addr: *addr, Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second}
	g, ctx := seqx.NewGroup(ctx, 3)
	g.Go(func(context.Context) error {
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func(ctx context.Context) error {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return srv.Shutdown(ctx)
	})
	g.Go(func(ctx context.Context) error { return sweep(ctx, s.Dock, log) })
	<-ctx.Done()
	return g.Wait()
}

func sweep(ctx context.Context, d *dock.Service, log *slog.Logger) error {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			n, err := d.Sweep(ctx)
			log.InfoContext(ctx, "swept", "rows", n, "err", err)
		}
	}
}
