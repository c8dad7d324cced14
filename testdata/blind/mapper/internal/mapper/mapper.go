// Package mapper is the company's own small mapper on Bigtable: entities that know their family, key and timestamp are
// saved by a Repo; plain structs with `bt` tags go through Put and Fetch.
package mapper

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Entity is what a Repo saves.
type Entity interface {
	Family() string
	Key() string
	Stamp() bigtable.Timestamp
}

// BeforeSaver is an entity with something to do before it is saved.
type BeforeSaver interface{ BeforeSave() error }

// Scanner is an entity that reads its cells without reflection.
type Scanner interface {
	Scan(items []bigtable.ReadItem)
}

// Hook runs before every save of a repo.
type Hook func(ctx context.Context, e Entity) error

// ErrNotFound is returned for rows that do not exist.
var ErrNotFound = errors.New("mapper: not found")

// Stats counts what a repo does.
type Stats struct {
	Saves, Reads, Misses, Errors atomic.Int64
	Slowest                      atomic.Int64
}

// Snapshot is for the metrics endpoint.
func (s *Stats) Snapshot() map[string]int64 {
	return map[string]int64{
		"saves":      s.Saves.Load(),
		"reads":      s.Reads.Load(),
		"misses":     s.Misses.Load(),
		"errors":     s.Errors.Load(),
		"slowest_ms": s.Slowest.Load(),
	}
}

func (s *Stats) took(start time.Time) {
	ms := time.Since(start).Milliseconds()
	for {
		old := s.Slowest.Load()
		if ms <= old || s.Slowest.CompareAndSwap(old, ms) {
			return
		}
	}
}

type config struct {
	hooks []Hook
	log   *slog.Logger
	stats *Stats
}

// Option changes a repo.
type Option func(*config)

// WithHook adds a hook.
func WithHook(h Hook) Option { return func(c *config) { c.hooks = append(c.hooks, h) } }

// WithLog sets the logger.
func WithLog(l *slog.Logger) Option { return func(c *config) { c.log = l } }

// WithStats sets the counters.
func WithStats(s *Stats) Option { return func(c *config) { c.stats = s } }

// Repo saves and finds entities of one kind in one table.
type Repo[T Entity] struct {
	tbl *bigtable.Table
	cfg config
}

// NewRepo makes a repo.
func NewRepo[T Entity](tbl *bigtable.Table, opts ...Option) *Repo[T] {
	r := &Repo[T]{tbl: tbl, cfg: config{log: slog.Default(), stats: new(Stats)}}
	for _, o := range opts {
		o(&r.cfg)
	}
	return r
}

// Stats returns the repo's counters.
func (r *Repo[T]) Stats() *Stats { return r.cfg.stats }

