// Package repo writes entities, after what they do before that.
package repo

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Entity interface{ Stamp() bigtable.Timestamp }

type BeforeSaver interface{ BeforeSave() }

type Preparer interface {
	Prepare(ctx context.Context, now time.Time) error
}

// Save finds the hook by an optional interface.
func Save[T Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	if b, ok := any(e).(BeforeSaver); ok {
		b.BeforeSave()
	}
	return write(ctx, tbl, e)
}

// SaveIface has no type parameter.
func SaveIface(ctx context.Context, tbl *bigtable.Table, e Entity) error {
	if b, ok := e.(BeforeSaver); ok {
		b.BeforeSave()
	}
	return write(ctx, tbl, e)
}

// SavePrepared tells the hook the time.
func SavePrepared[T Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	switch p := any(e).(type) {
	case Preparer:
		if err := p.Prepare(ctx, time.Now()); err != nil {
			return err
		}
	}
	return write(ctx, tbl, e)
}

// SaveBoth has the hook by its constraint.
func SaveBoth[T interface {
	Entity
	BeforeSaver
}](ctx context.Context, tbl *bigtable.Table, e T) error {
	e.BeforeSave()
	mut := bigtable.NewMutation()
	mut.Set("token", "v", e.Stamp(), nil)
	return tbl.Apply(ctx, "k", mut)
}

// SaveAll runs the hooks of each.
func SaveAll[T Entity](ctx context.Context, tbl *bigtable.Table, es ...T) error {
	for _, e := range es {
		if b, ok := any(e).(BeforeSaver); ok {
			b.BeforeSave()
		}
		if err := write(ctx, tbl, e); err != nil {
			return err
		}
	}
	return nil
}

// SaveHelped has a helper run the hook.
func SaveHelped[T Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	before(e)
	return write(ctx, tbl, e)
}

// SaveRetried writes in a function literal.
func SaveRetried[T Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	if b, ok := any(e).(BeforeSaver); ok {
		b.BeforeSave()
	}
	return retry(func() error {
		mut := bigtable.NewMutation()
		mut.Set("token", "v", e.Stamp(), nil)
		return tbl.Apply(ctx, "k", mut)
	})
}

func retry(f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

func before(e any) {
	if b, ok := e.(BeforeSaver); ok {
		b.BeforeSave()
	}
}

// SaveMaybe runs the hook if it is told to.
func SaveMaybe[T Entity](ctx context.Context, tbl *bigtable.Table, e T, hooks bool) error {
	if hooks {
		if b, ok := any(e).(BeforeSaver); ok {
			b.BeforeSave()
		}
	}
	return write(ctx, tbl, e)
}

// SaveLate runs it too late.
func SaveLate[T Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	err := write(ctx, tbl, e)
	if b, ok := any(e).(BeforeSaver); ok {
		b.BeforeSave()
	}
	return err
}

// SaveWithout runs no hook.
func SaveWithout[T Entity](ctx context.Context, tbl *bigtable.Table, e T) error {
	return write(ctx, tbl, e)
}

func write(ctx context.Context, tbl *bigtable.Table, e Entity) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", e.Stamp(), nil)
	return tbl.Apply(ctx, "k", mut)
}
