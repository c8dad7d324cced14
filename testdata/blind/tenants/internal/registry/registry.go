// Package registry knows the tenants and keeps their tables open.
package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/schema"
)

// ErrUnknownTenant is returned for hosts and ids that nobody has.
var ErrUnknownTenant = errors.New("unknown tenant")

// Tenant is one customer with its tables.
type Tenant struct {
	ID     string
	Config schema.TenantConfig
	Docs   btx.Table
	Cache  btx.Table
	Limits btx.Table
	Extra  btx.Table

	seq map[string]int64
	mu  sync.Mutex
}

// NextSeq hands out the next number of a named sequence.
func (t *Tenant) NextSeq(name string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seq[name]++
	return t.seq[name]
}

// Entry is a tenant's row in the directory.
type Entry struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Plan      string    `json:"plan"`
	Suspended bool      `json:"suspended"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Registry opens tables once and hands them out.
type Registry struct {
	client    *bigtable.Client
	cfg       schema.Config
	directory *bigtable.Table
	log       *slog.Logger

	mu      sync.Mutex
	tables  map[string]btx.Table
	tenants map[string]*Tenant
	stats   map[string]*btx.Stats
}

// New returns a registry for the tenants of cfg.
func New(client *bigtable.Client, cfg schema.Config) *Registry {
	return &Registry{
		client:    client,
		cfg:       cfg,
		directory: client.Open(schema.DirectoryTable),
		log:       slog.Default(),
		tables:    map[string]btx.Table{},
		tenants:   map[string]*Tenant{},
		stats:     map[string]*btx.Stats{},
	}
}

// open returns the table, opened at most once. The caller holds the lock.
func (r *Registry) open(name string) btx.Table {
	if t, ok := r.tables[name]; ok {
		return t
	}
	st := new(btx.Stats)
	t := btx.Instrument(name, r.client.Open(name), st)
	r.tables[name], r.stats[name] = t, st
	return t
}

// Get returns a tenant by id.
func (r *Registry) Get(id string) (*Tenant, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.tenants[id]; ok {
		return t, nil
	}
	i := slices.IndexFunc(r.cfg.Tenants, func(c schema.TenantConfig) bool { return c.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: %q", ErrUnknownTenant, id)
	}
	tc := r.cfg.Tenants[i]
	t := &Tenant{
		ID:     id,
		Config: tc,
		Docs:   r.open(schema.DocsTable(id)),
		Cache:  r.open(schema.CacheTable(id)),
		Limits: r.open(schema.LimitsTable(id)),
		Extra:  r.open(strings.Join([]string{r.cfg.Prefix, id, "extra"}, "_")),
		seq:    map[string]int64{},
	}
	r.tenants[id] = t
	return t, nil
}

// All returns every configured tenant.
func (r *Registry) All() ([]*Tenant, error) {
	out := make([]*Tenant, 0, len(r.cfg.Tenants))
	for _, c := range r.cfg.Tenants {
		t, err := r.Get(c.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// ForEach calls f for all tenants, a few at a time, and collects the errors.
func (r *Registry) ForEach(ctx context.Context, parallel int, f func(context.Context, *Tenant) error) error {
	all, err := r.All()
	if err != nil {
		return err
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
		gate = make(chan struct{}, max(parallel, 1))
	)
	for _, t := range all {
		wg.Add(1)
		gate <- struct{}{}
		go func() {
			defer wg.Done()
			defer func() { <-gate }()
			if err := f(ctx, t); err != nil {
				mu.Lock()
				errs = append(errs, fmt.Errorf("%s: %w", t.ID, err))
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Lookup reads one tenant's entry.
func (r *Registry) Lookup(ctx context.Context, id string) (Entry, error) {
	row, err := r.directory.ReadRow(ctx, schema.Key("tenant", id)) // ok ttlread/missing-filter
	if err != nil {
		return Entry{}, err
	}
	if len(row) == 0 {
		return Entry{}, fmt.Errorf("%w: %q", ErrUnknownTenant, id)
	}
	return decodeEntry(row), nil
}

func decodeEntry(row bigtable.Row) Entry {
	e := Entry{ID: strings.TrimPrefix(row.Key(), "tenant#")}
	for _, it := range row[schema.FamMeta] {
		switch strings.TrimPrefix(it.Column, schema.FamMeta+":") {
		case "name":
			e.Name = string(it.Value)
		case "plan":
			e.Plan = string(it.Value)
		case "suspended":
			e.Suspended = string(it.Value) == "true"
		}
		if t := it.Timestamp.Time(); t.After(e.UpdatedAt) {
			e.UpdatedAt = t // ok ttlage/not-write-time
		}
	}
	return e
}

// Save writes a tenant's entry.
func (r *Registry) Save(ctx context.Context, e Entry) error {
	m := bigtable.NewMutation()
	now := bigtable.Now()
	m.Set(schema.FamMeta, "name", now, []byte(e.Name))                                    // ok ttlwrite/clock-in-zero
	m.Set(schema.FamMeta, "plan", now, []byte(e.Plan))                                    // ok ttlwrite/clock-in-zero
	m.Set(schema.FamMeta, "suspended", bigtable.ServerTime, fmt.Append(nil, e.Suspended)) // ok ttlwrite/clock-in-zero
	return r.directory.Apply(ctx, schema.Key("tenant", e.ID), m)
}

// CountLogin counts a login in the directory, whose counters are ordinary.
func (r *Registry) CountLogin(ctx context.Context, tenant string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamCounters, "logins", 1) // ok ttlwrite/read-modify-write
	row, err := r.directory.ApplyReadModifyWrite(ctx, schema.Key("tenant", tenant), rmw)
	if err != nil {
		return 0, err
	}
	return btx.ParseInt(btx.Cell(row, schema.FamCounters, "logins")), nil
}

type ctxKey struct{}

// With puts t into the context.
func With(ctx context.Context, t *Tenant) context.Context {
	return context.WithValue(ctx, ctxKey{}, t)
}

// From takes the tenant out of the context; it panics where the middleware is missing.
func From(ctx context.Context) *Tenant {
	return ctx.Value(ctxKey{}).(*Tenant)
}

// Middleware finds the request's tenant by header or host name.
func (r *Registry) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		id := req.Header.Get("X-Tenant")
		if id == "" {
			id, _, _ = strings.Cut(req.Host, ".")
		}
		t, err := r.Get(id)
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		next.ServeHTTP(w, req.WithContext(With(req.Context(), t)))
	})
}
