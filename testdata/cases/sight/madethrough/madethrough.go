// Package madethrough calls methods of an object that another holds: what is wrong with
// its table is told once, where it is made.
package madethrough

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/madethrough/store"
)

type engine struct{ Store *store.Store }

func open(client *bigtable.Client) *engine {
	e := &engine{}
	e.Store = store.New(client, "cache") // want `missing-filter: .*"val" of table "cache"`
	return e
}

func (e engine) get(ctx context.Context) (string, error) { return e.Store.Get(ctx, "k") }

// Get reads.
func Get(ctx context.Context) (string, error) {
	client, _ := bigtable.NewClient(ctx, "p", "i")
	return open(client).get(ctx)
}

type okEngine struct{ Store *store.Store }

func okOpen(client *bigtable.Client) *okEngine { return &okEngine{store.New(client, "logs")} }

func (e okEngine) get(ctx context.Context) (string, error) { return e.Store.Get(ctx, "k") }

// OK reads.
func OK(ctx context.Context) (string, error) {
	client, _ := bigtable.NewClient(ctx, "p", "i")
	return okOpen(client).get(ctx)
}
