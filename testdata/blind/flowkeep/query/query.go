// Package query answers questions about runs, over all stores.
package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/clock"
	"example.com/flowkeep/internal/pool"
)

// Preparer prepares statements. *bigtable.Client does.
type Preparer interface {
	PrepareStatement(ctx context.Context, query string, paramTypes map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error)
}

// source is a table that queries read.
type source struct {
	table    string
	families []string
	filter   func(now time.Time) bigtable.Filter
}

// sources are what a dump of a run consists of.
var sources = []source{
	{"flow-leases", []string{"lease"}, func(now time.Time) bigtable.Filter { return bt.In("lease", bt.Live(now)) }},                  // ok ttlread/wrong-bound
	{"flow-signals", []string{"inbox"}, func(now time.Time) bigtable.Filter { return bt.In("inbox", bt.Since(now, 168*time.Hour)) }}, // ok ttlread/wrong-bound
	{"flow-history", []string{"event"}, func(time.Time) bigtable.Filter { return bt.In("event", bt.Newest(5)) }},                     // ok ttlread/version-limit
	{"flow-results", []string{"output"}, outputs}, // ok ttlread/wrong-bound
	{"flow-archive", []string{"event", "output"}, func(time.Time) bigtable.Filter { return bigtable.PassAllFilter() }}, // ok ttlread/missing-filter
}

func outputs(now time.Time) bigtable.Filter {
	return bt.In("output", bigtable.TimestampRangeFilter(now.Add(-30*24*time.Hour), time.Time{}))
}

// quick are the sources of the quick view.
var quick = []source{
	{"flow-signals", []string{"inbox"}, func(now time.Time) bigtable.Filter { return bt.In("inbox", bt.Live(now)) }},                // want ttlread/wrong-bound[quick]
	{"flow-idempotency", []string{"key"}, func(now time.Time) bigtable.Filter { return bt.In("key", bt.Since(now, 24*time.Hour)) }}, // want ttlread/wrong-bound[quickkey]
	{"flow-tasks", []string{"task"}, func(time.Time) bigtable.Filter { return bigtable.FamilyFilter("task") }},                      // want ttlread/missing-filter[quick]
	{"flow-audit", []string{"event"}, func(time.Time) bigtable.Filter { return bigtable.FamilyFilter("event") }},                    // ok ttlread/version-limit
}

// Cell is a cell of a dump.
type Cell struct {
	Table, Column string
	Value         string
	Timestamp     int64
}

// Engine answers queries.
type Engine struct {
	client *bigtable.Client
	sql    Preparer
	clk    clock.Clock

	mu    sync.Mutex
	stmts map[string]*bigtable.PreparedStatement
}

// New makes a query engine.
func New(c *bigtable.Client, clk clock.Clock) *Engine {
	return &Engine{client: c, sql: c, clk: clk, stmts: map[string]*bigtable.PreparedStatement{}}
}

// Dump reads all that there is about key.
func (e *Engine) Dump(ctx context.Context, key string) ([]Cell, error) {
	out, err := pool.Map(ctx, len(sources), sources, func(ctx context.Context, s source) ([]Cell, error) {
		row, err := e.client.Open(s.table).ReadRow(ctx, key, bigtable.RowFilter(s.filter(e.clk.Now()))) // ok ttlread/missing-filter // ok ttlread/wrong-bound
		if err != nil {
			return nil, err
		}
		return cells(s, row), nil
	})
	return slices.Concat(out...), err
}

// Quick reads a selection.
func (e *Engine) Quick(ctx context.Context, key string) ([]Cell, error) {
	var out []Cell
	var errs []error
	for _, s := range quick {
		row, err := e.client.Open(s.table).ReadRow(ctx, key, bigtable.RowFilter(s.filter(e.clk.Now()))) // want ttlread/wrong-bound[quick] // want ttlread/missing-filter[quick] // want ttlread/wrong-bound[quickkey]
		out, errs = append(out, cells(s, row)...), append(errs, err)
	}
	return out, errors.Join(errs...)
}

func cells(s source, row bigtable.Row) []Cell {
	var out []Cell
	for _, f := range s.families {
		for _, it := range row[f] {
			out = append(out, Cell{Table: s.table, Column: it.Column, Value: string(it.Value), Timestamp: int64(it.Timestamp)}) // ok ttlage/not-write-time
		}
	}
	return out
}

func (e *Engine) prepare(ctx context.Context, name, query string) (*bigtable.PreparedStatement, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if st := e.stmts[name]; st != nil {
		return st, nil
	}
	st, err := e.sql.PrepareStatement(ctx, query, map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}})
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", name, err)
	}
	e.stmts[name] = st
	return st, nil
}

func (e *Engine) query(ctx context.Context, name, query, prefix string, f func(bigtable.ResultRow) bool) error {
	st, err := e.prepare(ctx, name, query)
	if err != nil {
		return err
	}
	b, err := st.Bind(map[string]any{"prefix": prefix})
	if err != nil {
		return err
	}
	return b.Execute(ctx, f)
}

// Outcomes selects outcomes of idempotent requests.
func (e *Engine) Outcomes(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return e.query(ctx, "outcomes", "SELECT _key, key['outcome'] AS outcome FROM `flow-idempotency` WHERE STARTS_WITH(_key, @prefix)", prefix, f) // want ttlread/sql
}

// OutcomesLive selects the live ones.
func (e *Engine) OutcomesLive(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return e.query(ctx, "outcomes-live", "SELECT _key, key['outcome'] AS outcome FROM `flow-idempotency`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE STARTS_WITH(_key, @prefix)", prefix, f) // ok ttlread/sql
}

