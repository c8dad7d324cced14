// Package api uses what a service is, by an interface of its own.
package api

import (
	"context"
	"net/http"
	"time"

	"example.com/cases/sight/consumers/service"
)

type locker interface {
	Until(ctx context.Context, user string, until time.Time) error
}

// Handler answers requests.
type Handler struct{ locker locker }

// New makes one.
func New(l locker) *Handler { return &Handler{locker: l} }

// ServeHTTP locks until now.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = h.locker.Until(r.Context(), r.FormValue("user"), time.Now())
}

// Direct has the service itself.
type Direct struct{ svc *service.Right }

// NewDirect makes one.
func NewDirect(svc *service.Right) *Direct { return &Direct{svc} }

// ServeHTTP locks until now.
func (h *Direct) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = h.svc.Until(r.Context(), r.FormValue("user"), time.Now())
}

// Later has it too.
type Later struct{ svc *service.Right }

// NewLater makes one.
func NewLater(svc *service.Right) *Later { return &Later{svc} }

// ServeHTTP locks for an hour.
func (h *Later) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = h.svc.Until(r.Context(), r.FormValue("user"), time.Now().Add(time.Hour))
}
