package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sort"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/schema"
	"example.com/saga/vo"
)

func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				slog.Error("panic", "path", r.URL.Path, "value", v)
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

type recorder struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (r *recorder) WriteHeader(code int) { r.code = code; r.ResponseWriter.WriteHeader(code) }
func (r *recorder) Write(b []byte) (int, error) {
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

func logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w, code: http.StatusOK}
		began := time.Now()
		next.ServeHTTP(rec, r)
		slog.Info("http", "method", r.Method, "path", r.URL.Path, "code", rec.code, "took", time.Since(began))
	})
}

func (a *API) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addr, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			addr = r.RemoteAddr
		}
		blocked, err := a.Limiter.Blocked(r.Context(), addr)
		if err != nil {
			slog.Warn("limiter", "err", err)
		}
		ok, err := a.Limiter.Allow(r.Context(), addr)
		if blocked || err == nil && !ok {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// idempotent answers a repeated call with the stored answer.
func (a *API) idempotent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := vo.IdemKey(r.Header.Get("Idempotency-Key"))
		if key == "" || r.Method == http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		body, err := a.Env.Payments.Recall(r.Context(), key)
		if err == nil {
			w.Header().Set("Idempotent-Replay", "true")
			_, _ = w.Write(body)
			return
		}
		if !errors.Is(err, bt.ErrNotFound) {
			slog.Warn("idempotency", "key", key, "err", err)
		}
		rec := &recorder{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(rec, r)
		store := a.Env.Payments.Remember
		if rec.code >= 500 {
			return
		}
		if err := store(r.Context(), key, rec.code, rec.body.Bytes()); err != nil {
			slog.Warn("idempotency", "key", key, "err", err)
		}
	})
}

// Stats counts requests.
type Stats struct {
	mu     sync.Mutex
	calls  map[string]int
	errors map[string]int
	took   map[string]time.Duration
}

// NewStats makes empty statistics.
func NewStats() *Stats {
	return &Stats{calls: map[string]int{}, errors: map[string]int{}, took: map[string]time.Duration{}}
}

// Observe counts a call.
func (s *Stats) Observe(name string, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[name]++
	s.took[name] += took
	if err != nil {
		s.errors[name]++
	}
}

func (s *Stats) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for n := range s.calls {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "calls{route=%q} %d\nerrors{route=%q} %d\nseconds{route=%q} %f\n", n, s.calls[n], n, s.errors[n], n, s.took[n].Seconds())
	}
}

// debugCart shows the cells of a cart.
func (a *API) debugCart(w http.ResponseWriter, r *http.Request) error {
	row, err := a.Sessions.carts.ReadRow(r.Context(), r.PathValue("id")) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	var out []map[string]any
	for _, it := range row[schema.FamLine] {
		out = append(out, map[string]any{
			"column":     it.Column,
			"bytes":      len(it.Value),
			"expires_at": it.Timestamp.Time(), // ok ttlage/not-write-time
			"updated_at": it.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	for _, it := range row[schema.FamProfile] {
		out = append(out, map[string]any{
			"column":     it.Column,
			"bytes":      len(it.Value),
			"updated_at": it.Timestamp.Time(), // ok ttlage/not-write-time
		})
	}
	reply(w, http.StatusOK, out)
	return nil
}

// debugSession shows how long a session has been there.
func (a *API) debugSession(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("cart")
	if err := a.Sessions.CheckLive(r.Context(), vo.CartID(id), r.Header.Get("X-Token")); err != nil {
		return err
	}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLine), bigtable.ColumnFilter("token"))
	var age, left time.Duration
	err := a.Sessions.carts.ReadRows(r.Context(), bigtable.SingleRow(id), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamLine] {
			if it.Timestamp < bigtable.Time(a.Clock.Now()) { // ok ttlage/server-sentinel
				continue
			}
			age = time.Since(it.Timestamp.Time())  // want ttlage/not-write-time
			left = time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "age %s, left %s\n", age, left)
	_, err = io.WriteString(w, "\n")
	return err
}
