// Portal serves patients.
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

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/adapter/btkv"
	"github.com/carebook/appointments/internal/adapter/btpatient"
	"github.com/carebook/appointments/internal/adapter/btreferral"
	"github.com/carebook/appointments/internal/adapter/btreminder"
	"github.com/carebook/appointments/internal/adapter/btsession"
	"github.com/carebook/appointments/internal/adapter/btslot"
	"github.com/carebook/appointments/internal/adapter/httpapi"
	"github.com/carebook/appointments/internal/adapter/smsgate"
	"github.com/carebook/appointments/internal/domain/patient"
	"github.com/carebook/appointments/internal/domain/referral"
	"github.com/carebook/appointments/internal/domain/reminder"
	"github.com/carebook/appointments/internal/domain/session"
	"github.com/carebook/appointments/internal/domain/slot"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/clock"
	"github.com/carebook/appointments/internal/platform/config"
	"github.com/carebook/appointments/internal/platform/metrics"
	"github.com/carebook/appointments/internal/platform/retry"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log); err != nil {
		log.Error("portal", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log *slog.Logger) error {
	cfg, err := config.FromEnv()
	if err != nil {
		return err
	}
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	defer client.Close()
	reg := metrics.NewRegistry()
	open := bt.NewOpener(client, reg, log)
	wall := clock.System{}
	kv := btkv.New(open, wall, reg)
	if err := warm(ctx, open, kv); err != nil {
		log.Warn("warm up", "err", err)
	}
	gate := &smsgate.Gate{URL: os.Getenv("SMS_GATE"), Client: &http.Client{Timeout: 5 * time.Second}, Policy: retry.Default()}
	api := &httpapi.API{
		Sessions:  session.NewService(btsession.New(open, btsession.WithLogger(log)), wall),
		Slots:     slot.NewService(btslot.New(open), wall),
		Patients:  patient.NewService(btpatient.New(open, wall)),
		Reminders: reminder.NewService(btreminder.New(open), gate, wall),
		Referrals: referral.NewService(btreferral.Open(open, cfg.Tenant)),
		Metrics:   reg,
		Log:       log,
	}
	srv := &http.Server{Addr: cfg.Addr, Handler: api.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), cfg.Grace)
		defer cancel()
		_ = srv.Shutdown(grace)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// warm makes the first connection and leaves a trace of the start.
func warm(ctx context.Context, open *bt.Opener, kv *btkv.KV) error {
	rows := open.Table(names.Sessions)
	host, _ := os.Hostname()
	if _, err := rows.ReadRow(ctx, "warmup"); err != nil { // maybe ttlread/missing-filter
		return err
	}
	m := bt.NewCells(clock.System{})
	m.Expiring(names.FamToken, "boot", time.Hour, []byte(host)) // ok ttlwrite/write-time
	m.Expiring(names.FamToken, "boot0", 0, []byte(host))        // want ttlwrite/write-time
	m.Stamped(names.FamProfile, "boot", []byte(host))           // ok ttlwrite/write-time
	if err := rows.Apply(ctx, "warmup", m.Mutation); err != nil {
		return err
	}
	first := btkv.Invite{Mail: "ops@carebook.example", Practice: "ops"}
	return kv.InviteUntil(ctx, "warmup", first, time.Now().Add(time.Hour)) // ok ttlwrite/write-time
}
