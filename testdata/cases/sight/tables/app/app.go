// Package app gets its tables in many ways.
package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/tables/deco"
	"example.com/cases/sight/tables/open"
)

type app struct {
	tbl  deco.Table
	name string
	opts []bigtable.ReadOption
	now  func() time.Time
}

func newApp(c *bigtable.Client) *app {
	return &app{tbl: deco.Meter(deco.Log(c.Open("cache"), slog.Default()), func(string) {}), name: "cache", now: time.Now}
}

func (a *app) put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return a.tbl.Apply(ctx, key, mut)
}

func (a *app) get(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := a.tbl.ReadRow(ctx, key) // want `missing-filter: .*"val" of table "cache"`
	return row["val"], err
}

func (a *app) getLive(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := a.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	return row["val"], err
}

type retried struct{ tbl *deco.Retried }

func newRetried(c *bigtable.Client) *retried {
	return &retried{tbl: deco.Retry(deco.Log(c.Open("history"), slog.Default()))}
}

func (r *retried) put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return r.tbl.Apply(ctx, key, mut)
}

func (r *retried) get(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := r.tbl.ReadRow(ctx, key) // want `version-limit: .*"val" of table "history"|missing-filter: .*"val" of table "history"`
	return row["val"], err
}

// An unregistered table behind the same decorators.
type other struct{ tbl deco.Table }

func newOther(c *bigtable.Client) *other {
	return &other{tbl: deco.Retry(deco.Meter(c.Open("unregistered"), nil))}
}

func (o *other) put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "v", bigtable.Now(), nil)
	return o.tbl.Apply(ctx, key, mut)
}

func (o *other) get(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := o.tbl.ReadRow(ctx, key)
	return row["token"], err
}

// From sync.OnceValue.
func once(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return open.Cache().Apply(ctx, key, mut)
}

func onceErr(ctx context.Context, key string) error {
	tbl, err := open.History()
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return tbl.Apply(ctx, key, mut)
}

var local = sync.OnceValue(func() *bigtable.Table { return open.Cache() })

func onceLocal(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return local().Apply(ctx, key, mut)
}

// Lazy getters.
type lazy struct {
	client *bigtable.Client
	mu     sync.Mutex
	tbl    *bigtable.Table
	once   sync.Once
	hist   *bigtable.Table
}

func (l *lazy) table() *bigtable.Table {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tbl == nil {
		l.tbl = l.client.Open("cache")
	}
	return l.tbl
}

func (l *lazy) history() *bigtable.Table {
	l.once.Do(func() { l.hist = l.client.Open("history") })
	return l.hist
}

func (l *lazy) put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return l.table().Apply(ctx, key, mut)
}

func (l *lazy) putHistory(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return l.history().Apply(ctx, key, mut)
}

// Maps of tables.
type byName struct{ tables map[string]*bigtable.Table }

func newByName(c *bigtable.Client) *byName {
	b := &byName{tables: map[string]*bigtable.Table{}}
	for _, name := range []string{"cache", "history"} {
		b.tables[name] = c.Open(name)
	}
	return b
}

func newLiteral(c *bigtable.Client) map[string]*bigtable.Table {
	return map[string]*bigtable.Table{"cache": c.Open("cache"), "history": c.Open("history")}
}

func (b *byName) put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return b.tables["cache"].Apply(ctx, key, mut)
}

func literal(ctx context.Context, c *bigtable.Client, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	return newLiteral(c)["history"].Apply(ctx, key, mut)
}

// Structs given as parameters.
type deps struct {
	Cache *bigtable.Table
	Now   func() time.Time
	TTL   time.Duration
}

func putDeps(ctx context.Context, d deps, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Time(d.Now()), nil) // want `write-time: .*"val" of table "cache"`
	return d.Cache.Apply(ctx, key, mut)
}

func run(ctx context.Context, c *bigtable.Client, key string) error {
	return putDeps(ctx, deps{Cache: c.Open("cache"), Now: time.Now, TTL: time.Hour}, key)
}

// Generic repositories.
type user struct{ ID string }

func repos(ctx context.Context, c *bigtable.Client) error {
	r := open.NewRepo(open.Config[user]{Table: c.Open("cache"), Family: "val"}) // want `write-time: .*"val" of table "cache"`
	if err := r.Save(ctx, user{"1"}); err != nil {
		return err
	}
	o := open.NewRepo(open.Config[user]{Table: c.Open("unregistered"), Family: "token", Key: func(u user) string { return u.ID }})
	return o.Save(ctx, user{"1"})
}

// A constructor is given the table.
type sessions struct{ tbl *bigtable.Table }

func newSessions(tbl *bigtable.Table) *sessions { return &sessions{tbl: tbl} }

func (s *sessions) get(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"val" of table "cache"`
	return row["val"], err
}

func (s *sessions) put(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "v", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return s.tbl.Apply(ctx, key, mut)
}

func useSessions(ctx context.Context, c *bigtable.Client) error {
	s := newSessions(c.Open("cache"))
	if _, err := s.get(ctx, "a"); err != nil {
		return err
	}
	return s.put(ctx, "a")
}
