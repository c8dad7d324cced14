// Package httpapi serves tenants' requests.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/billing"
	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/edge"
	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/store"
	"example.com/beacon/internal/usage"
)

// Server serves all tenants.
type Server struct {
	dir *store.Directory
	log *slog.Logger
	mux *http.ServeMux
}

// New returns a server.
func New(dir *store.Directory, log *slog.Logger) *Server {
	s := &Server{dir: dir, log: log, mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /v1/{tenant}/sessions", s.tenant(s.createSession))
	s.mux.HandleFunc("GET /v1/{tenant}/sessions/{user}/{device}", s.tenant(s.getSession))
	s.mux.HandleFunc("DELETE /v1/{tenant}/sessions/{user}/{device}", s.tenant(s.dropSession))
	s.mux.HandleFunc("POST /v1/{tenant}/sessions/{user}/{device}/remember", s.tenant(s.remember))
	s.mux.HandleFunc("POST /v1/{tenant}/events", s.tenant(s.appendEvents))
	s.mux.HandleFunc("GET /v1/{tenant}/events", s.tenant(s.listEvents))
	s.mux.HandleFunc("POST /v1/{tenant}/grants", s.tenant(s.grant))
	s.mux.HandleFunc("GET /v1/{tenant}/grants/{auditor}", s.tenant(s.showGrant))
	s.mux.HandleFunc("POST /v1/{tenant}/samples", s.tenant(s.writeSamples))
	s.mux.HandleFunc("GET /v1/{tenant}/series", s.tenant(s.series))
	s.mux.HandleFunc("GET /v1/{tenant}/ledger/{account}", s.tenant(s.ledger))
	s.mux.HandleFunc("POST /v1/{tenant}/ledger/{account}", s.tenant(s.post))
	s.mux.HandleFunc("GET /v1/{tenant}/consumers/{group}/{partition}", s.tenant(s.consumer))
	s.mux.HandleFunc("GET /v1/{tenant}/debug/{kind}/{key}", s.tenant(s.debug))
	return s
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

type handler func(w http.ResponseWriter, r *http.Request, t *store.Tenant) error

// errBad is what the client got wrong.
type errBad struct{ error }

func (s *Server) tenant(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
		defer cancel()
		t, err := s.dir.Tenant(ctx, r.PathValue("tenant"))
		if err == nil {
			err = h(w, r.WithContext(ctx), t)
		}
		var bad errBad
		switch {
		case err == nil:
		case errors.As(err, &bad):
			http.Error(w, bad.Error(), http.StatusBadRequest)
		case errors.Is(err, store.ErrNotFound):
			http.Error(w, "not found", http.StatusNotFound)
		case errors.Is(err, store.ErrHeld):
			http.Error(w, err.Error(), http.StatusConflict)
		default:
			s.log.Error("request", "path", r.URL.Path, "err", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
	}
}

func read[T any](r *http.Request) (T, error) {
	var v T
	dec := json.NewDecoder(io.LimitReader(r.Body, 1<<20))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return v, errBad{err}
	}
	return v, nil
}

func write(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(v)
}

func (s *Server) createSession(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	sess, err := read[store.Session](r)
	if err != nil {
		return err
	}
	if sess.User == "" || sess.Device == "" {
		return errBad{errors.New("user and device must be set")}
	}
	if err := t.Sessions.Create(r.Context(), sess); err != nil {
		return err
	}
	if err := usage.NewMeter(t.Tables, nil).Request(r.Context(), sess.User); err != nil {
		s.log.Warn("meter", "err", err)
	}
	w.WriteHeader(http.StatusCreated)
	return nil
}

func (s *Server) getSession(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	sess, err := t.Sessions.Get(r.Context(), r.PathValue("user"), r.PathValue("device"))
	if err != nil {
		return err
	}
	return write(w, sess)
}

func (s *Server) dropSession(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	return t.Sessions.Drop(r.Context(), r.PathValue("user"), r.PathValue("device"))
}

// remember makes a session last as many seconds as the client asks for.
func (s *Server) remember(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	var in struct {
		Token   string `json:"token"`
		Seconds int64  `json:"seconds"`
		Until   int64  `json:"until"` // Unix seconds
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return errBad{err}
	}
	until := time.Now().Add(time.Duration(in.Seconds) * time.Second)
	mut := bigtable.NewMutation()
	mut.Set("token", "remember", bigtable.Timestamp(until.Unix()), []byte(in.Token))            // want ttlunit/wrong-unit|ttlwrite/already-expired
	mut.Set("token", "remembered", bigtable.Timestamp(until.UnixMicro()), []byte(in.Token))     // ok ttlunit/wrong-unit
	mut.Set("token", "until", bigtable.Time(time.Unix(in.Until, 0)), []byte(in.Token))          // ok ttlunit/wrong-unit
	mut.Set("profile", "remember", bigtable.Timestamp(until.Unix()*1e6), []byte(in.Token))      // ok ttlunit/wrong-unit
	mut.Set("profile", "nanos", bigtable.Timestamp(time.Now().UnixNano()), []byte(in.Token))    // want ttlunit/wrong-unit
	mut.Set("profile", "micros", bigtable.Timestamp(time.Now().UnixNano()/1000), nil)           // ok ttlunit/wrong-unit
	mut.Set("profile", "millis", bigtable.Timestamp(time.Now().UnixMilli()), nil)               // want ttlunit/wrong-unit
	mut.Set("profile", "millis-as-micros", bigtable.Timestamp(time.Now().UnixMilli()*1e3), nil) // ok ttlunit/wrong-unit
	return t.Tables.Sessions.Apply(r.Context(), keys.Session(r.PathValue("user"), r.PathValue("device")), mut)
}

func (s *Server) appendEvents(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	events, err := read[[]store.Event](r)
	if err != nil {
		return err
	}
	for i := range events {
		if events[i].At.IsZero() {
			events[i].At = time.Now()
		}
	}
	return t.Audit.AppendAll(r.Context(), events)
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	q := store.Query{Actor: r.FormValue("actor"), Action: r.FormValue("action"), Limit: 100}
	if v := r.FormValue("limit"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 || n > 1000 {
			return errBad{errors.New("limit must be between 1 and 1000")}
		}
		q.Limit = n
	}
	events, err := t.Audit.Page(r.Context(), q)
	if err != nil {
		return err
	}
	return write(w, events)
}

func (s *Server) grant(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	in, err := read[struct {
		Auditor string    `json:"auditor"`
		Until   time.Time `json:"until"`
	}](r)
	if err != nil {
		return err
	}
	if in.Until.IsZero() {
		return t.Audit.Allow(r.Context(), in.Auditor)
	}
	return t.Audit.AllowUntil(r.Context(), in.Auditor, in.Until)
}

// showGrant shows when a grant was given, if one believes it.
func (s *Server) showGrant(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("grant"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	row, err := t.Tables.Audit.ReadRow(r.Context(), "grant#"+r.PathValue("auditor"), bigtable.RowFilter(live)) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	out := struct {
		Auditor   string    `json:"auditor"`
		CreatedAt time.Time `json:"createdAt"`
		ExpiresAt time.Time `json:"expiresAt"`
	}{Auditor: r.PathValue("auditor")}
	for _, it := range row["grant"] {
		out.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		out.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return write(w, out)
}

func (s *Server) writeSamples(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	samples, err := read[[]store.Sample](r)
	if err != nil {
		return err
	}
	if len(samples) > 10_000 {
		return errBad{errors.New("too many samples")}
	}
	return t.Metrics.Write(r.Context(), samples)
}

func (s *Server) series(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	from, err := time.Parse(time.RFC3339, r.FormValue("from"))
	if err != nil {
		return errBad{err}
	}
	to, err := time.Parse(time.RFC3339, r.FormValue("to"))
	if err != nil {
		return errBad{err}
	}
	labels := map[string]string{}
	for _, l := range r.Form["label"] {
		if k, v, ok := strings.Cut(l, "="); ok {
			labels[k] = v
		}
	}
	values, err := t.Metrics.Span(r.Context(), keys.Series(r.FormValue("name"), labels, from), from, to)
	if err != nil {
		return err
	}
	return write(w, values)
}

func (s *Server) ledger(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	l := billing.New(t.Tables.Ledger)
	e, err := l.Current(r.Context(), r.PathValue("account"))
	if errors.Is(err, billing.ErrEmpty) {
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	return write(w, e)
}

func (s *Server) post(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	e, err := read[billing.Entry](r)
	if err != nil {
		return err
	}
	l := billing.New(t.Tables.Ledger)
	if r.FormValue("refund") != "" {
		return l.Refund(r.Context(), r.PathValue("account"), e.Amount, e.At)
	}
	return l.Post(r.Context(), r.PathValue("account"), e)
}

// consumer shows where a consumer is, and when it was there.
func (s *Server) consumer(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	p, err := strconv.Atoi(r.PathValue("partition"))
	if err != nil {
		return errBad{err}
	}
	key := keys.Consumer(r.PathValue("group"), p)
	row, err := t.Tables.State.ReadRow(r.Context(), key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	out := map[string]any{"tenant": t.Name}
	for _, it := range row["cursor"] {
		out["position"] = clock.FromSeq(it.Timestamp) // ok ttlage/not-write-time
		out["updated_at"] = it.Timestamp.Time()       // want ttlage/not-write-time
	}
	for _, it := range row["meta"] {
		out["committed_at"] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return write(w, out)
}

// debug shows a row as it is.
func (s *Server) debug(w http.ResponseWriter, r *http.Request, t *store.Tenant) error {
	ctx, key := r.Context(), r.PathValue("key")
	var row bigtable.Row
	var err error
	switch r.PathValue("kind") {
	case "sessions":
		row, err = t.Tables.Sessions.ReadRow(ctx, key) // want ttlread/missing-filter
	case "ledger":
		row, err = t.Tables.Ledger.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(billing.Kept))) // ok ttlread/version-limit
	case "journal":
		row, err = t.Tables.Journal.ReadRow(ctx, key) // ok ttlread/missing-filter
	case "traces":
		row, err = t.Tables.Traces.ReadRow(ctx, key, bigtable.RowFilter(bigtable.CellsPerRowLimitFilter(100))) // want ttlread/missing-filter
	case "gate":
		var tok string
		tok, err = edge.New(t.Tables).CheckNow(ctx, key)
		if err == nil {
			return write(w, tok)
		}
	default:
		return store.ErrNotFound
	}
	if err != nil {
		return err
	}
	return write(w, row)
}
