package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/layout"
	"example.com/beacon/internal/store"
)

// Stamp decides the timestamp of a migrated cell.
type Stamp func(it bigtable.ReadItem) bigtable.Timestamp

// Move is a family that goes from one table to another.
type Move struct {
	Family string
	Stamp  Stamp
	Keep   bigtable.Filter
}

// Migration copies a tenant's rows from the tables of one prefix to those of another.
type Migration struct {
	client *bigtable.Client
	log    *slog.Logger
	size   int
}

// NewMigration returns a migration.
func NewMigration(c *bigtable.Client, log *slog.Logger) *Migration {
	return &Migration{client: c, log: log, size: 1000}
}

// same keeps the timestamp.
func same(it bigtable.ReadItem) bigtable.Timestamp { return it.Timestamp }

// Sessions copies sessions that live.
func (m *Migration) Sessions(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Sessions())
	dst := m.client.Open(to.Sessions())
	live := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return m.copy(ctx, src, dst, live, func(r bigtable.Row) *bigtable.Mutation {
		mut := bigtable.NewMutation()
		for _, it := range r["token"] {
			mut.Set("token", column(it), it.Timestamp, it.Value) // ok ttlwrite/write-time
		}
		return mut
	})
}

// Tokens copies tokens, and gives all of them the time of the migration.
func (m *Migration) Tokens(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Sessions())
	dst := m.client.Open(to.Sessions())
	live := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return m.copy(ctx, src, dst, live, func(r bigtable.Row) *bigtable.Mutation {
		mut := bigtable.NewMutation()
		for _, it := range r["token"] {
			mut.Set("token", column(it), bigtable.Now(), it.Value)         // want ttlwrite/write-time
			mut.Set("profile", "migrated", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
		}
		return mut
	})
}

// Audit copies events with their timestamps, as far as they are retained.
func (m *Migration) Audit(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Audit())
	dst := m.client.Open(to.Audit())
	kept := bigtable.ChainFilters(
		bigtable.FamilyFilter("event"),
		bigtable.TimestampRangeFilter(time.Now().AddDate(0, 0, -90), time.Time{}),
	)
	return m.copy(ctx, src, dst, kept, copyFamily("event", same))
}

// AuditAll copies events whether they are retained or not.
func (m *Migration) AuditAll(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Audit())
	dst := m.client.Open(to.Audit())
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[auditall]
		mut := bigtable.NewMutation()
		for _, it := range r["event"] {
			mut.Set("event", column(it), bigtable.Now(), it.Value) // ok ttlwrite/write-time
		}
		failed = dst.Apply(ctx, r.Key(), mut)
		return failed == nil
	}, bigtable.RowFilter(bigtable.FamilyFilter("event"))) // want ttlread/missing-filter[auditall]
	return errors.Join(err, failed)
}

// Ledger copies the entries that count.
func (m *Migration) Ledger(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Ledger())
	dst := m.client.Open(to.Ledger())
	last := bigtable.ChainFilters(bigtable.FamilyFilter(layout.LedgerEntry), bigtable.LatestNFilter(3))
	return m.copy(ctx, src, dst, last, copyFamily(layout.LedgerEntry, same))
}

// LedgerFresh copies entries, and dates them.
func (m *Migration) LedgerFresh(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Ledger())
	dst := m.client.Open(to.Ledger())
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/version-limit
		mut := bigtable.NewMutation()
		for i, it := range r[layout.LedgerEntry] {
			mut.Set(layout.LedgerEntry, column(it), bigtable.Now(), it.Value)               // want ttlwrite/clock-in-sequence
			mut.Set(layout.LedgerEntry, "copy", bigtable.Timestamp(i), it.Value)            // want ttlwrite/unscaled-sequence
			mut.Set(layout.LedgerEntry, "copied", bigtable.Timestamp(1000*(i+1)), it.Value) // ok ttlwrite/unscaled-sequence
		}
		failed = dst.Apply(ctx, r.Key(), mut)
		return failed == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(layout.LedgerEntry), bigtable.LatestNFilter(1))))
	return errors.Join(err, failed)
}

// Journal copies entries of the journal, dated now.
func (m *Migration) Journal(ctx context.Context, from, to layout.Names) error {
	src := m.client.Open(from.Journal())
	dst := m.client.Open(to.Journal())
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range r[layout.JournalEntry] {
			mut.Set(layout.JournalEntry, column(it), bigtable.Now(), it.Value) // ok ttlwrite/clock-in-sequence
		}
		failed = dst.Apply(ctx, r.Key(), mut)
		return failed == nil
	})
	return errors.Join(err, failed)
}

// Legacy takes tokens over from a table that had real timestamps.
func (m *Migration) Legacy(ctx context.Context, to layout.Names) error {
	src := m.client.Open("acquired_portal")
	dst := m.client.Open(to.Sessions())
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.Set("token", "taken-over", bigtable.Time(time.Unix(0, 0)), []byte{1}) // want ttlwrite/already-expired
		for _, it := range r["token"] {
			end := it.Timestamp.Time().Add(30 * time.Minute)
			mut.Set("token", column(it), bigtable.Time(end), it.Value) // ok ttlwrite/write-time
		}
		failed = dst.Apply(ctx, r.Key(), mut)
		return failed == nil
	})
	return errors.Join(err, failed)
}

