// Command api serves the checkout.
package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/clock"
	"example.com/saga/config"
	"example.com/saga/httpapi"
	"example.com/saga/policy"
	"example.com/saga/saga"
	"example.com/saga/store"
	"example.com/saga/vo"
)

type sandbox struct{}

func (sandbox) Charge(_ context.Context, key vo.IdemKey, _ vo.Money) (string, error) {
	return "sandbox-" + string(key), nil
}
func (sandbox) Refund(context.Context, string) error { return nil }

func main() {
	if err := run(); err != nil {
		slog.Error("api", "err", err)
		os.Exit(1)
	}
}

func run() error {
	conf, err := config.FromEnv()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: conf.LogLevel})))
	client, err := bigtable.NewClient(ctx, conf.Project, conf.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	clk := clock.System{}
	env := &saga.Env{
		Clock:    clk,
		Carts:    store.NewCartRepo(client, clk),
		Stock:    store.NewStockRepo(client, clk, policy.For(conf.HoldFor)), // ok ttlwrite/write-time
		Orders:   store.NewOrderRepo(client, clk, conf.Env),
		Payments: store.NewPaymentRepo(client, clk),
		Coupons:  store.NewCouponRepo(client, clk),
		Quotes:   store.NewQuoteRepo(client, clk), // ok ttlwrite/write-time
		Outbox:   store.NewOutbox(client, clk),
		Journal:  saga.NewJournal(client, clk, conf.Env, saga.Keep(policy.For(2*time.Minute))), // ok ttlwrite/write-time
		Provider: sandbox{},
		Retry:    policy.Backoff{First: 20 * time.Millisecond, Tries: 6},
	}
	a := &httpapi.API{Env: env, Clock: clk, Sessions: httpapi.NewSessions(client, clk), Limiter: httpapi.NewLimiter(client, clk, 60), Stats: httpapi.NewStats()}
	srv := &http.Server{Addr: conf.Listen, Handler: a.Routes(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(c)
	}()
	slog.Info("listening", "addr", conf.Listen)
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
