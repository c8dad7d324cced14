package bt

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// LoggingGateway is a TableGateway that logs slow calls.
type LoggingGateway struct {
	TableGateway
	Name string
	Slow time.Duration
}

// ReadRow implements TableGateway.
func (g *LoggingGateway) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	start := time.Now()
	r, err := g.TableGateway.ReadRow(ctx, row, opts...)
	if d := time.Since(start); d > g.Slow {
		slog.WarnContext(ctx, "slow read", "table", g.Name, "row", row, "took", d)
	}
	return r, err
}

// Apply implements TableGateway.
func (g *LoggingGateway) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	start := time.Now()
	err := g.TableGateway.Apply(ctx, row, m, opts...)
	if d := time.Since(start); d > g.Slow {
		slog.WarnContext(ctx, "slow write", "table", g.Name, "row", row, "took", d)
	}
	return err
}

// CountingGateway is a TableGateway that counts.
type CountingGateway struct {
	TableGateway
	Reads, Writes atomic.Int64
}

// ReadRow implements TableGateway.
func (g *CountingGateway) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	g.Reads.Add(1)
	return g.TableGateway.ReadRow(ctx, row, opts...)
}

// ReadRows implements TableGateway.
func (g *CountingGateway) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return g.TableGateway.ReadRows(ctx, arg, func(r bigtable.Row) bool {
		g.Reads.Add(1)
		return f(r)
	}, opts...)
}

// Apply implements TableGateway.
func (g *CountingGateway) Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error {
	g.Writes.Add(1)
	return g.TableGateway.Apply(ctx, row, m, opts...)
}

// DecoratingTableFactory wraps what another factory makes.
type DecoratingTableFactory struct {
	Inner TableFactory
	Slow  time.Duration
}

var _ TableFactory = (*DecoratingTableFactory)(nil)

// CreateTable implements TableFactory.
func (f *DecoratingTableFactory) CreateTable(name string) TableGateway {
	return &LoggingGateway{
		TableGateway: &CountingGateway{TableGateway: f.Inner.CreateTable(name)},
		Name:         name,
		Slow:         f.Slow,
	}
}

// Close implements TableFactory.
func (f *DecoratingTableFactory) Close() error { return f.Inner.Close() }
