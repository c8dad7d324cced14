// Package api is the HTTP API.
package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/parkwise/parkwise/internal/audit"
	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/device"
	"github.com/parkwise/parkwise/internal/httpx"
	"github.com/parkwise/parkwise/internal/otp"
	"github.com/parkwise/parkwise/internal/presence"
	"github.com/parkwise/parkwise/internal/reservation"
	"github.com/parkwise/parkwise/internal/session"
	"github.com/parkwise/parkwise/internal/tariff"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Services are what the API serves.
type Services struct {
	OTP          *otp.Service
	Sessions     *session.Manager
	Reservations *reservation.Service
	Charging     *charging.Service
	Tariffs      *tariff.Service
	Devices      *device.Service
	Audit        audit.Store
	Presence     *presence.Tracker
}

type handlers struct {
	Services
	log *slog.Logger
}

// Tenant reads the tenant of a request.
func Tenant(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, err := tenant.Parse(r.Header.Get("X-Tenant"))
		if err != nil {
			http.Error(w, "tenant", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r.WithContext(tenant.With(r.Context(), id)))
	})
}

type sessionKey struct{}

func (h *handlers) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("pw_session")
		if err != nil {
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		s, err := h.Sessions.Check(r.Context(), c.Value)
		if err != nil {
			http.Error(w, "sign in", http.StatusUnauthorized)
			return
		}
		ctx := audit.WithActor(context.WithValue(r.Context(), sessionKey{}, s), s.Driver)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func current(r *http.Request) session.Session {
	s, _ := r.Context().Value(sessionKey{}).(session.Session)
	return s
}

// Routes registers the API. Middleware in mw stands behind the tenant.
func Routes(rt *httpx.Router, s Services, log *slog.Logger, mw ...httpx.Middleware) {
	h := &handlers{Services: s, log: log}
	rt.Use(httpx.Logger(log), httpx.Timeout(10*time.Second), Tenant)
	rt.Use(mw...)
	rt.Route("/v1/auth", func(rt *httpx.Router) {
		rt.Post("/code", h.sendCode)
		rt.Post("/verify", h.verifyCode)
	})
	rt.Route("/v1", func(rt *httpx.Router) {
		rt.Use(h.authenticate)
		rt.Post("/bays/{bay}/hold", h.hold)
		rt.Put("/bays/{bay}/hold", h.renew)
		rt.Post("/bays/{bay}/confirm", h.confirm)
		rt.Get("/reservations", h.reservations)
		rt.Delete("/reservations/{id}", h.cancel)
		rt.Post("/charging/{sid}/samples", h.samples)
		rt.Get("/charging/{sid}/curve", h.curve)
		rt.Post("/charging/{sid}/stop", h.stop)
		rt.Get("/tariffs/{name}/quote", h.quote)
		rt.Put("/tariffs/{name}", h.publish)
		rt.Put("/devices/{dev}/config", h.configure)
		rt.Get("/audit", h.auditLog)
		rt.Delete("/session", h.signOut)
	})
}

func (h *handlers) sendCode(w http.ResponseWriter, r *http.Request) error {
	req, err := httpx.Decode[struct {
		Phone string `json:"phone"`
		Voice bool   `json:"voice"`
	}](r)
	if err != nil {
		return err
	}
	send := h.OTP.Issue
	if req.Voice {
		send = h.OTP.IssueVoice
	}
	if err := send(r.Context(), req.Phone); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *handlers) verifyCode(w http.ResponseWriter, r *http.Request) error {
	req, err := httpx.Decode[struct {
		Phone  string `json:"phone"`
		Code   string `json:"code"`
		Device string `json:"device"`
	}](r)
	if err != nil {
		return err
	}
	switch err := h.OTP.Verify(r.Context(), req.Phone, req.Code); {
	case errors.Is(err, otp.ErrLocked):
		return &httpx.Error{Status: http.StatusTooManyRequests, Code: "locked"}
	case err != nil:
		return &httpx.Error{Status: http.StatusUnauthorized, Code: "code", Err: err}
	}
	s, err := h.Sessions.Open(r.Context(), req.Phone, req.Device)
	if err != nil {
		return err
	}
	if id, err := tenant.From(r.Context()); err == nil {
		if err := h.Presence.Mark(r.Context(), id, req.Phone, "app"); err != nil {
			h.log.WarnContext(r.Context(), "presence", "err", err)
		}
	}
	http.SetCookie(w, &http.Cookie{Name: "pw_session", Value: s.ID, Path: "/", Expires: s.ExpiresAt, HttpOnly: true, Secure: true})
	return httpx.JSON(w, http.StatusOK, s)
}

func (h *handlers) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := h.Sessions.Close(r.Context(), current(r).ID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *handlers) hold(w http.ResponseWriter, r *http.Request) error {
	bay := r.PathValue("bay")
	held, err := h.Reservations.Hold(r.Context(), current(r).Driver, bay)
	if errors.Is(err, reservation.ErrTaken) {
		return &httpx.Error{Status: http.StatusConflict, Code: "taken"}
	}
	if err != nil {
		return err
	}
	id, err := tenant.From(r.Context())
	if err != nil {
		return err
	}
	if err := h.Presence.MarkUntil(r.Context(), id, current(r).Driver, bay, held.Until); err != nil {
		h.log.WarnContext(r.Context(), "presence", "err", err)
	}
	return httpx.JSON(w, http.StatusCreated, held)
}

func (h *handlers) renew(w http.ResponseWriter, r *http.Request) error {
	held, err := h.Reservations.Renew(r.Context(), r.PathValue("bay"))
	if errors.Is(err, reservation.ErrExpired) {
		return httpx.NotFound("hold")
	}
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, held)
}

