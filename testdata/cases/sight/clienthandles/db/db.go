// Package db opens tables by handles, of a client that Init sets.
package db

import (
	"context"
	"errors"
	"sync"

	"cloud.google.com/go/bigtable"
)

var client *bigtable.Client

// Config is what Init is given.
type Config struct{ Project, Instance, Prefix string }

func Init(ctx context.Context, cfg Config) error {
	if client != nil {
		return errors.New("twice")
	}
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		return err
	}
	client = c
	D, err = NewDeps(ctx, c)
	return err
}

// Table is a table's name.
type Table string

const (
	History Table = "history"
	Cache   Table = "cache"
	Metrics Table = "metrics"
)

func (t Table) open() *bigtable.Table { return client.Open(string(t)) }

func (t Table) Put(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return t.open().Apply(ctx, key, m)
}

// Handle is a table with what goes with it.
type Handle struct {
	name   string
	family string
}

var (
	Numbers = &Handle{name: "history", family: "val"}
	Notes   = Handle{"cache", "val"}
	Samples = &Handle{name: "metrics", family: "sample"}
)

func (h Handle) tbl() *bigtable.Table { return client.Open(h.name) }

func (h Handle) PutIn(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return h.tbl().Apply(ctx, key, m)
}

// Write writes at a time that its caller chooses.
func Write(ctx context.Context, h *Handle, key string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(h.family, "n", ts, nil)
	return h.tbl().Apply(ctx, key, m)
}

// Deps are tables.
type Deps struct{ History, Cache *bigtable.Table }

// D is set by Init.
var D *Deps

func NewDeps(ctx context.Context, c *bigtable.Client) (*Deps, error) {
	if c == nil {
		return nil, errors.New("no client")
	}
	return &Deps{History: c.Open("history"), Cache: c.Open("cache")}, nil
}

// Do runs f with the client.
func Do(ctx context.Context, f func(c *bigtable.Client) error) error {
	if client == nil {
		return errors.New("no client")
	}
	return f(client)
}

// In runs f with a table.
func In(name string, f func(t *bigtable.Table) error) error { return f(client.Open(name)) }

// Retried runs f with the table of a handle, again where that fails.
func Retried(ctx context.Context, h *Handle, f func(ctx context.Context, t *bigtable.Table) error) error {
	return retry(func() error { return f(ctx, h.tbl()) })
}

func retry(f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

// Either runs f with one table or the other.
func Either(first bool, f func(t *bigtable.Table) error) error {
	if first {
		return f(client.Open("history"))
	}
	return f(client.Open("cache"))
}

var opened sync.Map

func cached(name string) *bigtable.Table {
	if t, ok := opened.Load(name); ok {
		return t.(*bigtable.Table)
	}
	t, _ := opened.LoadOrStore(name, client.Open(name))
	return t.(*bigtable.Table)
}

func PutCached(ctx context.Context, name, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return cached(name).Apply(ctx, key, m)
}

// Repository is what Init puts behind Repo.
type Repository interface {
	Put(ctx context.Context, key, family string) error
}

type repository struct{ tbl *bigtable.Table }

func (r *repository) Put(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return r.tbl.Apply(ctx, key, m)
}

var Repo Repository

func InitRepo(c *bigtable.Client) { Repo = &repository{tbl: c.Open("history")} }

// PutAll writes to all tables of a list that it knows.
func PutAll(ctx context.Context, key, family string) error {
	for _, name := range []Table{History, Cache} {
		if err := name.Put(ctx, key, family); err != nil {
			return err
		}
	}
	return nil
}
