// Command capserver answers the bidders.
package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/consent"
	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/flags"
	"adcap.example/platform/internal/freqcap"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
	"adcap.example/platform/internal/worker"
)

type server struct {
	caps    *freqcap.Store
	tbl     bt.Table
	log     *slog.Logger
	batch   *bt.Batcher
	sweeper *worker.Sweeper
}

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, log); err != nil {
		log.Error("capserver", "err", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, log *slog.Logger) error {
	c, err := bigtable.NewClient(ctx, os.Getenv("ADCAP_PROJECT"), "adcap")
	if err != nil {
		return err
	}
	defer c.Close()
	tbl := c.Open(schema.TableFreqCap)
	s := &server{
		caps:    freqcap.NewStore(c, flags.New("live-reads"), log),
		tbl:     tbl,
		log:     log,
		batch:   bt.NewBatcher(ctx, tbl, 100, time.Second),
		sweeper: worker.NewSweeper(c),
	}
	if err := freqcap.Preload(ctx, tbl, slices.Values([]string{"house", "test"})); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /caps/{user}", s.get)
	mux.HandleFunc("POST /caps/{user}/{campaign}", s.post)
	mux.HandleFunc("POST /fast/{user}/{campaign}", s.fast)
	mux.HandleFunc("GET /raw/{user}", s.raw)
	mux.Handle("/consent/{user}", consent.NewHandler(consent.NewStore(c), log))
	go func() {
		if err := worker.Every(ctx, time.Minute, s.sweeper.Caps); err != nil {
			log.Warn("sweeper", "err", err)
		}
	}()
	srv := &http.Server{Addr: ":8080", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = srv.Shutdown(context.WithoutCancel(ctx))
	}()
	if err := srv.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return s.batch.Close()
}

func (s *server) get(w http.ResponseWriter, r *http.Request) {
	p, err := s.caps.Load(r.Context(), r.PathValue("user"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(p)
}

func (s *server) post(w http.ResponseWriter, r *http.Request) {
	window := schema.CapWindow
	if v := r.FormValue("window"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		window = d
	}
	if err := s.caps.Block(r.Context(), r.PathValue("user"), r.PathValue("campaign"), window); err != nil { // ok ttlwrite/write-time
		s.log.Error("block", "err", err)
		http.Error(w, "internal", http.StatusInternalServerError)
	}
}

// fast answers before it is written.
func (s *server) fast(w http.ResponseWriter, r *http.Request) {
	m := bigtable.NewMutation()
	stamp := func(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }
	m.Set(schema.FamCap, r.PathValue("campaign"), stamp(schema.CapWindow), []byte("f")) // ok ttlwrite/write-time
	m.Set(schema.FamCap, "any", stamp(0), []byte("f"))                                  // want ttlwrite/write-time
	mutate.Put(m, schema.FamSeg, "fast", mutate.NowTS(), nil)                           // ok ttlwrite/write-time
	s.batch.Add("u#"+r.PathValue("user"), m)
	w.WriteHeader(http.StatusAccepted)
}

// raw is for the support console.
func (s *server) raw(w http.ResponseWriter, r *http.Request) {
	row, err := s.tbl.ReadRow(r.Context(), "u#"+r.PathValue("user"), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	live, err := s.tbl.ReadRow(r.Context(), "u#"+r.PathValue("user"), bigtable.RowFilter(filters.FreqCap(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"stored": slices.Sorted(maps.Keys(row)),
		"rows":   row,
		"live":   live,
	})
}
