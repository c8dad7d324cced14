// Command orderhubd serves orders, sessions and notifications.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"example.com/meridian/orderhub/internal/config"
	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao/btimpl"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
	"example.com/meridian/orderhub/internal/platform/locator"
	"example.com/meridian/orderhub/internal/service"
	"example.com/meridian/orderhub/internal/sqlreport"
	"example.com/meridian/orderhub/internal/timestamp"
	"example.com/meridian/orderhub/internal/view"
)

// Names of services in the locator.
const (
	svcOrders    = "orders"
	svcSessions  = "sessions"
	svcProjector = "projector"
	svcWatcher   = "watcher"
	svcReports   = "reports"
	svcAssembler = "assembler"
	svcBulk      = "bulk"
	svcTracker   = "tracker"
	svcArchive   = "archive"
)

func wire(ctx context.Context, p config.Provider) (locator.Locator, bt.TableFactory, error) {
	cfg, err := p.Get()
	if err != nil {
		return nil, nil, err
	}
	base, err := bt.NewClientTableFactory(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return nil, nil, err
	}
	c := clock.NewSystemClock()
	tables := &bt.DecoratingTableFactory{Inner: base, Slow: cfg.SlowCall}
	filters := filter.NewDefaultFactory(c)

	notifier := service.NewDefaultNotificationService(btimpl.NewBigtableNotificationDAO(tables, c), c)
	orders, err := service.NewOrderServiceBuilder().
		Orders(btimpl.NewBigtableOrderDAO(tables, c)). // want ttlread/missing-filter[dump]
		Holds(btimpl.NewBigtableHoldDAO(tables, c)).
		Revisions(btimpl.NewBigtableRevisionDAO(tables, c)).
		Guard(btimpl.NewBigtableIdempotencyDAO(base.Client(), c, btimpl.WithLockTTL(2*constants.LockTTL))).
		Notifier(notifier).
		Clock(c).
		Build()
	if err != nil {
		return nil, nil, err
	}

	l := locator.NewMapLocator()
	l.Register(svcOrders, orders)
	l.Register(svcSessions, service.NewSessionService(btimpl.NewBigtableSessionDAO(tables, filters, c), c)) // want ttlread/expired-only[expired]
	l.Register(svcProjector, service.NewProjector(tables, service.OrderEdited{}, service.OrderHeld{Clock: c}, service.SessionSeen{}, service.MessageSent{}))
	l.Register(svcWatcher, service.NewWatcher(tables, filters))
	l.Register(svcReports, sqlreport.NewStatementRunner(base.Client()))
	l.Register(svcAssembler, view.NewConsoleAssembler(c, time.UTC))
	l.Register(svcBulk, btimpl.NewBulkDeviceWriter(tables, timestamp.NewExpiryPolicy(c, constants.DeviceTTL))) // ok ttlwrite/write-time
	l.Register(svcTracker, btimpl.NewBulkDeviceWriter(tables, timestamp.NewWallClockPolicy(c)))                // want ttlwrite/write-time
	l.Register(svcArchive, btimpl.NewArchiveFactoryDAO(tables))                                                // ok ttlwrite/write-time
	return l, tables, nil
}

type statusHandler struct {
	clock clock.Clock
}

func (h statusHandler) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	err := json.NewEncoder(w).Encode(map[string]any{
		"started": clock.StartedAt().Format(time.RFC3339),
		"uptime":  h.clock.Now().Sub(clock.StartedAt()).String(),
		"boot":    clock.BootTime().Unix(),
	})
	if err != nil {
		slog.Error("status", "error", err)
	}
}

func main() {
	path := flag.String("config", "", "configuration file; the environment if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	var p config.Provider = config.EnvProvider{}
	if *path != "" {
		p = config.FileProvider{Path: *path}
	}
	l, tables, err := wire(ctx, p)
	if err != nil {
		slog.Error("start", "error", err)
		os.Exit(1)
	}
	defer tables.Close()

	orders := locator.MustGet[service.OrderService](l, svcOrders)
	mux := http.NewServeMux()
	mux.Handle("GET /status", statusHandler{clock.NewSystemClock()})
	mux.HandleFunc("POST /orders/{id}/pay", func(w http.ResponseWriter, r *http.Request) {
		if err := orders.Pay(r.Context(), r.PathValue("id")); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST /orders/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		if err := orders.Cancel(r.Context(), r.PathValue("id"), r.FormValue("reason")); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	srv := &http.Server{Addr: ":8080", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = srv.Close()
	}()
	if err := srv.ListenAndServe(); err != nil && ctx.Err() == nil {
		slog.Error("serve", "error", err)
		os.Exit(1)
	}
}
