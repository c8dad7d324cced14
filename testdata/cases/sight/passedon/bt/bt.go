// Package bt has a table behind an interface, and what passes calls on to it.
package bt

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is what repositories take.
type Table interface {
	Read(ctx context.Context, key string, filters ...bigtable.Filter) (bigtable.Row, error)
	Write(ctx context.Context, key, family, column string, ts bigtable.Timestamp) error
}

type table struct{ t *bigtable.Table }

func (t *table) Read(ctx context.Context, key string, filters ...bigtable.Filter) (bigtable.Row, error) {
	var opts []bigtable.ReadOption
	switch len(filters) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(filters[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
	}
	return t.t.ReadRow(ctx, key, opts...)
}

func (t *table) Write(ctx context.Context, key, family, column string, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, nil)
	return t.t.Apply(ctx, key, mut)
}

// retrying tries again, in a function literal.
type retrying struct {
	next Table
	n    int
}

func (r *retrying) Read(ctx context.Context, key string, filters ...bigtable.Filter) (row bigtable.Row, err error) {
	err = r.do(ctx, func(ctx context.Context) error {
		row, err = r.next.Read(ctx, key, filters...)
		return err
	})
	return row, err
}

func (r *retrying) Write(ctx context.Context, key, family, column string, ts bigtable.Timestamp) error {
	return r.do(ctx, func(ctx context.Context) error { return r.next.Write(ctx, key, family, column, ts) })
}

func (r *retrying) do(ctx context.Context, f func(context.Context) error) (err error) {
	for range r.n {
		c, cancel := context.WithTimeout(ctx, time.Second)
		err = f(c)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// logged says how long it takes.
type logged struct {
	inner Table
	log   *slog.Logger
}

func (l logged) Read(ctx context.Context, key string, filters ...bigtable.Filter) (bigtable.Row, error) {
	defer func(t time.Time) { l.log.Info("read", "took", time.Since(t)) }(time.Now())
	return l.inner.Read(ctx, key, filters...)
}

func (l logged) Write(ctx context.Context, key, family, column string, ts bigtable.Timestamp) error {
	err := l.inner.Write(ctx, key, family, column, ts)
	l.log.Info("write", "err", err)
	return err
}

// Open opens a table.
func Open(c *bigtable.Client, name string, log *slog.Logger) Table {
	var t Table = &table{t: c.Open(name)}
	if log != nil {
		t = logged{t, log}
	}
	return &retrying{t, 3}
}

// Ping writes what any table can take.
func Ping(ctx context.Context, t Table) error {
	return t.Write(ctx, "ping", "profile", "ping", bigtable.Now())
}

// Lock takes a lock that nobody can hold.
func Lock(ctx context.Context, t Table) error {
	return t.Write(ctx, "lock", "token", "lock", bigtable.Now()) // want `write-time`
}

// Cells are of another interface, of which one implementation does more than
// to pass on what it is given.
type Cells interface {
	Cells(ctx context.Context, key string, f bigtable.Filter) ([]bigtable.ReadItem, error)
}

type tokens struct{ t *bigtable.Table }

func (t tokens) Cells(ctx context.Context, key string, f bigtable.Filter) ([]bigtable.ReadItem, error) {
	row, err := t.t.ReadRow(ctx, key, bigtable.RowFilter(f))
	return row["token"], err
}

type live struct{ next Cells }

func (l live) Cells(ctx context.Context, key string, f bigtable.Filter) ([]bigtable.ReadItem, error) {
	return l.next.Cells(ctx, key, bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}