func (r *Repo[T]) before(ctx context.Context, e T) error {
	if b, ok := any(e).(BeforeSaver); ok {
		if err := b.BeforeSave(); err != nil {
			return fmt.Errorf("before save of %s: %w", e.Key(), err)
		}
	}
	for _, h := range r.cfg.hooks {
		if err := h(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// Save writes an entity's columns.
func (r *Repo[T]) Save(ctx context.Context, e T) error {
	if err := r.before(ctx, e); err != nil {
		r.cfg.stats.Errors.Add(1)
		return err
	}
	mut := bigtable.NewMutation()
	family, ts := e.Family(), e.Stamp()
	for _, c := range columnsOf(e) {
		mut.Set(family, c.name, ts, c.value)
	}
	return r.apply(ctx, e.Key(), mut)
}

// SaveAt writes an entity's columns at a timestamp of the caller's.
func (r *Repo[T]) SaveAt(ctx context.Context, e T, ts bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	for _, c := range columnsOf(e) {
		mut.Set(e.Family(), c.name, ts, c.value)
	}
	return r.apply(ctx, e.Key(), mut)
}

// Replace deletes what the family holds and writes the entity.
func (r *Repo[T]) Replace(ctx context.Context, e T) error {
	if err := r.before(ctx, e); err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(e.Family()) // ok ttlwrite/delete-after-set
	for _, c := range columnsOf(e) {
		mut.Set(e.Family(), c.name, e.Stamp(), c.value)
	}
	return r.apply(ctx, e.Key(), mut)
}

// Insert writes an entity unless its row has some cell of its family already.
func (r *Repo[T]) Insert(ctx context.Context, e T) (bool, error) {
	if err := r.before(ctx, e); err != nil {
		return false, err
	}
	set := bigtable.NewMutation()
	for _, c := range columnsOf(e) {
		set.Set(e.Family(), c.name, e.Stamp(), c.value)
	}
	var exists bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(e.Family()), nil, set) // want ttlread/conditional-mutation[insert]
	err := r.tbl.Apply(ctx, e.Key(), cond, bigtable.GetCondMutationResult(&exists))
	return !exists, err
}

// Bump adds to a counter column of an entity.
func (r *Repo[T]) Bump(ctx context.Context, e T, column string, by int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(e.Family(), column, by)
	row, err := r.tbl.ApplyReadModifyWrite(ctx, e.Key(), rmw)
	if err != nil {
		r.cfg.stats.Errors.Add(1)
		return 0, err
	}
	for _, it := range row[e.Family()] {
		return int64(len(it.Value)), nil
	}
	return 0, ErrNotFound
}

// Remove deletes the entity's family in its row.
func (r *Repo[T]) Remove(ctx context.Context, e T) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(e.Family())
	return r.tbl.Apply(ctx, e.Key(), mut)
}

func (r *Repo[T]) apply(ctx context.Context, key string, mut *bigtable.Mutation) error {
	start := time.Now()
	err := r.tbl.Apply(ctx, key, mut)
	r.cfg.stats.took(start)
	if err != nil {
		r.cfg.stats.Errors.Add(1)
		r.cfg.log.Warn("save failed", "key", key, "err", err)
		return fmt.Errorf("saving %s: %w", key, err)
	}
	r.cfg.stats.Saves.Add(1)
	return nil
}

// Get reads one entity. Filters are chained.
func (r *Repo[T]) Get(ctx context.Context, key string, into T, filters ...bigtable.Filter) error {
	var opts []bigtable.ReadOption
	switch len(filters) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(filters[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
	}
	start := time.Now()
	row, err := r.tbl.ReadRow(ctx, key, opts...)
	r.cfg.stats.took(start)
	if err != nil {
		r.cfg.stats.Errors.Add(1)
		return fmt.Errorf("reading %s: %w", key, err)
	}
	r.cfg.stats.Reads.Add(1)
	items := row[into.Family()]
	if len(items) == 0 {
		r.cfg.stats.Misses.Add(1)
		return ErrNotFound
	}
	return decode(items, into)
}

// Each calls fn for the entities of the rows with a prefix.
func (r *Repo[T]) Each(ctx context.Context, prefix string, make func() T, q *Query, fn func(T) bool) error {
	var failed error
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		e := make()
		items := row[e.Family()]
		if len(items) == 0 {
			return true
		}
		if failed = decode(items, e); failed != nil {
			return false
		}
		r.cfg.stats.Reads.Add(1)
		return fn(e)
	}, q.Options()...)
	if err == nil {
		err = failed
	}
	return err
}

// decode fills an entity.
func decode(items []bigtable.ReadItem, e any) error {
	if s, ok := e.(Scanner); ok {
		s.Scan(items)
		return nil
	}
	return fill(items, e)
}

// Unit collects the writes of one request.
type Unit struct {
	tbl  *bigtable.Table
	keys []string
	muts []*bigtable.Mutation
}

// NewUnit starts a unit of work on a table.
func NewUnit(tbl *bigtable.Table) *Unit { return &Unit{tbl: tbl} }

// Add adds entities.
func (u *Unit) Add(es ...Entity) *Unit {
	for _, e := range es {
		mut := bigtable.NewMutation()
		for _, c := range columnsOf(e) {
			mut.Set(e.Family(), c.name, e.Stamp(), c.value)
		}
		u.keys = append(u.keys, e.Key())
		u.muts = append(u.muts, mut)
	}
	return u
}

// Flush writes what was added.
func (u *Unit) Flush(ctx context.Context) error {
	if len(u.muts) == 0 {
		return nil
	}
	errs, err := u.tbl.ApplyBulk(ctx, u.keys, u.muts)
	u.keys, u.muts = nil, nil
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}
