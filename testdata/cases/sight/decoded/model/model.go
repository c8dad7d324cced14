// Package model has a struct that is filled from rows, and accessors that decode.
package model

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
)

type Meta struct{ Expires time.Time }

type Lock struct {
	Meta
	Owner  string
	Until  time.Time
	Micros int64
	Since  time.Time // of the value
	End    *time.Time
}

func (l *Lock) Unmarshal(row bigtable.Row) bool {
	for _, it := range row["token"] {
		l.Owner = string(it.Value)
		l.Until = until(it)
		l.Micros = int64(it.Timestamp)
		l.Expires = it.Timestamp.Time()
		end := it.Timestamp.Time()
		l.End = &end
		l.Since, _ = time.Parse(time.RFC3339, string(it.Value))
	}
	return len(row["token"]) > 0
}

func until(it bigtable.ReadItem) time.Time { return it.Timestamp.Time() }

// Expired is a getter that checks.
func (l *Lock) Expired(now time.Time) bool { return !l.Until.After(now) }

// Name and Old check no expiry.
func (l *Lock) Name() string { return l.Owner }

func FromRow(row bigtable.Row) *Lock {
	l := new(Lock)
	l.Unmarshal(row)
	return l
}

type Locks struct{ tbl *bigtable.Table }

func New(c *bigtable.Client) *Locks { return &Locks{tbl: c.Open("sessions")} }

func (t *Locks) Table() *bigtable.Table { return t.tbl }

func (t *Locks) Get(ctx context.Context, key string, opts ...bigtable.ReadOption) (*Lock, error) {
	row, err := t.tbl.ReadRow(ctx, key, opts...)
	if err != nil {
		return nil, err
	}
	return FromRow(row), nil
}

func (t *Locks) Into(ctx context.Context, key string, l *Lock, opts ...bigtable.ReadOption) error {
	row, err := t.tbl.ReadRow(ctx, key, opts...)
	l.Unmarshal(row)
	return err
}

func (t *Locks) List(ctx context.Context, opts ...bigtable.ReadOption) (out []*Lock, err error) {
	err = t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, FromRow(row))
		return true
	}, opts...)
	return out, err
}

func (t *Locks) Each(ctx context.Context, opts ...bigtable.ReadOption) iter.Seq[*Lock] {
	return func(yield func(*Lock) bool) {
		t.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
			return yield(FromRow(row))
		}, opts...)
	}
}
