// Package usage counts what tenants use, for limits and invoices.
package usage

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/layout"
	"example.com/beacon/internal/store"
)

// Meter counts for one tenant.
type Meter struct {
	tables *store.Tables
	clk    clock.Clock
	ticks  atomic.Int64
	seq    uint64
}

// NewMeter returns a meter of the tenant's tables.
func NewMeter(t *store.Tables, clk clock.Clock) *Meter {
	if clk == nil {
		clk = clock.System{}
	}
	return &Meter{tables: t, clk: clk}
}

// put is the only place of this package that writes.
func (m *Meter) put(ctx context.Context, tbl bigtable.TableAPI, row, family, column string, ts bigtable.Timestamp, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, value) // ok ttlwrite/write-time ttlwrite/server-timestamp
	return tbl.Apply(ctx, row, mut)
}

// Request counts a request.
func (m *Meter) Request(ctx context.Context, user string) error {
	return m.put(ctx, m.tables.Metrics, "use#"+user, "point", "req", bigtable.Now(), one()) // ok ttlwrite/write-time
}

// Throttle holds a user back for a while.
func (m *Meter) Throttle(ctx context.Context, user string, d time.Duration) error {
	return m.put(ctx, m.tables.State, "throttle#"+user, "lease", "throttle", bigtable.Time(m.clk.Now().Add(d)), one()) // ok ttlwrite/write-time
}

// ThrottleNow holds a user back, though not for long.
func (m *Meter) ThrottleNow(ctx context.Context, user string) error {
	return m.put(ctx, m.tables.State, "throttle#"+user, "lease", "throttle", bigtable.Now(), one()) // want ttlwrite/write-time
}

// ThrottleServer leaves the time to the server.
func (m *Meter) ThrottleServer(ctx context.Context, user string) error {
	return m.put(ctx, m.tables.State, "throttle#"+user, "lease", "throttle", bigtable.ServerTime, one()) // want ttlwrite/server-timestamp
}

// Invoice gives an invoice its number.
func (m *Meter) Invoice(ctx context.Context, account string, no int64) error {
	return m.put(ctx, m.tables.Ledger, account, layout.LedgerEntry, "invoice", clock.Seq(no), one()) // ok ttlwrite/unscaled-sequence
}

// InvoiceAt dates an invoice.
func (m *Meter) InvoiceAt(ctx context.Context, account string) error {
	return m.put(ctx, m.tables.Ledger, account, layout.LedgerEntry, "invoice", clock.Stamp(), one()) // want ttlwrite/clock-in-sequence
}

// JournalAt dates a change, as the journal wants it.
func (m *Meter) JournalAt(ctx context.Context, account string) error {
	return m.put(ctx, m.tables.Journal, account, layout.JournalEntry, "invoice", clock.Stamp(), one()) // ok ttlwrite/clock-in-sequence
}

// Tick counts a tick of the meter itself.
func (m *Meter) Tick(ctx context.Context) error {
	n := m.ticks.Add(1)
	return m.put(ctx, m.tables.State, "meter", "cursor", "tick", bigtable.Timestamp(n), one()) // want ttlwrite/unscaled-sequence
}

// TickSeq counts it as the others do.
func (m *Meter) TickSeq(ctx context.Context) error {
	n := atomic.AddUint64(&m.seq, 1)
	return m.put(ctx, m.tables.State, "meter", "cursor", "tick", bigtable.Timestamp(n)*1000, one()) // ok ttlwrite/unscaled-sequence
}

// Quota writes what a user may do.
func (m *Meter) Quota(ctx context.Context, user string, n uint64) error {
	return m.put(ctx, m.tables.State, "quota#"+user, "pref", "quota", 0, binary.BigEndian.AppendUint64(nil, n)) // ok ttlwrite/clock-in-zero
}

// QuotaNow does the same with a date.
func (m *Meter) QuotaNow(ctx context.Context, user string, n uint64) error {
	return m.put(ctx, m.tables.State, "quota#"+user, "pref", "quota", bigtable.Time(m.clk.Now()), binary.BigEndian.AppendUint64(nil, n)) // want ttlwrite/clock-in-zero
}