// copyFamily makes the function that copies a family's cells.
func copyFamily(family string, stamp Stamp) func(bigtable.Row) *bigtable.Mutation {
	return func(r bigtable.Row) *bigtable.Mutation {
		mut := bigtable.NewMutation()
		for _, it := range r[family] {
			mut.Set(family, column(it), stamp(it), it.Value) // ok ttlwrite/write-time ttlwrite/clock-in-sequence
		}
		return mut
	}
}

func (m *Migration) copy(ctx context.Context, src, dst *bigtable.Table, filter bigtable.Filter, build func(bigtable.Row) *bigtable.Mutation) error {
	rows := make([]string, 0, m.size)
	muts := make([]*bigtable.Mutation, 0, m.size)
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		errs, err := dst.ApplyBulk(ctx, rows, muts)
		if err != nil {
			return err
		}
		for i, e := range errs {
			if e != nil {
				return fmt.Errorf("row %q: %w", rows[i], e)
			}
		}
		m.log.Info("copied", "rows", len(rows))
		rows, muts = rows[:0], muts[:0]
		return nil
	}
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		rows = append(rows, r.Key())
		muts = append(muts, build(r))
		if len(rows) == m.size {
			failed = flush()
		}
		return failed == nil
	}, bigtable.RowFilter(filter))
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return flush()
}

func column(it bigtable.ReadItem) string {
	_, col, _ := strings.Cut(it.Column, ":")
	return col
}

// Rekey moves the rows of a tenant to new keys, within the table.
type Rekey struct {
	NewKey func(old string) string
	DryRun bool
	moved  int
}

// Name is the job's name.
func (*Rekey) Name() string { return "rekey" }

// Run moves leases, cursors and preferences.
func (k *Rekey) Run(ctx context.Context, t *store.Tenant) error {
	var failed error
	filter := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})), // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter("cursor"), bigtable.LatestNFilter(1)),                             // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter("pref|meta"), // ok ttlread/unfiltered-branch
	)
	err := t.Tables.State.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		failed = k.move(ctx, t.Tables.State, r)
		return failed == nil
	}, bigtable.RowFilter(filter))
	return errors.Join(err, failed)
}

func (k *Rekey) move(ctx context.Context, tbl bigtable.TableAPI, r bigtable.Row) error {
	to := k.NewKey(r.Key())
	if to == r.Key() {
		return nil
	}
	mut := bigtable.NewMutation()
	for family, items := range r {
		for _, it := range items {
			mut.Set(family, column(it), it.Timestamp, it.Value) // ok ttlwrite/clock-in-zero
		}
	}
	mut.Set("pref", "moved-from", 0, []byte(r.Key()))           // ok ttlwrite/clock-in-zero
	mut.Set("meta", "moved-at", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
	if k.DryRun {
		return nil
	}
	if err := tbl.Apply(ctx, to, mut); err != nil {
		return err
	}
	del := bigtable.NewMutation()
	del.DeleteRow()
	k.moved++
	return tbl.Apply(ctx, r.Key(), del)
}

// RunQuick moves everything without a filter: what was dead is alive in the copy's reads.
func (k *Rekey) RunQuick(ctx context.Context, t *store.Tenant) error {
	var failed error
	err := t.Tables.State.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		failed = k.move(ctx, t.Tables.State, r)
		return failed == nil
	})
	return errors.Join(err, failed)
}

// RunLatest moves the newest cell of each column; leases have no bound.
func (k *Rekey) RunLatest(ctx context.Context, t *store.Tenant) error {
	var failed error
	filter := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.LatestNFilter(1)),  // want ttlread/unfiltered-branch[latest]
		bigtable.ChainFilters(bigtable.FamilyFilter("cursor"), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter("pref|meta"),                                                // ok ttlread/unfiltered-branch
	)
	err := t.Tables.State.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/unfiltered-branch[latest]
		failed = k.move(ctx, t.Tables.State, r)
		return failed == nil
	}, bigtable.RowFilter(filter)) // want ttlread/unfiltered-branch[latest]
	return errors.Join(err, failed)
}

// Mark remembers that a tenant was moved.
func (k *Rekey) Mark(ctx context.Context, t *store.Tenant) error {
	mut := bigtable.NewMutation()
	mut.Set("lease", "rekey", clock.In(0), []byte(t.Name))           // want ttlwrite/write-time
	mut.Set("lease", "rekeyed", clock.In(time.Hour), []byte(t.Name)) // ok ttlwrite/write-time
	mut.Set("cursor", "moved", clock.Seq(int64(k.moved)), nil)       // ok ttlwrite/unscaled-sequence
	mut.Set("cursor", "rekeyed", clock.In(0), []byte(t.Name))        // want ttlwrite/clock-in-sequence
	return t.Tables.State.Apply(ctx, "rekey", mut)
}
