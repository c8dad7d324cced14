// Package ratelimit counts requests per client in windows that expire.
package ratelimit

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/config"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Limiter decides whether a client may go on.
type Limiter struct {
	tbl store.Table
	clk clock.Clock
	cfg config.RateLimit
	mu  sync.Mutex
	hot map[string]int
}

// Option configures a Limiter.
type Option func(*Limiter)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(l *Limiter) { l.clk = c } }

// New limits with the windows in tbl.
func New(tbl store.Table, cfg config.RateLimit, opts ...Option) *Limiter {
	l := &Limiter{tbl: tbl, clk: clock.System{}, cfg: cfg, hot: map[string]int{}}
	for _, o := range opts {
		o(l)
	}
	return l
}

// windowEnd is when the window that t is in ends.
func windowEnd(t time.Time, w time.Duration) time.Time { return t.Truncate(w).Add(w) }

// Allow counts a request.
func (l *Limiter) Allow(ctx context.Context, client string) (bool, error) {
	now := l.clk.Now()
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(store.LiveFamily(schema.FamWindow, now))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	n := len(row[string(schema.FamWindow)])
	if n >= l.cfg.Limit {
		return false, nil
	}
	mut := bigtable.NewMutation()
	mut.Set("window", "hit-"+strconv.Itoa(n), bigtable.Time(windowEnd(now, l.cfg.Window)), nil) // ok ttlwrite/write-time
	return true, l.tbl.Apply(ctx, client, mut)
}

// Hit is the cheap path: no read, one counter per window.
func (l *Limiter) Hit(ctx context.Context, client string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	col := "w" + strconv.FormatInt(l.clk.Now().Truncate(l.cfg.Window).Unix(), 10)
	rmw.Increment("window", col, 1) // want ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, client, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row["window"] {
		return store.ParseInt(it.Value)
	}
	return 0, store.ErrNotFound
}

// Trail remembers the paths of a client's burst.
func (l *Limiter) Trail(ctx context.Context, client, path string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue("burst", "paths", []byte(path+"\n")) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, client, rmw)
	return err
}

// Penalize blocks a client for the rest of the window.
func (l *Limiter) Penalize(ctx context.Context, client, why string) error {
	mut := bigtable.NewMutation()
	mut.Set("burst", "blocked", bigtable.ServerTime, []byte(why))                           // want ttlwrite/server-timestamp
	mut.Set("window", "blocked", store.ExpiresAt(windowEnd(l.clk.Now(), time.Minute)), nil) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, client, mut)
}

// Forgive ends a block.
func (l *Limiter) Forgive(ctx context.Context, client string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("burst", "blocked")
	mut.DeleteCellsInColumn("window", "blocked")
	return l.tbl.Apply(ctx, client, mut)
}

// Blocked says whether a client is blocked now.
func (l *Limiter) Blocked(ctx context.Context, client string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("burst"), bigtable.ColumnFilter("blocked")) // want ttlread/missing-filter[blocked]
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(f))                                // want ttlread/missing-filter[blocked]
	if err != nil {
		return false, err
	}
	return len(row["burst"]) > 0, nil
}

// Remaining is how many requests a client has left in this window.
func (l *Limiter) Remaining(ctx context.Context, client string) (int, time.Duration, error) {
	now := l.clk.Now()
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(bigtable.FamilyFilter("window")))
	if err != nil {
		return 0, 0, err
	}
	left, reset := l.cfg.Limit, time.Duration(0)
	for _, it := range row["window"] {
		if end := it.Timestamp.Time(); end.After(now) { // ok ttlread/missing-filter
			left--
			reset = end.Sub(now) // ok ttlage/not-write-time
		}
	}
	return left, reset, nil
}

// LastHit is when a client was last seen.
func (l *Limiter) LastHit(ctx context.Context, client string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(store.LiveFamily(schema.FamWindow, l.clk.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row["window"] {
		seen := it.Timestamp.Time()       // want ttlage/not-write-time[lasthit]
		return l.clk.Now().Sub(seen), nil // want ttlage/not-write-time[lasthit]
	}
	return 0, store.ErrNotFound
}

// Burst counts the requests of the last ten seconds.
func (l *Limiter) Burst(ctx context.Context, client string) (int, error) {
	now := l.clk.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter("burst"), store.Within(now, 10*time.Second)) // want ttlread/wrong-bound[burst]
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(f))                                 // want ttlread/wrong-bound[burst]
	return len(row["burst"]), err
}

// Windows counts live hits; a second of slack does no harm, as GC has it too.
func (l *Limiter) Windows(ctx context.Context, client string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("window"), store.Within(l.clk.Now(), time.Second)) // ok ttlread/wrong-bound
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(f))                                       // ok ttlread/wrong-bound
	return len(row["window"]), err
}

// Closed counts hits whose window is over, for the tuning report.
func (l *Limiter) Closed(ctx context.Context, client string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("window"), bigtable.TimestampRangeFilterMicros(0, bigtable.Time(l.clk.Now()))) // want ttlread/expired-only[closed]
	row, err := l.tbl.ReadRow(ctx, client, bigtable.RowFilter(f))                                                                   // want ttlread/expired-only[closed]
	return len(row["window"]), err
}

// Preload writes a hit for each of the last n requests of a migrated client.
func (l *Limiter) Preload(ctx context.Context, client string, n int) error {
	mut := bigtable.NewMutation()
	end := bigtable.Time(windowEnd(l.clk.Now(), l.cfg.Window))
	for i := range n {
		mut.Set("window", "hit-"+strconv.Itoa(i), end, nil) // ok ttlwrite/same-timestamp
	}
	return l.tbl.Apply(ctx, client, mut)
}

// Extend lengthens a client's block.
func (l *Limiter) Extend(ctx context.Context, client string, by time.Duration) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(l.clk.Now()) + bigtable.Timestamp(by) // want ttlunit/wrong-unit
	mut.Set("burst", "blocked", ts, nil)
	mut.Set("burst", "extended", bigtable.Time(l.clk.Now())+bigtable.Timestamp(by.Microseconds()), nil) // ok ttlunit/wrong-unit
	return l.tbl.Apply(ctx, client, mut)
}

// Middleware limits by remote address.
func (l *Limiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ok, err := l.Allow(r.Context(), r.RemoteAddr)
		switch {
		case err != nil:
			l.mu.Lock()
			l.hot["errors"]++
			l.mu.Unlock()
			next.ServeHTTP(w, r) // rather serve too much than nothing
		case !ok:
			w.Header().Set("Retry-After", fmt.Sprint(int(l.cfg.Window.Seconds())))
			http.Error(w, "slow down", http.StatusTooManyRequests)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