// Hit counts in the table, without a read.
func (m *Meter) Hit(ctx context.Context, user string) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("hits", "h", bigtable.ServerTime, 1)                               // want ttlwrite/aggregate-server-time
	mut.AddIntToCell("hits", "d", bigtable.Time(m.clk.Now().Truncate(24*time.Hour)), 1) // ok ttlwrite/aggregate-server-time
	mut.MergeBytesToCell("hits", "m", -1, one())                                        // want ttlwrite/aggregate-server-time
	mut.MergeBytesToCell("hits", "z", 0, one())                                         // ok ttlwrite/aggregate-server-time
	return m.tables.Metrics.Apply(ctx, "use#"+user, mut)
}

// Attempts counts logins within a minute.
func (m *Meter) Attempts(ctx context.Context, user string) (int64, error) {
	return m.incr(ctx, m.tables.State, "login#"+user, "lease", "attempts") // want ttlwrite/read-modify-write
}

// Logins counts logins for good.
func (m *Meter) Logins(ctx context.Context, user string) (int64, error) {
	return m.incr(ctx, m.tables.State, "login#"+user, "meta", "logins") // ok ttlwrite/read-modify-write
}

// Version counts what a consumer did.
func (m *Meter) Version(ctx context.Context, consumer string) (int64, error) {
	return m.incr(ctx, m.tables.State, consumer, "cursor", "version") // want ttlwrite/read-modify-write
}

func (m *Meter) incr(ctx context.Context, tbl bigtable.TableAPI, row, family, column string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, column, 1) // ok ttlwrite/read-modify-write
	got, err := tbl.ApplyReadModifyWrite(ctx, row, rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range got[family] {
		return int64(binary.BigEndian.Uint64(it.Value)), nil
	}
	return 0, fmt.Errorf("no result for %s", row)
}

// query is a read in the making.
type query struct {
	family string
	cols   []bigtable.Filter
	bound  bigtable.Filter
}

func of(family string) *query { return &query{family: family} }

func (q *query) column(name string) *query {
	q.cols = append(q.cols, bigtable.ColumnFilter(name))
	return q
}

func (q *query) live(now time.Time) *query {
	q.bound = bigtable.TimestampRangeFilter(now, time.Time{})
	return q
}

func (q *query) latest(n int) *query {
	q.bound = bigtable.LatestNFilter(n)
	return q
}

func (q *query) option() bigtable.ReadOption {
	fs := []bigtable.Filter{bigtable.FamilyFilter(q.family)}
	fs = append(fs, q.cols...)
	if q.bound != nil {
		fs = append(fs, q.bound)
	}
	if len(fs) == 1 {
		return bigtable.RowFilter(fs[0])
	}
	return bigtable.RowFilter(bigtable.ChainFilters(fs...))
}

// Throttled tells whether a user is held back.
func (m *Meter) Throttled(ctx context.Context, user string) (bool, error) {
	row, err := m.tables.State.ReadRow(ctx, "throttle#"+user, of("lease").column("throttle").live(m.clk.Now()).option()) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Quotas reads what a user may do.
func (m *Meter) Quotas(ctx context.Context, user string) (bigtable.Row, error) {
	return m.tables.State.ReadRow(ctx, "quota#"+user, of("pref").column("quota").latest(1).option()) // ok ttlread/missing-filter
}

// readFilter chooses what a read lets past.
func readFilter(family string, expires bool) bigtable.Filter {
	if expires {
		return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(1))
}

// Limits reads a user's limits, current ones and those that are set.
func (m *Meter) Limits(ctx context.Context, user string) (n int, err error) {
	held, err := m.tables.State.ReadRow(ctx, "throttle#"+user, bigtable.RowFilter(readFilter("lease", true))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	prefs, err := m.tables.State.ReadRow(ctx, "quota#"+user, bigtable.RowFilter(readFilter("pref", false))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	tries, err := m.tables.State.ReadRow(ctx, "login#"+user, bigtable.RowFilter(readFilter("lease", false))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	seq, err := m.tables.State.ReadRow(ctx, "meter", bigtable.RowFilter(readFilter("cursor", false))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	ticks, err := m.tables.State.ReadRow(ctx, "meter", bigtable.RowFilter(readFilter("cursor", true))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(held["lease"]) + len(prefs["pref"]) + len(tries["lease"]) + len(seq["cursor"]) + len(ticks["cursor"]), nil
}

func one() []byte { return binary.BigEndian.AppendUint64(nil, 1) }
