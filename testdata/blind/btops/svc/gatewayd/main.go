// gatewayd is the service behind gates and apps: it signs riders in, lets them
// through gates, and keeps accounts. One process serves many tenants; which
// tables it uses is in its configuration.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/tenant"
)

// names are the tables that tenants share. A name may contain {env}.
type names struct {
	Sessions string `json:"sessions"`
	Journeys string `json:"journeys"`
	Settings string `json:"settings"`
	Audit    string `json:"audit"`
}

type configuration struct {
	tenant.Config
	Shared names         `json:"shared"`
	Listen string        `json:"listen"`
	Grace  time.Duration `json:"grace"`
}

func loadConfig(file string) (*configuration, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	base, err := tenant.Parse(b)
	if err != nil {
		return nil, err
	}
	c := &configuration{
		Shared: names{"{env}-sessions", "{env}-journeys", "{env}-settings", "{env}-audit"},
		Listen: "localhost:8080",
		Grace:  10 * time.Second,
	}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, err
	}
	c.Config = *base
	return c, nil
}

func (c *configuration) name(pattern string) string {
	return strings.ReplaceAll(pattern, "{env}", c.Env)
}

func main() {
	var opts btx.Options
	opts.Register(flag.CommandLine)
	file := flag.String("config", "gatewayd.json", "configuration")
	flag.Parse()
	cfg, err := loadConfig(*file)
	btx.Fatal(err)
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	s := newServer(client, cfg)
	go s.trips.run(ctx)
	go s.sweep.run(ctx)
	srv := &http.Server{Addr: cfg.Listen, Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		sctx, cancel := context.WithTimeout(context.Background(), cfg.Grace)
		defer cancel()
		if err := srv.Shutdown(sctx); err != nil {
			slog.Error("shutdown", "err", err)
		}
	}()
	slog.Info("listening", "addr", cfg.Listen, "tenants", len(cfg.Tenants))
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		btx.Fatal(err)
	}
}

// server answers requests.
type server struct {
	cfg      *configuration
	stores   map[string]*tenant.Store
	sessions *sessionStore
	settings *settingStore
	trips    *tripWriter
	sweep    *sweeper
}

func newServer(client *bigtable.Client, cfg *configuration) *server {
	s := &server{
		cfg:      cfg,
		stores:   map[string]*tenant.Store{},
		sessions: newSessionStore(client.OpenTable(cfg.name(cfg.Shared.Sessions)), time.Now),
		settings: &settingStore{tbl: client.Open(cfg.name(cfg.Shared.Settings))},
		trips:    newTripWriter(client.Open(cfg.name(cfg.Shared.Journeys))),
	}
	for _, id := range cfg.IDs() {
		t, _ := cfg.Get(id)
		s.stores[id] = tenant.Open(client, &cfg.Config, t)
	}
	s.sweep = &sweeper{sessions: s.sessions, stores: s.stores, every: time.Hour}
	return s
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/signin", s.signIn)
	mux.HandleFunc("GET /v1/me", s.me)
	mux.HandleFunc("POST /v1/{tenant}/gates/{gate}", s.pass)
	mux.HandleFunc("GET /v1/{tenant}/passes/{rider}", s.passes)
	mux.HandleFunc("POST /v1/{tenant}/accounts/{account}", s.book)
	mux.HandleFunc("GET /v1/{tenant}/accounts/{account}", s.history)
	mux.HandleFunc("PUT /v1/settings/{name}", s.setSetting)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return logged(mux)
}

func logged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		h.ServeHTTP(w, r)
		slog.Info("request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
	})
}

func reply(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, tenant.ErrNotFound):
		http.Error(w, "not found", http.StatusNotFound)
	case err != nil:
		slog.Error("request failed", "err", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
}

func (s *server) store(r *http.Request) (*tenant.Store, error) {
	st, ok := s.stores[r.PathValue("tenant")]
	if !ok {
		return nil, tenant.ErrNotFound
	}
	return st, nil
}

func (s *server) signIn(w http.ResponseWriter, r *http.Request) {
	rider, remember := r.FormValue("rider"), r.FormValue("remember") != ""
	tok, err := s.sessions.signIn(r.Context(), rider, r.UserAgent(), remember)
	reply(w, map[string]string{"token": tok}, err)
}

func (s *server) me(w http.ResponseWriter, r *http.Request) {
	rider, tok, ok := r.BasicAuth()
	if !ok {
		http.Error(w, "who?", http.StatusUnauthorized)
		return
	}
	valid, err := s.sessions.valid(r.Context(), rider, tok)
	if err == nil && !valid {
		http.Error(w, "signed out", http.StatusUnauthorized)
		return
	}
	if err != nil {
		reply(w, nil, err)
		return
	}
	p, err := s.sessions.profile(r.Context(), rider)
	reply(w, p, err)
}

func (s *server) pass(w http.ResponseWriter, r *http.Request) {
	st, err := s.store(r)
	if err != nil {
		reply(w, nil, err)
		return
	}
	rider, gate := r.FormValue("rider"), r.PathValue("gate")
	ok, err := st.HasPass(r.Context(), rider, "week")
	if err == nil && !ok {
		http.Error(w, "no pass", http.StatusPaymentRequired)
		return
	}
	if err == nil {
		err = st.Use(r.Context(), rider, gate)
	}
	if err == nil {
		s.trips.tap(rider, st.ID, gate)
	}
	reply(w, map[string]bool{"open": err == nil}, err)
}

func (s *server) passes(w http.ResponseWriter, r *http.Request) {
	st, err := s.store(r)
	if err != nil {
		reply(w, nil, err)
		return
	}
	ps, err := st.LivePasses(r.Context(), r.PathValue("rider"))
	reply(w, ps, err)
}

func (s *server) book(w http.ResponseWriter, r *http.Request) {
	st, err := s.store(r)
	if err != nil {
		reply(w, nil, err)
		return
	}
	var e tenant.Entry
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&e); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n, err := st.Append(r.Context(), r.PathValue("account"), e)
	reply(w, map[string]int64{"seq": n}, err)
}

func (s *server) history(w http.ResponseWriter, r *http.Request) {
	st, err := s.store(r)
	if err != nil {
		reply(w, nil, err)
		return
	}
	es, err := st.Recent(r.Context(), r.PathValue("account"))
	reply(w, es, err)
}

func (s *server) setSetting(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := s.settings.set(r.Context(), name, r.FormValue("value"))
	reply(w, map[string]string{"name": name}, err)
}
