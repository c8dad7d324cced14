// Package config has names of tables that a program may change.
package config

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Names are the names of tables.
type Names struct{ History, Cache string }

var names = Names{History: "history", Cache: "cache"}

type app struct {
	client *bigtable.Client
	names  Names
}

var current app

// Option changes an app.
type Option func(*app)

func WithClient(c *bigtable.Client) Option { return func(a *app) { a.client = c } }

// Start makes the app.
func Start(opts ...Option) {
	current = app{names: names}
	for _, o := range opts {
		o(&current)
	}
}

// StartNew does so in another way.
func StartNew(opts ...Option) {
	a := app{names: names}
	for _, o := range opts {
		o(&a)
	}
	current = a
}

func PutHistory(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return current.client.Open(names.History).Apply(ctx, key, m)
}

func Put(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return current.client.Open(table).Apply(ctx, key, m)
}
