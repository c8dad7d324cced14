// Package builtofclock makes writers of a store's clock: what is wrong with what the clock
// says is wrong in the writer's method, whatever the call gives that makes the writer.
package builtofclock

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Store struct {
	tbl *bigtable.Table
	now func() time.Time
}

type Option func(*Store)

func WithNow(f func() time.Time) Option { return func(s *Store) { s.now = f } }

func Open(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: c.Open("tickets"), now: time.Now}
	for _, o := range opts {
		o(s)
	}
	return s
}

type writer struct {
	mut      *bigtable.Mutation
	exp, now bigtable.Timestamp
}

func (s *Store) writer(ttl time.Duration) *writer {
	t := s.now()
	return &writer{mut: bigtable.NewMutation(), exp: bigtable.Time(t.Add(ttl)), now: bigtable.Time(t)}
}

func (w *writer) entry(b []byte) { w.mut.Set("ticket", "entry", w.exp, b) }

func (w *writer) uses(b []byte) { w.mut.Set("ticket", "uses", w.now, b) } // want `write-time: .*"ticket"`

func (s *Store) Create(ctx context.Context, b []byte) error {
	w := s.writer(time.Hour)
	w.entry(b)
	w.uses(b)
	return s.tbl.Apply(ctx, "a", w.mut)
}

func (s *Store) Again(ctx context.Context, b []byte) error {
	w := s.writer(2 * time.Hour)
	w.uses(b)
	return s.tbl.Apply(ctx, "b", w.mut)
}

// Dropped gives its writer no lifetime.
func (s *Store) Dropped(ctx context.Context, b []byte) error {
	w := s.writer(0) // want `write-time: .*"ticket"`
	w.entry(b)
	return s.tbl.Apply(ctx, "c", w.mut)
}

type timed struct {
	mut *bigtable.Mutation
	at  bigtable.Timestamp
}

func newTimed(at time.Time) *timed {
	return &timed{mut: bigtable.NewMutation(), at: bigtable.Time(at)}
}

func (t *timed) entry(b []byte) { t.mut.Set("ticket", "entry", t.at, b) }

func (s *Store) Timed(ctx context.Context, b []byte) error {
	ok := newTimed(s.now().Add(time.Minute))
	ok.entry(b)
	wrong := newTimed(s.now()) // want `write-time: .*"ticket"`
	wrong.entry(b)
	if err := s.tbl.Apply(ctx, "d", ok.mut); err != nil {
		return err
	}
	return s.tbl.Apply(ctx, "e", wrong.mut)
}
