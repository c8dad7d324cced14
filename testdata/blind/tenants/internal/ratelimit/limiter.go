// Package ratelimit keeps short windows and monthly quotas per tenant.
//
// A window is a cell that expires; a quota is a row of versions, numbered from one.
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
)

const (
	colHits    = "hits"
	colBurst   = "burst"
	colUsed    = "used"
	colGranted = "granted"
	colNote    = "note"
)

// Options of a limiter. Unset ones get defaults.
type Options struct {
	WindowFamily string
	QuotaFamily  string
	Window       time.Duration
	PerWindow    int
}

func (o Options) withDefaults() Options {
	if o.WindowFamily == "" {
		o.WindowFamily = schema.FamWindow
	}
	if o.QuotaFamily == "" {
		o.QuotaFamily = schema.FamQuota
	}
	if o.Window == 0 {
		o.Window = schema.WindowTTL
	}
	if o.PerWindow == 0 {
		o.PerWindow = 600
	}
	return o
}

// Limiter limits one tenant.
type Limiter struct {
	tenant string
	tbl    btx.Table
	opt    Options

	mu    sync.Mutex
	seq   int64
	gen   atomic.Int64
	step  atomic.Int64
	local map[string]int64
}

// New returns a limiter on the tenant's limits.
func New(t *registry.Tenant, o Options) *Limiter {
	return &Limiter{tenant: t.ID, tbl: t.Limits, opt: o.withDefaults(), local: map[string]int64{}}
}

func (l *Limiter) windowKey(who string, t time.Time) string {
	return schema.Key("w", who, strconv.FormatInt(t.Truncate(l.opt.Window).Unix(), 10))
}

func quotaKey(what string) string { return schema.Key("q", what) }

func (l *Limiter) Allow(ctx context.Context, who string) (bool, error) {
	key := l.windowKey(who, time.Now())
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(l.opt.WindowFamily, colHits, 1) // want ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		return false, err
	}
	n := btx.ParseInt(btx.Cell(row, l.opt.WindowFamily, colHits))
	return n <= int64(l.opt.PerWindow), nil
}

func (l *Limiter) AllowCells(ctx context.Context, who, request string) (bool, error) {
	now := time.Now()
	key := l.windowKey(who, now)
	m := bigtable.NewMutation()
	m.Set(l.opt.WindowFamily, request, bigtable.Time(now.Add(l.opt.Window)), nil) // ok ttlwrite/write-time
	if err := l.tbl.Apply(ctx, key, m); err != nil {
		return false, err
	}
	row, err := l.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(l.opt.WindowFamily),
		bigtable.TimestampRangeFilter(now, time.Time{}), // ok ttlread/wrong-bound
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return false, err
	}
	return len(row[l.opt.WindowFamily]) <= l.opt.PerWindow, nil
}

func (l *Limiter) Hits(ctx context.Context, who string) (int, error) {
	row, err := l.tbl.ReadRow(ctx, l.windowKey(who, time.Now()), bigtable.RowFilter(bigtable.FamilyFilter(l.opt.WindowFamily))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return len(row[l.opt.WindowFamily]), nil
}

func (l *Limiter) HitsSince(ctx context.Context, who string) (int, error) {
	f := btx.Of(l.opt.WindowFamily, btx.Younger(time.Minute))                           // want ttlread/wrong-bound[hitssince]
	row, err := l.tbl.ReadRow(ctx, l.windowKey(who, time.Now()), bigtable.RowFilter(f)) // want ttlread/wrong-bound[hitssince]
	if err != nil {
		return 0, err
	}
	return len(row[l.opt.WindowFamily]), nil
}

func (l *Limiter) HitsSlack(ctx context.Context, who string) (int, error) {
	f := btx.Of(l.opt.WindowFamily, btx.Younger(time.Second))                           // ok ttlread/wrong-bound
	row, err := l.tbl.ReadRow(ctx, l.windowKey(who, time.Now()), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[l.opt.WindowFamily]), nil
}

func (l *Limiter) Burst(ctx context.Context, who string, n int) error {
	now := time.Now()
	end := now.Truncate(l.opt.Window).Add(l.opt.Window)
	m := bigtable.NewMutation()
	m.Set(l.opt.WindowFamily, colBurst, bigtable.Time(end), []byte(strconv.Itoa(n))) // ok ttlwrite/write-time
	m.Set(l.opt.WindowFamily, "granted_at", bigtable.Time(now), nil)                 // want ttlwrite/write-time
	return l.tbl.Apply(ctx, l.windowKey(who, now), m)
}

func (l *Limiter) Ban(ctx context.Context, who, why string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(l.opt.WindowFamily, "ban", btx.Expiry(d), []byte(why))                // ok ttlwrite/server-timestamp
	m.Set(l.opt.WindowFamily, "ban_by", bigtable.ServerTime, []byte("limiter")) // want ttlwrite/server-timestamp
	m.Set(schema.FamWindow, "ban_note", -1, []byte(why))                        // want ttlwrite/server-timestamp
	return l.tbl.Apply(ctx, schema.Key("ban", who), m)
}

func (l *Limiter) Banned(ctx context.Context, who string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, schema.Key("ban", who), btx.Newest(1)) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return btx.Cell(row, schema.FamWindow, "ban") != nil, nil
}

