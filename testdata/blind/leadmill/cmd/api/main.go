// Command api is the internal HTTP API for the PHP that is still there.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/kv"
)

type server struct {
	kv    *kv.KV
	n     atomic.Int64
	caps  kv.Space
	debug bool
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "")
	instance := flag.String("instance", "leadmill-prod", "")
	listen := flag.String("listen", ":8089", "")
	debug := flag.Bool("debug", false, "")
	flag.Parse()
	c, err := bigtable.NewClient(context.Background(), *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	s := &server{kv: kv.New(c, log.Printf), debug: *debug}
	s.caps = s.kv.In("freqcaps", "cap", 24*time.Hour) // want ttlwrite/write-time[stamp]
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token/{id}", s.wrap(s.putToken))
	mux.HandleFunc("GET /token/{id}", s.wrap(s.getToken))
	mux.HandleFunc("POST /budget/{id}", s.wrap(s.putBudget))
	mux.HandleFunc("GET /budget/{id}", s.wrap(s.getBudget))
	mux.HandleFunc("POST /visit/{id}", s.wrap(s.visit))
	mux.HandleFunc("GET /visit/{id}", s.wrap(s.getVisit))
	log.Fatal(http.ListenAndServe(*listen, mux))
}

func (s *server) wrap(f func(ctx context.Context, id string, r *http.Request) (interface{}, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		v, err := f(ctx, r.PathValue("id"), r)
		switch {
		case errors.Is(err, kv.ErrNotFound):
			http.Error(w, "not found", http.StatusNotFound)
		case err != nil:
			log.Printf("api: %s: %v", r.URL.Path, err)
			http.Error(w, "error", http.StatusInternalServerError)
		case v != nil:
			json.NewEncoder(w).Encode(v)
		}
	}
}

func (s *server) putToken(ctx context.Context, id string, r *http.Request) (interface{}, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	if err != nil {
		return nil, err
	}
	err = s.kv.Put(ctx, "sessions", id, "tok", "php", body, kv.PutOpts{TTL: 30 * time.Minute, Replace: true}) // ok ttlwrite/write-time
	if err != nil {
		return nil, err
	}
	if r.FormValue("csrf") != "" {
		if err := s.kv.Put(ctx, "sessions", id, "tok", "csrf", []byte(r.FormValue("csrf")), kv.PutOpts{}); err != nil { // want ttlwrite/write-time
			return nil, err
		}
	}
	if r.FormValue("keep") != "" {
		if err := s.kv.PutTTL(ctx, "sessions", id, "tok", "keep", []byte("1"), 0); err != nil { // want ttlwrite/server-timestamp
			return nil, err
		}
	} else if err := s.kv.PutTTL(ctx, "sessions", id, "tok", "keep", []byte("0"), 600); err != nil { // ok ttlwrite/server-timestamp
		return nil, err
	}
	return nil, s.kv.PutTTL(ctx, "sessions", id, "prof", "php", []byte(r.UserAgent()), 0) // ok ttlwrite/server-timestamp
}

func (s *server) getToken(ctx context.Context, id string, r *http.Request) (interface{}, error) {
	if r.FormValue("all") != "" {
		return s.kv.GetAll(ctx, "sessions", id, "tok") // want ttlread/missing-filter
	}
	if s.debug {
		v, err := s.kv.Get(ctx, "sessions", id, "prof", kv.GetOpts{N: 1}) // ok ttlread/missing-filter
		log.Printf("api: %s: %v %v", id, v, err)
	}
	return s.kv.Get(ctx, "sessions", id, "tok", kv.GetOpts{Live: true, N: 1}) // ok ttlread/missing-filter
}

