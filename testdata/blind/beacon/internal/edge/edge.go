// Package edge checks tokens near the user. It was made fast by somebody who
// counted allocations.
package edge

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/store"
)

// started is when this process began.
var started = time.Now() // want ttlwrite/stale-clock[started]

// liveOnce was built at the start, to save an allocation for every request.
var liveOnce = bigtable.ChainFilters(
	bigtable.FamilyFilter("token"),
	bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // want ttlread/stale-bound[once]
)

// sessionEnd is computed once.
var sessionEnd = bigtable.Time(time.Now().Add(30 * time.Minute)) // want ttlwrite/stale-clock[end]

// Gate checks tokens.
type Gate struct {
	tables *store.Tables

	once   sync.Once
	cutoff time.Time

	mu    sync.RWMutex
	cache map[string]entry
}

type entry struct {
	token string
	until time.Time
}

// New returns a gate of one tenant.
func New(t *store.Tables) *Gate {
	return &Gate{tables: t, cache: map[string]entry{}}
}

// Check reads a token with the filter of the start.
func (g *Gate) Check(ctx context.Context, key string) (string, error) {
	row, err := g.tables.Sessions.ReadRow(ctx, key, bigtable.RowFilter(liveOnce)) // want ttlread/stale-bound[once]
	if err != nil {
		return "", err
	}
	return first(row["token"]), nil
}

// CheckNow reads a token with a filter of its own.
func (g *Gate) CheckNow(ctx context.Context, key string) (string, error) {
	row, err := g.tables.Sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/stale-bound
	if err != nil {
		return "", err
	}
	return first(row["token"]), nil
}

// CheckLease reads a lease with a clock that is read once.
func (g *Gate) CheckLease(ctx context.Context, name string) (string, error) {
	row, err := g.tables.State.ReadRow(ctx, "lease#"+name, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.TimestampRangeFilter(now0(), time.Time{})))) // want ttlread/stale-bound[now0]
	if err != nil {
		return "", err
	}
	return first(row["lease"]), nil
}

var now0 = sync.OnceValue(time.Now) // want ttlread/stale-bound[now0]

// Open lets a device in.
func (g *Gate) Open(ctx context.Context, key, token string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "edge", sessionEnd, []byte(token))                         // want ttlwrite/stale-clock[end]
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(30*time.Minute)), nil) // ok ttlwrite/stale-clock
	mut.Set("profile", "gate", bigtable.Time(started), []byte("edge"))          // ok ttlwrite/stale-clock
	return g.tables.Sessions.Apply(ctx, key, mut)
}

// Record writes an event, dated by the process's start.
func (g *Gate) Record(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("event", "gate", bigtable.Time(started), []byte("edge")) // want ttlwrite/stale-clock[started]
	mut.Set("event", "at", bigtable.Now(), []byte("edge"))           // ok ttlwrite/stale-clock
	return g.tables.Audit.Apply(ctx, key, mut)
}

// refreshed is moved by Refresh.
var refreshed = time.Now()

// Refresh moves the clock that Cached uses.
func Refresh() { refreshed = time.Now() }

// Cached reads a token with a clock that is refreshed every second.
func (g *Gate) Cached(ctx context.Context, key string) (string, error) {
	g.mu.RLock()
	e, ok := g.cache[key]
	g.mu.RUnlock()
	if ok && time.Now().Before(e.until) {
		return e.token, nil
	}
	row, err := g.tables.Sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(refreshed, time.Time{})))) // ok ttlread/stale-bound
	if err != nil {
		return "", err
	}
	for _, it := range row["token"] {
		g.mu.Lock()
		g.cache[key] = entry{token: string(it.Value), until: it.Timestamp.Time()} // ok ttlage/not-write-time
		g.mu.Unlock()
		return string(it.Value), nil
	}
	return "", store.ErrNotFound
}

// Server tells whether a token was written by the server's clock.
func (g *Gate) Server(ctx context.Context, key string) (bool, error) {
	row, err := g.tables.Sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row["token"] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}

// Unset tells whether a preference was written as it should be.
func (g *Gate) Unset(ctx context.Context) (bool, error) {
	row, err := g.tables.State.ReadRow(ctx, "prefs", bigtable.RowFilter(bigtable.FamilyFilter("pref"))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row["pref"] {
		if it.Timestamp != 0 { // ok ttlage/server-sentinel
			return false, nil
		}
		if it.Timestamp < 0 || it.Timestamp == -1 { // want ttlage/server-sentinel
			return false, nil
		}
	}
	return true, nil
}

func first(items []bigtable.ReadItem) string {
	for _, it := range items {
		return string(it.Value)
	}
	return ""
}
