// Command seatingd serves seats, flights and commerce; they were three
// deployments once.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"skyward.example/dal/bt"
	"skyward.example/dal/clock"
	"skyward.example/ops/commerce"
	"skyward.example/ops/flightops"
	"skyward.example/ops/seating"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "seatingd:", err)
		os.Exit(1)
	}
}

func run() error {
	addr := flag.String("addr", ":8080", "listen address")
	grace := flag.Duration("grace", 10*time.Second, "shutdown grace")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := bt.FromEnv()
	if err != nil {
		return err
	}
	c, err := bt.Dial(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer c.Close()
	ops := flightops.New(c, clock.System{}, log)
	desk := commerce.NewDesk(c, log)
	mux := http.NewServeMux()
	mux.Handle("/seating/", http.StripPrefix("/seating", seating.NewServer(seating.NewStore(c, clock.System{}, log))))
	mux.HandleFunc("GET /flights/{flight}/gate", ops.ServeGate)
	mux.HandleFunc("GET /bags/{tag}", desk.ServeTrace)
	mux.HandleFunc("GET /quotes/{key}", desk.ServeQuote)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, c.Stats().Line()) })
	srv := &http.Server{Addr: *addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan error, 1)
	go func() { done <- srv.ListenAndServe() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	sctx, cancel := context.WithTimeout(context.Background(), *grace)
	defer cancel()
	return srv.Shutdown(sctx)
}
