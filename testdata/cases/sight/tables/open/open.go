// Package open opens tables.
package open

import (
	"context"
	"fmt"
	"sync"

	"cloud.google.com/go/bigtable"
)

var client = sync.OnceValue(func() *bigtable.Client {
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		panic(err)
	}
	return c
})

// Cache opens the table once.
var Cache = sync.OnceValue(func() *bigtable.Table { return client().Open("cache") })

// History opens the table once, or says why not.
var History = sync.OnceValues(func() (*bigtable.Table, error) {
	c, err := bigtable.NewClient(context.Background(), "p", "i")
	if err != nil {
		return nil, err
	}
	return c.Open("history"), nil
})

// Config says what a repository keeps where.
type Config[T any] struct {
	Table  *bigtable.Table
	Family string
	Key    func(T) string
}

// Repo keeps things.
type Repo[T any] struct{ cfg Config[T] }

// NewRepo makes a repository.
func NewRepo[T any](cfg Config[T]) *Repo[T] {
	if cfg.Key == nil {
		cfg.Key = func(v T) string { return fmt.Sprint(v) }
	}
	return &Repo[T]{cfg: cfg}
}

// Save stores a thing under the time of writing.
func (r *Repo[T]) Save(ctx context.Context, v T) error {
	mut := bigtable.NewMutation()
	mut.Set(r.cfg.Family, "v", bigtable.Now(), []byte(fmt.Sprint(v)))
	return r.cfg.Table.Apply(ctx, r.cfg.Key(v), mut)
}
