// Package httpapi is the engine's HTTP interface.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/engine"
	"example.com/flowkeep/idem"
	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/metrics"
	"example.com/flowkeep/query"
	"example.com/flowkeep/signal"
)

// Firer applies events.
type Firer interface {
	Fire(ctx context.Context, ns, id string, ev engine.Event) (*engine.Instance, error)
}

// Remembers is what the middleware needs of idem.Keys.
type Remembers interface {
	Lookup(ctx context.Context, ns, key string) (idem.Outcome, error)
	Remember(ctx context.Context, ns, key string, o idem.Outcome) error
}

// Searcher searches tasks.
type Searcher interface {
	Tasks(ctx context.Context, q query.Filter, f func(bigtable.Row) bool) error
}

// Sessions are the logins of the console; they live beside the idempotency keys.
type sessions struct {
	tbl bt.ReadWriter
	now func() time.Time
	ttl time.Duration
}

func (s sessions) open(ctx context.Context, id, user string) error {
	m := bigtable.NewMutation()
	m.Set("key", "session", bigtable.Time(s.now().Add(s.ttl)), []byte(user)) // ok ttlwrite/write-time
	m.Set("hit", "login", bigtable.Now(), []byte(user))                      // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, "session#"+id, m)
}

func (s sessions) refresh(ctx context.Context, id, user string) error {
	m := bigtable.NewMutation()
	m.Set("key", "session", bigtable.Time(s.now().UTC()), []byte(user)) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, "session#"+id, m)
}

func (s sessions) close(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("key", "session", bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range|ttlwrite/already-expired
	return s.tbl.Apply(ctx, "session#"+id, m)
}

func (s sessions) drop(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn("key", "session") // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, "session#"+id, m)
}

func (s sessions) user(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, "session#"+id, bigtable.RowFilter(bigtable.ColumnFilter("session"))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	b, ok := bt.Value(row, "key", "session")
	if !ok {
		return "", bt.ErrNotFound
	}
	return string(b), nil
}

func (s sessions) liveUser(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, "session#"+id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("session"), bt.Live(s.now())))) // ok ttlread/missing-filter // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	b, ok := bt.Value(row, "key", "session")
	if !ok {
		return "", bt.ErrNotFound
	}
	return string(b), nil
}

func (s sessions) lastLogin(ctx context.Context, id string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, "session#"+id, bigtable.RowFilter(bigtable.FamilyFilter("hit"))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row["hit"] {
		return it.Timestamp.Time(), nil // ok ttlage/not-write-time
	}
	return time.Time{}, bt.ErrNotFound
}

// Server serves the API.
type Server struct {
	fire    Firer
	keys    Remembers
	send    signal.Sender
	search  Searcher
	reg     *metrics.Registry
	log     *slog.Logger
	console sessions
	mux     *http.ServeMux
}

// New makes a server.
func New(c *bigtable.Client, f Firer, k Remembers, s signal.Sender, q Searcher, reg *metrics.Registry, log *slog.Logger) *Server {
	srv := &Server{
		fire: f, keys: k, send: s, search: q, reg: reg, log: log,
		console: sessions{tbl: c.Open("flow-idempotency"), now: time.Now, ttl: 8 * time.Hour},
		mux:     http.NewServeMux(),
	}
	routes := []struct {
		pattern string
		handle  func(http.ResponseWriter, *http.Request) error
		wrap    []func(http.HandlerFunc) http.HandlerFunc
	}{
		{"POST /v1/{ns}/runs/{id}/events/{event}", srv.event, []func(http.HandlerFunc) http.HandlerFunc{srv.idempotent}},
		{"POST /v1/{ns}/runs/{id}/signals/{name}", srv.signal, []func(http.HandlerFunc) http.HandlerFunc{srv.idempotent}},
		{"GET /v1/{ns}/tasks", srv.tasks, []func(http.HandlerFunc) http.HandlerFunc{srv.loggedIn}},
		{"POST /v1/login", srv.login, nil},
		{"POST /v1/logout", srv.logout, nil},
		{"GET /v1/me", srv.me, []func(http.HandlerFunc) http.HandlerFunc{srv.loggedIn}},
		{"GET /metrics", srv.metrics, nil},
	}
	for _, r := range routes {
		h := srv.failing(r.handle)
		for _, w := range r.wrap {
			h = w(h)
		}
		srv.mux.HandleFunc(r.pattern, h)
	}
	return srv
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.reg.Counter("http_requests").Add(1)
	s.mux.ServeHTTP(w, r)
}

