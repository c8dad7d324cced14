// Package dal has clients and getters.
package dal

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Reader is a table.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

type logged struct{ Reader }

// Client opens tables.
type Client struct {
	bt    *bigtable.Client
	meter any
}

// Dial connects.
func Dial(bt *bigtable.Client, meter any) *Client { return &Client{bt: bt, meter: meter} }

func (c *Client) open(name string) Reader {
	var t Reader = c.bt.Open(name)
	if c.meter != nil {
		t = &logged{t}
	}
	return t
}

// Sessions is the table of sessions.
func (c *Client) Sessions() Reader { return c.open("sessions") }

// Ledger is a table of entries.
func (c *Client) Ledger() Reader { return c.open("a-ledger") }

// Repo reads rows.
type Repo[T any] struct {
	tbl    Reader
	family string
}

// NewRepo returns a Repo.
func NewRepo[T any](tbl Reader, family string) *Repo[T] { return &Repo[T]{tbl, family} }

// Find reads with the caller's options.
func (r *Repo[T]) Find(ctx context.Context, key string, opts ...bigtable.ReadOption) (string, error) {
	row, err := r.tbl.ReadRow(ctx, key, opts...)
	if err != nil || len(row[r.family]) == 0 {
		return "", err
	}
	return string(row[r.family][0].Value), nil
}

// Getter reads the newest value of a column.
type Getter[T any] struct {
	tbl    Reader
	family string
	filter func() bigtable.Filter
}

type config struct{ filter func() bigtable.Filter }

// Option configures a Getter.
type Option func(*config)

// Bounded bounds the reads.
func Bounded(f func() bigtable.Filter) Option { return func(c *config) { c.filter = f } }

// NewGetter returns a Getter.
func NewGetter[T any](tbl Reader, family string, opts ...Option) *Getter[T] {
	var c config
	for _, o := range opts {
		o(&c)
	}
	return &Getter[T]{tbl, family, c.filter}
}

// Get reads.
func (g *Getter[T]) Get(ctx context.Context, key, column string) (v T, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(g.family), bigtable.ColumnFilter(column))
	if g.filter != nil {
		f = bigtable.ChainFilters(f, g.filter())
	}
	row, err := g.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
	println(len(row[g.family]))
	return v, err
}

// Live is a filter of what lives.
func Live() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }
