// Package httpx is a small router with middleware, in the manner of chi.
package httpx

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Handler is a handler that returns an error.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Router routes requests.
type Router struct {
	mux    *http.ServeMux
	prefix string
	mw     []Middleware
	log    *slog.Logger
}

// NewRouter makes a router.
func NewRouter(log *slog.Logger) *Router {
	return &Router{mux: http.NewServeMux(), log: log}
}

// Use adds middleware for the routes that follow.
func (rt *Router) Use(mw ...Middleware) { rt.mw = append(rt.mw, mw...) }

// Route calls f with a router below prefix.
func (rt *Router) Route(prefix string, f func(*Router)) {
	f(&Router{mux: rt.mux, prefix: rt.prefix + prefix, mw: append([]Middleware(nil), rt.mw...), log: rt.log})
}

// Get registers h.
func (rt *Router) Get(path string, h Handler) { rt.handle(http.MethodGet, path, h) }

// Post registers h.
func (rt *Router) Post(path string, h Handler) { rt.handle(http.MethodPost, path, h) }

// Put registers h.
func (rt *Router) Put(path string, h Handler) { rt.handle(http.MethodPut, path, h) }

// Delete registers h.
func (rt *Router) Delete(path string, h Handler) { rt.handle(http.MethodDelete, path, h) }

func (rt *Router) handle(method, path string, h Handler) {
	var next http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			rt.fail(w, r, err)
		}
	})
	for i := len(rt.mw) - 1; i >= 0; i-- {
		next = rt.mw[i](next)
	}
	rt.mux.Handle(method+" "+rt.prefix+path, next)
}

// ServeHTTP implements http.Handler.
func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) { rt.mux.ServeHTTP(w, r) }

// Error is an error with a status.
type Error struct {
	Status int
	Code   string
	Err    error
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Code + ": " + e.Err.Error()
	}
	return e.Code
}

func (e *Error) Unwrap() error { return e.Err }

// NotFound is a 404.
func NotFound(code string) error { return &Error{Status: http.StatusNotFound, Code: code} }

// BadRequest is a 400.
func BadRequest(code string, err error) error {
	return &Error{Status: http.StatusBadRequest, Code: code, Err: err}
}

func (rt *Router) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, code := http.StatusInternalServerError, "internal"
	var he *Error
	if errors.As(err, &he) {
		status, code = he.Status, he.Code
	}
	if status >= 500 {
		rt.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "err", err)
	}
	_ = JSON(w, status, map[string]string{"error": code})
}

// JSON writes v.
func JSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(v)
}

// Decode reads the body into T.
func Decode[T any](r *http.Request) (T, error) {
	var v T
	dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return v, BadRequest("bad_body", err)
	}
	return v, nil
}

// PageSize reads ?limit=, between 1 and max.
func PageSize(r *http.Request, def, max int) int {
	n, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || n <= 0 {
		return def
	}
	return min(n, max)
}

// Timeout bounds the time of a request.
func Timeout(d time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), d)
			defer cancel()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// Logger logs requests.
func Logger(log *slog.Logger) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			next.ServeHTTP(w, r)
			log.InfoContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
		})
	}
}
