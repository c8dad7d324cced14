// Command server serves logins and subscriptions over HTTP.
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
	"strconv"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/billing"
	"example.com/paywell/clock"
	"example.com/paywell/domain"
	"example.com/paywell/session"
	"example.com/paywell/store"
)

var (
	project  = flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance = flag.String("instance", "paywell", "Bigtable instance")
	listen   = flag.String("listen", ":8080", "address to listen on")
	plansAt  = flag.String("plans", "plans.json", "file with the plans")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		slog.Error("server", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer client.Close()
	plans, err := loadPlans(*plansAt)
	if err != nil {
		return err
	}
	clk := clock.Truncated{Clock: clock.UTC}
	st := store.Open(client, clk)
	bill, err := billing.FromStore(st, logCharger{}, clk, plans)
	if err != nil {
		return err
	}
	srv := &server{
		st:       st,
		sessions: session.New(st, clk, session.WithMaxAge(7*24*time.Hour)),
		billing:  bill,
		raw:      client.Open(store.TableSessions),
		subs:     client.Open(store.TableSubscriptions),
		clk:      clk,
	}
	hs := &http.Server{Addr: *listen, Handler: srv.routes(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		shut, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := hs.Shutdown(shut); err != nil {
			slog.Warn("shutdown", "err", err)
		}
	}()
	if err := hs.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func loadPlans(name string) ([]domain.Plan, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var plans []domain.Plan
	if err := json.Unmarshal(b, &plans); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return plans, nil
}

type logCharger struct{}

func (logCharger) Charge(ctx context.Context, account string, amount domain.Money, key string) error {
	slog.InfoContext(ctx, "charge", "account", account, "amount", amount, "key", key)
	return nil
}

type server struct {
	st       *store.Store
	sessions *session.Service
	billing  *billing.Service
	raw      *bigtable.Table
	subs     *bigtable.Table
	clk      clock.Clock
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /me", s.me)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("POST /seen", s.seen)
	mux.HandleFunc("GET /who", s.who)
	mux.HandleFunc("POST /renew/{tenant}/{id}", s.idempotent(s.renew))
	mux.HandleFunc("GET /state/{id}", s.state)
	mux.HandleFunc("GET /holds/{tenant}/{account}", s.holds)
	mux.HandleFunc("GET /healthz", s.healthz)
	return mux
}

func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, domain.ErrNotFound):
		code = http.StatusNotFound
	case errors.Is(err, domain.ErrExpired):
		code = http.StatusUnauthorized
	case errors.Is(err, domain.ErrConflict), errors.Is(err, domain.ErrLocked), errors.Is(err, domain.ErrDuplicate):
		code = http.StatusConflict
	case errors.Is(err, domain.ErrBadInput):
		code = http.StatusBadRequest
	}
	http.Error(w, err.Error(), code)
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		slog.Warn("reply", "err", err)
	}
}

func (s *server) login(w http.ResponseWriter, r *http.Request) {
	remember, _ := strconv.ParseBool(r.FormValue("remember"))
	sess, err := s.sessions.Login(r.Context(), r.FormValue("user"), r.UserAgent(), r.RemoteAddr, remember)
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, sess)
}

func (s *server) me(w http.ResponseWriter, r *http.Request) {
	sess, err := s.sessions.Resume(r.Context(), r.Header.Get("X-Session"))
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, sess)
}

func (s *server) logout(w http.ResponseWriter, r *http.Request) {
	if err := s.st.Sessions.Drop(r.Context(), r.Header.Get("X-Session")); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// seen notes that a user is still there.
func (s *server) seen(w http.ResponseWriter, r *http.Request) {
	mut := bigtable.NewMutation()
	mut.Set(store.FamTok, "seen", bigtable.Now(), []byte(r.RemoteAddr))  // want ttlwrite/write-time
	mut.Set(store.FamProf, "seen", bigtable.Now(), []byte(r.RemoteAddr)) // ok ttlwrite/write-time
	mut.Set(store.FamTok, "alive", expiry(s.clk, 0), nil)                // want ttlwrite/write-time
	mut.Set(store.FamTok, "idle", expiry(s.clk, 5*time.Minute), nil)     // ok ttlwrite/write-time
	if err := s.raw.Apply(r.Context(), "s#"+r.Header.Get("X-Session"), mut); err != nil {
		fail(w, err)
	}
}

func expiry(clk clock.Clock, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(clk.Now().Add(d))
}

// who says who is logged in.
func (s *server) who(w http.ResponseWriter, r *http.Request) {
	type user struct {
		Key       string    `json:"key"`
		CreatedAt time.Time `json:"created_at"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	var users []user
	err := s.raw.ReadRows(r.Context(), bigtable.PrefixRange("s#"), func(row bigtable.Row) bool {
		for _, item := range row[store.FamTok] {
			users = append(users, user{
				Key:       item.Row,
				CreatedAt: item.Timestamp.Time(), // want ttlage/not-write-time
				ExpiresAt: item.Timestamp.Time(), // ok ttlage/not-write-time
			})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamTok), bigtable.TimestampRangeFilter(s.clk.Now(), time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, users)
}

// idempotent answers a request that came before as it was answered then.
func (s *server) idempotent(h func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if key == "" {
			fail(w, fmt.Errorf("%w: no Idempotency-Key", domain.ErrBadInput))
			return
		}
		old, err := s.st.Idempotency.Get(r.Context(), key)
		switch {
		case err == nil:
			w.WriteHeader(old.Status)
			_, _ = w.Write(old.Body)
			return
		case !errors.Is(err, domain.ErrNotFound):
			fail(w, err)
			return
		}
		v, err := h(r)
		if err != nil {
			fail(w, err)
			return
		}
		body, err := json.Marshal(v)
		if err != nil {
			fail(w, err)
			return
		}
		resp := store.Response{Status: http.StatusOK, Body: body, CreatedAt: s.clk.Now()}
		if err := s.st.Idempotency.Put(r.Context(), key, resp); err != nil {
			slog.WarnContext(r.Context(), "not remembered", "key", key, "err", err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}
}

func (s *server) renew(r *http.Request) (any, error) {
	return s.billing.Renew(r.Context(), r.PathValue("tenant"), r.PathValue("id"))
}

// state shows a subscription as it is stored.
func (s *server) state(w http.ResponseWriter, r *http.Request) {
	row, err := s.subs.ReadRow(r.Context(), "sub#"+r.PathValue("id"), bigtable.RowFilter(bigtable.FamilyFilter(store.FamState+"|"+store.FamMeta))) // want ttlread/version-limit
	if err != nil {
		fail(w, err)
		return
	}
	var out []string
	for _, item := range row[store.FamState] {
		out = append(out, string(item.Value))
	}
	for _, item := range row[store.FamMeta] {
		out = append(out, string(item.Value))
	}
	reply(w, out)
}

// holds shows what is held.
func (s *server) holds(w http.ResponseWriter, r *http.Request) {
	l := s.st.Ledger(r.PathValue("tenant"), store.WithNow(s.clk.Now), store.WithHoldTTL(10*time.Minute))
	entries, held, err := l.StatementLive(r.Context(), r.PathValue("account"))
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, map[string]any{"entries": entries, "held": held})
}

// healthz looks whether Bigtable answers; what it answers does not matter.
func (s *server) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := s.raw.ReadRow(ctx, "health", bigtable.RowFilter(bigtable.FamilyFilter(store.FamProf))); err != nil { // ok ttlread/missing-filter
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
