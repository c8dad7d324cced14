// Package dal puts values, in several ways, and decorates what does.
package dal

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Putter puts a value.
type Putter interface {
	Put(ctx context.Context, key, column string, v []byte) error
}

// Stays is a Putter whose cells stay.
type Stays struct {
	W      *bigtable.Table
	Family string
}

// Put implements Putter.
func (s Stays) Put(ctx context.Context, key, column string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.Family, column, bigtable.ServerTime, v)
	return s.W.Apply(ctx, key, m)
}

// Lives is a Putter whose cells live for a while.
type Lives struct {
	W      *bigtable.Table
	Family string
	Life   time.Duration
}

// Put implements Putter.
func (s *Lives) Put(ctx context.Context, key, column string, v []byte) error {
	m := bigtable.NewMutation()
	m.Set(s.Family, column, bigtable.Time(time.Now().Add(s.Life)), v)
	return s.W.Apply(ctx, key, m)
}

// Logged is a decorator.
type Logged struct {
	Putter
	Log *slog.Logger
}

// Put implements Putter.
func (l Logged) Put(ctx context.Context, key, column string, v []byte) error {
	err := l.Putter.Put(ctx, key, column, v)
	l.Log.Info("put", "key", key, "err", err)
	return err
}