// Hits selects ordinary columns.
func (e *Engine) Hits(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return e.query(ctx, "hits", "SELECT _key, hit['count'] AS n FROM `flow-idempotency` WHERE STARTS_WITH(_key, @prefix)", prefix, f) // ok ttlread/sql
}

// Signals selects the inboxes.
func (e *Engine) Signals(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return e.query(ctx, "signals", "SELECT _key, inbox FROM `flow-signals` WHERE STARTS_WITH(_key, @prefix)", prefix, f) // want ttlread/sql
}

// LastEvents selects the newest event of each run.
func (e *Engine) LastEvents(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return e.query(ctx, "last-events", "SELECT _key, event['body'] AS body FROM `flow-history` WHERE STARTS_WITH(_key, @prefix)", prefix, f) // ok ttlread/sql
}

// Archived selects from the archive.
func (e *Engine) Archived(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return e.query(ctx, "archived", "SELECT _key, output['value'] AS v FROM `flow-archive` WHERE STARTS_WITH(_key, @prefix)", prefix, f) // ok ttlread/sql
}

// Filter is a query of the UI.
type Filter struct {
	Prefix string
	Latest int
	Live   bool
}

// options turns a filter into read options.
func (f Filter) options(now time.Time) []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	fs := []bigtable.Filter{bigtable.FamilyFilter("task")}
	if f.Live {
		fs = append(fs, bt.Live(now))
	}
	if f.Latest > 0 {
		fs = append(fs, bigtable.LatestNFilter(f.Latest))
	}
	if len(fs) == 1 {
		opts = append(opts, bigtable.RowFilter(fs[0]))
	} else {
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
	}
	return append(opts, bigtable.LimitRows(500))
}

// Tasks searches the tasks.
func (e *Engine) Tasks(ctx context.Context, q Filter, f func(bigtable.Row) bool) error {
	return e.client.Open("flow-tasks").ReadRows(ctx, bigtable.PrefixRange(q.Prefix), f, q.options(e.clk.Now())...) // maybe ttlread/missing-filter
}

// LiveTasks searches the live tasks.
func (e *Engine) LiveTasks(ctx context.Context, prefix string, f func(bigtable.Row) bool) error {
	now := e.clk.Now()
	opts := []bigtable.ReadOption{bigtable.LimitRows(500)}
	opts = append(opts, bigtable.RowFilter(bt.In("task", bt.Live(now))))
	return e.client.Open("flow-tasks").ReadRows(ctx, bigtable.PrefixRange(prefix), f, opts...) // ok ttlread/missing-filter
}

// AllTasks is for support.
func (e *Engine) AllTasks(ctx context.Context, prefix string, f func(bigtable.Row) bool) error {
	opts := []bigtable.ReadOption{bigtable.LimitRows(500)}
	if strings.HasPrefix(prefix, "support") {
		opts = append(opts, bigtable.WithFullReadStats(func(*bigtable.FullReadStats) {}))
	}
	return e.client.Open("flow-tasks").ReadRows(ctx, bigtable.PrefixRange(prefix), f, opts...) // want ttlread/missing-filter
}

// view is a read-only table with a filter of its own.
type view struct {
	bt.Reader
	with func() bigtable.Filter
}

// ReadRow adds the view's filter to those of the caller, or so it looks.
func (v view) ReadRow(ctx context.Context, key string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return v.Reader.ReadRow(ctx, key, append(opts, bigtable.RowFilter(v.with()))...)
}

// Lease reads a lease through a view.
func (e *Engine) Lease(ctx context.Context, resource string) (string, error) {
	v := view{e.client.Open("flow-leases"), func() bigtable.Filter { return bt.In("lease", bt.Live(e.clk.Now())) }}
	row, err := v.ReadRow(ctx, resource) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	b, _ := bt.Value(row, "lease", "owner")
	return string(b), nil
}

// LeaseLatest reads a lease through another view.
func (e *Engine) LeaseLatest(ctx context.Context, resource string) (string, error) {
	v := view{e.client.Open("flow-leases"), func() bigtable.Filter { return bt.In("lease", bt.Newest(1)) }} // want ttlread/missing-filter[leaselatest]
	row, err := v.ReadRow(ctx, resource)                                                                    // want ttlread/missing-filter[leaselatest]
	if err != nil {
		return "", err
	}
	b, _ := bt.Value(row, "lease", "owner")
	return string(b), nil
}

// Line is a line of the timeline.
type Line struct {
	What      string
	UpdatedAt time.Time
	Until     time.Time
}

// Timeline merges what is known about key.
func (e *Engine) Timeline(ctx context.Context, key string) ([]Line, error) {
	var lines []Line
	now := e.clk.Now()
	row, err := e.client.Open("flow-leases").ReadRow(ctx, key, bigtable.RowFilter(bt.In("lease", bt.Live(now))))
	if err != nil {
		return nil, err
	}
	for _, it := range row["lease"] {
		lines = append(lines, Line{What: "leased by " + string(it.Value), Until: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	row, err = e.client.Open("flow-audit").ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	for _, it := range row["event"] {
		lines = append(lines, Line{What: string(it.Value), UpdatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	row, err = e.client.Open("flow-history").ReadRow(ctx, key, bigtable.RowFilter(bt.In("event", bt.Newest(5))))
	if err != nil {
		return nil, err
	}
	for _, it := range row["event"] {
		lines = append(lines, Line{What: string(it.Value), UpdatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	row, err = e.client.Open("flow-results").ReadRow(ctx, key, bigtable.RowFilter(outputs(now)))
	if err != nil {
		return nil, err
	}
	for _, it := range row["output"] {
		l := Line{What: "result"}
		l.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		lines = append(lines, l)
	}
	slices.SortFunc(lines, func(a, b Line) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	return lines, nil
}
