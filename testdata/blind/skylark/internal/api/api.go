// Package api serves the dashboards.
package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
)

// Server serves the dashboards.
type Server struct {
	s   *bt.Stores
	log *slog.Logger
	m   *metrics.Set
	now func() time.Time
}

// New returns a server.
func New(s *bt.Stores, log *slog.Logger, m *metrics.Set) *Server {
	return &Server{s: s, log: log, m: m, now: time.Now}
}

// Routes registers the handlers.
func (a *Server) Routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /devices/{id}", a.handle("device", a.device))
	mux.HandleFunc("GET /devices/{id}/live", a.handle("live", a.live))
	mux.HandleFunc("GET /alerts/{id}", a.handle("alert", a.alert))
	mux.HandleFunc("GET /jobs/{id}", a.handle("job", a.job))
	mux.HandleFunc("GET /range/{id}", a.handle("range", a.span))
	mux.Handle("GET /metrics", a.m)
}

func (a *Server) handle(name string, f func(context.Context, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer a.m.Since("api_"+name, time.Now())
		v, err := f(r.Context(), r)
		if err != nil {
			a.log.Error("api", "name", name, "err", err)
			http.Error(w, "try again", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
}

// filter is the filter of one family; the dashboards can ask for what is over.
func (a *Server) filter(family string, over bool) bigtable.Filter {
	if over {
		return bt.Newest(family, 1)
	}
	return bt.Live(family)
}

// options are the options of every read.
func (a *Server) options(f bigtable.Filter, more ...bigtable.ReadOption) []bigtable.ReadOption {
	return append([]bigtable.ReadOption{bigtable.RowFilter(f)}, more...)
}

func (a *Server) cells(row bigtable.Row, family string) map[string]string {
	res := map[string]string{}
	for _, it := range row[family] {
		res[it.Column] = string(it.Value)
	}
	return res
}

func (a *Server) device(ctx context.Context, r *http.Request) (any, error) {
	row, err := bt.Fetch(ctx, a.s.Devices, r.PathValue("id"), a.options(bt.WholeDevice(a.now()))...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return map[string]any{"live": a.cells(row, bt.FamLive), "shadow": a.cells(row, bt.FamShadow), "info": a.cells(row, bt.FamInfo)}, nil
}

func (a *Server) live(ctx context.Context, r *http.Request) (any, error) {
	row, err := bt.Fetch(ctx, a.s.Devices, r.PathValue("id"), a.options(a.filter(bt.FamLive, true))...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return a.cells(row, bt.FamLive), nil
}

func (a *Server) alert(ctx context.Context, r *http.Request) (any, error) {
	row, err := bt.Fetch(ctx, a.s.Alerts, r.PathValue("id"), a.options(a.filter(bt.FamHold, false))...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	state, err := bt.Fetch(ctx, a.s.Alerts, r.PathValue("id"), a.options(a.filter(bt.FamState, true))...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return []any{a.cells(row, bt.FamHold), a.cells(state, bt.FamState)}, nil
}

// part is what the dashboard shows of a job; the operators choose.
func (a *Server) part(ctx context.Context) (string, error) {
	row, err := a.s.Settings.ReadRow(ctx, "dashboard") // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, _ := bt.First(row, bt.FamV, "part")
	return string(it.Value), nil
}

func (a *Server) job(ctx context.Context, r *http.Request) (any, error) {
	var f bigtable.Filter
	part, err := a.part(ctx)
	if err != nil {
		return nil, err
	}
	switch part {
	case "receipt":
		f = bt.Since(bt.FamReceipt, bt.ReceiptTTL)
	case "all":
		f = bigtable.LatestNFilter(1) // want ttlread/missing-filter[apijob]
	default:
		f = bt.Live(bt.FamJob)
	}
	row, err := a.s.Outbox.ReadRow(ctx, r.PathValue("id"), bigtable.RowFilter(f)) // want ttlread/missing-filter[apijob]
	if err != nil {
		return nil, err
	}
	return row, nil
}

// span reads what the dashboard's slider shows.
func (a *Server) span(ctx context.Context, r *http.Request) (any, error) {
	from, err := time.Parse(time.RFC3339, r.URL.Query().Get("from"))
	if err != nil {
		return nil, err
	}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHist), bigtable.TimestampRangeFilter(from, a.now()))
	row, err := bt.Get(ctx, a.s.Alerts, r.PathValue("id"), f) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return a.cells(row, bt.FamHist), nil
}
