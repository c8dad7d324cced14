// Package btreferral keeps the referral ledgers in Bigtable, one table per tenant.
package btreferral

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/referral"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/port"
)

const (
	colLine   = "line"
	colDigest = "digest"
	colAuthor = "author"
	// keep is what the policy of the ledgers keeps.
	keep = 4
)

var _ referral.Ledger = (*Ledger)(nil)

// Ledger implements referral.Ledger for one tenant.
type Ledger struct {
	tbl    *bigtable.Table
	tenant string
	writes uint32
	drafts int64
}

// Open returns the ledger of a tenant.
func Open(open *bt.Opener, tenant string) *Ledger {
	return &Ledger{tbl: open.Raw(strings.ToLower(tenant) + names.ReferralSuffix), tenant: tenant}
}

// Append implements referral.Ledger.
func (l *Ledger) Append(ctx context.Context, e referral.Entry) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(names.FamEntry, colLine, bt.Seq(e.Seq), b)                                             // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamEntry, colAuthor, bigtable.ServerTime, []byte(e.Author))                      // want ttlwrite/clock-in-sequence
	mut.Set(names.FamEntry, colDigest, bigtable.Timestamp(e.Seq)*1000, []byte(fmt.Sprint(len(b)))) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, e.Referral, mut)
}

// Annotate adds a remark to an entry.
func (l *Ledger) Annotate(ctx context.Context, ref, text string) error {
	mut := l.annotation("remark", text)
	return l.tbl.Apply(ctx, ref, mut)
}

func (l *Ledger) annotation(column, text string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(names.FamEntry, column, bt.Stamp(), []byte(text)) // want ttlwrite/clock-in-sequence
	return mut
}

// Draft stores a text that is not yet an entry.
func (l *Ledger) Draft(ctx context.Context, ref, text string) error {
	l.drafts++
	mut := bigtable.NewMutation()
	mut.Set(names.FamEntry, "draft", bt.Raw(l.drafts), []byte(text))         // want ttlwrite/unscaled-sequence
	mut.Set(names.FamEntry, "draft_ok", bt.Raw(l.drafts*1000), []byte(text)) // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamEntry, "draft_seq", bt.Seq(l.drafts), []byte(text))     // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, ref, mut)
}

// Touch numbers the writes of this process.
func (l *Ledger) Touch(ctx context.Context, ref string) error {
	n := atomic.AddUint32(&l.writes, 1)
	mut := bigtable.NewMutation()
	mut.Set(names.FamEntry, "touch", bigtable.Timestamp(n), []byte(l.tenant)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, ref, mut)
}

// Lock implements referral.Ledger.
func (l *Ledger) Lock(ctx context.Context, ref, author string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLock, names.ColOwner, bigtable.Time(time.Now().Add(referral.LockFor)), []byte(author)) // ok ttlwrite/write-time
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamLock),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	var taken bool
	cond := bigtable.NewCondMutation(live, nil, mut) // ok ttlread/conditional-mutation
	if err := l.tbl.Apply(ctx, ref, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return fmt.Errorf("%s is locked", ref)
	}
	return nil
}

// Relock prolongs a lock.
func (l *Ledger) Relock(ctx context.Context, ref, author string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLock, names.ColOwner, bigtable.Now(), []byte(author)) // want ttlwrite/write-time
	return l.tbl.Apply(ctx, ref, mut)
}

// Steal takes a lock whoever has it.
func (l *Ledger) Steal(ctx context.Context, ref, author string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(names.FamLock, names.ColOwner)
	mut.Set(names.FamLock, names.ColOwner, bigtable.ServerTime, []byte(author)) // want ttlwrite/server-timestamp
	return l.tbl.Apply(ctx, ref, mut)
}

// Unlock implements referral.Ledger.
func (l *Ledger) Unlock(ctx context.Context, ref string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(names.FamLock, names.ColOwner) // ok ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, ref, mut)
}

// UnlockIf gives a lock back if it is there; a dead one may go as well.
func (l *Ledger) UnlockIf(ctx context.Context, ref, author string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(names.FamLock)
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamLock), bigtable.ValueFilter(author))
	return l.tbl.Apply(ctx, ref, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}

// AppendIfLocked appends under a lock of this author.
func (l *Ledger) AppendIfLocked(ctx context.Context, e referral.Entry, author string) error {
	add := bigtable.NewMutation()
	add.Set(names.FamEntry, colLine, bt.Seq(e.Seq), []byte(e.Text)) // ok ttlwrite/unscaled-sequence
	pred := bigtable.ChainFilters(                                  // want ttlread/conditional-mutation[underlock]
		bigtable.FamilyFilter(names.FamLock),
		bigtable.ColumnFilter(names.ColOwner),
		bigtable.ValueFilter(author),
	)
	var held bool
	cond := bigtable.NewCondMutation(pred, add, nil) // want ttlread/conditional-mutation[underlock]
	if err := l.tbl.Apply(ctx, e.Referral, cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return err
	}
	if !held {
		return fmt.Errorf("%s is not locked by %s", e.Referral, author)
	}
	return nil
}

