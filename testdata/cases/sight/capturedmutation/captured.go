// Package capturedmutation has mutations that a literal replaces: what it writes counts
// from where it runs.
package capturedmutation

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func deferred(ctx context.Context, tbl *bigtable.Table, exp bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	defer func() { mut = nil }()
	mut.Set("token", "z", exp, nil)
	mut.Set("token", "z", exp, []byte("1")) // want `same-timestamp: .*"token"`
	return tbl.Apply(ctx, "k", mut)
}

func afterwards(ctx context.Context, tbl *bigtable.Table, ttl time.Duration) error {
	mut := bigtable.NewMutation()
	flush := func() error {
		err := tbl.Apply(ctx, "k", mut)
		mut = bigtable.NewMutation()
		return err
	}
	exp := bigtable.Time(time.Now().Add(ttl))
	mut.Set("token", "z", exp, nil)
	mut.Set("token", "z", exp, []byte("1")) // want `same-timestamp: .*"token"`
	return flush()
}

func okBetween(ctx context.Context, tbl *bigtable.Table, ttl time.Duration) error {
	mut := bigtable.NewMutation()
	flush := func() error {
		err := tbl.Apply(ctx, "k", mut)
		mut = bigtable.NewMutation()
		return err
	}
	exp := bigtable.Time(time.Now().Add(ttl))
	mut.Set("token", "z", exp, nil)
	if err := flush(); err != nil {
		return err
	}
	mut.Set("token", "z", exp, []byte("1"))
	return flush()
}

func okPerhaps(ctx context.Context, tbl *bigtable.Table, exp bigtable.Timestamp, full bool) error {
	mut := bigtable.NewMutation()
	defer func() { mut = nil }()
	mut.Set("token", "z", exp, nil)
	if full {
		mut = bigtable.NewMutation()
	}
	mut.Set("token", "z", exp, []byte("1"))
	return tbl.Apply(ctx, "k", mut)
}

// batch is kept by a field.
type batch struct {
	mut *bigtable.Mutation
	exp bigtable.Timestamp
}

func (b *batch) next() { b.mut = bigtable.NewMutation() }

func (b *batch) okNext() {
	b.mut.Set("token", "z", b.exp, nil)
	b.next()
	b.mut.Set("token", "z", b.exp, nil)
}

func (b *batch) deferred() {
	defer b.next()
	b.mut.Set("token", "z", b.exp, nil)
	b.mut.Set("token", "z", b.exp, nil) // want `same-timestamp: .*"token"`
}

func okHelper(b *batch, each func(*batch)) {
	b.mut.Set("token", "z", b.exp, nil)
	each(b)
	b.mut.Set("token", "z", b.exp, nil)
}

func helped(b *batch) { okHelper(b, func(b *batch) { b.mut = bigtable.NewMutation() }) }
