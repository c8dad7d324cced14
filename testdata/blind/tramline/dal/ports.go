package dal

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is the port through which the services see Bigtable. *bigtable.Table
// satisfies it, and so do the decorators and the fakes in the tests.
type Table interface {
	Reader
	Writer
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Reader is the reading half.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// Writer is the writing half.
type Writer interface {
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// SystemClock is the clock of production.
type SystemClock struct{}

// Now implements Clock.
func (SystemClock) Now() time.Time { return time.Now() }

// Logger is what the decorators log to.
type Logger interface {
	Info(msg string, args ...any)
	Error(msg string, args ...any)
}

// Meter counts calls and their latency.
type Meter interface {
	Observe(op, table string, d time.Duration, err error)
}
