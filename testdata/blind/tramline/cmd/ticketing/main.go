// Command ticketing runs the ticketing service.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"tramline.example/dal"
	"tramline.example/ticketing/app"
	web "tramline.example/ticketing/http"
	"tramline.example/ticketing/store"
)

func main() {
	var cfg dal.Config
	addr := flag.String("addr", ":8080", "address to listen on")
	flag.StringVar(&cfg.Project, "project", os.Getenv("PROJECT"), "project")
	flag.StringVar(&cfg.Instance, "instance", os.Getenv("INSTANCE"), "instance")
	flag.StringVar(&cfg.AppProfile, "profile", "ticketing", "app profile")
	flag.IntVar(&cfg.Retries, "retries", 3, "retries of a read")
	flag.DurationVar(&cfg.Backoff, "backoff", 50*time.Millisecond, "first wait between retries")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, cfg); err != nil && !errors.Is(err, http.ErrServerClosed) {
		slog.Error("ticketing", "err", err)
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
	holds := store.NewHoldStore(c, slog.Default())
	codes := store.NewCodeStore(c, store.WithNow(time.Now))
	svc := app.New(c, holds, codes, holds, slog.Default())
	return serve(ctx, addr, web.New(svc, holds))
}
