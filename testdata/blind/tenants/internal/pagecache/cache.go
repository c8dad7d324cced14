// Package pagecache caches rendered pages of tenants in two layers: memory, and a Bigtable table that forgets after an hour.
package pagecache

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
)

const (
	colHTML  = "html"
	colType  = "type"
	colETag  = "etag"
	colOwner = "owner"
)

// started is when this process came up; locks of this process carry it.
var started = time.Now() // want ttlwrite/stale-clock[started]

// bootTS is what warm-up writes carry.
var bootTS = bigtable.Now() // want ttlwrite/stale-clock[boot]

// fresh is the filter of all page reads.
var fresh = bigtable.TimestampRangeFilter(time.Now().Add(-schema.PageTTL), time.Time{}) // want ttlread/stale-bound[fresh]

var lockFilter = sync.OnceValue(func() bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[lockfilter]
})

// Policy says how long what is cached.
type Policy struct {
	TTL      time.Duration
	Family   string
	Compress bool
}

func (p Policy) withDefaults() Policy {
	if p.TTL == 0 {
		p.TTL = schema.PageTTL
	}
	if p.Family == "" {
		p.Family = schema.FamPage
	}
	return p
}

// Page is a cached page.
type Page struct {
	HTML     []byte
	Type     string
	ETag     string
	Modified time.Time
	Expires  time.Time
}

type entry struct {
	page Page
	till time.Time
}

// Cache is one tenant's cache.
type Cache struct {
	tenant string
	tbl    btx.Table
	pol    Policy
	locks  string

	mu  sync.Mutex
	mem map[string]entry
}

// New returns the cache of t.
func New(t *registry.Tenant, p Policy) *Cache {
	return &Cache{tenant: t.ID, tbl: t.Cache, pol: p.withDefaults(), locks: schema.FamLock, mem: map[string]entry{}}
}

func pageKey(path string) string {
	sum := sha256.Sum256([]byte(path))
	return schema.Key("p", hex.EncodeToString(sum[:8]), path)
}

func (c *Cache) local(path string) (Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.mem[path]
	if !ok || time.Now().After(e.till) {
		delete(c.mem, path)
		return Page{}, false
	}
	return e.page, true
}

func (c *Cache) keep(path string, p Page, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mem[path] = entry{p, time.Now().Add(d)}
}

func (c *Cache) Get(ctx context.Context, path string) (Page, bool, error) {
	if p, ok := c.local(path); ok {
		return p, true, nil
	}
	row, err := c.tbl.ReadRow(ctx, pageKey(path), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(c.pol.Family),
		bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return Page{}, false, err
	}
	p, ok := c.decode(row)
	if ok {
		c.keep(path, p, time.Minute)
	}
	return p, ok, nil
}

func (c *Cache) GetAny(ctx context.Context, path string) (Page, bool, error) {
	row, err := c.tbl.ReadRow(ctx, pageKey(path)) // want ttlread/missing-filter
	if err != nil {
		return Page{}, false, err
	}
	p, ok := c.decode(row)
	return p, ok, nil
}

func (c *Cache) GetShort(ctx context.Context, path string) (Page, bool, error) {
	row, err := c.tbl.ReadRow(ctx, pageKey(path), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[getshort]
		bigtable.FamilyFilter(c.pol.Family),
		btx.Younger(10*time.Minute), // want ttlread/wrong-bound[getshort]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return Page{}, false, err
	}
	p, ok := c.decode(row)
	return p, ok, nil
}

func (c *Cache) GetFresh(ctx context.Context, path string) (Page, bool, error) {
	row, err := c.tbl.ReadRow(ctx, pageKey(path), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPage), fresh))) // want ttlread/stale-bound[fresh]
	if err != nil {
		return Page{}, false, err
	}
	p, ok := c.decode(row)
	return p, ok, nil
}

func (c *Cache) Paths(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		parts := schema.SplitKey(row.Key())
		if len(parts) == 3 && strings.HasPrefix(parts[2], prefix) {
			out = append(out, parts[2])
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return out, err
}

func (c *Cache) ETags(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := btx.Retry(ctx, 3, func(ctx context.Context) error {
		return c.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[etags]
			out[row.Key()] = string(btx.Cell(row, schema.FamPage, colETag))
			return true
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(colETag), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[etags]
	})
	return out, err
}

func (c *Cache) Sizes(ctx context.Context) (int64, error) {
	var sum int64
	limit := time.Now().Add(-c.pol.TTL)
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[c.pol.Family] {
			if it.Timestamp.Time().Before(limit) {
				continue
			}
			sum += int64(len(it.Value))
		}
		return true
	})
	return sum, err
}

