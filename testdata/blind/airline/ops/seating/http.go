package seating

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/names"
)

// Server serves the seat API.
type Server struct {
	store *Store
	mux   *http.ServeMux
}

// NewServer routes.
func NewServer(s *Store) *Server {
	srv := &Server{store: s, mux: http.NewServeMux()}
	srv.mux.HandleFunc("GET /flights/{flight}/seats", srv.seats)
	srv.mux.HandleFunc("POST /flights/{flight}/seats/{seat}/hold", srv.hold)
	srv.mux.HandleFunc("DELETE /flights/{flight}/seats/{seat}/hold", srv.release)
	srv.mux.HandleFunc("GET /flights/{flight}/seats/{seat}/debug", srv.debug)
	srv.mux.HandleFunc("PUT /flights/{flight}/seats/{seat}/override", srv.override)
	srv.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return srv
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	switch {
	case errors.Is(err, ErrHeld):
		code = http.StatusConflict
	case errors.Is(err, ErrNoWindow), errors.Is(err, ErrNoPass):
		code = http.StatusNotFound
	}
	s.store.log.Error("request failed", "err", err, "code", code)
	http.Error(w, err.Error(), code)
}

func (s *Server) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.store.log.Error("reply", "err", err)
	}
}

func (s *Server) seats(w http.ResponseWriter, r *http.Request) {
	get := s.store.SeatMap
	if r.URL.Query().Get("fast") == "1" {
		get = s.store.SeatMapFast
	}
	seats, err := get(r.Context(), r.PathValue("flight"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, seats)
}

func (s *Server) hold(w http.ResponseWriter, r *http.Request) {
	var body struct {
		PNR     string `json:"pnr"`
		Minutes int    `json:"minutes"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var err error
	if body.Minutes > 0 {
		err = s.store.HoldForAgent(r.Context(), r.PathValue("flight"), r.PathValue("seat"), body.PNR, time.Duration(body.Minutes)*time.Minute) // ok ttlwrite/already-expired
	} else {
		err = s.store.Take(r.Context(), r.PathValue("flight"), r.PathValue("seat"), body.PNR)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func (s *Server) release(w http.ResponseWriter, r *http.Request) {
	if err := s.store.Release(r.Context(), r.PathValue("flight"), r.PathValue("seat")); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// debug shows a row as it is.
func (s *Server) debug(w http.ResponseWriter, r *http.Request) {
	raw := s.store.holds.Raw()
	row, err := raw.ReadRow(r.Context(), names.Key(r.PathValue("flight"), r.PathValue("seat"))) // want ttlread/missing-filter
	if err != nil {
		s.fail(w, err)
		return
	}
	s.reply(w, row)
}

// override sets a hold to a timestamp that an operator gives, in microseconds.
func (s *Server) override(w http.ResponseWriter, r *http.Request) {
	us, err := strconv.ParseInt(r.URL.Query().Get("until"), 10, 64)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ts := bigtable.Timestamp(us)
	m := bt.NewMut().PutTS(names.FamHold, colBy, ts, []byte("OPS")) // ok ttlwrite/write-time ttlunit/wrong-unit
	if err := s.store.holds.Write(r.Context(), names.Key(r.PathValue("flight"), r.PathValue("seat")), m); err != nil {
		s.fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
