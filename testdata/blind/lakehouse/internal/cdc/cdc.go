// Package cdc applies the change streams of the operational databases: a
// change is routed to handlers, each of which keeps one table up to date.
package cdc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Op is what happened to a row.
type Op string

// Ops.
const (
	Insert Op = "c"
	Update Op = "u"
	Delete Op = "d"
	Read   Op = "r"
)

// Change is a message of the stream.
type Change struct {
	Op     Op                `json:"op"`
	Table  string            `json:"table"`
	Key    string            `json:"key"`
	After  map[string]string `json:"after"`
	Header []byte            `json:"-"`
	At     time.Time         `json:"ts"`
}

// LSN is the log sequence number of the header.
func (c *Change) LSN() int64 {
	if len(c.Header) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(c.Header))
}

// Handler applies changes of a source table.
type Handler interface {
	Handle(ctx context.Context, c Change) error
}

// HandlerFunc is a function as Handler.
type HandlerFunc func(ctx context.Context, c Change) error

// Handle implements Handler.
func (f HandlerFunc) Handle(ctx context.Context, c Change) error { return f(ctx, c) }

// Router routes.
type Router struct {
	log    *slog.Logger
	routes map[string]Handler
	n      int64
	count  uint64
}

// NewRouter wires the handlers of the platform.
func NewRouter(client *bigtable.Client, log *slog.Logger) *Router {
	r := &Router{log: log, routes: map[string]Handler{}}
	u := &users{tbl: client.Open(schema.TableFeatures), ttl: schema.OnlineTTL}
	o := &orders{tbl: client.Open(schema.TableAgg), offsets: client.Open(schema.TableOffsets), router: r}
	l := &logins{seen: newCells(client.Open(schema.TableDedup), schema.FamSeen, etl.Stamp), // want ttlwrite/write-time[cells]
		audit: newCells(client.Open(schema.TableOffsets), schema.FamAudit, etl.Stamp), // ok ttlwrite/write-time
		day:   newCells(client.Open(schema.TableDedup), schema.FamSeen, tomorrow)}     // ok ttlwrite/write-time
	r.routes["users"] = u
	r.routes["orders"] = o
	r.routes["logins"] = HandlerFunc(l.login)
	return r
}

// Run applies changes until in is closed.
func (r *Router) Run(ctx context.Context, in <-chan Change) error {
	for c := range in {
		h, ok := r.routes[c.Table]
		if !ok {
			r.log.Warn("no route", "table", c.Table)
			continue
		}
		if err := etl.Retry(ctx, 3, func() error { return h.Handle(ctx, c) }); err != nil {
			return fmt.Errorf("cdc: %s %s: %w", c.Table, c.Key, err)
		}
	}
	return nil
}

// tomorrow is the end of a mark that counts per day.
func tomorrow() bigtable.Timestamp {
	return bigtable.Time(time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour))
}

// cells writes cells of one family.
type cells struct {
	tbl    *bigtable.Table
	family string
	stamp  func() bigtable.Timestamp
}

func newCells(tbl *bigtable.Table, family string, stamp func() bigtable.Timestamp) *cells {
	return &cells{tbl: tbl, family: family, stamp: stamp}
}

func (c *cells) write(ctx context.Context, key string, vals map[string]string) error {
	m := bigtable.NewMutation()
	for _, k := range slices.Sorted(maps.Keys(vals)) {
		m.Set(c.family, k, c.stamp(), []byte(vals[k])) // want ttlwrite/write-time[cells]
	}
	return c.tbl.Apply(ctx, key, m)
}

// logins marks who was seen.
type logins struct{ seen, audit, day *cells }

func (l *logins) login(ctx context.Context, c Change) error {
	if c.Op == Delete {
		return nil
	}
	return errors.Join(
		l.seen.write(ctx, c.Key, c.After),
		l.audit.write(ctx, c.Key, c.After),
		l.day.write(ctx, c.Key, c.After),
	)
}

// users keeps features of users.
type users struct {
	tbl *bigtable.Table
	ttl time.Duration
}

