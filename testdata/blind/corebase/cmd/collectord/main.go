// Command collectord is the analytics collector.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"example.com/corebase/cmd/collectord/collect"
	"example.com/corebase/pkg/btstore"
)

type config struct {
	Addr     string
	Project  string
	Instance string
	Tenants  []string
	Workers  int
	Setup    bool
}

func parse(args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("collectord", flag.ContinueOnError)
	fs.StringVar(&c.Addr, "addr", ":8081", "where to listen")
	fs.StringVar(&c.Project, "project", "", "project")
	fs.StringVar(&c.Instance, "instance", "analytics", "instance")
	fs.IntVar(&c.Workers, "workers", 8, "writers of each tenant")
	fs.BoolVar(&c.Setup, "setup", false, "create tables and exit")
	tenants := fs.String("tenants", "acme", "tenants, with commas")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.Tenants = strings.FieldsFunc(*tenants, func(r rune) bool { return r == ',' })
	return c, nil
}

func main() {
	cfg, err := parse(os.Args[1:])
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, cfg); err != nil {
		slog.Error("collectord", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cfg config) error {
	store, err := btstore.Dial(ctx, cfg.Project, cfg.Instance, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	if cfg.Setup {
		return collect.Setup(ctx, store, cfg.Tenants)
	}
	collectors := map[string]*collect.Collector{}
	for _, t := range cfg.Tenants {
		c := collect.New(store, t, slog.Default())
		collectors[t] = c
		go func() {
			if err := c.Run(ctx, cfg.Workers); err != nil {
				slog.Error("run", "tenant", t, "err", err)
			}
		}()
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{tenant}/events", func(w http.ResponseWriter, r *http.Request) {
		c, ok := collectors[r.PathValue("tenant")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		var e collect.Event
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e.Tenant = r.PathValue("tenant")
		if e.At.IsZero() {
			e.At = time.Now()
		}
		if err := c.Take(r.Context(), e); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("GET /{tenant}/stats", func(w http.ResponseWriter, r *http.Request) {
		if c, ok := collectors[r.PathValue("tenant")]; ok {
			_, _ = w.Write([]byte(c.Stats()))
		}
	})
	srv := &http.Server{Addr: cfg.Addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { <-ctx.Done(); _ = srv.Close() }()
	return srv.ListenAndServe()
}