func (c *Cache) decode(row bigtable.Row) (Page, bool) {
	var p Page
	for _, it := range row[c.pol.Family] {
		switch strings.TrimPrefix(it.Column, c.pol.Family+":") {
		case colHTML:
			p.HTML = it.Value
			p.Expires = it.Timestamp.Time().Add(c.pol.TTL) // ok ttlage/not-write-time
			p.Modified = it.Timestamp.Time()               // want ttlage/not-write-time
		case colType:
			p.Type = string(it.Value)
		case colETag:
			p.ETag = string(it.Value)
		}
	}
	if c.pol.Compress && len(p.HTML) > 0 {
		zr, err := gzip.NewReader(bytes.NewReader(p.HTML))
		if err != nil {
			return Page{}, false
		}
		if p.HTML, err = io.ReadAll(zr); err != nil {
			return Page{}, false
		}
	}
	return p, len(p.HTML) > 0
}

func (c *Cache) Put(ctx context.Context, path string, p Page) error {
	m := bigtable.NewMutation()
	m.Set(c.pol.Family, colHTML, bigtable.ServerTime, p.HTML)               // ok ttlwrite/server-timestamp
	m.Set(c.pol.Family, colType, bigtable.Now(), []byte(p.Type))            // ok ttlwrite/write-time
	m.Set(c.pol.Family, colETag, bigtable.Time(time.Now()), []byte(p.ETag)) // ok ttlwrite/write-time
	c.keep(path, p, time.Minute)
	return c.tbl.Apply(ctx, pageKey(path), m)
}

func (c *Cache) PutFor(ctx context.Context, path string, p Page, d time.Duration) error {
	ts := bigtable.Time(time.Now().Add(d - schema.PageTTL))
	m := bigtable.NewMutation()
	m.Set(c.pol.Family, colHTML, ts, p.HTML)         // ok ttlwrite/already-expired
	m.Set(c.pol.Family, colType, ts, []byte(p.Type)) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, pageKey(path), m)
}

func (c *Cache) PutPermanent(ctx context.Context, path string, p Page) error {
	m := bigtable.NewMutation()
	m.Set(c.pol.Family, colHTML, 0, p.HTML)                                // want ttlwrite/already-expired
	m.Set(c.pol.Family, colType, btx.Expiry(24*time.Hour), []byte(p.Type)) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, pageKey(path), m)
}

func (c *Cache) Invalidate(ctx context.Context, path string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamPage, colHTML, bigtable.Time(time.Now().Add(-2*time.Hour)), nil)    // want ttlwrite/already-expired
	m.Set(schema.FamPage, colETag, bigtable.Time(time.Now().Add(-30*time.Minute)), nil) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, pageKey(path), m)
}

