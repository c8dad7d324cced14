// Command gridd serves the meters' head end.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/config"
	"nordkraft.example/grid/internal/obs"
	"nordkraft.example/grid/internal/outage"
	"nordkraft.example/grid/internal/sessions"
)

func main() {
	cfg, err := config.Load()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ms := bm.NewMeterSessions(c)
	ss := sessions.New(ms, cfg.SessionTTL, obs.Logger, obs.NewMetrics("grid"))
	out := outage.New(bm.NewOutages(c), cfg.NoticeLife)
	http.HandleFunc("POST /sessions/{meter}", func(w http.ResponseWriter, r *http.Request) {
		tok, err := ss.Open(r.Context(), r.PathValue("meter"), r.FormValue("fw"), r.RemoteAddr)
		reply(w, tok, err)
	})
	http.HandleFunc("GET /outages", func(w http.ResponseWriter, r *http.Request) {
		ns, err := out.Open(r.Context())
		reply(w, ns, err)
	})
	http.HandleFunc("GET /debug/sessions/{meter}", func(w http.ResponseWriter, r *http.Request) {
		row, err := ms.Table().ReadRow(r.Context(), "m#"+r.PathValue("meter")) // want ttlread/missing-filter
		reply(w, row, err)
	})
	http.HandleFunc("POST /debug/devices/{meter}", func(w http.ResponseWriter, r *http.Request) {
		m := bigtable.NewMutation()
		m.Set(bm.MeterSessionsFamilyDev, "note", bigtable.Now(), []byte(r.FormValue("note")))  // ok ttlwrite/write-time
		m.Set(bm.MeterSessionsFamilySess, "note", bigtable.Now(), []byte(r.FormValue("note"))) // want ttlwrite/write-time
		reply(w, "ok", ms.Apply(r.Context(), "m#"+r.PathValue("meter"), m))
	})
	log.Fatal(http.ListenAndServe(cfg.Listen, nil))
}

func reply(w http.ResponseWriter, v any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	json.NewEncoder(w).Encode(v)
}
