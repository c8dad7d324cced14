// Command lumend serves alerts and dashboards.
package main

import (
	"context"
	"encoding/json"
	"log"
	"log/slog"
	"net/http"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/alert"
	"example.com/lumen/internal/config"
	"example.com/lumen/internal/dash"
	"example.com/lumen/internal/qcache"
	"example.com/lumen/internal/trace"
)

func reply(w http.ResponseWriter, v any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		slog.Warn("reply", "err", err)
	}
}

func main() {
	cfg, err := config.Load()
	if err != nil {
		log.Fatal(err)
	}
	c, err := bigtable.NewClient(context.Background(), cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	alerts := alert.New(c, slog.Default())
	boards := dash.Open(c)
	spans := trace.New(c, trace.NewRetention(cfg.TenantRetention))
	traces := qcache.New[[]trace.Span](c, qcache.Options{TTL: cfg.CacheTTL, Prefix: "tr/"})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /alerts/{tenant}", func(w http.ResponseWriter, r *http.Request) {
		v, err := alerts.Views(r.Context(), r.PathValue("tenant"))
		reply(w, v, err)
	})
	mux.HandleFunc("GET /boards/{id}", func(w http.ResponseWriter, r *http.Request) {
		d, err := boards.Latest(r.Context(), r.PathValue("id"))
		reply(w, d, err)
	})
	mux.HandleFunc("GET /traces/{tenant}/{id}", func(w http.ResponseWriter, r *http.Request) {
		key := traces.Key(r.PathValue("tenant"), r.PathValue("id"))
		v, ok, err := traces.Get(r.Context(), key)
		if !ok && err == nil {
			if v, err = spans.TraceKept(r.Context(), r.PathValue("tenant"), r.PathValue("id")); err == nil {
				err = traces.Put(r.Context(), key, v)
			}
		}
		reply(w, v, err)
	})
	log.Fatal(http.ListenAndServe(cfg.Listen, mux))
}
