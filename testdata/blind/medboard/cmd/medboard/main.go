// Medboard serves a hospital's ward boards.
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

	"medboard.example/board/audit"
	"medboard.example/board/beds"
	"medboard.example/board/board"
	"medboard.example/board/btx"
	"medboard.example/board/calls"
	"medboard.example/board/clock"
	"medboard.example/board/devices"
	"medboard.example/board/schema"
	"medboard.example/board/state"
	"medboard.example/board/vitals"
)

func main() {
	addr := flag.String("addr", ":8080", "listen on this address")
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "wards", "instance")
	ward := flag.String("ward", "icu", "ward whose trail is written")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, log, *addr, *project, *instance, *ward); err != nil {
		log.Error("medboard", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log *slog.Logger, addr, project, instance, ward string) error {
	client, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer client.Close()
	clk := clock.System{}

	bedTable := btx.Meter(client.Open(schema.Beds))
	callTable := btx.Meter(client.Open(schema.Calls))
	stateTable := client.Open(schema.State)
	queue := calls.New(btx.NewCells(callTable), clk, calls.WithLogger(log))
	ward0 := calls.NewBoard(queue, callTable)
	sessions := devices.NewSessions(client.Open(schema.Devices), time.Now, clock.Random{})
	monitors := vitals.New(client.Open(schema.Vitals), clk, clock.NewLocal())

	srv := &board.Server{
		Beds:   beds.New(bedTable, clk, clock.Random{}),
		Calls:  queue,
		Trail:  audit.OpenTrail(client, ward, clock.NewLocal(), clk),
		States: state.New(btx.NewCells(stateTable), clk),
		Clock:  clk,
		Log:    log,
		Config: board.Config{DefaultHold: schema.HoldTTL, MaxHold: 4 * time.Hour, Timeout: 5 * time.Second},
	}
	if err := stateTable.Apply(ctx, "board", state.Seen(clk, "board", ward)); err != nil { // want ttlwrite/clock-in-zero[seen]
		log.Warn("not marked as seen", "err", err)
	}
	mut := bigtable.NewMutation()
	mut.Set(schema.Last, "addr", bigtable.Now(), []byte(addr)) // want ttlwrite/clock-in-zero
	mut.Set(schema.Last, "ward", 0, []byte(ward))              // ok ttlwrite/clock-in-zero
	if err := btx.Retry(ctx, 3, 100*time.Millisecond, func(ctx context.Context) error { return stateTable.Apply(ctx, "board", mut) }); err != nil {
		return err
	}
	row, err := stateTable.ReadRow(ctx, "board", bigtable.RowFilter(bigtable.FamilyFilter(schema.Last))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	log.Info("starting", "before", btx.Value(row, schema.Last, "addr"))

	go poll(ctx, log, ward0, sessions, monitors, ward)
	hs := &http.Server{Addr: addr, Handler: srv.Handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = hs.Shutdown(sctx)
	}()
	if err := hs.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func poll(ctx context.Context, log *slog.Logger, b *calls.Board, s *devices.Sessions, m *vitals.Store, ward string) {
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := b.Refresh(ctx, ward); err != nil {
			log.Warn("calls not refreshed", "err", err)
		}
		if active, err := s.ActiveShift(ctx, ward); err == nil {
			log.Info("devices", "active", len(active))
		}
		if rs, err := m.Since(ctx, ward, time.Hour); err == nil {
			log.Info("vitals", "readings", len(rs))
		}
	}
}
