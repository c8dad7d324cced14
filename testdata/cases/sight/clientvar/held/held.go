// Package held keeps a client in an object, and that in a variable.
package held

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// DB embeds the client.
type DB struct{ *bigtable.Client }

// Store has one.
type Store struct {
	client *bigtable.Client
	names  map[string]string
}

var (
	Default *DB
	std     = &Store{}
	ready   Store
)

// Connect sets the variables.
func Connect(ctx context.Context, project, instance string) error {
	c, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	Default = &DB{c}
	std.client = c
	ready = Store{client: c}
	return nil
}

// New makes another.
func New(ctx context.Context, project string) (*DB, error) {
	c, err := bigtable.NewClient(ctx, project, "i")
	if err != nil {
		return nil, err
	}
	return &DB{Client: c}, nil
}

// Must sets the default one.
func Must(ctx context.Context, project string) {
	db, err := New(ctx, project)
	if err != nil {
		panic(err)
	}
	Default = db
}

func (s *Store) table(name string) *bigtable.Table { return s.client.Open(name) }

func (d *DB) Put(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return d.Open(table).Apply(ctx, key, m)
}

func Put(ctx context.Context, table, key, family string) error {
	return Default.Put(ctx, table, key, family)
}

func PutStd(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return std.table(table).Apply(ctx, key, m)
}

func PutReady(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return ready.table(table).Apply(ctx, key, m)
}
