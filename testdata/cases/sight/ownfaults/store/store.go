// Package store has faults that are whole in one function.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Store keeps values.
type Store struct {
	tbl     *bigtable.Table
	verbose bool
	log     func(string)
}

// New opens the store.
func New(c *bigtable.Client) *Store {
	return &Store{tbl: c.Open("cache"), log: func(string) {}}
}

func (s *Store) load(ctx context.Context, key string, verbose bool) (bigtable.Row, error) {
	if verbose {
		s.log(key)
	}
	return s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"val" of table "cache"`
}

// User reads one kind of key.
func (s *Store) User(ctx context.Context, id string) ([]byte, error) {
	row, err := s.load(ctx, "user#"+id, true)
	if err != nil {
		return nil, err
	}
	return row["val"][0].Value, nil
}

// Org reads another.
func (s *Store) Org(ctx context.Context, id string) ([]byte, error) {
	row, err := s.load(ctx, "org#"+id, false)
	if err != nil {
		return nil, err
	}
	return row["val"][0].Value, nil
}

// Any reads whatever.
func (s *Store) Any(ctx context.Context, id string) (bigtable.Row, error) {
	return s.load(ctx, id, s.verbose)
}

func (s *Store) save(ctx context.Context, key string, v []byte, sync bool) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Now()
	if sync {
		ts = bigtable.Time(time.Now())
	}
	mut.Set("val", "v", ts, v) // want `write-time: .*"val" of table "cache"`
	return s.tbl.Apply(ctx, key, mut)
}

// SaveUser writes one kind of key.
func (s *Store) SaveUser(ctx context.Context, id string, v []byte) error {
	return s.save(ctx, "user#"+id, v, true)
}

// SaveOrg writes another.
func (s *Store) SaveOrg(ctx context.Context, id string, v []byte) error {
	return s.save(ctx, "org#"+id, v, false)
}

func (s *Store) acquire(ctx context.Context, key, owner string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "owner", bigtable.Time(time.Now().Add(time.Minute)), []byte(owner))
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter("owner"), nil, mut) // want `conditional-mutation: .*"val" of table "cache"`
	return s.tbl.Apply(ctx, key, cond)
}

// Lock locks a user.
func (s *Store) Lock(ctx context.Context, id string) error { return s.acquire(ctx, "user#"+id, "me") }

// LockOrg locks an organisation.
func (s *Store) LockOrg(ctx context.Context, id string) error {
	return s.acquire(ctx, "org#"+id, "me")
}

func (s *Store) stamp(mut *bigtable.Mutation, v []byte) {
	mut.Set("token", "v", bigtable.ServerTime, v) // want `server-timestamp: .*"token"`
}

// SaveToken adds nothing but the mutation.
func (s *Store) SaveToken(ctx context.Context, c *bigtable.Client, id string, v []byte) error {
	mut := bigtable.NewMutation()
	s.stamp(mut, v)
	return c.Open("sessions").Apply(ctx, id, mut)
}

// One type for two tables: wrong in one of them.
type multi struct{ tbl *bigtable.Table }

func (m *multi) put(ctx context.Context, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Timestamp(12000), v) // want `already-expired: .*"val" of table "cache"`
	return m.tbl.Apply(ctx, key, mut)
}

// Both puts into both.
func Both(ctx context.Context, c *bigtable.Client, key string) error {
	cache, history := &multi{c.Open("cache")}, &multi{c.Open("history")}
	if err := history.put(ctx, key, nil); err != nil {
		return err
	}
	return cache.put(ctx, key, nil)
}
