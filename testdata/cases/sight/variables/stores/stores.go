// Package stores keeps repositories in package variables, by their names.
package stores

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

type Repo struct {
	tbl    *bigtable.Table
	family string
}

func NewRepo(t *bigtable.Table, family string) *Repo { return &Repo{tbl: t, family: family} }

func (r *Repo) Put(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(r.family, "n", bigtable.Now(), nil)
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) PutIn(ctx context.Context, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return r.tbl.Apply(ctx, key, m)
}

func (r *Repo) Get(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(r.family)))
}

// Numbers and Notes are set by Init.
var (
	Numbers *Repo
	Notes   *Repo
	open    func(name string) *bigtable.Table
)

func Init(ctx context.Context, project string) (err error) {
	c, err := bigtable.NewClient(ctx, project, "i")
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	Numbers = NewRepo(c.Open("history"), "val") // want `clock-in-sequence: .*"val" of table "history"` `version-limit: .*"val" of table "history"`
	Notes = NewRepo(c.Open("cache"), "val")     // want `write-time: .*"val" of table "cache"` `missing-filter: .*"val" of table "cache"`
	open = func(name string) *bigtable.Table { return c.Open(name) }
	return nil
}

// PutOpened writes by a function in a variable.
func PutOpened(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return open(table).Apply(ctx, key, m)
}

// Tables are those of the package.
type Tables struct {
	client *bigtable.Client
	opened map[string]*bigtable.Table
}

var tables *Tables

// Use sets them.
func Use(c *bigtable.Client) { tables = &Tables{client: c, opened: map[string]*bigtable.Table{}} }

func (t *Tables) named(name string) *bigtable.Table {
	if tbl, ok := t.opened[name]; ok {
		return tbl
	}
	tbl := t.client.Open(name)
	t.opened[name] = tbl
	return tbl
}

func PutNamed(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return tables.named(table).Apply(ctx, key, m)
}

func PutUntil(ctx context.Context, table, key, family string, ttl time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Time(time.Now().Add(ttl)), nil)
	return tables.named(table).Apply(ctx, key, m)
}
