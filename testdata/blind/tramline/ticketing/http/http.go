// Package http is the web adapter of the ticketing service.
package http

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"tramline.example/dal"
	"tramline.example/ticketing"
	"tramline.example/ticketing/app"
)

// Handler serves the use cases.
type Handler struct {
	svc   *app.Service
	holds ticketing.Holds
	mux   *http.ServeMux
}

// New returns the handler.
func New(svc *app.Service, holds ticketing.Holds) *Handler {
	h := &Handler{svc: svc, holds: holds, mux: http.NewServeMux()}
	h.mux.HandleFunc("POST /drafts", handle(h.saveDraft))
	h.mux.HandleFunc("POST /drafts/{id}/hold", handle(h.hold))
	h.mux.HandleFunc("POST /login", handle(h.login))
	h.mux.HandleFunc("POST /confirm", handle(h.confirm))
	h.mux.HandleFunc("POST /extend", handle(h.extend))
	return h
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// handle makes a handler of a function from a request's body to a response's.
func handle[In, Out any](f func(r *http.Request, in In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := f(r, in)
		if err != nil {
			http.Error(w, err.Error(), status(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(out)
	}
}

func status(err error) int {
	switch {
	case errors.Is(err, dal.ErrNotFound):
		return http.StatusNotFound
	case errors.Is(err, ticketing.ErrTaken):
		return http.StatusConflict
	case errors.Is(err, ticketing.ErrExpired):
		return http.StatusGone
	case errors.Is(err, ticketing.ErrCode):
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}

type done struct {
	OK bool `json:"ok"`
}

func (h *Handler) saveDraft(r *http.Request, d app.Draft) (done, error) {
	return done{true}, h.svc.SaveDraft(r.Context(), d)
}

func (h *Handler) hold(r *http.Request, in struct {
	Rider string `json:"rider"`
}) ([]ticketing.Hold, error) {
	d, err := h.svc.Draft(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return h.svc.Hold(r.Context(), in.Rider, d)
}

func (h *Handler) login(r *http.Request, in struct {
	Phone string `json:"phone"`
}) (done, error) {
	return done{true}, h.svc.Login(r.Context(), in.Phone)
}

func (h *Handler) confirm(r *http.Request, in struct {
	Phone  string `json:"phone"`
	Digits string `json:"digits"`
}) (done, error) {
	return done{true}, h.svc.Confirm(r.Context(), in.Phone, in.Digits)
}

func (h *Handler) extend(r *http.Request, in struct {
	Trip    string `json:"trip"`
	Seat    string `json:"seat"`
	Minutes int    `json:"minutes"`
}) (ticketing.Hold, error) {
	hold, err := h.holds.Get(r.Context(), in.Trip, in.Seat)
	if err != nil {
		return hold, err
	}
	return hold, h.holds.Extend(r.Context(), hold, time.Duration(in.Minutes)*time.Minute)
}
