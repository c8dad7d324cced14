// Command riskd scores wallets.
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

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/fxlite"
	"wallet.example/platform/internal/risk"
)

// scorer is what the handler needs of the engine.
type scorer interface {
	Get(ctx context.Context, wallet string) (*risk.Score, error)
	GetMany(ctx context.Context, wallets []string) (map[string]*risk.Score, error)
	ObserveLogin(ctx context.Context, wallet, id string) error
}

var _ scorer = (*risk.Engine)(nil)

type handler struct {
	scorer scorer
	logger *slog.Logger
}

func (h *handler) score(w http.ResponseWriter, r *http.Request) {
	s, err := h.scorer.Get(r.Context(), r.PathValue("wallet"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	h.write(w, s)
}

func (h *handler) scores(w http.ResponseWriter, r *http.Request) {
	m, err := h.scorer.GetMany(r.Context(), r.URL.Query()["wallet"])
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	h.write(w, m)
}

func (h *handler) login(w http.ResponseWriter, r *http.Request) {
	if err := h.scorer.ObserveLogin(r.Context(), r.PathValue("wallet"), r.Header.Get("X-Request-Id")); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (h *handler) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		h.logger.Warn("write", slog.Any("err", err))
	}
}

func main() {
	addr := flag.String("addr", ":8082", "address to listen on")
	path := flag.String("config", "", "path of the configuration")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	logger := slog.Default()

	var (
		cfg    config.Config
		conn   *btx.Conn
		engine *risk.Engine
	)
	err := fxlite.Run(ctx, logger,
		fxlite.Module{Name: "config", Start: func(context.Context, *fxlite.Lifecycle) error {
			res, err := config.New(config.Params{Path: *path})
			cfg = res.Config
			return err
		}},
		fxlite.Module{Name: "bigtable", Start: func(ctx context.Context, lc *fxlite.Lifecycle) error {
			res, err := btx.New(ctx, btx.Params{Config: cfg.Bigtable})
			if err != nil {
				return err
			}
			conn = res.Conn
			lc.OnStop("bigtable", conn.Close)
			return nil
		}},
		fxlite.Module{Name: "risk", Start: func(ctx context.Context, _ *fxlite.Lifecycle) error {
			res, err := risk.New(risk.Params{Conn: conn, Clock: clock.System{}, Config: cfg.Risk})
			if err != nil {
				return err
			}
			engine = res.Engine
			return engine.Refresh(ctx, "w#")
		}},
		fxlite.Module{Name: "http", Start: func(_ context.Context, lc *fxlite.Lifecycle) error {
			h := &handler{scorer: engine, logger: logger}
			mux := http.NewServeMux()
			mux.HandleFunc("GET /scores/{wallet}", h.score)
			mux.HandleFunc("GET /scores", h.scores)
			mux.HandleFunc("POST /logins/{wallet}", h.login)
			srv := &http.Server{Addr: *addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
			lc.OnStop("http", srv.Shutdown)
			go func() {
				if err := srv.ListenAndServe(); err != nil {
					logger.Error("listen", slog.Any("err", err))
				}
			}()
			return nil
		}},
	)
	if err != nil {
		logger.Error("riskd", slog.Any("err", err))
		os.Exit(1)
	}
}
