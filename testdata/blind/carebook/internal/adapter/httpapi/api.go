// Package httpapi is the portal's API.
package httpapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/carebook/appointments/internal/domain/patient"
	"github.com/carebook/appointments/internal/domain/referral"
	"github.com/carebook/appointments/internal/domain/reminder"
	"github.com/carebook/appointments/internal/domain/session"
	"github.com/carebook/appointments/internal/domain/slot"
	"github.com/carebook/appointments/internal/platform/metrics"
	"github.com/carebook/appointments/internal/platform/port"
)

// API has the services.
type API struct {
	Sessions  *session.Service
	Slots     *slot.Service
	Patients  *patient.Service
	Reminders *reminder.Service
	Referrals *referral.Service
	Metrics   *metrics.Registry
	Log       *slog.Logger
}

// Handler returns the routes.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sessions", a.signIn)
	mux.HandleFunc("DELETE /sessions/{id}", a.signOut)
	mux.HandleFunc("GET /sessions/{id}/devices", a.devices)
	mux.HandleFunc("POST /slots/{key}/hold", a.hold)
	mux.HandleFunc("POST /slots/{key}/book", a.book)
	mux.HandleFunc("DELETE /slots/{key}", a.cancel)
	mux.HandleFunc("PUT /patients/{id}/name", a.rename)
	mux.HandleFunc("PUT /patients/{id}/preferences/{name}", a.prefer)
	mux.HandleFunc("PUT /patients/{id}/consents/{form}", a.consent)
	mux.HandleFunc("POST /patients/{id}/reminders/flush", a.flush)
	mux.HandleFunc("POST /referrals/{id}", a.refer)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := a.Metrics.WriteTo(w); err != nil {
			a.Log.Error("metrics", "err", err)
		}
	})
	return a.logged(mux)
}

func (a *API) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		next.ServeHTTP(w, r)
		a.Metrics.Get("http."+strings.ToLower(r.Method)).Observe(start, nil)
		a.Log.InfoContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
	})
}

func (a *API) fail(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, port.ErrNotFound), errors.Is(err, session.ErrExpired):
		code = http.StatusNotFound
	case errors.Is(err, slot.ErrTaken):
		code = http.StatusConflict
	}
	a.Log.WarnContext(r.Context(), "failed", "path", r.URL.Path, "err", err)
	http.Error(w, http.StatusText(code), code)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		slog.Error("reply", "err", err)
	}
}

func (a *API) signIn(w http.ResponseWriter, r *http.Request) {
	var in struct{ Patient, Name string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s, err := a.Sessions.SignIn(r.Context(), in.Patient, r.UserAgent(), in.Name)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "sid", Value: s.ID, Expires: s.ExpiresAt, HttpOnly: true, Secure: true})
	reply(w, s)
}

func (a *API) signOut(w http.ResponseWriter, r *http.Request) {
	if err := a.Sessions.SignOut(r.Context(), r.PathValue("id")); err != nil {
		a.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *API) devices(w http.ResponseWriter, r *http.Request) {
	s, err := a.Sessions.Check(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	list, err := a.Sessions.Devices(r.Context(), s.PatientID)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, list)
}

func (a *API) hold(w http.ResponseWriter, r *http.Request) {
	s, err := a.Slots.Hold(r.Context(), r.PathValue("key"), r.Header.Get("X-Patient"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, s)
}

func (a *API) book(w http.ResponseWriter, r *http.Request) {
	s, err := a.Slots.Book(r.Context(), r.PathValue("key"), r.Header.Get("X-Patient"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, s)
}

func (a *API) cancel(w http.ResponseWriter, r *http.Request) {
	if err := a.Slots.Cancel(r.Context(), r.PathValue("key"), r.URL.Query().Get("reason")); err != nil {
		a.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *API) rename(w http.ResponseWriter, r *http.Request) {
	if err := a.Patients.Rename(r.Context(), r.PathValue("id"), r.FormValue("name")); err != nil {
		a.fail(w, r, err)
	}
}

func (a *API) prefer(w http.ResponseWriter, r *http.Request) {
	if err := a.Patients.Prefer(r.Context(), r.PathValue("id"), r.PathValue("name"), r.FormValue("value")); err != nil {
		a.fail(w, r, err)
	}
}

func (a *API) consent(w http.ResponseWriter, r *http.Request) {
	c, err := a.Patients.Answer(r.Context(), r.PathValue("id"), r.PathValue("form"), r.FormValue("granted") == "yes")
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, c)
}

func (a *API) flush(w http.ResponseWriter, r *http.Request) {
	n, err := a.Reminders.Flush(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, map[string]int{"sent": n})
}

func (a *API) refer(w http.ResponseWriter, r *http.Request) {
	e, err := a.Referrals.Add(r.Context(), r.PathValue("id"), r.Header.Get("X-User"), r.FormValue("text"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, e)
}
