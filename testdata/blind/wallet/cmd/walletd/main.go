// Command walletd serves wallets, sessions and rates.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"wallet.example/platform/internal/audit"
	"wallet.example/platform/internal/balance"
	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/fxlite"
	"wallet.example/platform/internal/fxrate"
	"wallet.example/platform/internal/report"
	"wallet.example/platform/internal/session"
)

// app is what the modules build, one after another.
type app struct {
	logger *slog.Logger
	cfg    config.Config
	clock  clock.Clock
	conn   *btx.Conn

	sessions *session.Store
	sandbox  *session.Sandbox
	wallets  balance.Repository
	board    *fxrate.Board
	audit    *audit.Store
	reports  *report.Reporter
}

func main() {
	if err := run(); err != nil {
		slog.Error("walletd", slog.Any("err", err))
		os.Exit(1)
	}
}

func run() error {
	path := flag.String("config", "", "path of the configuration")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	a := &app{logger: slog.New(slog.NewJSONHandler(os.Stderr, nil))}
	return fxlite.Run(ctx, a.logger,
		fxlite.Module{Name: "config", Start: func(context.Context, *fxlite.Lifecycle) error {
			res, err := config.New(config.Params{Path: *path})
			a.cfg = res.Config
			return err
		}},
		fxlite.Module{Name: "clock", Start: func(context.Context, *fxlite.Lifecycle) error {
			res, err := clock.New()
			a.clock = res.Clock
			return err
		}},
		fxlite.Module{Name: "bigtable", Start: func(ctx context.Context, lc *fxlite.Lifecycle) error {
			res, err := btx.New(ctx, btx.Params{Config: a.cfg.Bigtable})
			if err != nil {
				return err
			}
			a.conn = res.Conn
			lc.OnStop("bigtable", res.Conn.Close)
			return nil
		}},
		fxlite.Module{Name: "stores", Start: a.stores},
		fxlite.Module{Name: "canary", Start: a.canary},
	)
}

func (a *app) stores(context.Context, *fxlite.Lifecycle) error {
	sess, err := session.New(session.Params{Conn: a.conn, Clock: a.clock, Config: a.cfg.Session, Logger: a.logger})
	if err != nil {
		return err
	}
	a.sessions = sess.Store
	if a.sandbox, err = session.NewSandbox(session.SandboxParams{Conn: a.conn, Clock: a.clock}); err != nil {
		return err
	}
	bal, err := balance.New(balance.Params{Conn: a.conn, Clock: a.clock, Log: a.log})
	if err != nil {
		return err
	}
	a.wallets = bal.Repository
	rates, err := fxrate.New(fxrate.Params{Conn: a.conn, Clock: a.clock})
	if err != nil {
		return err
	}
	a.board = rates.Board
	aud, err := audit.New(audit.Params{Conn: a.conn, Clock: a.clock, Tables: a.cfg.Tables})
	if err != nil {
		return err
	}
	a.audit = aud.Store
	rep, err := report.New(report.Params{Conn: a.conn, Clock: a.clock})
	if err != nil {
		return err
	}
	a.reports = rep.Reporter
	return nil
}

func (a *app) log(op string, took time.Duration, err error) {
	a.logger.Info(op, slog.Duration("took", took), slog.Any("err", err))
}

// canary writes and reads a session, a balance and a rate.
func (a *app) canary(ctx context.Context, _ *fxlite.Lifecycle) error {
	err := errors.Join(
		a.sessions.PutCanary(ctx),
		a.sessions.Put(ctx, "canary", "walletd", "started", nil, session.At(btx.Stamp(a.clock))),                   // want ttlwrite/write-time
		a.sessions.Put(ctx, "canary", "walletd", "lease", nil, session.At(btx.ExpiresIn(a.clock, 90*time.Second))), // ok ttlwrite/write-time
		a.wallets.SetBalance(ctx, "canary", 1),
		a.audit.Log(ctx, "walletd", "start"), // ok ttlwrite/write-time
	)
	if err != nil {
		return err
	}
	ok, err := a.sessions.Health(ctx)
	if err != nil {
		return err
	}
	if !ok {
		a.logger.Warn("canary session is not there")
	}
	return nil
}
