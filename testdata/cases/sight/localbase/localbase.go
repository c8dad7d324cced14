// Package localbase holds a base as a value, and hands on the table in it.
package localbase

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/localbase/core"
)

// "val" expires in the table cache, and counts in history.

func getter(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "cache")
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func okHistory(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "metrics")
	return core.Put(ctx, base.GetTable(), "val")
}

func captured(ctx context.Context, c *bigtable.Client) (func() bigtable.Filter, error) {
	base := core.NewBase(c, "cache")
	live := func() bigtable.Filter { return bigtable.TimestampRangeFilter(time.Now().Add(base.TTL()), time.Time{}) }
	return live, core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func plain(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "cache")
	_ = base.TTL()
	return core.Put(ctx, base.Table(), "val") // want `write-time: .*"val" of table "cache"`
}

func failing(ctx context.Context, c *bigtable.Client) error {
	base, err := core.TryBase(c, "cache")
	if err != nil {
		return err
	}
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func declared(ctx context.Context, c *bigtable.Client) error {
	var base core.Base
	base = core.NewBase(c, "cache")
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func keeping(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "cache")
	base.Keep(time.Minute)
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func using(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "metrics")
	base.Use(c.Open("cache"))
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func okUsing(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "cache")
	base.Use(c.Open("metrics"))
	return core.Put(ctx, base.GetTable(), "val")
}

func okReset(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "cache")
	base.Reset(core.NewBase(c, "metrics"))
	return core.Put(ctx, base.GetTable(), "val")
}

func okAssigned(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "cache")
	_ = base.GetTable()
	base = core.NewBase(c, "metrics")
	return core.Put(ctx, base.GetTable(), "val")
}

func assigned(ctx context.Context, c *bigtable.Client) error {
	base := core.NewBase(c, "metrics")
	_ = base.GetTable()
	base = core.NewBase(c, "cache")
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func usedBefore(ctx context.Context, c *bigtable.Client) error {
	var base core.Base
	base.Use(c.Open("metrics"))
	base = core.NewBase(c, "cache")
	return core.Put(ctx, base.GetTable(), "val") // want `write-time: .*"val" of table "cache"`
}

func okUsedLater(ctx context.Context, c *bigtable.Client, tables []*bigtable.Table) error {
	base := core.NewBase(c, "cache")
	for _, t := range tables {
		base.Use(t)
		if err := core.Put(ctx, base.GetTable(), "val"); err != nil {
			return err
		}
	}
	return nil
}

func okEither(ctx context.Context, c *bigtable.Client, swap func(*core.Base)) error {
	base := core.NewBase(c, "cache")
	swap(&base)
	return core.Put(ctx, base.GetTable(), "val")
}

func okSwappedInside(ctx context.Context, c *bigtable.Client, each func(func())) error {
	base := core.NewBase(c, "cache")
	each(func() { base = core.NewBase(c, "metrics") })
	return core.Put(ctx, base.GetTable(), "val")
}

func latest() bigtable.Filter { return bigtable.LatestNFilter(1) }

type dao struct{ repo *core.Repo }

func newDao(c *bigtable.Client) *dao {
	base := core.NewBase(c, "sessions")
	return &dao{core.NewRepo(base.GetTable(), latest)} // want `missing-filter: .*"token" of table "sessions"`
}

func (d *dao) find(ctx context.Context) (bigtable.Row, error) {
	return d.repo.Find(ctx, "k")
}

type okDao struct{ repo *core.Repo }

func newOkDao(c *bigtable.Client) *okDao {
	base := core.NewBase(c, "metrics")
	return &okDao{core.NewRepo(base.GetTable(), latest)}
}

func (d *okDao) find(ctx context.Context) (bigtable.Row, error) {
	return d.repo.Find(ctx, "k")
}

type local struct{ table *bigtable.Table }

func makeLocal(c *bigtable.Client, name string) local { return local{c.Open(name)} }

func (l *local) tbl() *bigtable.Table { return l.table }

func inOnePackage(ctx context.Context, c *bigtable.Client) error {
	base := makeLocal(c, "cache")
	mut := bigtable.NewMutation()
	mut.Set("val", "jwt", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return base.tbl().Apply(ctx, "k", mut)
}
