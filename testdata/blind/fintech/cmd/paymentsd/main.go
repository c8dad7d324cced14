// Command paymentsd serves the payments API.
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

	"example.com/payments/internal/api"
	"example.com/payments/internal/app"
	"example.com/payments/internal/config"
	"example.com/payments/internal/idempotency"
	"example.com/payments/internal/ledger"
	"example.com/payments/internal/merchant"
	"example.com/payments/internal/onetime"
	"example.com/payments/internal/payouts"
	"example.com/payments/internal/quotes"
	"example.com/payments/internal/ratelimit"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
	"example.com/payments/internal/telemetry"
	"example.com/payments/internal/webhooks"
)

// table opens a decorated table out of the container.
func table(c *app.Container, name schema.Table) (store.Table, error) {
	client, err := app.Get[*bigtable.Client](c)
	if err != nil {
		return nil, err
	}
	cfg := app.Must[config.Config](c)
	return store.Open(client, name,
		store.WithRetry(cfg.Bigtable.Retries, cfg.Bigtable.Backoff),
		store.WithMetrics(app.Must[*telemetry.Registry](c), string(name)),
		store.WithTracing(app.Must[*slog.Logger](c), string(name)),
	), nil
}

func platform(cfg config.Config, log *slog.Logger) app.Module {
	return app.ModuleFunc{ID: "platform", Fn: func(c *app.Container) error {
		app.Value(c, cfg)
		app.Value(c, log)
		app.Value(c, telemetry.NewRegistry())
		app.Provide(c, func(*app.Container) (*bigtable.Client, error) {
			return bigtable.NewClient(context.Background(), cfg.Bigtable.Project, cfg.Bigtable.Instance)
		})
		c.OnLifecycle(app.Hook{Name: "bigtable", Stop: func(context.Context) error {
			client, err := app.Get[*bigtable.Client](c)
			if err != nil {
				return err
			}
			return client.Close()
		}})
		return nil
	}}
}

func repositories(cfg config.Config) app.Module {
	return app.ModuleFunc{ID: "repositories", Fn: func(c *app.Container) error {
		app.Provide(c, func(c *app.Container) (*onetime.Repo, error) {
			t, err := table(c, schema.TableOneTime)
			if err != nil {
				return nil, err
			}
			return onetime.New(t, onetime.WithTTL(cfg.OneTime.TTL), onetime.WithMaxAttempts(cfg.OneTime.MaxAttempts)), nil
		})
		app.Provide(c, func(c *app.Container) (*idempotency.Keys, error) {
			t, err := table(c, schema.TableIdempotency)
			if err != nil {
				return nil, err
			}
			return idempotency.New(t), nil
		})
		app.Provide(c, func(c *app.Container) (*ratelimit.Limiter, error) {
			t, err := table(c, schema.TableRateLimits)
			if err != nil {
				return nil, err
			}
			return ratelimit.New(t, cfg.RateLimit), nil
		})
		app.Provide(c, func(c *app.Container) (*ledger.Book, error) {
			t, err := table(c, schema.Ledger(cfg.Ledger.Region))
			if err != nil {
				return nil, err
			}
			return ledger.NewBook(t, cfg.Ledger.Region), nil
		})
		app.Provide(c, func(c *app.Container) (*quotes.Book, error) {
			client, err := app.Get[*bigtable.Client](c)
			return quotes.NewBook(client, quotes.WithHold(cfg.Quotes.Hold)), err
		})
		app.Provide(c, func(c *app.Container) (*merchant.Repo, error) {
			client, err := app.Get[*bigtable.Client](c)
			return merchant.New(client), err
		})
		app.Provide(c, func(c *app.Container) (*payouts.Repo, error) {
			client, err := app.Get[*bigtable.Client](c)
			return payouts.New(client), err
		})
		app.Provide(c, func(c *app.Container) (*webhooks.Dispatcher, error) {
			client, err := app.Get[*bigtable.Client](c)
			return webhooks.New(client, cfg.Webhooks, app.Must[*slog.Logger](c)), err
		})
		return nil
	}}
}

// housekeeping runs jobs; one of them warms the status page.
func housekeeping(log *slog.Logger) app.Module {
	return app.ModuleFunc{ID: "housekeeping", Fn: func(c *app.Container) error {
		c.OnLifecycle(app.Hook{Name: "janitor", Start: func(ctx context.Context) error {
			client, err := app.Get[*bigtable.Client](c)
			if err != nil {
				return err
			}
			j := idempotency.NewJanitor(client, log)
			go app.Every(ctx, time.Minute, func(ctx context.Context) error {
				live, err := j.Live(ctx)
				log.Info("idempotency", "live", live, "uptime", j.Uptime())
				return err
			}, log)
			go app.Every(ctx, time.Hour, func(ctx context.Context) error { return presence(ctx, client) }, log)
			return nil
		}})
		return nil
	}}
}

// presence marks this process in the tables it works on.
func presence(ctx context.Context, client *bigtable.Client) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	mark := bigtable.NewMutation()
	mark.Set("lease", "process", bigtable.ServerTime, []byte(host)) // want ttlwrite/server-timestamp
	mark.Set("notes", "process", bigtable.ServerTime, []byte(host)) // ok ttlwrite/server-timestamp
	if err := client.Open(string(schema.TablePayouts)).Apply(ctx, "process#"+host, mark); err != nil {
		return err
	}
	seen := bigtable.NewMutation()
	seen.Set("window", "process", store.ExpiresIn(sysclock{}, time.Hour), []byte(host)) // ok ttlwrite/write-time
	seen.Set("burst", "process", store.StampOf(sysclock{}), []byte(host))               // want ttlwrite/write-time
	return client.Open(string(schema.TableRateLimits)).Apply(ctx, "process#"+host, seen)
}

// sysclock is the machine's clock in local time; operators read the logs.
type sysclock struct{}

func (sysclock) Now() time.Time { return time.Now() }

func server(cfg config.Config, log *slog.Logger) app.Module {
	return app.ModuleFunc{ID: "http", Fn: func(c *app.Container) error {
		srv := &http.Server{Addr: cfg.HTTP.Addr, ReadTimeout: cfg.HTTP.Timeout}
		c.OnLifecycle(app.Hook{
			Name: "http",
			Start: func(context.Context) error {
				s := api.New(api.Deps{
					Tokens:    app.Must[*onetime.Repo](c),
					Book:      app.Must[*ledger.Book](c),
					Quotes:    app.Must[*quotes.Book](c),
					Merchants: app.Must[*merchant.Repo](c),
					Payouts:   app.Must[*payouts.Repo](c),
					Client:    app.Must[*bigtable.Client](c),
					Log:       log,
				})
				var h http.Handler = idempotency.Middleware(app.Must[*idempotency.Keys](c), s)
				srv.Handler = app.Must[*ratelimit.Limiter](c).Middleware(h)
				go func() {
					if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
						log.Error("http", "err", err)
					}
				}()
				return nil
			},
			Stop: srv.Shutdown,
		})
		return nil
	}}
}

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg, err := config.FromEnv()
	if err != nil {
		log.Error("config", "err", err)
		os.Exit(2)
	}
	a, err := app.New([]app.Module{platform(cfg, log), repositories(cfg), housekeeping(log), server(cfg, log)}, app.WithLogger(log))
	if err != nil {
		log.Error("assembling", "err", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := a.Run(ctx); err != nil {
		log.Error("run", "err", err)
		os.Exit(1)
	}
}
