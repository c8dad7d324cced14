package defaults

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Config struct {
	Versions int
	Age, TTL time.Duration
}

func (c *Config) setDefaults() {
	if c.Versions == 0 {
		c.Versions = 1
	}
	if c.Age == 0 {
		c.Age = 30 * 24 * time.Hour
	}
}

func (c Config) withDefaults() Config {
	if c.Age <= 0 {
		c.Age = 30 * 24 * time.Hour
	}
	return c
}

func A(ctx context.Context, tbl *bigtable.Table) (bigtable.Row, error) {
	c := &Config{}
	c.setDefaults()
	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(c.Versions))) // silent
}

func B(ctx context.Context, ac *bigtable.AdminClient) error {
	c := Config{}.withDefaults()
	return ac.SetGCPolicy(ctx, "clickstream", "ev", bigtable.MaxAgePolicy(c.Age)) // silent
}

type Store struct{ ttl time.Duration }

func New(ttl time.Duration) *Store {
	s := &Store{ttl: ttl}
	if s.ttl == 0 {
		s.ttl = time.Hour
	}
	return s
}

func (s *Store) Put(m *bigtable.Mutation) {
	m.Set("tok", "v", bigtable.Time(time.Now().Add(s.ttl)), nil)
}

func C(m *bigtable.Mutation) { New(0).Put(m) } // silent

type item struct{ expires time.Time }

func put(m *bigtable.Mutation, it item) {
	if it.expires.IsZero() {
		it.expires = time.Now().Add(time.Hour)
	}
	m.Set("tok", "v", bigtable.Time(it.expires), nil)
}

func D(m *bigtable.Mutation) { put(m, item{}) } // silent
