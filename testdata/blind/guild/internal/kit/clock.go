// Package kit holds what the guild's stores share: clocks and other
// dependencies carried by the context, result types, codecs, and the generic
// repository on top of Bigtable.
//
// Nothing in here knows of a particular table. Stores choose the strategy of
// their families by handing a Stamp and a View to the repository.
package kit

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Clock tells the time. The zero of every store is the system's clock; tests
// inject their own through the context.
type Clock interface {
	// Now returns the current moment.
	Now() time.Time
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// FixedClock always returns the same moment. It is for tests.
type FixedClock struct{ At time.Time }

// Now implements Clock.
func (c FixedClock) Now() time.Time { return c.At }

type (
	clockKey  struct{}
	loggerKey struct{}
	shardKey  struct{}
)

// WithClock returns a context that carries c.
func WithClock(ctx context.Context, c Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, c)
}

// ClockFrom returns the clock that ctx carries, or the system's.
func ClockFrom(ctx context.Context) Clock {
	if c, ok := ctx.Value(clockKey{}).(Clock); ok {
		return c
	}
	return SystemClock{}
}

// Now returns the current moment by the clock that ctx carries.
func Now(ctx context.Context) time.Time {
	return ClockFrom(ctx).Now()
}

// WithLogger returns a context that carries l.
func WithLogger(ctx context.Context, l *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, l)
}

// LoggerFrom returns the logger that ctx carries, or the default one.
func LoggerFrom(ctx context.Context) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return l
	}
	return slog.Default()
}

// WithShard returns a context that carries the shard (the game world) that a
// request is for.
func WithShard(ctx context.Context, shard string) context.Context {
	return context.WithValue(ctx, shardKey{}, shard)
}

// ShardFrom returns the shard that ctx carries, or "main".
func ShardFrom(ctx context.Context) string {
	if s, ok := ctx.Value(shardKey{}).(string); ok && s != "" {
		return s
	}
	return "main"
}

// Reader is the part of a table that reads. *bigtable.Table,
// bigtable.TableAPI and the fakes of the tests all have it.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Writer is the part of a table that writes.
type Writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Table is what a repository needs of a table.
type Table interface {
	Reader
	Writer
}
