// Package kit opens tables for a program.
package kit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Reader is what most of the program needs.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

// Middleware decorates a reader.
type Middleware func(Reader) Reader

type traced struct {
	Reader
	name string
}

// Traced names the table in its spans.
func Traced(name string) Middleware {
	return func(r Reader) Reader { return &traced{Reader: r, name: name} }
}

// Wrap decorates a reader, the first outermost.
func Wrap(r Reader, mws ...Middleware) Reader {
	for i := len(mws) - 1; i >= 0; i-- {
		r = mws[i](r)
	}
	return r
}

// Tables are the tables of the program.
type Tables struct {
	Cache, History *bigtable.Table
	byName         map[string]*bigtable.Table
}

// OpenAll opens them.
func OpenAll(c *bigtable.Client) *Tables {
	t := &Tables{Cache: c.Open("cache"), History: c.Open("history")}
	t.byName = map[string]*bigtable.Table{"cache": t.Cache, "history": t.History, "metrics": c.Open("metrics")}
	return t
}

// Named returns a table.
func (t *Tables) Named(name string) *bigtable.Table { return t.byName[name] }

// MustNamed returns a table.
func (t *Tables) MustNamed(name string) (*bigtable.Table, error) {
	tbl, ok := t.byName[name]
	if !ok {
		return nil, fmt.Errorf("no table %q", name)
	}
	return tbl, nil
}

// Deps are what a handler needs.
type Deps struct {
	Table *bigtable.Table
	Now   func() time.Time
	Log   func(format string, args ...any)
	Opts  []bigtable.ReadOption
}

// Put stores something, stamped by the clock.
func Put(ctx context.Context, d Deps, key string, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Time(d.Now()), v)
	return d.Table.Apply(ctx, key, mut)
}

// Get reads something.
func Get(ctx context.Context, d *Deps, key string) ([]bigtable.ReadItem, error) {
	d.Log("get %s", key)
	row, err := d.Table.ReadRow(ctx, key, d.Opts...)
	return row["val"], err
}

// Pool opens tables when they are asked for.
type Pool struct {
	mu     sync.Mutex
	client *bigtable.Client
	open   map[string]*bigtable.Table
}

// NewPool makes a pool.
func NewPool(c *bigtable.Client) *Pool {
	return &Pool{client: c, open: map[string]*bigtable.Table{}}
}

// Table opens a table, once.
func (p *Pool) Table(name string) *bigtable.Table {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t, ok := p.open[name]; ok {
		return t
	}
	t := p.client.Open(name)
	p.open[name] = t
	return t
}
