// Package sink writes what the pipelines produce: single cells or whole
// mutations arrive on channels and leave as bulk requests.
package sink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/bus"
	"example.com/gridwatch/internal/metrics"
	"example.com/gridwatch/internal/retry"
)

// Table is the part of bigtable.Table that a sink needs.
type Table interface {
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Write is a mutation on its way to a table.
type Write struct {
	Key string
	Mut *bigtable.Mutation
	Ack func(error)
}

// Cell is one cell on its way to a table; the sink groups cells of one row.
type Cell struct {
	Row    string
	Family string
	Column string
	TS     bigtable.Timestamp
	Value  []byte
}

// Option configures a Sink.
type Option func(*Sink)

// WithBatch bounds a batch by size and by age.
func WithBatch(size int, maxWait time.Duration) Option {
	return func(s *Sink) { s.size, s.maxWait = size, maxWait }
}

// WithWorkers sets how many bulk requests run at once.
func WithWorkers(n int) Option {
	return func(s *Sink) { s.workers = n }
}

// WithMetrics counts rows and failures.
func WithMetrics(r *metrics.Registry) Option {
	return func(s *Sink) { s.metrics = r }
}

// WithRetry replaces the default policy.
func WithRetry(p retry.Policy) Option {
	return func(s *Sink) { s.retry = p }
}

// Sink writes batches to one table.
type Sink struct {
	name    string
	tbl     Table
	size    int
	maxWait time.Duration
	workers int
	retry   retry.Policy
	metrics *metrics.Registry

	writes chan Write
	cells  chan Cell

	closeOnce sync.Once
}

// New returns a sink for tbl. Run has to be called for anything to happen.
func New(name string, tbl Table, opts ...Option) *Sink {
	s := &Sink{
		name:    name,
		tbl:     tbl,
		size:    500,
		maxWait: 200 * time.Millisecond,
		workers: 4,
		retry:   retry.Default,
		metrics: metrics.NewRegistry(),
	}
	for _, o := range opts {
		o(s)
	}
	s.writes = make(chan Write, s.size)
	s.cells = make(chan Cell, s.size)
	return s
}

// Writes is where mutations go in.
func (s *Sink) Writes() chan<- Write { return s.writes }

// Cells is where single cells go in.
func (s *Sink) Cells() chan<- Cell { return s.cells }

// Put enqueues a mutation, or fails when ctx ends first.
func (s *Sink) Put(ctx context.Context, key string, mut *bigtable.Mutation) error {
	select {
	case s.writes <- Write{Key: key, Mut: mut}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("sink %s: %w", s.name, ctx.Err())
	}
}

// PutCell enqueues one cell, or fails when ctx ends first.
func (s *Sink) PutCell(ctx context.Context, c Cell) error {
	select {
	case s.cells <- c:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("sink %s: %w", s.name, ctx.Err())
	}
}

// Close ends input; Run returns when everything is written.
func (s *Sink) Close() {
	s.closeOnce.Do(func() {
		close(s.writes)
		close(s.cells)
	})
}

// Run writes until Close or until ctx ends.
func (s *Sink) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	grouped := make(chan Write, s.size)

	g.Go(func() error {
		defer close(grouped)
		return s.group(ctx, grouped)
	})

	all := bus.Merge(ctx, s.writes, grouped)
	batches := bus.Batch(ctx, all, s.size, s.maxWait)
	for range s.workers {
		g.Go(func() error {
			for batch := range batches {
				if err := s.flush(ctx, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// group turns cells into one mutation per row and batch.
func (s *Sink) group(ctx context.Context, out chan<- Write) error {
	for batch := range bus.Batch(ctx, s.cells, s.size, s.maxWait/2) {
		muts := map[string]*bigtable.Mutation{}
		order := make([]string, 0, len(batch))
		for _, c := range batch {
			mut := muts[c.Row]
			if mut == nil {
				mut = bigtable.NewMutation()
				muts[c.Row] = mut
				order = append(order, c.Row)
			}
			mut.Set(c.Family, c.Column, c.TS, c.Value)
		}
		for _, row := range order {
			select {
			case out <- Write{Key: row, Mut: muts[row]}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

func (s *Sink) flush(ctx context.Context, batch []Write) error {
	keys := make([]string, len(batch))
	muts := make([]*bigtable.Mutation, len(batch))
	for i, w := range batch {
		keys[i], muts[i] = w.Key, w.Mut
	}
	start := time.Now()
	var rowErrs []error
	err := retry.Do(ctx, s.retry, func(ctx context.Context) error {
		var err error
		rowErrs, err = s.tbl.ApplyBulk(ctx, keys, muts)
		return err
	})
	s.metrics.Observe("sink."+s.name+".flush", time.Since(start))
	if err != nil {
		s.metrics.Counter("sink." + s.name + ".failed").Add(int64(len(batch)))
		for _, w := range batch {
			if w.Ack != nil {
				w.Ack(err)
			}
		}
		return fmt.Errorf("sink %s: %d rows: %w", s.name, len(batch), err)
	}
	var failed int64
	for i, w := range batch {
		var err error
		if rowErrs != nil {
			err = rowErrs[i]
		}
		if err != nil {
			failed++
			slog.WarnContext(ctx, "row not written", "sink", s.name, "row", w.Key, "err", err)
		}
		if w.Ack != nil {
			w.Ack(err)
		}
	}
	s.metrics.Counter("sink." + s.name + ".rows").Add(int64(len(batch)) - failed)
	s.metrics.Counter("sink." + s.name + ".failed").Add(failed)
	return nil
}

// Recorder writes single values of one family, each with the timestamp that
// stamp gives.
type Recorder struct {
	out    chan<- Write
	family string
	stamp  func() bigtable.Timestamp
}

// NewRecorder returns a recorder that feeds out.
func NewRecorder(out chan<- Write, family string, stamp func() bigtable.Timestamp) *Recorder {
	return &Recorder{out: out, family: family, stamp: stamp}
}

// Record enqueues one value.
func (r *Recorder) Record(ctx context.Context, key, column string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(r.family, column, r.stamp(), value)
	select {
	case r.out <- Write{Key: key, Mut: mut}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fanout sends every write to several sinks; used while a table moves.
type Fanout struct {
	sinks []*Sink
}

// NewFanout returns a fan-out over sinks.
func NewFanout(sinks ...*Sink) *Fanout { return &Fanout{sinks: sinks} }

// Put enqueues the mutation in every sink.
func (f *Fanout) Put(ctx context.Context, key string, mut *bigtable.Mutation) error {
	var errs []error
	for _, s := range f.sinks {
		errs = append(errs, s.Put(ctx, key, mut))
	}
	return errors.Join(errs...)
}

// Put is a shorthand for one value: most handlers write exactly one cell.
func Put(ctx context.Context, out chan<- Write, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, value)
	select {
	case out <- Write{Key: key, Mut: mut}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// PutNow is Put with the present as timestamp, for ordinary families.
func PutNow(ctx context.Context, out chan<- Write, key, family, column string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, bigtable.Now(), value)
	select {
	case out <- Write{Key: key, Mut: mut}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