func (h *handlers) confirm(w http.ResponseWriter, r *http.Request) error {
	req, err := httpx.Decode[struct {
		From time.Time `json:"from"`
		To   time.Time `json:"to"`
	}](r)
	if err != nil {
		return err
	}
	if req.From.Before(clock.Now(r.Context()).Add(-time.Hour)) {
		return httpx.BadRequest("past", nil)
	}
	res, err := h.Reservations.Confirm(r.Context(), r.PathValue("bay"), req.From, req.To)
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusCreated, res)
}

func (h *handlers) reservations(w http.ResponseWriter, r *http.Request) error {
	page, err := h.Reservations.List(r.Context(), r.URL.Query().Get("cursor"), httpx.PageSize(r, 20, 100))
	if errors.Is(err, bt.ErrCursor) {
		return httpx.BadRequest("cursor", err)
	}
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, page)
}

func (h *handlers) cancel(w http.ResponseWriter, r *http.Request) error {
	if err := h.Reservations.Cancel(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *handlers) samples(w http.ResponseWriter, r *http.Request) error {
	samples, err := httpx.Decode[[]charging.Sample](r)
	if err != nil {
		return err
	}
	if err := h.Charging.Ingest(r.Context(), r.PathValue("sid"), samples); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

func (h *handlers) curve(w http.ResponseWriter, r *http.Request) error {
	curve, err := h.Charging.Curve(r.Context(), r.PathValue("sid"))
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, curve)
}

func (h *handlers) stop(w http.ResponseWriter, r *http.Request) error {
	s, err := h.Charging.Stop(r.Context(), r.PathValue("sid"))
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, s)
}

func (h *handlers) quote(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	from, err := time.Parse(time.RFC3339, q.Get("from"))
	if err != nil {
		return httpx.BadRequest("from", err)
	}
	to, err := time.Parse(time.RFC3339, q.Get("to"))
	if err != nil {
		return httpx.BadRequest("to", err)
	}
	cents, err := h.Tariffs.Quote(r.Context(), r.PathValue("name"), from, to, 0)
	if errors.Is(err, bt.ErrNotFound) {
		return httpx.NotFound("tariff")
	}
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, map[string]int64{"cents": cents})
}

func (h *handlers) publish(w http.ResponseWriter, r *http.Request) error {
	rate, err := httpx.Decode[tariff.Rate](r)
	if err != nil {
		return err
	}
	rate.Author = current(r).Driver
	v, err := h.Tariffs.Publish(r.Context(), r.PathValue("name"), rate)
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, map[string]int64{"version": v})
}

func (h *handlers) configure(w http.ResponseWriter, r *http.Request) error {
	req, err := httpx.Decode[device.Config](r)
	if err != nil {
		return err
	}
	cfg, err := h.Devices.Configure(r.Context(), r.PathValue("dev"), req.Version, req.Settings)
	if errors.Is(err, device.ErrConflict) {
		return &httpx.Error{Status: http.StatusConflict, Code: "version"}
	}
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, cfg)
}

func (h *handlers) auditLog(w http.ResponseWriter, r *http.Request) error {
	id, err := tenant.From(r.Context())
	if err != nil {
		return err
	}
	page, err := h.Audit.List(r.Context(), id, r.URL.Query().Get("cursor"), httpx.PageSize(r, 50, 200))
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, page)
}