// Last implements referral.Ledger.
func (l *Ledger) Last(ctx context.Context, ref string) (referral.Entry, error) {
	row, err := l.tbl.ReadRow(ctx, ref, bigtable.RowFilter(bt.Latest(names.FamEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		return referral.Entry{}, err
	}
	it, ok := bt.First(row, names.FamEntry, colLine)
	if !ok {
		return referral.Entry{Referral: ref}, nil
	}
	var e referral.Entry
	err = json.Unmarshal(it.Value, &e)
	return e, err
}

// Lines returns the entries that are kept.
func (l *Ledger) Lines(ctx context.Context, ref string) ([][]byte, error) {
	return l.lines(ctx, ref, bigtable.LatestNFilter(keep)) // ok ttlread/version-limit
}

// LongLines returns more than are kept for sure.
func (l *Ledger) LongLines(ctx context.Context, ref string) ([][]byte, error) {
	return l.lines(ctx, ref, bigtable.LatestNFilter(2*keep)) // want ttlread/version-limit
}

// RawLines returns all.
func (l *Ledger) RawLines(ctx context.Context, ref string) ([][]byte, error) {
	return l.lines(ctx, ref, bigtable.PassAllFilter()) // want ttlread/version-limit
}

func (l *Ledger) lines(ctx context.Context, ref string, versions bigtable.Filter) ([][]byte, error) {
	row, err := l.tbl.ReadRow(ctx, ref, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamEntry),
		bigtable.ColumnFilter(colLine),
		versions,
	)))
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, it := range row[names.FamEntry] {
		out = append(out, it.Value)
	}
	return out, nil
}

// Owner returns who has the lock.
func (l *Ledger) Owner(ctx context.Context, ref string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, ref, bigtable.RowFilter(bt.Column(names.FamLock, names.ColOwner))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if it, ok := bt.First(row, names.FamLock, names.ColOwner); ok {
		return string(it.Value), nil
	}
	return "", port.ErrNotFound
}

// OwnerLive returns who has the lock, by looking at the cell.
func (l *Ledger) OwnerLive(ctx context.Context, ref string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, ref, bigtable.RowFilter(bt.Column(names.FamLock, names.ColOwner))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, names.FamLock, names.ColOwner)
	if !ok || !it.Timestamp.Time().After(time.Now()) {
		return "", port.ErrNotFound
	}
	return string(it.Value), nil
}

// Whole returns a row for the support desk.
func (l *Ledger) Whole(ctx context.Context, ref string) (bigtable.Row, error) {
	return l.tbl.ReadRow(ctx, ref) // want ttlread/missing-filter
}

// Keys lists the referrals of a prefix.
func (l *Ledger) Keys(ctx context.Context, prefix string) (keys []string, err error) {
	err = l.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return len(keys) < 1000
	}, bigtable.RowFilter(bigtable.StripValueFilter()), bigtable.LimitRows(1000))
	return keys, err
}

// Recent lists entries of the last month.
func (l *Ledger) Recent(ctx context.Context, prefix string) ([][]byte, error) {
	month := time.Now().AddDate(0, -1, 0)
	return bt.Collect(ctx, l.tbl, bigtable.PrefixRange(prefix), line, // want ttlread/wrong-bound[recent]
		bt.With(bt.And(bigtable.FamilyFilter(names.FamEntry), bigtable.TimestampRangeFilter(month, time.Time{}), bigtable.LatestNFilter(1)))) // want ttlread/wrong-bound[recent]
}

// RecentNumbers lists entries from a number on.
func (l *Ledger) RecentNumbers(ctx context.Context, prefix string, from int64) ([][]byte, error) {
	return bt.Collect(ctx, l.tbl, bigtable.PrefixRange(prefix), line, // ok ttlread/wrong-bound
		bt.With(bt.And(bt.Latest(names.FamEntry, keep), bigtable.TimestampRangeFilterMicros(bt.Seq(from), 0))))
}

func line(r bigtable.Row) ([]byte, bool) {
	it, ok := bt.First(r, names.FamEntry, colLine)
	return it.Value, ok
}

// CountRevision counts revisions in place.
func (l *Ledger) CountRevision(ctx context.Context, ref string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamEntry, "revisions", 1)           // want ttlwrite/read-modify-write
	rmw.AppendValue(names.FamLock, "waiters", []byte("x;")) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, ref, rmw)
	return err
}

// Line is an entry for the screen.
type Line struct {
	Seq      int64
	Text     string
	Written  time.Time
	Modified string
}

// Screen returns the newest line for the screen.
func (l *Ledger) Screen(ctx context.Context, ref string) (Line, error) {
	row, err := l.tbl.ReadRow(ctx, ref, bigtable.RowFilter(bt.Latest(names.FamEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		return Line{}, err
	}
	it, ok := bt.First(row, names.FamEntry, colLine)
	if !ok {
		return Line{}, port.ErrNotFound
	}
	var out Line
	out.Seq = bt.Number(it) // ok ttlage/not-write-time
	out.Text = string(it.Value)
	out.Written = bt.When(it)                               // want ttlage/not-write-time
	out.Modified = it.Timestamp.Time().Format(time.Kitchen) // want ttlage/not-write-time
	return out, nil
}

// Replay writes lines of a backup under their own numbers, newest first.
func (l *Ledger) Replay(ctx context.Context, ref string, lines []string) error {
	mut := bigtable.NewMutation()
	for i := range lines {
		mut.Set(names.FamEntry, colLine, bigtable.Timestamp(len(lines)-i), []byte(lines[i])) // want ttlwrite/unscaled-sequence
	}
	for i := range lines {
		mut.Set(names.FamEntry, colDigest, bigtable.Timestamp(len(lines)-i)*1000, []byte(lines[i])) // ok ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, ref, mut)
}

// Header writes the same header for each line.
func (l *Ledger) Header(ctx context.Context, ref string, lines []string, n int64) error {
	mut := bigtable.NewMutation()
	ts := bt.Seq(n)
	for _, s := range lines {
		mut.Set(names.FamEntry, "header", ts, []byte(s)) // want ttlwrite/same-timestamp
	}
	for i, s := range lines {
		mut.Set(names.FamEntry, fmt.Sprintf("header.%d", i), ts, []byte(s)) // ok ttlwrite/same-timestamp
	}
	return l.tbl.Apply(ctx, ref, mut)
}
