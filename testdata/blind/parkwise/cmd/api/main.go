// Command api serves the HTTP API.
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
	"golang.org/x/sync/errgroup"

	"github.com/parkwise/parkwise/internal/api"
	"github.com/parkwise/parkwise/internal/audit"
	"github.com/parkwise/parkwise/internal/audit/auditstore"
	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/charging/chargingstore"
	"github.com/parkwise/parkwise/internal/config"
	"github.com/parkwise/parkwise/internal/counter"
	"github.com/parkwise/parkwise/internal/counter/counterstore"
	"github.com/parkwise/parkwise/internal/device"
	"github.com/parkwise/parkwise/internal/device/devicestore"
	"github.com/parkwise/parkwise/internal/httpx"
	"github.com/parkwise/parkwise/internal/idem"
	"github.com/parkwise/parkwise/internal/idem/idemstore"
	"github.com/parkwise/parkwise/internal/otp"
	"github.com/parkwise/parkwise/internal/otp/otpstore"
	"github.com/parkwise/parkwise/internal/presence"
	"github.com/parkwise/parkwise/internal/reservation"
	"github.com/parkwise/parkwise/internal/reservation/reservationstore"
	"github.com/parkwise/parkwise/internal/rpc"
	"github.com/parkwise/parkwise/internal/session"
	"github.com/parkwise/parkwise/internal/session/sessionstore"
	"github.com/parkwise/parkwise/internal/tariff"
	"github.com/parkwise/parkwise/internal/tariff/tariffstore"
)

type smsLog struct{ log *slog.Logger }

func (s smsLog) Send(ctx context.Context, phone, _ string) error {
	s.log.InfoContext(ctx, "code sent", "phone", phone[:min(4, len(phone))])
	return nil
}

func main() {
	if err := run(); err != nil {
		slog.Error("api", "err", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()

	auditStore := auditstore.New(client)
	recorder := audit.NewRecorder(auditStore, log)
	chg := chargingstore.New(client.Open(bt.TableCharging), log) // want ttlread/hides-other-families[quick]
	counters := counterstore.New(client)
	services := api.Services{
		OTP: otp.New(otpstore.New(client), smsLog{log}, // want ttlwrite/write-time[voice] ttlwrite/write-time[otp]
			otp.WithLifetime(cfg.Auth.OTPLifetime), otp.WithMaxAttempts(cfg.Auth.MaxAttempts), otp.WithLogger(log)),
		Sessions: session.NewManager(sessionstore.New(client, sessionstore.WithLifetime(cfg.Auth.SessionLifetime)),
			cfg.Auth.SessionLifetime, session.WithLogger(log)),
		Reservations: reservation.New(reservationstore.New(client, log), recorder, cfg.Holds.Lifetime, cfg.Holds.Grace, log), // want ttlwrite/write-time[walkin]
		Charging:     charging.New(chg, chg, cfg.Charging.BatchSize, log),
		Tariffs:      tariff.New(tariffstore.New(client)),
		Devices:      device.New(devicestore.New(client, cfg.Region), 15*time.Minute, log),
		Audit:        auditStore,
		Presence:     presence.New(client.Open(bt.TableAuth), "app"), // want ttlwrite/server-timestamp[presence]
	}
	rt := httpx.NewRouter(log)
	api.Routes(rt, services, log,
		counter.Limit(counters, cfg.Limits.PerMinute, log),
		idem.Middleware(idemstore.New(client), idem.Logger(log)),
	)

	gates := rpc.NewServer(rpc.NewTickets(client.Open(bt.TableReservations), bt.FamHold), cfg.Holds.Grace, log) // want ttlwrite/write-time[exit]
	_ = rpc.Chain(func(ctx context.Context, req any) (any, error) {
		r, ok := req.(*rpc.OpenRequest)
		if !ok {
			return nil, errors.New("api: unknown request")
		}
		return gates.Open(ctx, r)
	})

	srv := &http.Server{Addr: cfg.Addr, Handler: rt, ReadHeaderTimeout: 5 * time.Second}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		log.Info("listening", "addr", cfg.Addr)
		if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return srv.Shutdown(sctx)
	})
	return g.Wait()
}
