// Package api serves tickets over HTTP.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/store"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
	"example.com/datalib/ticketing/config"
	"example.com/datalib/ticketing/metrics"
)

// Server serves tickets.
type Server struct {
	cfg      *config.Config
	set      *tables.Set
	tickets  *store.Tickets
	sessions *store.Sessions
	reg      *metrics.Registry
}

// New makes a server.
func New(cfg *config.Config, set *tables.Set, reg *metrics.Registry) *Server {
	return &Server{cfg, set, store.NewTickets(set), store.NewSessions(set), reg}
}

// Handler is all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tickets/{id}", s.reg.Wrap("get", s.get))
	mux.HandleFunc("POST /tickets", s.reg.Wrap("buy", s.buy))
	mux.HandleFunc("POST /tickets/{id}/gate", s.reg.Wrap("gate", s.gate))
	mux.HandleFunc("POST /tickets/{id}/pause", s.reg.Wrap("pause", s.pause))
	mux.HandleFunc("GET /tickets/{id}/audit", s.reg.Wrap("audit", s.audit))
	mux.HandleFunc("POST /login", s.reg.Wrap("login", s.login))
	mux.HandleFunc("GET /whoami", s.reg.Wrap("whoami", s.whoami))
	mux.Handle("GET /metrics", s.reg)
	return mux
}

func reply(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, read.ErrNotFound):
		http.Error(w, "not found", http.StatusNotFound)
	case err != nil:
		slog.Error("request", "err", err)
		http.Error(w, "internal", http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	t, err := s.tickets.Get(r.Context(), r.PathValue("id")) // ok ttlread/missing-filter
	reply(w, t, err)
}

func (s *Server) buy(w http.ResponseWriter, r *http.Request) {
	var t store.Ticket
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m := bigtable.NewMutation()
	if err := write.PutJSON(m, schema.Pass, "ticket", clock.At(t.Until), t); err != nil { // ok ttlwrite/write-time
		reply(w, nil, err)
		return
	}
	if err := write.PutJSON(m, schema.Pass, "receipt", clock.NowTS(), t); err != nil { // want ttlwrite/write-time
		reply(w, nil, err)
		return
	}
	if err := write.PutJSON(m, schema.Holder, "receipt", clock.NowTS(), t); err != nil { // ok ttlwrite/write-time
		reply(w, nil, err)
		return
	}
	reply(w, t, s.set.Tickets.Apply(r.Context(), t.ID, m))
}

func (s *Server) gate(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	row, err := s.set.Tickets.ReadRow(r.Context(), id, bigtable.RowFilter(bigtable.FamilyFilter(schema.Pass))) // want ttlread/missing-filter
	if err != nil {
		reply(w, nil, err)
		return
	}
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "gate", bigtable.Time(time.Now()), read.First(row, schema.Pass)) // want ttlwrite/write-time
	m.Set(schema.Holder, "gate", bigtable.Time(time.Now()), nil)                        // ok ttlwrite/write-time
	reply(w, id, s.set.Tickets.Apply(r.Context(), id, m))
}

func (s *Server) pause(w http.ResponseWriter, r *http.Request) {
	m := bigtable.NewMutation()
	until := time.Now().Add(s.cfg.Grace)
	write.Put(m, schema.Pass, "paused", bigtable.Time(until), nil) // ok ttlwrite/write-time
	if s.cfg.Debug {
		write.Put(m, schema.Pass, "debug", -1, nil)   // want ttlwrite/server-timestamp
		write.Put(m, schema.Holder, "debug", -1, nil) // ok ttlwrite/server-timestamp
	}
	reply(w, "ok", s.set.Tickets.Apply(r.Context(), r.PathValue("id"), m))
}

// auditRow is what the auditors see.
type auditRow struct {
	Column    string    `json:"column"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (s *Server) audit(w http.ResponseWriter, r *http.Request) {
	row, err := s.tickets.Full(r.Context(), r.PathValue("id"))
	var out []auditRow
	for _, it := range row[schema.Pass] {
		out = append(out, auditRow{Column: it.Column, ExpiresAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
		out = append(out, auditRow{Column: it.Column, CreatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	for _, it := range row[schema.Holder] {
		out = append(out, auditRow{Column: it.Column, CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	reply(w, out, err)
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	id, user := r.FormValue("id"), r.FormValue("user")
	if err := s.sessions.Open(r.Context(), store.Session{ID: id, User: user}); err != nil {
		reply(w, nil, err)
		return
	}
	err := s.remember(r.Context(), id, clock.Server) // want ttlwrite/server-timestamp
	if err == nil {
		err = s.remember(r.Context(), id, clock.In(schema.TokenTTL)) // ok ttlwrite/server-timestamp
	}
	reply(w, id, err)
}

func (s *Server) remember(ctx context.Context, id string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(schema.Token, "remember", ts, nil)
	return s.set.Sessions.Apply(ctx, id, m)
}

func (s *Server) whoami(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("id")
	if r.FormValue("fast") != "" {
		row, err := read.Row(r.Context(), s.set.Sessions, id, read.Opt(read.Latest(1))) // want ttlread/missing-filter
		reply(w, string(read.First(row, schema.Token)), err)
		return
	}
	row, err := read.Row(r.Context(), s.set.Sessions, id, read.Opt(read.Live(), read.Latest(1))) // ok ttlread/missing-filter
	reply(w, string(read.First(row, schema.Token)), err)
}
