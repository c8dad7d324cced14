// Package idem makes POST requests idempotent.
package idem

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/httpx"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Response is a stored response.
type Response struct {
	Status int    `json:"status"`
	Body   []byte `json:"body"`
}

// Outcome of Begin.
type Outcome int

// Outcomes.
const (
	Fresh Outcome = iota
	InFlight
	Done
)

type keeper interface {
	Begin(ctx context.Context, id tenant.ID, key string, until time.Time) (Outcome, Response, error)
	Finish(ctx context.Context, id tenant.ID, key string, r Response, until time.Time) error
	Forget(ctx context.Context, id tenant.ID, key string) error
}

type settings struct {
	inFlight time.Duration
	keep     time.Duration
	header   string
	log      *slog.Logger
}

// Option configures Middleware.
type Option func(*settings)

// KeepFor sets how long responses are kept.
func KeepFor(d time.Duration) Option { return func(s *settings) { s.keep = d } }

// Header sets the name of the header.
func Header(name string) Option { return func(s *settings) { s.header = name } }

// Logger sets the logger.
func Logger(l *slog.Logger) Option { return func(s *settings) { s.log = l } }

type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

// Middleware replays the response of a request that was seen before.
func Middleware(store keeper, opts ...Option) httpx.Middleware {
	cfg := settings{inFlight: time.Minute, keep: 24 * time.Hour, header: "Idempotency-Key", log: slog.Default()}
	for _, o := range opts {
		o(&cfg)
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get(cfg.header)
			if key == "" || r.Method != http.MethodPost {
				next.ServeHTTP(w, r)
				return
			}
			ctx := r.Context()
			id, err := tenant.From(ctx)
			if err != nil {
				next.ServeHTTP(w, r)
				return
			}
			out, resp, err := store.Begin(ctx, id, key, clock.In(ctx, cfg.inFlight)) // ok ttlwrite/write-time
			switch {
			case err != nil:
				cfg.log.ErrorContext(ctx, "idempotency", "err", err)
				http.Error(w, "unavailable", http.StatusServiceUnavailable)
				return
			case out == InFlight:
				http.Error(w, "request is in flight", http.StatusConflict)
				return
			case out == Done:
				w.WriteHeader(resp.Status)
				_, _ = w.Write(resp.Body)
				return
			}
			rec := &recorder{ResponseWriter: w, status: http.StatusOK}
			next.ServeHTTP(rec, r)
			if rec.status >= 500 {
				err = store.Forget(ctx, id, key)
			} else {
				err = store.Finish(ctx, id, key, Response{Status: rec.status, Body: rec.body.Bytes()}, clock.In(ctx, cfg.keep)) // ok ttlwrite/write-time
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				cfg.log.WarnContext(ctx, "idempotency: response not kept", "err", err)
			}
		})
	}
}

// Replay keeps a response that another service computed.
func Replay(ctx context.Context, store keeper, key string, r Response) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	seen := clock.Now(ctx)
	return store.Finish(ctx, id, key, r, seen)
}
