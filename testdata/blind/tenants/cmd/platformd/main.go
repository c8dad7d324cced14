// Command platformd serves the platform's API for all tenants.
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
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/docs"
	"tenants.example/platform/internal/export"
	"tenants.example/platform/internal/flags"
	"tenants.example/platform/internal/pagecache"
	"tenants.example/platform/internal/ratelimit"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
	"tenants.example/platform/internal/sessions"
)

type server struct {
	cfg      schema.Config
	client   *bigtable.Client
	reg      *registry.Registry
	sess     *sessions.Store
	invites  *sessions.Inviter
	trials   *sessions.Inviter
	flags    *flags.Service
	activity *export.Activity
	auth     *bigtable.Table
	log      *slog.Logger
}

func newServer(client *bigtable.Client, cfg schema.Config) *server {
	return &server{
		cfg:     cfg,
		client:  client,
		reg:     registry.New(client, cfg),
		sess:    sessions.NewStore(client, cfg),
		invites: sessions.NewInviter(client, sessions.InviterOptions{}), // ok ttlwrite/write-time
		trials: sessions.NewInviter(client, sessions.InviterOptions{ // want ttlwrite/write-time[trials]
			Stamp: btx.Stamp, // want ttlwrite/write-time[trials]
		}),
		flags:    flags.New(client, 30*time.Second),
		activity: export.OpenActivity(client),
		auth:     client.Open(cfg.Tables.Auth),
		log:      slog.Default(),
	}
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	docs.Handler{MaxBody: 4 << 20}.Register(mux)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("GET /me", s.me)
	mux.HandleFunc("GET /sessions", s.sessions)
	mux.HandleFunc("GET /support/{key}", s.support)
	mux.HandleFunc("POST /otp", s.otp)
	mux.HandleFunc("GET /export.csv", s.exportCSV)
	mux.HandleFunc("/invites", s.invites.Handler)
	mux.HandleFunc("/trials", s.trials.Handler)
	mux.HandleFunc("GET /flags", s.flags.List)
	cached := pagecache.Handler(http.FileServer(http.Dir("public")), pagecache.Policy{TTL: time.Hour, Compress: false})
	mux.Handle("GET /p/", http.StripPrefix("/p", cached))
	mux.Handle("GET /beta/", s.flags.Gate("beta", http.FileServer(http.Dir("beta"))))

	var h http.Handler = mux
	h = s.authenticated(h)
	h = ratelimit.Middleware(h, ratelimit.Options{PerWindow: 1200})
	h = s.reg.Middleware(h)
	return s.logged(h)
}

func (s *server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		next.ServeHTTP(w, r)
		s.log.Info("request", "method", r.Method, "path", r.URL.Path, "took", time.Since(start))
	})
}

func (s *server) authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			next.ServeHTTP(w, r)
			return
		}
		c, err := r.Cookie("session")
		if err != nil {
			http.Error(w, "login first", http.StatusUnauthorized)
			return
		}
		sess, err := s.sess.Get(r.Context(), c.Value)
		if err != nil || sess.Tenant != registry.From(r.Context()).ID {
			http.Error(w, "login first", http.StatusUnauthorized)
			return
		}
		if err := s.sess.Touch(r.Context(), c.Value, sess.User, sess.Tenant); err != nil {
			s.log.Warn("touch", "err", err)
		}
		r.Header.Set("X-User", sess.User)
		next.ServeHTTP(w, r)
	})
}

