// ratesd takes FX quotes by HTTP when the feed is down. Somebody has to type them.
//
//	POST /quote/EURUSD?mid=1.0841&ttl=30m   GET /quote/EURUSD   POST /curve/EUR   GET /healthz
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	listen   string
	maxStale time.Duration
	bootTS   = sync.OnceValue(func() bigtable.Timestamp { return bigtable.Now() }) // want ttlwrite/stale-clock[boot]
	bootLive bigtable.Filter
)

func init() {
	bootLive = bigtable.ChainFilters(bigtable.FamilyFilter("quote"), bigtable.TimestampRangeFilter(time.Now().Add(-kit.QuoteTTL), time.Time{})) // want ttlread/stale-bound[boot]
}

type quote struct {
	Pair    string    `json:"pair"`
	Mid     float64   `json:"mid"`
	Updated time.Time `json:"updated"`
	Until   time.Time `json:"until"`
}

type daemon struct {
	rates *bigtable.Table
	log   *slog.Logger
	seq   atomic.Int64
	cache sync.Map
}

func main() {
	kit.Main("ratesd", run, func(fs *flag.FlagSet) {
		fs.StringVar(&listen, "listen", ":8081", "address")
		fs.DurationVar(&maxStale, "max-stale", time.Minute, "for /healthz")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	d := &daemon{rates: e.Rates, log: e.Log}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /quote/{pair}", d.put)
	mux.HandleFunc("GET /quote/{pair}", d.get)
	mux.HandleFunc("GET /quotes", d.list)
	mux.HandleFunc("POST /curve/{ccy}", d.curve)
	mux.HandleFunc("GET /curve/{ccy}", d.points)
	mux.HandleFunc("DELETE /quote/{pair}", d.withdraw)
	mux.HandleFunc("GET /healthz", d.health)
	mux.Handle("GET /metrics", kit.Counters)
	srv := &http.Server{Addr: listen, Handler: mux, ReadHeaderTimeout: 3 * time.Second}
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = srv.Shutdown(c)
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (d *daemon) oops(w http.ResponseWriter, code int, err error) {
	d.log.Warn("request", "code", code, "err", err)
	http.Error(w, err.Error(), code)
}

// quoteTS is the timestamp of a quote that lives for ttl; zero is the usual six hours.
func quoteTS(ttl time.Duration) bigtable.Timestamp {
	if ttl == 0 {
		return bigtable.Now()
	}
	return bigtable.Time(time.Now().Add(ttl - kit.QuoteTTL))
}

func (d *daemon) put(w http.ResponseWriter, r *http.Request) {
	pair := r.PathValue("pair")
	mid, err := strconv.ParseFloat(r.FormValue("mid"), 64)
	if err != nil {
		d.oops(w, http.StatusBadRequest, err)
		return
	}
	var ttl time.Duration
	if s := r.FormValue("ttl"); s != "" {
		if ttl, err = time.ParseDuration(s); err != nil {
			d.oops(w, http.StatusBadRequest, err)
			return
		}
	}
	ts := quoteTS(ttl)
	v := []byte(strconv.FormatFloat(mid, 'f', -1, 64))
	m := bigtable.NewMutation()
	m.Set("quote", "mid", ts, v)                                                                   // ok ttlwrite/already-expired
	m.Set("quote", "by", bigtable.ServerTime, []byte(os.Getenv("USER")))                           // ok ttlwrite/server-timestamp
	m.Set("quote", "src", bootTS(), []byte("manual"))                                              // want ttlwrite/stale-clock[boot]
	m.Set("quote", "stale", bigtable.Now()-bigtable.Timestamp(7*3600*1e6), v)                      // want ttlwrite/already-expired
	m.Set("quote", "one_hour", quoteTS(time.Hour), v)                                              // ok ttlwrite/already-expired
	m.Set("quote", "margin", bigtable.Now()+bigtable.Timestamp(5*time.Minute), v)                  // want ttlunit/wrong-unit
	m.Set("quote", "spread", bigtable.Now()+bigtable.Timestamp((5*time.Minute).Microseconds()), v) // ok ttlunit/wrong-unit
	m.Set("curve", "spot", bigtable.Timestamp(d.seq.Add(1)), v)                                    // want ttlwrite/unscaled-sequence
	m.Set("curve", "spot_ok", bigtable.Timestamp(d.seq.Add(1)*1000), v)                            // ok ttlwrite/unscaled-sequence
	if err := d.rates.Apply(r.Context(), pair, m); err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	d.cache.Store(pair, quote{Pair: pair, Mid: mid, Updated: time.Now(), Until: ts.Time().Add(kit.QuoteTTL)})
	w.WriteHeader(http.StatusNoContent)
}

func (d *daemon) get(w http.ResponseWriter, r *http.Request) {
	pair := r.PathValue("pair")
	if c, ok := d.cache.Load(pair); ok {
		_ = json.NewEncoder(w).Encode(c)
		return
	}
	row, err := d.rates.ReadRow(r.Context(), pair, bigtable.RowFilter(bootLive)) // want ttlread/stale-bound[boot]
	if err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	fresh, err := d.rates.ReadRow(r.Context(), pair, bigtable.RowFilter(kit.Since("quote", kit.QuoteTTL))) // ok ttlread/stale-bound
	if err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	q := quote{Pair: pair}
	for _, it := range append(row["quote"], fresh["quote"]...) {
		if it.Column == "quote:mid" {
			q.Mid, _ = strconv.ParseFloat(string(it.Value), 64)
			q.Until = it.Timestamp.Time().Add(kit.QuoteTTL) // ok ttlage/not-write-time
		}
	}
	for _, it := range fresh["quote"] {
		q.Updated = it.Timestamp.Time() // want ttlage/not-write-time
	}
	_ = json.NewEncoder(w).Encode(q)
}

// list is for the wall screen.
func (d *daemon) list(w http.ResponseWriter, r *http.Request) {
	var out []quote
	err := d.rates.ReadRows(r.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[list]
		q := quote{Pair: row.Key()}
		for _, it := range row["quote"] {
			q.Mid, _ = strconv.ParseFloat(string(it.Value), 64)
		}
		out = append(out, q)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("mid"), bigtable.FamilyFilter("quote"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // want ttlread/wrong-bound[list]
	if err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (d *daemon) curve(w http.ResponseWriter, r *http.Request) {
	var points []struct {
		Tenor string  `json:"tenor"`
		Rate  float64 `json:"rate"`
		Seq   int64   `json:"seq"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&points); err != nil {
		d.oops(w, http.StatusBadRequest, err)
		return
	}
	m := bigtable.NewMutation()
	for i, p := range points {
		v := []byte(strconv.FormatFloat(p.Rate, 'f', -1, 64))
		m.Set("curve", p.Tenor, kit.Seq(p.Seq), v)                                  // ok ttlwrite/unscaled-sequence
		m.Set("curve", p.Tenor+"_i", bigtable.Timestamp(i), v)                      // want ttlwrite/unscaled-sequence
		m.Set("curve", p.Tenor+"_t", bigtable.Timestamp(time.Now().UnixMilli()), v) // want ttlwrite/clock-in-sequence
		m.Set("curve", p.Tenor+"_n", bigtable.Time(time.Unix(p.Seq, 0)), v)         // ok ttlwrite/clock-in-sequence
	}
	m.Set("curve", "all", bigtable.ServerTime, []byte(fmt.Sprint(points))) // want ttlwrite/clock-in-sequence
	m.Set("quote", "curve", bigtable.ServerTime, []byte("1"))              // ok ttlwrite/server-timestamp
	if err := d.rates.Apply(r.Context(), r.PathValue("ccy"), m); err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	agg := bigtable.NewMutation()
	agg.AddIntToCell("stats", "curves", bigtable.ServerTime, 1)                                               // want ttlwrite/aggregate-server-time
	agg.AddIntToCell("stats", "points", bigtable.Time(time.Now().Truncate(24*time.Hour)), int64(len(points))) // ok ttlwrite/aggregate-server-time
	if err := d.rates.Apply(r.Context(), "~stats", agg); err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (d *daemon) points(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil || n < 1 {
		n = 3
	}
	row, err := d.rates.ReadRow(r.Context(), r.PathValue("ccy"), bigtable.RowFilter(kit.Newest("curve", n))) // ok ttlread/version-limit
	if err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	base, err := d.rates.ReadRow(r.Context(), r.PathValue("ccy"), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("curve"), bigtable.LatestNFilter(0)))) // want ttlunit/invalid-filter // maybe ttlread/*
	if err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]int{"points": len(row["curve"]), "base": len(base["curve"])})
}

// withdraw hides a quote at once.
func (d *daemon) withdraw(w http.ResponseWriter, r *http.Request) {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn("quote", "mid")
	m.Set("quote", "withdrawn", bigtable.Now(), []byte("1")) // ok ttlwrite/delete-after-set
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("curve", "withdrawals", 1) // want ttlwrite/read-modify-write
	ctx := r.Context()
	if err := d.rates.Apply(ctx, r.PathValue("pair"), m); err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	if _, err := d.rates.ApplyReadModifyWrite(ctx, r.PathValue("pair"), rmw); err != nil {
		d.oops(w, http.StatusBadGateway, err)
	}
}

func (d *daemon) health(w http.ResponseWriter, r *http.Request) {
	row, err := d.rates.ReadRow(r.Context(), "EURUSD", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("quote"), bigtable.ColumnFilter("mid"), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		d.oops(w, http.StatusBadGateway, err)
		return
	}
	if len(row["quote"]) == 0 {
		d.oops(w, http.StatusServiceUnavailable, kit.ErrNoRow)
		return
	}
	fmt.Fprintln(w, "ok")
}
