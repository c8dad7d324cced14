// Package lib has writers and readers that others set up.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Clock tells the time.
type Clock func() time.Time

// A Cache writes cells of one family.
type Cache struct {
	table  *bigtable.Table
	family string
	clock  Clock
	life   time.Duration
}

// NewCache returns a cache.
func NewCache(t *bigtable.Table, family string, clock Clock) *Cache {
	return &Cache{table: t, family: family, clock: clock}
}

// Put writes.
func (c *Cache) Put(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(c.family, "v", bigtable.Time(c.clock().Add(c.life)), v)
	return c.table.Apply(ctx, key, mut)
}

// Config configures a reader.
type Config struct {
	Family string
	Filter bigtable.Filter
}

// A Reader reads rows.
type Reader struct {
	table *bigtable.Table
	conf  Config
}

// NewReader returns a reader.
func NewReader(t *bigtable.Table, conf Config) *Reader { return &Reader{table: t, conf: conf} }

// Get reads.
func (r *Reader) Get(ctx context.Context, key string) ([]byte, error) {
	row, err := r.table.ReadRow(ctx, key, bigtable.RowFilter(r.conf.Filter))
	if err != nil {
		return nil, err
	}
	for _, it := range row[r.conf.Family] {
		return it.Value, nil
	}
	return nil, nil
}

// An Option sets up a store.
type Option func(*Store)

// WithLife sets the lifetime.
func WithLife(d time.Duration) Option { return func(s *Store) { s.life = d } }

// WithFamily sets the family.
func WithFamily(name string) Option { return func(s *Store) { s.family = name } }

// A Store writes profiles unless it is said otherwise.
type Store struct {
	table  *bigtable.Table
	family string
	life   time.Duration
}

// NewStore returns a store.
func NewStore(t *bigtable.Table, opts ...Option) *Store {
	s := &Store{table: t, family: "profile"}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Put writes.
func (s *Store) Put(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(s.family, "v", bigtable.Time(time.Now().Add(s.life)), v)
	return s.table.Apply(ctx, key, mut)
}
