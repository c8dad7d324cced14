// Package api serves departures and positions.
package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/store"
	"example.com/datalib/datalib/tables"
)

// Server serves departures.
type Server struct {
	set       *tables.Set
	positions *store.Positions
	board     *store.Board
	journal   *store.Journal
	timetable *store.Timetable
}

// New makes a server.
func New(set *tables.Set) *Server {
	return &Server{set, store.NewPositions(set), store.NewBoard(set), store.NewJournal(set), store.NewTimetable(set)}
}

// Register adds the routes.
func (s *Server) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /vehicles/{id}", s.vehicle)
	mux.HandleFunc("GET /vehicles/{id}/age", s.age)
	mux.HandleFunc("GET /vehicles/{id}/track", s.track)
	mux.HandleFunc("GET /vehicles/{id}/journal", s.entries)
	mux.HandleFunc("GET /lines/{line}", s.line)
	mux.HandleFunc("GET /stops/{id}", s.stop)
	mux.HandleFunc("GET /trips/{id}", s.trip)
}

func fail(w http.ResponseWriter, err error) bool {
	if err == nil {
		return false
	}
	slog.Error("departures", "err", err)
	http.Error(w, "internal", http.StatusInternalServerError)
	return true
}

func (s *Server) vehicle(w http.ResponseWriter, r *http.Request) {
	fixes, err := s.positions.Recent(r.Context(), r.PathValue("id")) // ok ttlread/missing-filter
	if fail(w, err) {
		return
	}
	_ = json.NewEncoder(w).Encode(fixes)
}

func (s *Server) age(w http.ResponseWriter, r *http.Request) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.GPS), read.Within(schema.GPSTTL))
	row, err := s.set.Positions.ReadRow(r.Context(), r.PathValue("id"), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if fail(w, err) {
		return
	}
	for _, it := range row[schema.GPS] {
		fmt.Fprintln(w, "age", time.Since(it.Timestamp.Time()).Seconds()) // want ttlage/not-write-time
	}
	meta, err := s.set.Positions.ReadRow(r.Context(), r.PathValue("id"), read.Opt(bigtable.FamilyFilter(schema.Meta))) // ok ttlread/missing-filter
	if fail(w, err) {
		return
	}
	for _, it := range meta[schema.Meta] {
		fmt.Fprintln(w, "meta age", time.Since(it.Timestamp.Time()).Seconds()) // ok ttlage/not-write-time
	}
}

func (s *Server) track(w http.ResponseWriter, r *http.Request) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(schema.GPS))} // want ttlread/missing-filter[a1]
	if r.FormValue("latest") != "" {
		opts = append(opts, bigtable.LimitRows(1))
	}
	row, err := s.set.Positions.ReadRow(r.Context(), r.PathValue("id"), opts...) // want ttlread/missing-filter[a1]
	if fail(w, err) {
		return
	}
	_, _ = w.Write(read.First(row, schema.GPS))
	row, err = s.set.Positions.ReadRow(r.Context(), r.PathValue("id"), read.Opt(bigtable.FamilyFilter(schema.GPS), read.Within(2*time.Hour))) // want ttlread/wrong-bound
	if fail(w, err) {
		return
	}
	_, _ = w.Write(read.First(row, schema.GPS))
}

func (s *Server) entries(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil {
		n = 1
	}
	row, err := s.set.Journal.ReadRow(r.Context(), r.PathValue("id"), read.Opt(read.Latest(min(n, schema.EntryKeep)))) // ok ttlread/version-limit
	if fail(w, err) {
		return
	}
	_, _ = w.Write(read.First(row, schema.Entry))
	row, err = s.set.Journal.ReadRow(r.Context(), r.PathValue("id"), bigtable.RowFilter(bigtable.LatestNFilter(5))) // want ttlread/version-limit
	if fail(w, err) {
		return
	}
	_, _ = w.Write(read.First(row, schema.Entry))
	row, err = s.set.Journal.ReadRow(r.Context(), r.PathValue("id"), bigtable.RowFilter(bigtable.LatestNFilter(0))) // want ttlunit/invalid-filter
	if fail(w, err) {
		return
	}
	_, _ = w.Write(read.First(row, schema.Entry))
}

func (s *Server) line(w http.ResponseWriter, r *http.Request) {
	err := s.set.Positions.ReadRows(r.Context(), bigtable.PrefixRange(r.PathValue("line")+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[schema.GPS] {
			fmt.Fprintf(w, "%s %s\n", row.Key(), it.Value)
		}
		return true
	})
	if fail(w, err) {
		return
	}
	err = s.set.Positions.ReadRows(r.Context(), bigtable.PrefixRange(r.PathValue("line")+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.Meta] {
			fmt.Fprintf(w, "%s %s\n", row.Key(), it.Value)
		}
		return true
	})
	fail(w, err)
}

func (s *Server) stop(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	name, err := s.board.Name(r.Context(), id) // ok ttlread/missing-filter
	if fail(w, err) {
		return
	}
	row, err := s.set.Stops.ReadRow(r.Context(), id, read.Opt(bigtable.FamilyFilter(schema.State), read.Until())) // want ttlread/expired-only
	if fail(w, err) {
		return
	}
	live, err := s.set.Stops.ReadRow(r.Context(), id, read.Opt(bigtable.FamilyFilter(schema.State), read.Live())) // ok ttlread/expired-only
	if fail(w, err) {
		return
	}
	text, err := s.set.Board.ReadRow(r.Context(), id, read.Opt(read.Latest(1))) // ok ttlread/missing-filter
	if fail(w, err) {
		return
	}
	fmt.Fprintf(w, "%s %s %s %s\n", name, read.First(row, schema.State), read.First(live, schema.State), read.First(text, schema.State))
}

func (s *Server) trip(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	cur, err := s.timetable.Current(r.Context(), id) // ok ttlread/version-limit
	if fail(w, err) {
		return
	}
	row, err := s.set.Timetable.ReadRow(r.Context(), id, read.Opt(bigtable.FamilyFilter(schema.Rev), read.Live())) // want ttlread/wrong-bound
	if fail(w, err) {
		return
	}
	fmt.Fprintf(w, "%s %s\n", cur, read.First(row, schema.Rev))
}
