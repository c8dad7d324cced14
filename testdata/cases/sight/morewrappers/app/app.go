// Package app uses the kit.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/morewrappers/kit"
)

type svc struct {
	rd     kit.Reader
	tables *kit.Tables
	pool   *kit.Pool
	deps   kit.Deps
}

func newSvc(c *bigtable.Client) *svc {
	return &svc{
		rd:     kit.Wrap(c.Open("cache"), kit.Traced("cache"), kit.Traced("again")),
		tables: kit.OpenAll(c),
		pool:   kit.NewPool(c),
		deps:   kit.Deps{Table: c.Open("cache"), Now: time.Now, Log: func(string, ...any) {}},
	}
}

func (s *svc) field(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return s.tables.Cache.Apply(ctx, key, mut)
}

func (s *svc) fieldHistory(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return s.tables.History.Apply(ctx, key, mut)
}

func (s *svc) named(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return s.tables.Named("cache").Apply(ctx, key, mut)
}

func (s *svc) mustNamed(ctx context.Context, key string) error {
	tbl, err := s.tables.MustNamed("history")
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return tbl.Apply(ctx, key, mut)
}

func (s *svc) namedMetrics(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return s.tables.Named("metrics").Apply(ctx, key, mut)
}

func (s *svc) pooled(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return s.pool.Table("cache").Apply(ctx, key, mut)
}

func (s *svc) pooledOther(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return s.pool.Table("unregistered").Apply(ctx, key, mut)
}

func (s *svc) deep(ctx context.Context, key string) error {
	return kit.Put(ctx, s.deps, key, nil) // want `write-time: .*"val" of table "cache"`
}

func (s *svc) deepRead(ctx context.Context, key string) error {
	_, err := kit.Get(ctx, &s.deps, key) // want `missing-filter: .*"val" of table "cache"`
	return err
}

func direct(ctx context.Context, c *bigtable.Client, key string) error {
	d := kit.Deps{Table: c.Open("cache"), Now: func() time.Time { return time.Now().Add(time.Hour) }, Log: func(string, ...any) {}}
	d.Opts = append(d.Opts, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	if _, err := kit.Get(ctx, &d, key); err != nil {
		return err
	}
	return kit.Put(ctx, d, key, nil)
}

func (s *svc) read(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.rd.ReadRow(ctx, key) // want `missing-filter: .*"val" of table "cache"`
	return row["val"], err
}

// Embedding the client's table itself.
type cacheTable struct{ *bigtable.Table }

func openCache(c *bigtable.Client) cacheTable { return cacheTable{c.Open("cache")} }

func embedded(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return openCache(c).Apply(ctx, key, mut)
}

// A generic repository in this package, by a configuration.
type config struct {
	tbl    *bigtable.Table
	family string
	ttl    time.Duration
}

type repo[T any] struct {
	cfg    config
	encode func(T) []byte
}

func newRepo[T any](cfg config, encode func(T) []byte) *repo[T] {
	return &repo[T]{cfg: cfg, encode: encode}
}

func (r *repo[T]) save(ctx context.Context, key string, v T) error {
	mut := bigtable.NewMutation()
	mut.Set(r.cfg.family, "v", bigtable.Time(time.Now().Add(r.cfg.ttl)), r.encode(v))
	return r.cfg.tbl.Apply(ctx, key, mut)
}

func generic(ctx context.Context, c *bigtable.Client) error {
	enc := func(s string) []byte { return []byte(s) }
	good := newRepo(config{tbl: c.Open("cache"), family: "val", ttl: time.Hour}, enc)
	if err := good.save(ctx, "k", "v"); err != nil {
		return err
	}
	bad := newRepo(config{tbl: c.Open("cache"), family: "val"}, enc) // want `write-time: .*"val" of table "cache"`
	return bad.save(ctx, "k", "v")
}

func (s *svc) pooledRead(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.pool.Table("unregistered").ReadRow(ctx, key)
	return row["token"], err
}

func (s *svc) pooledReadCache(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.pool.Table("cache").ReadRow(ctx, key) // want `missing-filter: .*"val" of table "cache"`
	return row["val"], err
}
