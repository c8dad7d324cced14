// Command fleet runs the fleet service.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"tramline.example/dal"
	"tramline.example/fleet"
	"tramline.example/fleet/app"
	"tramline.example/fleet/store"
)

func main() {
	var cfg dal.Config
	addr := flag.String("addr", ":8080", "address to listen on")
	flag.StringVar(&cfg.Project, "project", os.Getenv("PROJECT"), "project")
	flag.StringVar(&cfg.Instance, "instance", os.Getenv("INSTANCE"), "instance")
	flag.StringVar(&cfg.AppProfile, "profile", "fleet", "app profile")
	flag.IntVar(&cfg.Retries, "retries", 3, "retries of a read")
	flag.DurationVar(&cfg.Backoff, "backoff", 50*time.Millisecond, "first wait between retries")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, cfg); err != nil && !errors.Is(err, http.ErrServerClosed) {
		slog.Error("fleet", "err", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, addr string, h http.Handler) error {
	srv := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		srv.Shutdown(sctx)
	}()
	return srv.ListenAndServe()
}

func run(ctx context.Context, addr string, cfg dal.Config) error {
	c, err := dal.Dial(ctx, cfg, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	in := app.NewIngest(c.Raw(), c.Clock(), "north")
	go in.Run(ctx)
	dog := app.NewWatchdog(c.Positions(), c.Clock(), 10*time.Minute, func(v string, d time.Duration) {
		slog.Warn("silent", "vehicle", v, "for", d)
	})
	go every(ctx, time.Minute, func() error { return dog.Sweep(ctx, "") })
	mux := http.NewServeMux()
	mux.HandleFunc("POST /telegrams", func(w http.ResponseWriter, r *http.Request) {
		var t fleet.Telegram
		if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := errors.Join(in.Accept(r.Context(), t), in.State(r.Context(), t)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	j := store.NewJournal(c, "north", store.NewCounter())
	mux.HandleFunc("POST /journal/{vehicle}", func(w http.ResponseWriter, r *http.Request) {
		var e fleet.Entry
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := j.Append(r.Context(), r.PathValue("vehicle"), e); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	return serve(ctx, addr, mux)
}

func every(ctx context.Context, d time.Duration, f func() error) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := f(); err != nil {
				slog.Error("every", "err", err)
			}
		}
	}
}
