// Package sink writes mutations in bulk, behind a channel.
package sink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
)

// Write is one row's mutation on its way.
type Write struct {
	Key  string
	Mut  *bigtable.Mutation
	Done func(error)
}

// Sink applies what is sent to it.
type Sink struct {
	tbl   bigtable.TableAPI
	name  string
	in    chan Write
	size  int
	every time.Duration
	retry pipeline.Backoff
	log   *slog.Logger
	m     *metrics.Set

	traceFamily string
	traceAt     bigtable.Timestamp
	markFamily  string
	mark        func() bigtable.Timestamp
}

// Option changes a sink.
type Option func(*Sink)

// WithBatch sets the batch's size and its longest wait.
func WithBatch(size int, every time.Duration) Option {
	return func(s *Sink) { s.size, s.every = size, every }
}

// WithTrace has every row carry the sink's name in family, at ts.
func WithTrace(family string, ts bigtable.Timestamp) Option {
	return func(s *Sink) { s.traceFamily, s.traceAt = family, ts }
}

// WithMark has every row carry a marker in family whose timestamp at gives.
func WithMark(family string, at func() bigtable.Timestamp) Option {
	return func(s *Sink) { s.markFamily, s.mark = family, at }
}

// WithLog sets where failures are reported.
func WithLog(l *slog.Logger, m *metrics.Set) Option {
	return func(s *Sink) { s.log, s.m = l, m }
}

// New returns a sink for tbl.
func New(tbl bigtable.TableAPI, name string, opts ...Option) *Sink {
	s := &Sink{
		tbl:   tbl,
		name:  name,
		in:    make(chan Write, 1024),
		size:  200,
		every: 200 * time.Millisecond,
		retry: pipeline.Backoff{Attempts: 5, Base: 20 * time.Millisecond, Cap: 2 * time.Second},
		log:   slog.Default(),
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Send hands a write over.
func (s *Sink) Send(ctx context.Context, w Write) error {
	select {
	case s.in <- w:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends Run once everything is written.
func (s *Sink) Close() { close(s.in) }

// Run writes until the sink is closed.
func (s *Sink) Run(ctx context.Context) error {
	return pipeline.Drain(ctx, pipeline.Batch(ctx, s.in, s.size, s.every), s.flush)
}

func (s *Sink) flush(ctx context.Context, batch []Write) error {
	defer s.m.Since("sink_"+s.name, time.Now())
	pending := batch
	err := pipeline.Retry(ctx, s.retry, func(ctx context.Context) error {
		keys := make([]string, 0, len(pending))
		muts := make([]*bigtable.Mutation, 0, len(pending))
		for _, w := range pending {
			if s.traceFamily != "" {
				w.Mut.Set(s.traceFamily, "sink", s.traceAt, []byte(s.name))
			}
			if s.mark != nil {
				w.Mut.Set(s.markFamily, "mark", s.mark(), []byte(s.name))
			}
			keys = append(keys, w.Key)
			muts = append(muts, w.Mut)
		}
		errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
		if err != nil {
			return fmt.Errorf("bulk of %d: %w", len(keys), err)
		}
		var again []Write
		for i, e := range errs {
			if e != nil {
				again = append(again, pending[i])
			}
		}
		if len(again) > 0 {
			pending = again
			return fmt.Errorf("%d of %d rows failed", len(again), len(keys))
		}
		pending = nil
		return nil
	})
	left := map[string]bool{}
	for _, w := range pending {
		left[w.Key] = true
	}
	for _, w := range batch {
		if w.Done == nil {
			continue
		}
		if left[w.Key] {
			w.Done(errors.Join(err, errors.New("not written")))
		} else {
			w.Done(nil)
		}
	}
	if err != nil {
		s.m.Add("sink_lost_"+s.name, int64(len(pending)))
		s.log.Error("sink", "name", s.name, "lost", len(pending), "err", err)
	}
	return err
}
