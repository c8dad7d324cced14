// Package dedupe remembers which scans and webhooks were handled already.
//
// Table "dedupe", family "seen": the cell expires at its timestamp; the collector's age is a millisecond.
package dedupe

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
)

const (
	tableName = "dedupe"
	family    = "seen"
	column    = "by"

	window = 24 * time.Hour
)

var (
	bootOnce sync.Once
	bootTime time.Time // want ttlwrite/stale-clock[boot]
)

func boot() time.Time {
	bootOnce.Do(func() { bootTime = time.Now() }) // want ttlwrite/stale-clock[boot]
	return bootTime
}

// Set is a set of message ids.
type Set struct {
	tbl   *bigtable.Table
	node  string
	now   func() time.Time
	keep  time.Duration
	grace time.Duration
	hits  atomic.Int64
}

// Option configures a Set.
type Option func(*Set)

// WithKeep says how long ids are remembered.
func WithKeep(d time.Duration) Option { return func(s *Set) { s.keep = d } }

// WithNode names the process.
func WithNode(n string) Option { return func(s *Set) { s.node = n } }

// WithNow replaces time.Now.
func WithNow(now func() time.Time) Option { return func(s *Set) { s.now = now } }

// Open opens the set.
func Open(c *bigtable.Client, opts ...Option) *Set {
	s := &Set{tbl: c.Open(tableName), node: "?", now: time.Now, keep: window}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Set) mutation(ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, []byte(s.node))
	return m
}

// Add adds an id.
func (s *Set) Add(ctx context.Context, id string) error {
	return s.tbl.Apply(ctx, id, s.mutation(bigtable.Time(s.now().Add(s.keep)))) // ok ttlwrite/write-time
}

// AddShort adds an id that comes back within the minute or never.
func (s *Set) AddShort(ctx context.Context, id string) error {
	return s.tbl.Apply(ctx, id, s.mutation(bigtable.ServerTime)) // want ttlwrite/server-timestamp
}

// AddForever adds an id of the migration.
func (s *Set) AddForever(ctx context.Context, id string) error {
	return s.tbl.Apply(ctx, id, s.mutation(0)) // want ttlwrite/already-expired
}

// AddNight adds an id until the next morning.
func (s *Set) AddNight(ctx context.Context, id string) error {
	n := s.now()
	morning := time.Date(n.Year(), n.Month(), n.Day()+1, 6, 0, 0, 0, n.Location())
	return s.tbl.Apply(ctx, id, s.mutation(bigtable.Time(morning))) // ok ttlwrite/write-time
}

// AddBoot adds an id for the day on which the process started.
func (s *Set) AddBoot(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(family, "boot", bigtable.Time(boot().Add(window)), []byte(s.node)) // want ttlwrite/stale-clock[boot]
	return s.tbl.Apply(ctx, id, m)
}

// AddAll adds many ids.
func (s *Set) AddAll(ctx context.Context, ids []string) error {
	until := bigtable.Time(s.now().Add(s.keep))
	muts := make([]*bigtable.Mutation, len(ids))
	for i := range ids {
		m := bigtable.NewMutation()
		m.Set(family, column, until, []byte(s.node)) // ok ttlwrite/write-time ttlwrite/same-timestamp
		muts[i] = m
	}
	errs, err := s.tbl.ApplyBulk(ctx, ids, muts)
	return errors.Join(append(errs, err)...)
}

// AddGroup writes the ids of a group into the columns of one row.
func (s *Set) AddGroup(ctx context.Context, group string, ids []string) error {
	until := bigtable.Time(s.now().Add(s.keep))
	m := bigtable.NewMutation()
	for _, id := range ids {
		m.Set(family, id, until, []byte(s.node)) // ok ttlwrite/same-timestamp
	}
	for _, id := range ids {
		m.Set(family, "last", until, []byte(id)) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, group, m)
}

// Replay forgets the ids of a time window by making them expire.
func (s *Set) Replay(ctx context.Context, ids []string) error {
	b := bt.NewBulk(1000)
	for _, id := range ids {
		m := bigtable.NewMutation()
		m.Set(family, column, 1, nil) // want ttlwrite/already-expired
		b.Add(id, m)
	}
	return b.Flush(ctx, s.tbl)
}

// Seen says whether an id is in the set.
func (s *Set) Seen(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bt.Live(s.now()))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	if len(row) > 0 {
		s.hits.Add(1)
	}
	return len(row) > 0, nil
}

// SeenBy says who handled an id.
func (s *Set) SeenBy(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ColumnFilter(column))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[family] {
		return string(it.Value), nil
	}
	return "", bt.ErrNotFound
}

// SeenLately says whether an id was handled within the last minutes.
func (s *Set) SeenLately(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.TimestampRangeFilter(s.now().Add(-window), time.Time{}))) // want ttlread/wrong-bound
	return len(row) > 0, err
}

// SeenAt says when an id was handled.
func (s *Set) SeenAt(ctx context.Context, id string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bt.LiveFamily(family, s.now()))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[family] {
		return it.Timestamp.Time().Add(-s.keep), nil // ok ttlage/not-write-time
	}
	return time.Time{}, bt.ErrNotFound
}

// Fresh says whether an id is younger than an hour.
func (s *Set) Fresh(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, id, bigtable.RowFilter(bt.LiveFamily(family, s.now()))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[family] {
		if time.Since(it.Timestamp.Time()) < time.Hour { // want ttlage/not-write-time
			return true, nil
		}
	}
	return false, nil
}

// Once adds an id and says whether it was new.
func (s *Set) Once(ctx context.Context, id string) (bool, error) {
	var dup bool
	m := bigtable.NewCondMutation(bt.Live(s.now()), nil, s.mutation(bigtable.Time(s.now().Add(s.keep)))) // ok ttlread/conditional-mutation ttlwrite/write-time
	err := s.tbl.Apply(ctx, id, m, bigtable.GetCondMutationResult(&dup))
	return !dup, err
}

// OnceCheap is Once without a filter.
func (s *Set) OnceCheap(ctx context.Context, id string) (bool, error) {
	var dup bool
	m := bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, s.mutation(bt.ExpiresIn(s.keep))) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, id, m, bigtable.GetCondMutationResult(&dup))
	return !dup, err
}

// Count counts the ids that begin with prefix.
func (s *Set) Count(ctx context.Context, prefix string) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(bigtable.StripValueFilter())) // ok ttlread/missing-filter
	return n, err
}

// CountRecent counts the ids that were added since.
func (s *Set) CountRecent(ctx context.Context, prefix string) (int, error) {
	n := 0
	rng := bigtable.TimestampRangeFilter(time.Unix(0, 0), s.now())                                                                  // want ttlread/expired-only[count]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(bigtable.Row) bool { n++; return true }, bigtable.RowFilter(rng)) // want ttlread/expired-only[count]
	return n, err
}
