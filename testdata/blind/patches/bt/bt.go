// Package bt is the first Bigtable helper (2017). Deprecated: use btutil. (2023: use dbx.)
package bt

import (
	"context"
	"errors"
	"log"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Client is set by Init. Yes, a global.
var Client *bigtable.Client

var (
	ErrNotFound = errors.New("bt: not found")
	reads       atomic.Int64
	writes      atomic.Int64
)

func Init(ctx context.Context, project, instance string) error {
	c, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return err
	}
	Client = c
	return nil
}

// T opens a table.
func T(name string) *bigtable.Table { return Client.Open(name) }

// Stats for /debug.
func Stats() (r, w int64) { return reads.Load(), writes.Load() }

// NowTS is the clock everybody uses.
func NowTS() bigtable.Timestamp { return bigtable.Now() }

// In is the moment d from now.
func In(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// Put writes one cell with the current time.
func Put(ctx context.Context, table, key, fam, col string, val []byte) error {
	m := bigtable.NewMutation()
	m.Set(fam, col, bigtable.Now(), val)
	writes.Add(1)
	return T(table).Apply(ctx, key, m)
}

// PutAt writes one cell with a timestamp.
func PutAt(ctx context.Context, table, key, fam, col string, ts bigtable.Timestamp, val []byte) error {
	m := bigtable.NewMutation()
	m.Set(fam, col, ts, val)
	writes.Add(1)
	return T(table).Apply(ctx, key, m)
}

// PutTTL writes one cell that goes after ttl (one-second families only!).
func PutTTL(ctx context.Context, table, key, fam, col string, val []byte, ttl time.Duration) error {
	return PutAt(ctx, table, key, fam, col, In(ttl), val)
}

// Incr is a counter.
func Incr(ctx context.Context, table, key, fam, col string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(fam, col, n)
	writes.Add(1)
	_, err := T(table).ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Get reads the newest cells of a family.
func Get(ctx context.Context, table, key, fam string) (map[string][]byte, error) {
	reads.Add(1)
	row, err := T(table).ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.LatestNFilter(1))))
	if err != nil {
		return nil, err
	}
	return flat(row, fam), nil
}

// GetSince reads the cells of a family from since on.
func GetSince(ctx context.Context, table, key, fam string, since time.Time) (map[string][]byte, error) {
	reads.Add(1)
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(fam),
		bigtable.TimestampRangeFilter(since, time.Time{}),
		bigtable.LatestNFilter(1),
	)
	row, err := T(table).ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return flat(row, fam), nil
}

// GetLive is GetSince(now).
func GetLive(ctx context.Context, table, key, fam string) (map[string][]byte, error) {
	return GetSince(ctx, table, key, fam, time.Now())
}

func flat(row bigtable.Row, fam string) map[string][]byte {
	out := map[string][]byte{}
	for _, it := range row[fam] {
		if _, dup := out[it.Column]; !dup {
			out[it.Column] = it.Value
		}
	}
	return out
}

// Retry runs f up to n times.
func Retry(n int, what string, f func() error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return nil
		}
		log.Printf("bt: %s: attempt %d: %v", what, i+1, err)
		time.Sleep(time.Duration(i+1) * 50 * time.Millisecond)
	}
	return err
}
