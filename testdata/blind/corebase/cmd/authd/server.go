package main

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"example.com/corebase/cmd/authd/auth"
	"example.com/corebase/pkg/btstore"
)

type server struct {
	svc    *auth.Service
	chal   *auth.Challenges
	flags  *auth.Flags
	logins *auth.Logins
	log    *slog.Logger
	mux    *http.ServeMux
}

func newServer(svc *auth.Service, chal *auth.Challenges, log *slog.Logger) http.Handler {
	s := &server{svc: svc, chal: chal, flags: auth.NewFlags(svc), logins: auth.NewLogins(svc), log: log, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /sessions", s.login)
	s.mux.HandleFunc("GET /sessions/{id}", s.session)
	s.mux.HandleFunc("DELETE /sessions/{id}", s.revoke)
	s.mux.HandleFunc("POST /challenges/{user}", s.challenge)
	s.mux.HandleFunc("PUT /challenges/{user}", s.answer)
	s.mux.HandleFunc("PUT /flags/{user}/{name}", s.flag)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return s.logged(s.mux)
}

func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		next.ServeHTTP(w, r)
		s.log.Info("request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
	})
}

func (s *server) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, auth.ErrNoSession), errors.Is(err, btstore.ErrNotFound):
		code = http.StatusNotFound
	case errors.Is(err, auth.ErrDenied), errors.Is(err, auth.ErrReplay):
		code = http.StatusForbidden
	}
	http.Error(w, http.StatusText(code), code)
	s.log.Warn("failed", "err", err)
}

func (s *server) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.log.Warn("reply", "err", err)
	}
}

func (s *server) login(w http.ResponseWriter, r *http.Request) {
	var in struct {
		User  string `json:"user"`
		JWT   string `json:"jwt"`
		Nonce string `json:"nonce"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.chal.UseNonceLive(r.Context(), in.Nonce); err != nil {
		s.fail(w, err)
		return
	}
	sess, err := s.svc.Login(r.Context(), in.User, in.JWT, r.UserAgent())
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, sess)
}

func (s *server) session(w http.ResponseWriter, r *http.Request) {
	sess, err := s.svc.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, sess)
}

func (s *server) revoke(w http.ResponseWriter, r *http.Request) {
	if err := s.svc.Revoke(r.Context(), r.PathValue("id")); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) challenge(w http.ResponseWriter, r *http.Request) {
	if err := s.chal.Issue(r.Context(), r.PathValue("user"), r.FormValue("code")); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	user, code := r.PathValue("user"), r.FormValue("code")
	if err := s.chal.Check(r.Context(), user, code); err != nil {
		if terr := s.chal.Tries(r.Context(), user); terr != nil {
			s.log.Warn("tries", "err", terr)
		}
		s.fail(w, err)
		return
	}
	if err := s.chal.Burn(r.Context(), user, code); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) flag(w http.ResponseWriter, r *http.Request) {
	on := r.FormValue("on") == "true"
	if err := s.flags.Set(r.Context(), r.PathValue("user"), r.PathValue("name"), on); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
