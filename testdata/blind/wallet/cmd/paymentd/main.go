// Command paymentd settles payments, keeps the ledger and tells merchants.
package main

import (
	"context"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/fxlite"
	"wallet.example/platform/internal/ledger"
	"wallet.example/platform/internal/payment"
	"wallet.example/platform/internal/webhook"
)

type app struct {
	logger *slog.Logger
	cfg    config.Config
	clock  clock.Clock
	conn   *btx.Conn

	payments *payment.Store
	worker   *payment.Worker
	keys     *payment.Keys
	books    *ledger.Store
	importer *ledger.Importer
	sender   *webhook.Sender
}

// untilMidnight keeps attempts until the end of the day.
type untilMidnight struct{ clock clock.Clock }

// Expiry implements the sender's expirer.
func (u untilMidnight) Expiry() bigtable.Timestamp {
	return bigtable.Time(u.clock.Now().Truncate(24 * time.Hour).Add(24 * time.Hour))
}

func main() {
	path := flag.String("config", "", "path of the configuration")
	books := flag.String("import", "", "export of the old system, to import at the start")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := &app{logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), clock: clock.System{}}
	modules := []fxlite.Module{
		{Name: "config", Start: func(context.Context, *fxlite.Lifecycle) error {
			res, err := config.New(config.Params{Path: *path})
			a.cfg = res.Config
			return err
		}},
		{Name: "bigtable", Start: func(ctx context.Context, lc *fxlite.Lifecycle) error {
			res, err := btx.New(ctx, btx.Params{Config: a.cfg.Bigtable})
			if err != nil {
				return err
			}
			a.conn = res.Conn
			lc.OnStop("bigtable", res.Conn.Close)
			return nil
		}},
		{Name: "payment", Start: a.startPayment},
		{Name: "ledger", Start: a.startLedger},
		{Name: "webhook", Start: a.startWebhook},
		{Name: "import", Start: func(ctx context.Context, _ *fxlite.Lifecycle) error {
			if *books == "" {
				return nil
			}
			return a.importBooks(ctx, *books)
		}},
	}
	if err := fxlite.Run(ctx, a.logger, modules...); err != nil {
		a.logger.Error("paymentd", slog.Any("err", err))
		os.Exit(1)
	}
}

func (a *app) startPayment(context.Context, *fxlite.Lifecycle) error {
	res, err := payment.New(payment.Params{Conn: a.conn, Clock: a.clock, Config: a.cfg.Payment, Tables: a.cfg.Tables})
	if err != nil {
		return err
	}
	a.payments, a.worker = res.Store, res.Worker
	a.keys = payment.NewKeys(res.Store, map[string]time.Duration{"pos": time.Hour, "batch": 7 * 24 * time.Hour})
	return nil
}

func (a *app) startLedger(context.Context, *fxlite.Lifecycle) error {
	res, err := ledger.New(ledger.Params{Conn: a.conn, Clock: a.clock, Config: a.cfg.Ledger})
	if err != nil {
		return err
	}
	a.books, a.importer = res.Store, res.Importer
	return nil
}

func (a *app) startWebhook(ctx context.Context, lc *fxlite.Lifecycle) error {
	res, err := webhook.New(
		webhook.Params{Conn: a.conn, Clock: a.clock, Config: a.cfg.Webhook, HTTP: http.DefaultClient},
		webhook.WithParallel(4),
		webhook.WithExpiry(untilMidnight{clock: a.clock}), // ok ttlwrite/write-time
	)
	if err != nil {
		return err
	}
	a.sender = res.Sender
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.pump(ctx) })
	lc.OnStop("webhook", func(context.Context) error {
		cancel()
		return g.Wait()
	})
	return nil
}

// pump sends what is queued, every so often.
func (a *app) pump(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			events, err := a.sender.QueueLive(ctx, a.cfg.Webhook.Endpoint, 100)
			if err != nil {
				a.logger.Warn("queue", slog.Any("err", err))
				continue
			}
			if err := a.sender.Send(ctx, events); err != nil {
				a.logger.Warn("send", slog.Any("err", err))
			}
		}
	}
}

// wallClock numbers entries by the clock, for books without numbers.
type wallClock struct{ clock clock.Clock }

// Stamp implements ledger.Stamper.
func (w wallClock) Stamp(int64) bigtable.Timestamp {
	return bigtable.Time(w.clock.Now()) // want ttlwrite/clock-in-sequence[wallclock]
}

func (a *app) importBooks(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	records, err := ledger.Parse(f)
	if err != nil {
		return err
	}
	numbered, rest := records[:0:0], records[:0:0]
	for _, rec := range records {
		if rec.Number > 0 {
			numbered = append(numbered, rec)
		} else {
			rest = append(rest, rec)
		}
	}
	if _, err := a.importer.Import(ctx, numbered, ledger.WithSize(500)); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	_, err = a.importer.Import(ctx, rest, ledger.WithStamper(wallClock{clock: a.clock})) // want ttlwrite/clock-in-sequence[wallclock]
	return err
}