func (l *Limiter) BannedNow(ctx context.Context, who string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, schema.Key("ban", who), btx.Newest(1)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	it, ok := btx.Item(row, schema.FamWindow, "ban")
	return ok && it.Timestamp.Time().After(time.Now()), nil
}

func (l *Limiter) BannedSince(ctx context.Context, who string) (map[string]string, error) {
	row, err := l.tbl.ReadRow(ctx, schema.Key("ban", who), btx.LiveOf(schema.FamWindow)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[schema.FamWindow] {
		out["created_at"] = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		out["until"] = it.Timestamp.Time().Format(time.RFC3339)      // ok ttlage/not-write-time
	}
	return out, nil
}

func (l *Limiter) Cooldowns(ctx context.Context, who string, actions []string) error {
	m := bigtable.NewMutation()
	ts := btx.Expiry(l.opt.Window)
	for _, a := range actions {
		m.Set(l.opt.WindowFamily, "cooldown", ts, []byte(a)) // want ttlwrite/same-timestamp
	}
	for _, a := range actions {
		m.Set(l.opt.WindowFamily, "cooldown_"+a, ts, nil) // ok ttlwrite/same-timestamp
	}
	return l.tbl.Apply(ctx, schema.Key("cd", who), m)
}

// Usage is a version of a quota counter.
type Usage struct {
	Version   int64     `json:"version"`
	Used      int64     `json:"used"`
	Granted   int64     `json:"granted"`
	UpdatedAt time.Time `json:"updated_at"`
}

func (l *Limiter) Load(ctx context.Context, what string) (Usage, error) {
	row, err := l.tbl.ReadRow(ctx, quotaKey(what), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(l.opt.QuotaFamily), bigtable.LatestNFilter(1))))
	if err != nil {
		return Usage{}, err
	}
	var u Usage
	for _, it := range row[l.opt.QuotaFamily] {
		switch it.Column {
		case l.opt.QuotaFamily + ":" + colUsed:
			u.Used = btx.ParseInt(it.Value)
			u.Version = btx.Number(it.Timestamp) // ok ttlage/not-write-time
		case l.opt.QuotaFamily + ":" + colGranted:
			u.Granted = btx.ParseInt(it.Value)
		}
	}
	return u, nil
}

