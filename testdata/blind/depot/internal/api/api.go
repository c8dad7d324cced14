// Package api is the depot's HTTP interface.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/dock"
	"example.com/depot/internal/gate"
	"example.com/depot/internal/manifest"
	"example.com/depot/internal/mobile"
	"example.com/depot/internal/parcel"
	"example.com/depot/internal/quote"
	"example.com/depot/internal/telemetry"
)

// Server has the services behind the interface.
type Server struct {
	Dock      *dock.Service
	Gate      *gate.Office
	Parcels   *parcel.Store
	Telemetry *telemetry.Store
	Quotes    *quote.Book
	Sessions  *mobile.Sessions
	Inbox     *mobile.Inbox
	Manifests map[string]*manifest.Log
	Log       *slog.Logger
}

type requestKey struct{}

// handler is a handler that may fail.
type handler[T any] func(ctx context.Context, r *http.Request) (T, error)

func handle[T any](log *slog.Logger, h handler[T]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		ctx := context.WithValue(r.Context(), requestKey{}, start)
		v, err := h(ctx, r)
		status := statusOf(err)
		log.InfoContext(ctx, "request", "path", r.URL.Path, "status", status, "took", time.Since(start), "err", err)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err != nil {
			_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
			return
		}
		_ = json.NewEncoder(w).Encode(v)
	})
}

func statusOf(err error) int {
	switch {
	case err == nil:
		return http.StatusOK
	case errors.Is(err, bt.ErrNoRow), errors.Is(err, gate.ErrNoPass):
		return http.StatusNotFound
	case errors.Is(err, dock.ErrTaken), errors.Is(err, manifest.ErrConflict):
		return http.StatusConflict
	case errors.Is(err, mobile.ErrSession):
		return http.StatusUnauthorized
	}
	return http.StatusInternalServerError
}

// Handler is the whole interface.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /docks/{dock}/taken", handle(s.Log, func(ctx context.Context, r *http.Request) ([]string, error) {
		day, err := time.Parse(time.DateOnly, r.URL.Query().Get("day"))
		if err != nil {
			return nil, err
		}
		taken, err := s.Dock.TakenNow(ctx, r.PathValue("dock"), day)
		return slices.Sorted(maps.Keys(taken)), err
	}))
	mux.Handle("GET /passes/{code}", handle(s.Log, func(ctx context.Context, r *http.Request) (gate.Pass, error) {
		return s.Gate.Check(ctx, r.PathValue("code"))
	}))
	mux.Handle("POST /passes", handle(s.Log, func(ctx context.Context, r *http.Request) (gate.Pass, error) {
		return s.Gate.Issue(ctx, gate.Driver, r.FormValue("bearer"))
	}))
	mux.Handle("GET /parcels/{number}", handle(s.Log, func(ctx context.Context, r *http.Request) (parcel.Parcel, error) {
		return s.Parcels.Get(ctx, parcel.Number(r.PathValue("number")))
	}))
	mux.Handle("GET /vehicles/{id}", handle(s.Log, func(ctx context.Context, r *http.Request) (telemetry.Point, error) {
		return s.Telemetry.Last(ctx, r.PathValue("id"))
	}))
	mux.Handle("GET /manifests/{depot}/{truck}", handle(s.Log, func(ctx context.Context, r *http.Request) (manifest.Revision, error) {
		l, ok := s.Manifests[r.PathValue("depot")]
		if !ok {
			return manifest.Revision{}, bt.ErrNoRow
		}
		return l.Head(ctx, r.PathValue("truck"))
	}))
	mux.Handle("GET /quotes", handle(s.Log, func(ctx context.Context, r *http.Request) (map[string]string, error) {
		out := map[string]string{}
		for lane, rate := range s.Quotes.Good(ctx) {
			out[string(lane)] = rate.Price.String()
		}
		return out, ctx.Err()
	}))
	mux.Handle("GET /inbox", handle(s.Log, func(ctx context.Context, r *http.Request) ([]mobile.Message, error) {
		d, err := s.Sessions.Get(ctx, r.Header.Get("X-Session"))
		if err != nil {
			return nil, err
		}
		return s.Inbox.List(ctx, d.ID)
	}))
	return mux
}