func (c *Cache) Warm(ctx context.Context, pages map[string]Page) error {
	b := btx.NewBatch(c.tbl, 100)
	for path, p := range pages {
		m := bigtable.NewMutation()
		m.Set(schema.FamPage, colHTML, bootTS, p.HTML)                      // want ttlwrite/stale-clock[boot]
		m.Set(schema.FamPage, colType, bigtable.ServerTime, []byte(p.Type)) // ok ttlwrite/stale-clock
		if err := b.Add(ctx, pageKey(path), m); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (c *Cache) Lock(ctx context.Context, path string) error {
	host, _ := os.Hostname()
	m := bigtable.NewMutation()
	m.Set(c.locks, colOwner, bigtable.Time(started.Add(schema.LockTTL)), []byte(host)) // want ttlwrite/stale-clock[started]
	m.Set(c.locks, "since", bigtable.Time(time.Now()), btx.Int(time.Now().Unix()))     // want ttlwrite/write-time
	return c.tbl.Apply(ctx, pageKey(path), m)
}

func (c *Cache) LockFor(ctx context.Context, path string, d time.Duration) (bool, error) {
	host, _ := os.Hostname()
	now := time.Now()
	take := bigtable.NewMutation()
	take.DeleteCellsInColumn(c.locks, colOwner)                          // ok ttlwrite/delete-after-set
	take.Set(c.locks, colOwner, bigtable.Time(now.Add(d)), []byte(host)) // ok ttlwrite/write-time
	var held bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(c.locks), bigtable.ColumnFilter(colOwner), bigtable.TimestampRangeFilter(now, time.Time{})) // ok ttlread/conditional-mutation
	err := c.tbl.Apply(ctx, pageKey(path), bigtable.NewCondMutation(pred, nil, take), bigtable.GetCondMutationResult(&held))                        // ok ttlread/conditional-mutation
	return !held, err
}

func (c *Cache) TryLock(ctx context.Context, path string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(c.locks, colOwner, btx.Expiry(schema.LockTTL), []byte(c.tenant)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(c.locks), nil, take) // want ttlread/conditional-mutation
	err := c.tbl.Apply(ctx, pageKey(path), cond, bigtable.GetCondMutationResult(&held))
	return !held, err
}

func (c *Cache) Locked(ctx context.Context, path string) (bool, error) {
	row, err := c.tbl.ReadRow(ctx, pageKey(path), bigtable.RowFilter(btx.Of(schema.FamLock, lockFilter()))) // want ttlread/stale-bound[lockfilter]
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (c *Cache) LockedNow(ctx context.Context, path string) (bool, error) {
	row, err := c.tbl.ReadRow(ctx, pageKey(path), btx.LiveOf(schema.FamLock)) // ok ttlread/stale-bound
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (c *Cache) Owner(ctx context.Context, path string) (string, error) {
	row, err := c.tbl.ReadRow(ctx, pageKey(path), bigtable.RowFilter(bigtable.ColumnFilter(colOwner))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(btx.Cell(row, c.locks, colOwner)), nil
}

func (c *Cache) Unlock(ctx context.Context, path string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(c.locks)
	return c.tbl.Apply(ctx, pageKey(path), m)
}

func (c *Cache) Beat(ctx context.Context, path string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(c.locks, "beats", 1)              // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamPage, "beats_total", 1) // ok ttlwrite/read-modify-write
	if _, err := c.tbl.ApplyReadModifyWrite(ctx, pageKey(path), rmw); err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(c.locks, colOwner, bigtable.Now()+bigtable.Timestamp(schema.LockTTL/time.Microsecond), []byte(c.tenant)) // ok ttlunit/wrong-unit
	m.Set(c.locks, "beat", bigtable.Now()+bigtable.Timestamp(schema.LockTTL), nil)                                 // want ttlunit/wrong-unit
	return c.tbl.Apply(ctx, pageKey(path), m)
}

// Extra writes into the tenant's own table, whose family the configuration names.
func Extra(ctx context.Context, t *registry.Tenant, key string, v []byte) error {
	if t.Config.ExtraFamily == "" {
		return errors.New("no extra family")
	}
	m := bigtable.NewMutation()
	m.Set(t.Config.ExtraFamily, "v", bigtable.ServerTime, v) // ok ttlwrite/server-timestamp
	m.Set(os.Getenv("EXTRA_FAMILY"), "v", bigtable.Now(), v) // ok ttlwrite/write-time
	return t.Extra.Apply(ctx, key, m)
}

// ReadExtra reads it whole.
func ReadExtra(ctx context.Context, t *registry.Tenant, key string) (bigtable.Row, error) {
	return t.Extra.ReadRow(ctx, key) // ok ttlread/missing-filter
}

// Handler serves pages through the cache.
func Handler(render http.Handler, p Policy) http.Handler {
	var mu sync.Mutex
	caches := map[string]*Cache{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := registry.From(r.Context())
		mu.Lock()
		c := caches[t.ID]
		if c == nil {
			c = New(t, p)
			caches[t.ID] = c
		}
		mu.Unlock()
		page, ok, err := c.Get(r.Context(), r.URL.Path)
		if err != nil {
			slog.Warn("page cache", "tenant", t.ID, "err", err)
		}
		if !ok {
			rec := &recorder{ResponseWriter: w}
			render.ServeHTTP(rec, r)
			if rec.status == 0 || rec.status == http.StatusOK {
				sum := sha256.Sum256(rec.buf.Bytes())
				page = Page{HTML: rec.buf.Bytes(), Type: w.Header().Get("Content-Type"), ETag: hex.EncodeToString(sum[:6])}
				if err := c.Put(r.Context(), r.URL.Path, page); err != nil {
					slog.Warn("page cache", "tenant", t.ID, "err", err)
				}
			}
			return
		}
		w.Header().Set("Content-Type", page.Type)
		w.Header().Set("ETag", page.ETag)
		if !page.Modified.IsZero() {
			w.Header().Set("X-Cached", "yes")
		}
		_, _ = w.Write(page.HTML)
	})
}

type recorder struct {
	http.ResponseWriter
	buf    bytes.Buffer
	status int
}

func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.buf.Write(b)
	return r.ResponseWriter.Write(b)
}
