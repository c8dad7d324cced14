// Package api is the HTTP side of the payments backend.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/ledger"
	"example.com/payments/internal/merchant"
	"example.com/payments/internal/onetime"
	"example.com/payments/internal/payouts"
	"example.com/payments/internal/quotes"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// graceUntil is when step-up grants run out.
var graceUntil = bigtable.Time(time.Now().Add(10 * time.Minute)) // want ttlwrite/stale-clock[grace]

// bootedAt is set by init, for the status page and for device tokens.
var bootedAt time.Time // want ttlwrite/stale-clock[device]

func init() { bootedAt = time.Now() } // want ttlwrite/stale-clock[device]

// Deps is what the handlers need.
type Deps struct {
	Tokens    *onetime.Repo
	Book      *ledger.Book
	Quotes    *quotes.Book
	Merchants merchant.Reader
	Payouts   *payouts.Repo
	Client    *bigtable.Client
	Log       *slog.Logger
}

// Server has the handlers.
type Server struct {
	Deps
	mux    *http.ServeMux
	grants *bigtable.Table
	clk    clock.Clock
}

// New registers the handlers.
func New(d Deps) *Server {
	s := &Server{Deps: d, mux: http.NewServeMux(), grants: d.Client.Open(string(schema.TableOneTime)), clk: clock.System{}}
	s.mux.HandleFunc("POST /otp/{subject}", s.issue)
	s.mux.HandleFunc("PUT /otp/{subject}", s.redeem)
	s.mux.HandleFunc("POST /grant/{subject}", s.grant)
	s.mux.HandleFunc("GET /grant/{subject}", s.granted)
	s.mux.HandleFunc("GET /accounts/{id}", s.statement)
	s.mux.HandleFunc("GET /accounts/{id}/recent", s.recent)
	s.mux.HandleFunc("GET /quotes/{pair}", s.quote)
	s.mux.HandleFunc("GET /merchants/{id}", s.merchant)
	s.mux.HandleFunc("GET /payouts/{id}", s.payout)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		s.json(w, map[string]string{"up": time.Since(bootedAt).String()}, nil)
	})
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) json(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, onetime.ErrUnknown), errors.Is(err, merchant.ErrNoMerchant):
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	case errors.Is(err, onetime.ErrLocked):
		http.Error(w, err.Error(), http.StatusTooManyRequests)
		return
	case err != nil:
		s.Log.Error("request failed", "err", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.Log.Warn("encoding", "err", err)
	}
}

func (s *Server) issue(w http.ResponseWriter, r *http.Request) {
	code, err := s.Tokens.Issue(r.Context(), r.PathValue("subject"), r.FormValue("channel"))
	s.json(w, map[string]int{"digits": len(code)}, err)
}

func (s *Server) redeem(w http.ResponseWriter, r *http.Request) {
	err := s.Tokens.Redeem(r.Context(), r.PathValue("subject"), r.FormValue("code"))
	s.json(w, map[string]bool{"ok": err == nil}, err)
}

// grant remembers that a subject has passed step-up.
func (s *Server) grant(w http.ResponseWriter, r *http.Request) {
	mut := bigtable.NewMutation()
	mut.Set("token", "grant", graceUntil, []byte(r.FormValue("scope")))                            // want ttlwrite/stale-clock[grace]
	mut.Set("token", "device", bigtable.Time(bootedAt.Add(10*time.Minute)), []byte(r.UserAgent())) // want ttlwrite/stale-clock[device]
	mut.Set("token", "ip", bigtable.Time(s.clk.Now().Add(10*time.Minute)), []byte(r.RemoteAddr))   // ok ttlwrite/stale-clock
	mut.Set("contact", "boot", bigtable.Time(bootedAt), nil)                                       // ok ttlwrite/stale-clock
	err := s.grants.Apply(r.Context(), r.PathValue("subject"), mut)
	s.json(w, map[string]bool{"ok": err == nil}, err)
}

// granted says whether the grant is still good.
func (s *Server) granted(w http.ResponseWriter, r *http.Request) {
	scope, err := s.scope(r.Context(), r.PathValue("subject"))
	s.json(w, map[string]string{"scope": scope}, err)
}

func (s *Server) scope(ctx context.Context, subject string) (string, error) {
	row, err := s.grants.ReadRow(ctx, subject, bigtable.RowFilter(bigtable.ColumnFilter("grant|device"))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamToken.String()] {
		if it.Column == "token:grant" {
			return string(it.Value), nil
		}
	}
	return "", store.ErrNotFound
}

func (s *Server) statement(w http.ResponseWriter, r *http.Request) {
	st, err := s.Book.Statement(r.Context(), r.PathValue("id"))
	s.json(w, st, err)
}

func (s *Server) recent(w http.ResponseWriter, r *http.Request) {
	days, err := strconv.Atoi(r.FormValue("days"))
	if err != nil || days < 1 {
		days = 7
	}
	items, err := s.Book.Since(r.Context(), r.PathValue("id"), time.Now().AddDate(0, 0, -days)) // want ttlread/wrong-bound[ledgersince]
	s.json(w, len(items), err)
}

func (s *Server) quote(w http.ResponseWriter, r *http.Request) {
	q, err := s.Quotes.Rate(r.Context(), r.PathValue("pair"))
	s.json(w, q, err)
}

func (s *Server) merchant(w http.ResponseWriter, r *http.Request) {
	m, err := s.Merchants.Merchant(r.Context(), r.PathValue("id"))
	s.json(w, m, err)
}

func (s *Server) payout(w http.ResponseWriter, r *http.Request) {
	p, err := s.Payouts.Get(r.Context(), r.PathValue("id"))
	s.json(w, p, err)
}
