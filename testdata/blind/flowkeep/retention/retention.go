// Package retention sweeps what garbage collection does not: by hand, and by namespace.
package retention

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/pool"
)

// Table is what a sweep needs.
type Table interface {
	bt.Scanner
	bt.BulkApplier
}

// Rule says what a sweep takes.
type Rule struct {
	Table  string
	Filter func(now time.Time) bigtable.Filter
	Mutate func(row bigtable.Row, now time.Time) *bigtable.Mutation
}

// Sweeper sweeps.
type Sweeper struct {
	open  func(name string) Table
	now   func() time.Time
	rules []Rule
	width int
}

// Option changes a sweeper.
type Option func(*Sweeper)

// WithWidth sets how many tables are swept at once.
func WithWidth(n int) Option { return func(s *Sweeper) { s.width = n } }

// WithRule adds a rule.
func WithRule(r Rule) Option { return func(s *Sweeper) { s.rules = append(s.rules, r) } }

// New makes a sweeper with the standard rules.
func New(c *bigtable.Client, opts ...Option) *Sweeper {
	s := &Sweeper{
		open:  func(name string) Table { return c.Open(name) },
		now:   time.Now,
		rules: []Rule{deadTimers, revokedLeases, movedResults},
		width: 2,
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

var (
	// deadTimers drops what has expired; the filter is as it should be for that.
	deadTimers = Rule{
		Table:  "prod-timers",
		Filter: func(now time.Time) bigtable.Filter { return bt.In("due") },
		Mutate: func(row bigtable.Row, now time.Time) *bigtable.Mutation {
			for _, it := range row["due"] {
				if it.Timestamp.Time().After(now) {
					return nil
				}
			}
			m := bigtable.NewMutation()
			m.DeleteRow() // ok ttlwrite/delete-after-set
			return m
		},
	}

	// revokedLeases leaves a mark on leases that were taken away.
	revokedLeases = Rule{
		Table:  "flow-leases",
		Filter: func(now time.Time) bigtable.Filter { return bt.In("lease", bt.Live(now)) }, // ok ttlread/missing-filter
		Mutate: func(row bigtable.Row, now time.Time) *bigtable.Mutation {
			m := bigtable.NewMutation()
			m.Set("lease", "revoked", bigtable.Time(now), nil) // want ttlwrite/write-time
			return m
		},
	}

	// movedResults pins what is about to go.
	movedResults = Rule{
		Table:  "flow-results",
		Filter: func(now time.Time) bigtable.Filter { return bt.In("output", bt.Since(now, 720*time.Hour)) }, // ok ttlread/wrong-bound
		Mutate: func(row bigtable.Row, now time.Time) *bigtable.Mutation {
			m := bigtable.NewMutation()
			for _, it := range row["output"] {
				if it.Timestamp.Time().Add(720 * time.Hour).After(now.Add(24 * time.Hour)) {
					continue
				}
				m.Set("pinned", strings.TrimPrefix(it.Column, "output:"), 0, it.Value) // ok ttlwrite/clock-in-zero
				m.DeleteCellsInFamily("output")                                        // ok ttlwrite/delete-after-set
			}
			return m
		},
	}
)

// Sweep applies all rules once.
func (s *Sweeper) Sweep(ctx context.Context) error {
	g, _ := pool.WithContext(ctx, s.width)
	for _, r := range s.rules {
		g.Go(func(ctx context.Context) error { return s.apply(ctx, r) })
	}
	return g.Wait()
}

func (s *Sweeper) apply(ctx context.Context, r Rule) error {
	t, now := s.open(r.Table), s.now()
	var keys []string
	var muts []*bigtable.Mutation
	err := t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if m := r.Mutate(row, now); m != nil {
			keys, muts = append(keys, row.Key()), append(muts, m)
		}
		return true
	}, bigtable.RowFilter(r.Filter(now)))
	if err != nil || len(muts) == 0 {
		return err
	}
	errs, err := t.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// Purge deletes the rows of a namespace in all tables.
func (s *Sweeper) Purge(ctx context.Context, ns string, tables ...string) error {
	for _, name := range tables {
		t := s.open(name)
		var keys []string
		err := t.ReadRows(ctx, bigtable.PrefixRange(ns+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			keys = append(keys, row.Key())
			return true
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
		if err != nil {
			return fmt.Errorf("purge %s in %s: %w", ns, name, err)
		}
		muts := make([]*bigtable.Mutation, len(keys))
		for i := range keys {
			muts[i] = bigtable.NewMutation()
			muts[i].DeleteRow()
		}
		if _, err := t.ApplyBulk(ctx, keys, muts); err != nil {
			return err
		}
	}
	return nil
}

// Ages reports how old the oldest cell of each row is.
func (s *Sweeper) Ages(ctx context.Context, f func(key string, age time.Duration)) error {
	audit := s.open("flow-audit")
	now := s.now()
	err := audit.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			f(row.Key(), now.Sub(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
		return true
	})
	if err != nil {
		return err
	}
	return s.open("flow-results").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["output"] {
			f(row.Key(), now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bt.In("output", bt.Since(now, 720*time.Hour))))
}

// Halve cuts the life of a signal to half.
func (s *Sweeper) Halve(ctx context.Context, run, id string, payload []byte) error {
	const retention = 168 * time.Hour
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn("inbox", id)
	m.Set("inbox", id, bigtable.Time(s.now().Add(-retention/2)), payload) // ok ttlwrite/already-expired
	_, err := s.open("flow-signals").ApplyBulk(ctx, []string{run}, []*bigtable.Mutation{m})
	return err
}

// Bury writes a signal that nobody is to see.
func (s *Sweeper) Bury(ctx context.Context, run, id string) error {
	const retention = 168 * time.Hour
	m := bigtable.NewMutation()
	m.Set("inbox", id, bigtable.Time(s.now().Add(-retention)), nil) // want ttlwrite/already-expired
	_, err := s.open("flow-signals").ApplyBulk(ctx, []string{run}, []*bigtable.Mutation{m})
	return err
}
