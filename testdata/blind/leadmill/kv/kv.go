// Package kv is the "simple layer" of 2019: five services use it so that they need not know Bigtable. (psz)
package kv

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// ErrNotFound is returned by Get.
var ErrNotFound = errors.New("kv: not found")

// KV is a connection.
type KV struct {
	c    *bigtable.Client
	mu   sync.Mutex
	tabs map[string]*bigtable.Table
	now  func() time.Time
	log  func(format string, args ...interface{})
}

// New makes one.
func New(c *bigtable.Client, log func(format string, args ...interface{})) *KV {
	return &KV{c: c, tabs: map[string]*bigtable.Table{}, now: time.Now, log: log}
}

func (k *KV) tab(name string) *bigtable.Table {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.tabs[name]
	if t == nil {
		t = k.c.Open(name)
		k.tabs[name] = t
	}
	return t
}

// PutOpts say how a cell is written. The zero value writes with the present time.
type PutOpts struct {
	TTL     time.Duration
	At      time.Time
	Seq     int64
	Server  bool
	Zero    bool
	Replace bool
}

// Put writes a cell.
func (k *KV) Put(ctx context.Context, table, key, fam, col string, val []byte, o PutOpts) error {
	m := bigtable.NewMutation()
	if o.Replace {
		m.DeleteCellsInColumn(fam, col)
	}
	var ts bigtable.Timestamp
	switch {
	case o.Server:
		ts = bigtable.ServerTime
	case o.Zero:
		ts = 0
	case o.Seq > 0:
		ts = bigtable.Timestamp(o.Seq * 1000)
	case !o.At.IsZero():
		ts = bigtable.Time(o.At)
	case o.TTL > 0:
		ts = bigtable.Time(k.now().Add(o.TTL))
	default:
		ts = bigtable.Time(k.now())
	}
	m.Set(fam, col, ts, val)
	t0 := time.Now()
	err := k.tab(table).Apply(ctx, key, m)
	k.log("kv: put %s/%s %s:%s in %s: %v", table, key, fam, col, time.Since(t0), err)
	return err
}

// PutTTL is Put for those who only know seconds. 0 means for ever, which means the server's time.
func (k *KV) PutTTL(ctx context.Context, table, key, fam, col string, val []byte, seconds int) error {
	if seconds == 0 {
		return k.Put(ctx, table, key, fam, col, val, PutOpts{Server: true})
	}
	return k.Put(ctx, table, key, fam, col, val, PutOpts{TTL: time.Duration(seconds) * time.Second})
}

// GetOpts say what is read.
type GetOpts struct {
	Live   bool
	MaxAge time.Duration
	N      int
	Col    string
}

func (k *KV) filter(fam string, o GetOpts) bigtable.Filter {
	f := bigtable.FamilyFilter(fam)
	if o.Col != "" {
		f = bigtable.ChainFilters(f, bigtable.ColumnFilter(o.Col))
	}
	if o.Live {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(k.now(), time.Time{}))
	} else if o.MaxAge > 0 {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(k.now().Add(-o.MaxAge), time.Time{}))
	}
	if o.N > 0 {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(o.N))
	}
	return f
}

// Get reads a family.
func (k *KV) Get(ctx context.Context, table, key, fam string, o GetOpts) (map[string][]byte, error) {
	row, err := k.tab(table).ReadRow(ctx, key, bigtable.RowFilter(k.filter(fam, o)))
	if err != nil {
		return nil, fmt.Errorf("kv: get %s/%s: %w", table, key, err)
	}
	if len(row[fam]) == 0 {
		return nil, ErrNotFound
	}
	out := map[string][]byte{}
	for _, it := range row[fam] {
		c := strings.TrimPrefix(it.Column, fam+":")
		if _, ok := out[c]; !ok {
			out[c] = it.Value
		}
	}
	return out, nil
}

// GetAll reads a family as it is. Mind the GC.
func (k *KV) GetAll(ctx context.Context, table, key, fam string) (map[string][]byte, error) {
	return k.Get(ctx, table, key, fam, GetOpts{})
}

// Incr counts.
func (k *KV) Incr(ctx context.Context, table, key, fam, col string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(fam, col, by)
	_, err := k.tab(table).ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Del removes a column, or the family if col is empty.
func (k *KV) Del(ctx context.Context, table, key, fam, col string) error {
	m := bigtable.NewMutation()
	if col == "" {
		m.DeleteCellsInFamily(fam)
	} else {
		m.DeleteCellsInColumn(fam, col)
	}
	return k.tab(table).Apply(ctx, key, m)
}

// Space is a family of a table.
type Space struct {
	*KV
	table, fam string
	ttl        time.Duration
}

// In makes a Space.
func (k *KV) In(table, fam string, ttl time.Duration) Space { return Space{k, table, fam, ttl} }

// Save writes with the space's lifetime.
func (s Space) Save(ctx context.Context, key, col string, val []byte) error {
	return s.Put(ctx, s.table, key, s.fam, col, val, PutOpts{TTL: s.ttl})
}

// Stamp writes with the present time.
func (s Space) Stamp(ctx context.Context, key, col string) error {
	return s.Put(ctx, s.table, key, s.fam, col, nil, PutOpts{}) // want ttlwrite/write-time[stamp]
}
