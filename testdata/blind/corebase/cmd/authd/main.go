// Command authd is the session service.
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

	"example.com/corebase/cmd/authd/auth"
	"example.com/corebase/pkg/btstore"
)

func main() {
	var (
		addr     = flag.String("addr", ":8080", "where to listen")
		project  = flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
		instance = flag.String("instance", "auth", "instance")
		setup    = flag.Bool("setup", false, "create tables and families and exit")
	)
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log, *addr, *project, *instance, *setup); err != nil {
		log.Error("authd", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log *slog.Logger, addr, project, instance string, setup bool) error {
	store, err := btstore.Dial(ctx, project, instance, nil, btstore.WithLogger(log))
	if err != nil {
		return err
	}
	defer store.Close()
	if setup {
		return auth.Setup(ctx, store)
	}
	srv := &http.Server{
		Addr:              addr,
		Handler:           newServer(auth.NewService(store, log), auth.NewChallenges(store.Client()), log),
		ReadHeaderTimeout: 5 * time.Second,
	}
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(sctx)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
