// Command featured serves features, assignments and models over HTTP.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/exper"
	"example.com/featureplat/lastval"
	"example.com/featureplat/models"
	"example.com/featureplat/online"
	"example.com/featureplat/schema"
)

type server struct {
	store    *online.Store
	leases   *exper.Leases
	rollouts *exper.Rollouts
	models   *models.Registry
	last     *lastval.Store[float64]
	log      *slog.Logger
}

func main() {
	addr := flag.String("addr", ":8080", "listen address")
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "features", "instance")
	flag.Parse()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Error("bigtable", "err", err)
		os.Exit(1)
	}
	tbl := exper.Open(client, log)
	s := &server{
		store:    online.New(client, log),
		leases:   exper.NewLeases(tbl),
		rollouts: exper.NewRollouts(tbl),
		models:   models.New(client, log),
		last:     lastval.Floats(client),
		log:      log,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/vectors/{kind}/{id}", s.vector)
	mux.HandleFunc("GET /v1/assign/{experiment}/{unit}", s.assign)
	mux.HandleFunc("GET /v1/models/{model}", s.model)
	mux.HandleFunc("GET /debug/cells/{kind}/{id}", s.cells)
	mux.HandleFunc("GET /debug/windows/{kind}/{id}", s.windows)
	mux.HandleFunc("POST /v1/served/{kind}/{id}", s.served)
	srv := &http.Server{Addr: *addr, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = srv.Shutdown(context.WithoutCancel(ctx))
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("serve", "err", err)
	}
}

func (s *server) reply(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, btx.ErrNotFound):
		http.Error(w, "not found", http.StatusNotFound)
	case err != nil:
		s.log.Error("request", "err", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
}

func entity(r *http.Request) btx.Entity {
	return btx.Entity{Kind: r.PathValue("kind"), ID: r.PathValue("id")}
}

func (s *server) vector(w http.ResponseWriter, r *http.Request) {
	v, err := s.store.WithOwner(r.Context(), entity(r))
	s.reply(w, v, err)
}

func (s *server) assign(w http.ResponseWriter, r *http.Request) {
	x, err := s.leases.Load(r.Context(), r.PathValue("experiment"))
	if err != nil {
		s.reply(w, nil, err)
		return
	}
	a, err := s.leases.Assign(r.Context(), x, r.PathValue("unit"))
	s.reply(w, a, err)
}

func (s *server) model(w http.ResponseWriter, r *http.Request) {
	revs, err := s.models.Revisions(r.Context(), r.PathValue("model"))
	s.reply(w, revs, err)
}

// cellInfo is a cell on a debug page.
type cellInfo struct {
	Column    string    `json:"column"`
	Size      int       `json:"size"`
	WrittenAt time.Time `json:"written_at"`
}

func info(it bigtable.ReadItem) cellInfo {
	return cellInfo{Column: it.Column, Size: len(it.Value), WrittenAt: it.Timestamp.Time()} // want ttlage/not-write-time[info]
}

// cells shows what a row holds in the families that people ask for.
func (s *server) cells(w http.ResponseWriter, r *http.Request) {
	row, err := s.store.Table().ReadRow(r.Context(), entity(r).Key()) // want ttlread/missing-filter
	if err != nil {
		s.reply(w, nil, err)
		return
	}
	var out []cellInfo
	for _, it := range row[schema.FamMeta] {
		out = append(out, info(it)) // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamValue] {
		out = append(out, info(it)) // want ttlage/not-write-time[info]
	}
	s.reply(w, out, nil)
}

// windows shows a row's open windows, the newest of each.
func (s *server) windows(w http.ResponseWriter, r *http.Request) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWindow), bigtable.CellsPerRowLimitFilter(10), btx.Live()) // want ttlread/limit-before-filter[windows]
	row, err := s.store.Table().ReadRow(r.Context(), entity(r).Key(), bigtable.RowFilter(f))                             // want ttlread/limit-before-filter[windows]
	s.reply(w, row, err)
}

// served counts that a row was served, and when.
func (s *server) served(w http.ResponseWriter, r *http.Request) {
	m := bigtable.NewMutation()
	m.Set(schema.FamWindow, "served", bigtable.Timestamp(time.Now().Add(schema.WindowTTL).UnixMilli()), nil) // want ttlunit/wrong-unit
	m.Set(schema.FamMeta, "served", bigtable.Now(), nil)                                                     // ok ttlwrite/write-time
	err := s.store.Table().Apply(r.Context(), entity(r).Key(), m)
	s.reply(w, "ok", err)
}