func (s *server) putBudget(ctx context.Context, id string, r *http.Request) (interface{}, error) {
	n := s.n.Add(1)
	v := []byte(r.FormValue("v"))
	if err := s.kv.Put(ctx, "budgets", id, "led", "php", v, kv.PutOpts{Seq: n}); err != nil { // ok ttlwrite/unscaled-sequence
		return nil, err
	}
	if err := s.kv.Put(ctx, "budgets", id, "led", "php_at", v, kv.PutOpts{Server: true}); err != nil { // want ttlwrite/clock-in-sequence
		return nil, err
	}
	if err := s.kv.Put(ctx, "budgets", id, "cur", "php", v, kv.PutOpts{Zero: true}); err != nil { // ok ttlwrite/clock-in-zero
		return nil, err
	}
	if err := s.kv.Put(ctx, "budgets", id, "cur", "php_at", v, kv.PutOpts{}); err != nil { // want ttlwrite/clock-in-zero
		return nil, err
	}
	if err := s.kv.Incr(ctx, "budgets", id, "cur", "writes", 1); err != nil { // want ttlwrite/read-modify-write
		return nil, err
	}
	return nil, s.kv.Incr(ctx, "budgets", id, "audit", "writes", 1) // ok ttlwrite/read-modify-write
}

func (s *server) getBudget(ctx context.Context, id string, r *http.Request) (interface{}, error) {
	switch r.FormValue("what") {
	case "hist":
		return s.kv.Get(ctx, "budgets", id, "led", kv.GetOpts{Col: "php"}) // want ttlread/version-limit
	case "last":
		return s.kv.Get(ctx, "budgets", id, "led", kv.GetOpts{N: 1}) // ok ttlread/version-limit
	case "day":
		return s.kv.Get(ctx, "budgets", id, "led", kv.GetOpts{MaxAge: 24 * time.Hour}) // want ttlread/wrong-bound
	}
	return s.kv.GetAll(ctx, "budgets", id, "cur") // ok ttlread/missing-filter
}

func (s *server) visit(ctx context.Context, id string, r *http.Request) (interface{}, error) {
	partner := r.FormValue("partner")
	if err := s.kv.PutTTL(ctx, "visitors", id, "idmap", partner, []byte(r.FormValue("pid")), 0); err != nil { // ok ttlwrite/server-timestamp
		return nil, err
	}
	if err := s.kv.Put(ctx, "visitors", id, "idmap", "old_"+partner, nil, kv.PutOpts{Zero: true}); err != nil { // want ttlwrite/already-expired
		return nil, err
	}
	if err := s.kv.Put(ctx, "visitors", id, "seg", "php", []byte(partner), kv.PutOpts{At: time.Now()}); err != nil { // want ttlwrite/write-time
		return nil, err
	}
	if err := s.kv.Put(ctx, "visitors", id, "seg", "php2", []byte(partner), kv.PutOpts{At: time.Now().Add(24 * time.Hour)}); err != nil { // ok ttlwrite/write-time
		return nil, err
	}
	if err := s.caps.Save(ctx, id, "php", []byte("1")); err != nil { // ok ttlwrite/write-time
		return nil, err
	}
	return nil, s.caps.Stamp(ctx, id, "php_last") // want ttlwrite/write-time[stamp]
}

func (s *server) getVisit(ctx context.Context, id string, r *http.Request) (interface{}, error) {
	switch r.FormValue("what") {
	case "seg":
		return s.kv.Get(ctx, "visitors", id, "seg", kv.GetOpts{Live: true}) // ok ttlread/missing-filter
	case "ids":
		return s.kv.Get(ctx, "visitors", id, "idmap", kv.GetOpts{MaxAge: 720 * time.Hour}) // ok ttlread/wrong-bound
	case "week":
		return s.kv.Get(ctx, "visitors", id, "idmap", kv.GetOpts{MaxAge: 168 * time.Hour}) // want ttlread/wrong-bound
	case "attr":
		return s.kv.GetAll(ctx, "visitors", id, "attr") // ok ttlread/missing-filter
	}
	return s.kv.Get(ctx, "visitors", id, "idmap", kv.GetOpts{Live: true}) // want ttlread/wrong-bound
}