func (s *Server) failing(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		switch {
		case err == nil:
		case errors.Is(err, bt.ErrNotFound):
			http.Error(w, "not found", http.StatusNotFound)
		case errors.Is(err, engine.ErrNoEdge):
			http.Error(w, err.Error(), http.StatusConflict)
		default:
			s.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "err", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}
}

type recorder struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.body = append(r.body, b...)
	return r.ResponseWriter.Write(b)
}

func (s *Server) idempotent(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if key == "" {
			next(w, r)
			return
		}
		ns := r.PathValue("ns")
		if o, err := s.keys.Lookup(r.Context(), ns, key); err == nil {
			w.WriteHeader(o.Status)
			_, _ = w.Write(o.Body)
			return
		}
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		next(rec, r)
		if rec.status < 500 {
			if err := s.keys.Remember(r.Context(), ns, key, idem.Outcome{Status: rec.status, Body: rec.body}); err != nil {
				s.log.WarnContext(r.Context(), "outcome not remembered", "key", key, "err", err)
			}
		}
	}
}

func (s *Server) loggedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("session")
		if err != nil {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if _, err := s.console.liveUser(r.Context(), c.Value); err != nil {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func (s *Server) event(w http.ResponseWriter, r *http.Request) error {
	in, err := s.fire.Fire(r.Context(), r.PathValue("ns"), r.PathValue("id"), engine.Event(r.PathValue("event")))
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(in)
}

func (s *Server) signal(w http.ResponseWriter, r *http.Request) error {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return err
	}
	id := strconv.FormatInt(time.Now().UnixNano(), 36) // ok ttlunit/wrong-unit
	if err := s.send.Send(r.Context(), signal.Signal{ID: id, Run: r.PathValue("id"), Name: r.PathValue("name"), Payload: b}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

func (s *Server) tasks(w http.ResponseWriter, r *http.Request) error {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil {
		n = 1
	}
	enc := json.NewEncoder(w)
	return s.search.Tasks(r.Context(), query.Filter{Prefix: r.PathValue("ns"), Latest: n, Live: true}, func(row bigtable.Row) bool {
		return enc.Encode(map[string]string{"key": row.Key()}) == nil
	})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	user, id := r.FormValue("user"), strconv.FormatInt(time.Now().UnixNano(), 36)
	if err := s.console.open(r.Context(), id, user); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, HttpOnly: true, MaxAge: int(s.console.ttl.Seconds())})
	return nil
}

func (s *Server) logout(_ http.ResponseWriter, r *http.Request) error {
	c, err := r.Cookie("session")
	if err != nil {
		return nil
	}
	if r.FormValue("soft") != "" {
		return s.console.close(r.Context(), c.Value)
	}
	return s.console.drop(r.Context(), c.Value)
}

func (s *Server) me(w http.ResponseWriter, r *http.Request) error {
	c, err := r.Cookie("session")
	if err != nil {
		return err
	}
	user, err := s.console.user(r.Context(), c.Value)
	if err != nil {
		return err
	}
	at, err := s.console.lastLogin(r.Context(), c.Value)
	if err != nil {
		return err
	}
	if err := s.console.refresh(r.Context(), c.Value, user); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(map[string]any{"user": user, "last_login": at})
}

func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) error {
	return json.NewEncoder(w).Encode(s.reg.Snapshot())
}
