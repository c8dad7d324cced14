// Package httpapi is parceld's API.
package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/logx"
	"northlane.example/parcel/internal/metrics"
	"northlane.example/parcel/internal/service"
	"northlane.example/parcel/internal/store/hold"
)

// Handler returns the API's handler.
func Handler(s *service.Service, m *metrics.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m)
	mux.HandleFunc("GET /v1/shipments/{id}", func(w http.ResponseWriter, r *http.Request) {
		sh, err := s.Shipments.Get(r.Context(), r.PathValue("id"))
		reply(w, r, sh, err)
	})
	mux.HandleFunc("GET /v1/shipments/{id}/events", func(w http.ResponseWriter, r *http.Request) {
		ev, err := s.Events.List(r.Context(), r.PathValue("id"))
		reply(w, r, ev, err)
	})
	mux.HandleFunc("POST /v1/shipments/{id}/state", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Worker, State string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, r, struct{}{}, s.Advance(r.Context(), in.Worker, r.PathValue("id"), in.State))
	})
	mux.HandleFunc("POST /v1/sessions/handover", func(w http.ResponseWriter, r *http.Request) {
		reply(w, r, struct{}{}, s.Handover(r.Context(), r.FormValue("to"), r.FormValue("jwt")))
	})
	mux.HandleFunc("POST /v1/holds/{id}/block", func(w http.ResponseWriter, r *http.Request) {
		d, err := time.ParseDuration(r.FormValue("for"))
		if err == nil {
			err = s.BlockFor(r.Context(), r.PathValue("id"), d)
		}
		reply(w, r, struct{}{}, err)
	})
	return logged(mux, m)
}

func reply(w http.ResponseWriter, r *http.Request, v any, err error) {
	switch {
	case errors.Is(err, bt.ErrNotFound):
		http.Error(w, "not found", http.StatusNotFound)
	case errors.Is(err, hold.ErrHeld):
		http.Error(w, "held", http.StatusConflict)
	case err != nil:
		logx.From(r.Context()).Error("request", "path", r.URL.Path, "err", err)
		http.Error(w, "internal", http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			logx.From(r.Context()).Warn("encode", "err", err)
		}
	}
}

func logged(h http.Handler, m *metrics.Registry) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		h.ServeHTTP(w, r)
		m.Observe("http", start)
	})
}
