// Command api serves the product's API.
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

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/feature"
	api "haulr.dev/backend/internal/http"
	"haulr.dev/backend/internal/service"
	"haulr.dev/backend/internal/store"
)

func main() {
	var (
		project  = flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "Google Cloud project")
		instance = flag.String("instance", "prod", "Bigtable instance")
		region   = flag.String("region", "eu", "region of the rate limits")
		market   = flag.String("market", "de", "market of the quotes")
		addr     = flag.String("addr", ":8080", "address to listen on")
	)
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log, *project, *instance, *region, *market, *addr); err != nil {
		log.Error("api", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log *slog.Logger, project, instance, region, market, addr string) error {
	client, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer client.Close()
	clk := clock.System{}
	stores := store.New(client, region, market, clk)
	flags := feature.New(stores.Flags, log)
	if err := flags.Refresh(ctx); err != nil {
		return err
	}
	go flags.Run(ctx, 15*time.Second)
	send := func(ctx context.Context, ch store.Channel, user, code string) error {
		log.Info("code", "channel", ch, "user", user)
		return nil
	}
	srv := &http.Server{
		Addr: addr,
		Handler: (&api.Server{
			Auth:     service.NewAuth(stores, clk, log, send),
			Chat:     service.NewChat(stores.Inbox, stores.Events, clk),
			Receipts: service.NewReceipts(client, clk),
			Dispatch: service.NewDispatch(stores, log),
			Stores:   stores,
			Flags:    flags,
			Limiter:  stores.Rates,
			Idem:     stores.Idem,
			Log:      log,
		}).Handler(),
		ReadHeaderTimeout: 5 * time.Second,
	}
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(c)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