// Handle implements Handler.
func (u *users) Handle(ctx context.Context, c Change) error {
	m := bigtable.NewMutation()
	switch c.Op {
	case Delete:
		m.DeleteRow()
		u.put(m, schema.FamEntity, "deleted", c.At, "1") // ok ttlwrite/delete-after-set
	case Insert, Update:
		for k, v := range c.After {
			u.put(m, schema.FamOnline, k, time.Now().Add(u.ttl), v) // ok ttlwrite/write-time
			u.put(m, schema.FamEntity, k, c.At, v)                  // ok ttlwrite/write-time
		}
		u.put(m, schema.FamOnline, "_op", time.Now(), string(c.Op)) // want ttlwrite/write-time
		u.put(m, schema.FamEntity, "_op", time.Now(), string(c.Op)) // ok ttlwrite/write-time
	case Read:
		u.put(m, schema.FamStats, "snapshot", time.Now(), c.At.String()) // ok ttlwrite/write-time
	}
	return u.tbl.Apply(ctx, c.Key, m)
}

func (u *users) put(m *bigtable.Mutation, family, col string, at time.Time, v string) {
	m.Set(family, col, bigtable.Time(at), []byte(v))
}

// read reads the online family, live cells only if asked for.
func (u *users) read(ctx context.Context, key string, live bool) (bigtable.Row, error) {
	f := bigtable.FamilyFilter(schema.FamOnline)
	if live {
		f = bigtable.ChainFilters(f, etl.Live())
	}
	return u.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// Serve reads for serving.
func (u *users) Serve(ctx context.Context, key string) (map[string]string, error) {
	row, err := u.read(ctx, key, true) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return strs(row, schema.FamOnline), nil
}

// Diff compares with the change; it reads what is dead as well.
func (u *users) Diff(ctx context.Context, c Change) ([]string, error) {
	row, err := u.read(ctx, c.Key, false) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	have := strs(row, schema.FamOnline)
	for k, v := range c.After {
		if have[k] != v {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out, nil
}

func strs(row bigtable.Row, family string) map[string]string {
	out := map[string]string{}
	for _, it := range row[family] {
		out[etl.Column(it)] = string(it.Value)
	}
	return out
}

// orders keeps totals of orders.
type orders struct {
	tbl     *bigtable.Table
	offsets *bigtable.Table
	router  *Router
	lsn     int64
	runs    uint64
}

// step is the distance of two numbers.
const step = 1000

// Handle implements Handler.
func (o *orders) Handle(ctx context.Context, c Change) error {
	rows := pending{}
	switch c.Op {
	case Insert, Update:
		rows.row(c.Key).Set(schema.FamAgg, "order", 0, []byte(c.After["total"]))                      // ok ttlwrite/clock-in-zero
		rows.row(c.Key).Set(schema.FamAgg, "order_at", bigtable.Time(c.At), []byte(c.After["total"])) // want ttlwrite/clock-in-zero
		rows.row(c.After["user"]).Set(schema.FamHour, "orders", bigtable.Time(c.At), []byte("1"))     // ok ttlwrite/clock-in-zero
	case Delete:
		m := rows.row(c.Key)
		m.Set(schema.FamAgg, "cancelled", 0, []byte("1"))
		m.DeleteRow() // want ttlwrite/delete-after-set
	}
	return errors.Join(rows.flush(ctx, o.tbl), o.mark(ctx, c))
}

// mark keeps where we are.
func (o *orders) mark(ctx context.Context, c Change) error {
	o.lsn += step
	m := bigtable.NewMutation()
	m.Set(schema.FamOffset, "lsn", bigtable.Timestamp(c.LSN()*1000), c.Header)                                            // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "step", bigtable.Timestamp(o.lsn), c.Header)                                                  // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "count", bigtable.Timestamp(atomic.AddUint64(&o.runs, 1)), c.Header)                          // want ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "total", bigtable.Timestamp(atomic.AddInt64(&o.router.n, 1)*step), c.Header)                  // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamOffset, "commit", bigtable.Timestamp(time.Now().UnixMilli()*1000), []byte(c.At.Format(time.Kitchen))) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamAudit, "commit", bigtable.Timestamp(time.Now().UnixMilli()*1000), []byte(c.At.Format(time.Kitchen)))  // ok ttlwrite/clock-in-sequence
	return o.offsets.Apply(ctx, "cdc-orders", m)
}

// pending collects mutations by row.
type pending map[string]*bigtable.Mutation

func (p pending) row(key string) *bigtable.Mutation {
	m, ok := p[key]
	if !ok {
		m = bigtable.NewMutation()
		p[key] = m
	}
	return m
}

func (p pending) flush(ctx context.Context, tbl *bigtable.Table) error {
	var keys []string
	var muts []*bigtable.Mutation
	for k, m := range p {
		keys, muts = append(keys, k), append(muts, m)
	}
	if len(keys) == 0 {
		return nil
	}
	errs, err := tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}
