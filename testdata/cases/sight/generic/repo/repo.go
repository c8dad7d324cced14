// Package repo keeps entities that name their table and family.
package repo

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"
)

// An Entity names where it is kept.
type Entity interface {
	Table() string
	Family() string
}

// An Expirer says how long it is kept.
type Expirer interface {
	Entity
	TTL() time.Duration
}

// Repo is a repository of entities.
type Repo[T Entity] struct {
	tbl *bigtable.Table
}

// New makes one.
func New[T Entity](c *bigtable.Client) *Repo[T] {
	var z T
	return &Repo[T]{tbl: c.Open(z.Table())}
}

// Get reads one.
func (r *Repo[T]) Get(ctx context.Context, key string) (T, error) {
	var z T
	row, err := r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(z.Family())))
	if err != nil {
		return z, err
	}
	for _, it := range row[z.Family()] {
		if err := json.Unmarshal(it.Value, &z); err != nil {
			return z, err
		}
	}
	return z, nil
}

// Put writes one.
func (r *Repo[T]) Put(ctx context.Context, key string, v T, ts bigtable.Timestamp) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(v.Family(), "v", ts, b)
	return r.tbl.Apply(ctx, key, m)
}

// PutNow writes one as of now.
func (r *Repo[T]) PutNow(ctx context.Context, key string, v T) error {
	return r.Put(ctx, key, v, bigtable.Now())
}

// Save writes one for as long as it is kept.
func Save[T Expirer](ctx context.Context, tbl *bigtable.Table, key string, v T) error {
	var zero T
	m := bigtable.NewMutation()
	m.Set(zero.Family(), "v", bigtable.Time(time.Now().Add(v.TTL())), nil)
	return tbl.Apply(ctx, key, m)
}

// Stamp writes one as of now.
func Stamp[T Entity](ctx context.Context, tbl *bigtable.Table, key string) error {
	m := bigtable.NewMutation()
	m.Set((*new(T)).Family(), "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, key, m)
}
