// Package httpapi has the handlers.
package httpapi

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"example.com/idp/internal/device"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/sessions"
	"example.com/idp/internal/throttle"
	"example.com/idp/internal/tokens"
)

// Server has what the handlers need.
type Server struct {
	Sessions *sessions.Service
	Repo     *sessions.Repo
	Tokens   *tokens.Repo
	Device   *device.Store
	Limiter  *throttle.Limiter
	Log      *slog.Logger
}

// cellView is a cell in the support tool.
type cellView struct {
	Column    string    `json:"column"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

func (s *Server) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /introspect", s.introspect)
	mux.HandleFunc("POST /device/poll", s.poll)
	mux.HandleFunc("GET /support/session", s.support)
	return mux
}

func (s *Server) fail(w http.ResponseWriter, code int, err error) {
	s.Log.Warn("request", "code", code, "err", err)
	http.Error(w, http.StatusText(code), code)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	u, err := ids.ParseUser(r.FormValue("user"))
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	if err := s.Limiter.Locked(r.Context(), u); errors.Is(err, throttle.ErrLocked) {
		s.fail(w, http.StatusTooManyRequests, err)
		return
	}
	x, err := s.Sessions.Login(r.Context(), u, []string{"pwd"}, sessions.Device{UserAgent: r.UserAgent(), IP: r.RemoteAddr})
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "sid", Value: string(x.ID), HttpOnly: true, Secure: true, MaxAge: int(schema.SessionTTL / time.Second)})
	reply(w, x)
}

func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	info, err := s.Tokens.Introspect(r.Context(), ids.TokenID(r.FormValue("token")))
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	reply(w, info)
}

func (s *Server) poll(w http.ResponseWriter, r *http.Request) {
	u, err := s.Device.Poll(r.Context(), r.FormValue("device_code"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply(w, map[string]ids.UserID{"user": u})
}

func (s *Server) support(w http.ResponseWriter, r *http.Request) {
	id, err := ids.ParseSession(r.FormValue("sid"))
	if err != nil {
		s.fail(w, http.StatusBadRequest, err)
		return
	}
	row, err := s.Repo.Raw(r.Context(), ids.UserID(r.FormValue("user")), id)
	if err != nil {
		s.fail(w, http.StatusInternalServerError, err)
		return
	}
	var out []cellView
	for _, it := range row[schema.FamSession] {
		out = append(out, cellView{Column: it.Column, UpdatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
		out = append(out, cellView{Column: it.Column, ExpiresAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamDevice] {
		out = append(out, cellView{Column: it.Column, UpdatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	reply(w, out)
}
