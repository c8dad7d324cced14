// Package alerts keeps tenants' alert rules, silences and what fired.
package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table is the part of a table that this package uses.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// slowLog reports slow calls.
type slowLog struct {
	Table
	log   *slog.Logger
	limit time.Duration
}

// Slow decorates a table.
func Slow(t Table, log *slog.Logger, limit time.Duration) Table {
	return &slowLog{Table: t, log: log, limit: limit}
}

func (s *slowLog) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	start := time.Now()
	r, err := s.Table.ReadRow(ctx, row, opts...) // ok ttlread/missing-filter
	if d := time.Since(start); d > s.limit {
		s.log.Warn("slow read", "row", row, "took", d)
	}
	return r, err
}

// Config says where a Repo keeps its documents, and for how long.
type Config struct {
	Family  string
	Column  string
	Life    time.Duration // 0: forever
	Version func(doc any) int64
}

// Repo keeps documents of a type.
type Repo[T any] struct {
	t   Table
	cfg Config
}

// NewRepo returns a repository.
func NewRepo[T any](t Table, cfg Config) *Repo[T] {
	if cfg.Column == "" {
		cfg.Column = "doc"
	}
	return &Repo[T]{t: t, cfg: cfg}
}

// PutAt stores a document under a timestamp.
func (r *Repo[T]) PutAt(ctx context.Context, key string, doc T, ts bigtable.Timestamp) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(r.cfg.Family, r.cfg.Column, ts, b)
	return r.t.Apply(ctx, key, mut)
}

// Get reads a document.
func (r *Repo[T]) Get(ctx context.Context, key string, f bigtable.Filter) (T, error) {
	var doc T
	row, err := r.t.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return doc, err
	}
	for _, it := range row[r.cfg.Family] {
		return doc, json.Unmarshal(it.Value, &doc)
	}
	return doc, fmt.Errorf("no %T at %s", doc, key)
}

// put writes one cell: the family and the timestamp are the caller's.
func put(ctx context.Context, t Table, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, value)
	return t.Apply(ctx, key, mut)
}

// one reads one family with the caller's filters.
func one(ctx context.Context, t Table, key, family string, more ...bigtable.Filter) ([]bigtable.ReadItem, error) {
	fs := append([]bigtable.Filter{bigtable.FamilyFilter(family)}, more...)
	var f bigtable.Filter = fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	row, err := t.ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	return row[family], nil
}

// each scans one family with the caller's filters.
func each(ctx context.Context, t Table, prefix, family string, do func(key string, items []bigtable.ReadItem) error, more ...bigtable.Filter) error {
	fs := append([]bigtable.Filter{bigtable.FamilyFilter(family)}, more...)
	var f bigtable.Filter = fs[0]
	if len(fs) > 1 {
		f = bigtable.ChainFilters(fs...)
	}
	var failed error
	err := t.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		failed = do(r.Key(), r[family])
		return failed == nil
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	return failed
}

func now() bigtable.Timestamp { return bigtable.Time(time.Now()) }

func after(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

func alive() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now(), time.Time{}) }
