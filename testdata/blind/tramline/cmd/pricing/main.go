// Command pricing runs the pricing service.
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
	"strconv"
	"time"

	"tramline.example/dal"
	"tramline.example/pricing/app"
	"tramline.example/pricing/store"
)

func main() {
	var cfg dal.Config
	addr := flag.String("addr", ":8080", "address to listen on")
	flag.StringVar(&cfg.Project, "project", os.Getenv("PROJECT"), "project")
	flag.StringVar(&cfg.Instance, "instance", os.Getenv("INSTANCE"), "instance")
	flag.StringVar(&cfg.AppProfile, "profile", "pricing", "app profile")
	flag.IntVar(&cfg.Retries, "retries", 3, "retries of a read")
	flag.DurationVar(&cfg.Backoff, "backoff", 50*time.Millisecond, "first wait between retries")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, cfg); err != nil && !errors.Is(err, http.ErrServerClosed) {
		slog.Error("pricing", "err", err)
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
	svc := app.New(store.NewTariffs(c), store.NewQuotes(c), c.Clock())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /quote/{zone}/{kind}", func(w http.ResponseWriter, r *http.Request) {
		km, err := strconv.ParseFloat(r.FormValue("km"), 64)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		q, err := svc.Ask(r.Context(), r.PathValue("zone"), r.PathValue("kind"), km)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(q)
	})
	return serve(ctx, addr, mux)
}