func (l *Limiter) LoadAll(ctx context.Context, what string) ([]Usage, error) {
	row, err := l.tbl.ReadRow(ctx, quotaKey(what), bigtable.RowFilter(bigtable.FamilyFilter(l.opt.QuotaFamily))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Usage
	for _, it := range row[l.opt.QuotaFamily] {
		if it.Column != l.opt.QuotaFamily+":"+colUsed {
			continue
		}
		out = append(out, Usage{
			Version:   btx.Number(it.Timestamp),
			Used:      btx.ParseInt(it.Value),
			UpdatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	return out, nil
}

func (l *Limiter) LongHistory(ctx context.Context, what string) ([]int64, error) {
	row, err := l.tbl.ReadRow(ctx, quotaKey(what), btx.Newest(12)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[schema.FamQuota] {
		out = append(out, btx.ParseInt(it.Value))
	}
	return out, nil
}

func (l *Limiter) ThisMonth(ctx context.Context, what string) (int64, error) {
	now := time.Now()
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	row, err := l.tbl.ReadRow(ctx, quotaKey(what), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[month]
		bigtable.FamilyFilter(schema.FamQuota),
		bigtable.TimestampRangeFilter(first, time.Time{}), // want ttlread/wrong-bound[month]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return 0, err
	}
	return btx.ParseInt(btx.Cell(row, schema.FamQuota, colUsed)), nil
}

func (l *Limiter) At(ctx context.Context, what string, version int64) (int64, error) {
	from := bigtable.Timestamp(version * 1000)
	row, err := l.tbl.ReadRow(ctx, quotaKey(what), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter(schema.FamQuota),
		bigtable.TimestampRangeFilterMicros(from, from+1000), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return 0, err
	}
	return btx.ParseInt(btx.Cell(row, schema.FamQuota, colUsed)), nil
}

func (l *Limiter) Use(ctx context.Context, what string, n int64) (Usage, error) {
	u, err := l.Load(ctx, what)
	if err != nil {
		return u, err
	}
	if u.Granted > 0 && u.Used+n > u.Granted {
		return u, fmt.Errorf("%s: quota of %d is used up", what, u.Granted)
	}
	u.Version++
	u.Used += n
	m := bigtable.NewMutation()
	m.Set(l.opt.QuotaFamily, colUsed, bigtable.Timestamp(u.Version*1000), btx.Int(u.Used)) // ok ttlwrite/unscaled-sequence
	return u, l.tbl.Apply(ctx, quotaKey(what), m)
}

func (l *Limiter) UseLocal(ctx context.Context, what string, used int64) error {
	l.mu.Lock()
	l.seq++
	l.local[what]++
	seq := l.seq
	l.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(l.opt.QuotaFamily, colUsed, bigtable.Timestamp(seq), btx.Int(used))                      // want ttlwrite/unscaled-sequence
	m.Set(l.opt.QuotaFamily, "local", bigtable.Timestamp(l.local[what]), btx.Int(used))            // want ttlwrite/unscaled-sequence
	m.Set(l.opt.QuotaFamily, colNote, bigtable.Timestamp(seq)*1000, []byte("booked by "+l.tenant)) // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, quotaKey(what), m)
}

func (l *Limiter) Grant(ctx context.Context, what string, n int64) error {
	m := bigtable.NewMutation()
	m.Set(l.opt.QuotaFamily, colGranted, bigtable.Timestamp(l.gen.Add(1)), btx.Int(n))          // want ttlwrite/unscaled-sequence
	m.Set(l.opt.QuotaFamily, "granted_by", bigtable.Timestamp(l.step.Add(1000)), []byte("ops")) // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, quotaKey(what), m)
}

func (l *Limiter) Reset(ctx context.Context, what string, month time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamQuota, colUsed, bigtable.Time(month), btx.Int(0))                          // want ttlwrite/clock-in-sequence
	m.Set(schema.FamQuota, "month", bigtable.Timestamp(int64(month.Month())*1000), btx.Int(0)) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, quotaKey(what), m)
}

func (l *Limiter) Note(ctx context.Context, what, text string) error {
	m := bigtable.NewMutation()
	m.Set(l.opt.QuotaFamily, colNote, bigtable.ServerTime, []byte(text)) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, quotaKey(what), m)
}

func (l *Limiter) Count(ctx context.Context, what string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(l.opt.QuotaFamily, colUsed, 1) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, quotaKey(what), rmw)
	return err
}

func (l *Limiter) Raise(ctx context.Context, what string, version, n int64) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamQuota, colGranted, btx.Sequence(version), btx.Int(n)) // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamQuota), bigtable.ColumnFilter(colGranted))
	return l.tbl.Apply(ctx, quotaKey(what), bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

func (l *Limiter) LockMonth(ctx context.Context, month string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(schema.FamWindow, "month", btx.Expiry(time.Minute), []byte(month)) // ok ttlwrite/write-time
	var held bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamWindow), bigtable.ColumnFilter("month"), bigtable.LatestNFilter(1)), nil, take) // want ttlread/conditional-mutation
	err := l.tbl.Apply(ctx, "lock", cond, bigtable.GetCondMutationResult(&held))
	return !held, err
}

func (l *Limiter) Sync(ctx context.Context, names []string) error {
	b := btx.NewBatch(l.tbl, 100)
	for i, name := range names {
		m := bigtable.NewMutation()
		m.Set(schema.FamQuota, "order", bigtable.Timestamp(i), []byte(name))         // want ttlwrite/unscaled-sequence
		m.Set(schema.FamQuota, "rank", bigtable.Timestamp((i+1)*1000), []byte(name)) // ok ttlwrite/unscaled-sequence
		if err := b.Add(ctx, quotaKey(name), m); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (l *Limiter) Stale(ctx context.Context, what string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, quotaKey(what), btx.Newest(1)) // ok ttlread/version-limit
	if err != nil {
		return false, err
	}
	it, ok := btx.Item(row, schema.FamQuota, colUsed)
	if !ok {
		return false, errors.New("no usage of " + what)
	}
	return time.Since(it.Timestamp.Time()) > 24*time.Hour, nil // want ttlage/not-write-time
}

// Middleware answers 429 to those who ask too often.
func Middleware(next http.Handler, o Options) http.Handler {
	var (
		mu   sync.Mutex
		some = map[string]*Limiter{}
	)
	get := func(t *registry.Tenant) *Limiter {
		mu.Lock()
		defer mu.Unlock()
		l, ok := some[t.ID]
		if !ok {
			to := o
			if t.Config.PerMinute > 0 {
				to.PerWindow = t.Config.PerMinute
			}
			l = New(t, to)
			some[t.ID] = l
		}
		return l
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := get(registry.From(r.Context()))
		who := r.Header.Get("X-User")
		banned, err := l.BannedNow(r.Context(), who)
		if err == nil && banned {
			http.Error(w, "banned", http.StatusForbidden)
			return
		}
		ok, err := l.Allow(r.Context(), who)
		if err != nil {
			slog.Warn("limiter is down, letting pass", "tenant", l.tenant, "err", err)
		} else if !ok {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
