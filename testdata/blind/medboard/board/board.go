// Package board serves the ward board over HTTP.
package board

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"medboard.example/board/audit"
	"medboard.example/board/beds"
	"medboard.example/board/btx"
	"medboard.example/board/calls"
	"medboard.example/board/clock"
)

// Beds is what the board needs of beds.Store.
type Beds interface {
	Reserve(ctx context.Context, ward, bed, patient string, ttl time.Duration) (beds.Hold, error)
	Get(ctx context.Context, ward, bed string) (beds.Hold, error)
	Release(ctx context.Context, ward, bed string) error
	List(ctx context.Context, ward string) ([]beds.Hold, error)
}

// Calls is what the board needs of calls.Queue.
type Calls interface {
	Open(ctx context.Context, ward string, t calls.Ticket) (string, error)
	Get(ctx context.Context, ward, id string) (calls.Ticket, error)
	Take(ctx context.Context, ward, id, nurse string) error
}

// Trail is what the board needs of audit.Trail.
type Trail interface {
	Add(ctx context.Context, subject string, e audit.Entry) (int64, error)
}

// States is what the board needs of state.Store.
type States interface {
	Put(ctx context.Context, thing, value string) error
	PutAt(ctx context.Context, thing, value string, at time.Time) error
}

// Config is what can be set from outside.
type Config struct {
	DefaultHold time.Duration
	MaxHold     time.Duration
	Timeout     time.Duration
}

// Server answers requests.
type Server struct {
	Beds   Beds
	Calls  Calls
	Trail  Trail
	States States
	Clock  clock.Clock
	Log    *slog.Logger
	Config Config

	requests, failures atomic.Int64
}

// Handler returns the routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /wards/{ward}/beds", s.wrap(s.listBeds))
	mux.HandleFunc("GET /wards/{ward}/beds/{bed}", s.wrap(s.getBed))
	mux.HandleFunc("POST /wards/{ward}/beds/{bed}", s.wrap(s.reserve))
	mux.HandleFunc("DELETE /wards/{ward}/beds/{bed}", s.wrap(s.release))
	mux.HandleFunc("POST /wards/{ward}/calls", s.wrap(s.openCall))
	mux.HandleFunc("POST /wards/{ward}/calls/{id}/take", s.wrap(s.takeCall))
	mux.HandleFunc("PUT /things/{thing}", s.wrap(s.putState))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /varz", s.varz)
	return mux
}

type handler func(ctx context.Context, r *http.Request) (any, error)

type httpError struct {
	code int
	msg  string
}

func (e httpError) Error() string { return e.msg }

func (s *Server) wrap(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		start := s.Clock.Now()
		ctx, cancel := context.WithTimeout(r.Context(), s.Config.Timeout)
		defer cancel()
		v, err := h(ctx, r)
		if err != nil {
			s.failures.Add(1)
			s.Log.Warn("request failed", "path", r.URL.Path, "err", err, "took", s.Clock.Now().Sub(start))
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
}

func statusOf(err error) int {
	var he httpError
	switch {
	case errors.As(err, &he):
		return he.code
	case errors.Is(err, btx.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, beds.ErrTaken):
		return http.StatusConflict
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}

func (s *Server) varz(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"requests": s.requests.Load(),
		"failures": s.failures.Load(),
		"uptime":   calls.Uptime().String(),
	})
}

func (s *Server) holdTime(r *http.Request) (time.Duration, error) {
	v := r.URL.Query().Get("minutes")
	if v == "" {
		return s.Config.DefaultHold, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n <= 0 {
		return 0, httpError{http.StatusBadRequest, "bad minutes"}
	}
	return min(time.Duration(n)*time.Minute, s.Config.MaxHold), nil
}

func (s *Server) listBeds(ctx context.Context, r *http.Request) (any, error) {
	return s.Beds.List(ctx, r.PathValue("ward"))
}

func (s *Server) getBed(ctx context.Context, r *http.Request) (any, error) {
	return s.Beds.Get(ctx, r.PathValue("ward"), r.PathValue("bed"))
}

func (s *Server) reserve(ctx context.Context, r *http.Request) (any, error) {
	ttl, err := s.holdTime(r)
	if err != nil {
		return nil, err
	}
	h, err := s.Beds.Reserve(ctx, r.PathValue("ward"), r.PathValue("bed"), r.FormValue("patient"), ttl)
	if err != nil {
		return nil, err
	}
	_, err = s.Trail.Add(ctx, beds.Key(r.PathValue("ward"), h.Bed), audit.Entry{Actor: r.FormValue("nurse"), Action: "reserve"})
	return h, err
}

func (s *Server) release(ctx context.Context, r *http.Request) (any, error) {
	key := beds.Key(r.PathValue("ward"), r.PathValue("bed"))
	if err := s.Beds.Release(ctx, r.PathValue("ward"), r.PathValue("bed")); err != nil {
		return nil, err
	}
	return s.Trail.Add(ctx, key, audit.Entry{Actor: r.FormValue("nurse"), Action: "release"})
}

func (s *Server) openCall(ctx context.Context, r *http.Request) (any, error) {
	var t calls.Ticket
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		return nil, httpError{http.StatusBadRequest, err.Error()}
	}
	return s.Calls.Open(ctx, r.PathValue("ward"), t)
}

func (s *Server) takeCall(ctx context.Context, r *http.Request) (any, error) {
	if err := s.Calls.Take(ctx, r.PathValue("ward"), r.PathValue("id"), r.FormValue("nurse")); err != nil {
		return nil, err
	}
	return s.Calls.Get(ctx, r.PathValue("ward"), r.PathValue("id"))
}

func (s *Server) putState(ctx context.Context, r *http.Request) (any, error) {
	thing, value := r.PathValue("thing"), r.FormValue("value")
	if r.FormValue("dated") != "" {
		return nil, s.States.PutAt(ctx, thing, value, s.Clock.Now()) // want ttlwrite/clock-in-zero[putat]
	}
	return nil, s.States.Put(ctx, thing, value) // ok ttlwrite/clock-in-zero
}