func (s *server) login(w http.ResponseWriter, r *http.Request) {
	t := registry.From(r.Context())
	user, code := r.FormValue("user"), r.FormValue("code")
	ok, err := s.checkOTP(r.Context(), t.ID, user, code)
	if err != nil {
		http.Error(w, "try again", http.StatusBadGateway)
		return
	}
	if !ok {
		n, _ := s.sess.Attempt(r.Context(), t.ID, user)
		s.log.Warn("failed login", "tenant", t.ID, "user", user, "n", n)
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	token, err := s.sess.Create(r.Context(), sessions.Session{Tenant: t.ID, User: user, Device: r.UserAgent(), Scopes: []string{"read", "write"}})
	if err != nil {
		http.Error(w, "try again", http.StatusBadGateway)
		return
	}
	if _, err := s.reg.CountLogin(r.Context(), t.ID); err != nil {
		s.log.Warn("count login", "err", err)
	}
	_ = s.activity.Log(r.Context(), export.Event{Tenant: t.ID, Actor: user, Action: "login"})
	http.SetCookie(w, &http.Cookie{Name: "session", Value: token, HttpOnly: true, Secure: true, MaxAge: int(schema.SessionTTL / time.Second)})
	w.WriteHeader(http.StatusNoContent)
}

func otpKey(tenant, user string) string { return schema.Key("o", tenant, user) }

// otp sends a one-time code, which lives for five minutes.
func (s *server) otp(w http.ResponseWriter, r *http.Request) {
	t := registry.From(r.Context())
	user := r.FormValue("user")
	code := fmt.Sprintf("%06d", time.Now().UnixNano()%1e6)
	issued := time.Now()
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamSession, "otp")                                         // ok ttlwrite/delete-after-set
	m.Set(schema.FamSession, "otp", bigtable.Time(issued.Add(5*time.Minute)), []byte(code)) // ok ttlwrite/write-time
	m.Set(schema.FamSession, "otp_sent", bigtable.Time(issued), []byte(r.RemoteAddr))       // want ttlwrite/write-time
	if err := s.auth.Apply(r.Context(), otpKey(t.ID, user), m); err != nil {
		http.Error(w, "try again", http.StatusBadGateway)
		return
	}
	s.log.Info("code sent", "tenant", t.ID, "user", user)
	w.WriteHeader(http.StatusAccepted)
}

func (s *server) checkOTP(ctx context.Context, tenant, user, code string) (bool, error) {
	row, err := s.auth.ReadRow(ctx, otpKey(tenant, user), bigtable.RowFilter(bigtable.ColumnFilter("otp"))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[schema.FamSession] {
		if string(it.Value) == code {
			return true, nil
		}
	}
	return false, nil
}

// recheckOTP is what confirmation dialogs use.
func (s *server) recheckOTP(ctx context.Context, tenant, user, code string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter("otp"), btx.Of(schema.FamSession, btx.Live()))
	row, err := s.auth.ReadRow(ctx, otpKey(tenant, user), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return string(btx.Cell(row, schema.FamSession, "otp")) == code, nil
}

func (s *server) logout(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie("session")
	if err == nil {
		err = s.sess.End(r.Context(), c.Value)
	}
	if err != nil {
		s.log.Warn("logout", "err", err)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *server) me(w http.ResponseWriter, r *http.Request) {
	t := registry.From(r.Context())
	ok, err := s.recheckOTP(r.Context(), t.ID, r.Header.Get("X-User"), r.URL.Query().Get("code"))
	if err != nil {
		s.log.Warn("confirm", "err", err)
	}
	p, err := s.sess.Profile(r.Context(), t.ID, r.Header.Get("X-User"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Last-Modified", p.UpdatedAt.Format(http.TimeFormat))
	w.Header().Set("X-Confirmed", fmt.Sprint(ok))
	_ = json.NewEncoder(w).Encode(p)
}

func (s *server) sessions(w http.ResponseWriter, r *http.Request) {
	t := registry.From(r.Context())
	list, err := s.sess.OfUser(r.Context(), t.ID, r.Header.Get("X-User"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_ = json.NewEncoder(w).Encode(list)
}

// support shows any row of the auth table.
func (s *server) support(w http.ResponseWriter, r *http.Request) {
	row, err := s.auth.ReadRow(r.Context(), r.PathValue("key")) // want ttlread/missing-filter
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	type cell struct {
		Family, Column, Value string
		UpdatedAt             time.Time
		ExpiresAt             time.Time
	}
	var out []cell
	for _, it := range row[schema.FamSession] {
		out = append(out, cell{Family: schema.FamSession, Column: it.Column, Value: string(it.Value), ExpiresAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamInvite] {
		out = append(out, cell{Family: schema.FamInvite, Column: it.Column, Value: string(it.Value), UpdatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	for _, it := range row[schema.FamProfile] {
		out = append(out, cell{Family: schema.FamProfile, Column: it.Column, Value: string(it.Value), UpdatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *server) exportCSV(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/csv")
	x := export.Exporter{Tenant: registry.From(r.Context()), Out: w, Limit: 100000}
	if err := x.CSV(r.Context()); err != nil {
		s.log.Error("export", "err", err)
	}
}

func main() {
	path := flag.String("config", "/etc/platform/platform.json", "configuration file")
	flag.Parse()
	cfg, err := schema.Load(*path)
	if err != nil {
		slog.Error("configuration", "err", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		slog.Error("bigtable", "err", err)
		os.Exit(1)
	}
	defer client.Close()
	srv := &http.Server{Addr: cfg.Listen, Handler: newServer(client, cfg).routes(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		down, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = srv.Shutdown(down)
	}()
	if err := srv.ListenAndServe(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		slog.Error("serve", "err", err)
	}
}
