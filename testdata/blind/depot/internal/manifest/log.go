package manifest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Log is the loading lists of one depot.
type Log struct {
	tbl    *bigtable.Table
	drafts *bigtable.Table
	next   atomic.Int64
	mu     sync.Mutex
	last   map[string]uint64
	writes int
	log    *slog.Logger
}

// Open opens the lists of a depot.
func Open(c *bigtable.Client, depot string, log *slog.Logger) *Log {
	return &Log{
		tbl:    c.Open(names.Manifest(depot)),
		drafts: c.Open(names.ManifestDrafts),
		last:   map[string]uint64{},
		log:    log.With("depot", depot),
	}
}

const (
	rev  = string(names.Rev)
	head = string(names.Head)
)

func be(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// Commit stores a revision, and its number as the head.
func (l *Log) Commit(ctx context.Context, truck string, r Revision) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Rev, "list", bt.Seq(r.Number), r.bytes())  // ok ttlwrite/unscaled-sequence
	bt.Put(m, names.Head, "number", bt.Single{}, be(r.Number)) // ok ttlwrite/clock-in-zero
	if err := l.tbl.Apply(ctx, truck, m); err != nil {
		return fmt.Errorf("commit %d: %w", r.Number, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[truck] = max(l.last[truck], r.Number)
	return nil
}

// CommitSigned is Commit for lists that the yard master has signed.
func (l *Log) CommitSigned(ctx context.Context, truck string, r Revision, by string) error {
	m := bigtable.NewMutation()
	m.Set(rev, "list", bigtable.Timestamp(r.Number*1000), r.bytes()) // ok ttlwrite/unscaled-sequence
	m.Set(rev, "signed", bigtable.Time(r.At), []byte(by))            // want ttlwrite/clock-in-sequence
	m.Set(head, "signed", bigtable.Now(), []byte(by))                // want ttlwrite/clock-in-zero
	m.Set(head, "number", 0, strconv.AppendUint(nil, r.Number, 10))  // ok ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, truck, m)
}

// CommitNext stores a revision under the next number of this process, which
// is the only one that writes.
func (l *Log) CommitNext(ctx context.Context, truck string, r Revision) error {
	n := l.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(rev, "list", bigtable.Timestamp(n), r.bytes()) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// CommitScaled is CommitNext in the table's steps.
func (l *Log) CommitScaled(ctx context.Context, truck string, r Revision) error {
	n := l.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(rev, "list", bigtable.Timestamp(n*1000), r.bytes()) // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// Note adds a remark to a list.
func (l *Log) Note(ctx context.Context, truck, text string) error {
	m := bigtable.NewMutation()
	m.Set(rev, "note", bigtable.Now(), []byte(text)) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// NoteFast is Note and leaves the time to the server.
func (l *Log) NoteFast(ctx context.Context, truck, text string) error {
	m := bt.Cells(bt.Cell{Family: names.Rev, Column: "note", At: bigtable.ServerTime, Value: []byte(text)}) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// NoteAt adds a remark to a revision.
func (l *Log) NoteAt(ctx context.Context, truck, text string, n bt.Seq) error {
	m := bt.Cells(bt.Cell{Family: names.Rev, Column: "note", At: n.Timestamp(), Value: []byte(text)}) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// Count says how often this process wrote to a list, in the list itself.
func (l *Log) Count(ctx context.Context, truck string) error {
	l.mu.Lock()
	l.writes++
	n := l.writes
	l.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(rev, "writes", bigtable.Timestamp(n), strconv.AppendInt(nil, int64(n), 10)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// CountUp is Count by the table's steps.
func (l *Log) CountUp(ctx context.Context, truck string) error {
	l.mu.Lock()
	l.writes++
	n := l.writes
	l.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(rev, "writes", bigtable.Timestamp(n)*1000, strconv.AppendInt(nil, int64(n), 10)) // ok ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// Replay stores the revisions of a list that another depot sends.
func (l *Log) Replay(ctx context.Context, truck string, revisions []Revision) error {
	m := bigtable.NewMutation()
	for i, r := range revisions {
		m.Set(rev, "list", bigtable.Timestamp(i+1), r.bytes()) // want ttlwrite/unscaled-sequence
	}
	m.Set(head, "number", 0, be(uint64(len(revisions)))) // ok ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, truck, m)
}

// ReplayNumbers is Replay by the revisions' own numbers.
func (l *Log) ReplayNumbers(ctx context.Context, truck string, revisions iter.Seq[Revision]) error {
	m := bigtable.NewMutation()
	for r := range revisions {
		m.Set(rev, "list", bigtable.Timestamp(r.Number)*1000, r.bytes()) // ok ttlwrite/unscaled-sequence
	}
	return l.tbl.Apply(ctx, truck, m)
}

// ReplayThousands is Replay with a counter that steps by a thousand.
func (l *Log) ReplayThousands(ctx context.Context, truck string, revisions []Revision) error {
	m := bigtable.NewMutation()
	ts := bigtable.Timestamp(1000)
	for _, r := range revisions {
		m.Set(rev, "list", ts, r.bytes()) // ok ttlwrite/unscaled-sequence
		ts += 1000
	}
	return l.tbl.Apply(ctx, truck, m)
}

// Append adds lines at the end of a list.
func (l *Log) Append(ctx context.Context, truck string, old Revision, lines ...Line) error {
	r := old.Apply(Change{Added: lines}, "append", time.Now())
	m := bigtable.NewMutation()
	m.Set(rev, "list", bigtable.Timestamp(len(r.Lines)), r.bytes()) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, truck, m)
}

// Init makes an empty list.
func (l *Log) Init(ctx context.Context, truck string) error {
	empty := Revision{Number: 1, At: time.Now()}
	m := bigtable.NewMutation()
	m.Set(rev, "list", 1, empty.bytes())      // want ttlwrite/unscaled-sequence
	m.Set(rev, "origin", 1000, empty.bytes()) // ok ttlwrite/unscaled-sequence
	m.Set(head, "number", 1, be(1))           // want ttlwrite/clock-in-zero|ttlunit/sub-millisecond
	return l.tbl.Apply(ctx, truck, m)
}

// Bump makes the next number in the service.
func (l *Log) Bump(ctx context.Context, truck string) (uint64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(head, "number", 1) // want ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, truck, rmw)
	if err != nil {
		return 0, err
	}
	v, _ := bt.Value(row, names.Head, "number")
	return binary.BigEndian.Uint64(v), nil
}

// Trail notes who has touched a list.
func (l *Log) Trail(ctx context.Context, truck, who string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(rev, "who", []byte(who+",")) // want ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, truck, rmw)
	return err
}

// DraftCount counts in the drafts, whose cells have real times.
func (l *Log) DraftCount(ctx context.Context, truck string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(rev, "drafts", 1) // ok ttlwrite/read-modify-write
	_, err := l.drafts.ApplyReadModifyWrite(ctx, truck, rmw)
	return err
}

// Draft stores a list that nobody has agreed to.
func (l *Log) Draft(ctx context.Context, truck string, r Revision) error {
	m := bigtable.NewMutation()
	m.Set(rev, "list", bigtable.Now(), r.bytes()) // ok ttlwrite/clock-in-sequence
	return l.drafts.Apply(ctx, truck, m)
}

// Drafts yields the drafts of a list, newest first.
func (l *Log) Drafts(ctx context.Context, truck string) ([]Revision, error) {
	row, err := l.drafts.ReadRow(ctx, truck) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// Squash forgets what was there and stores a revision as the first one.
func (l *Log) Squash(ctx context.Context, truck string, r Revision) error {
	r.Number = 1
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(rev)
	bt.Put(m, names.Rev, "list", bt.Seq(1), r.bytes())  // ok ttlwrite/delete-after-set
	bt.Put(m, names.Head, "number", bt.Single{}, be(1)) // ok ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, truck, m)
}

// Reset stores a revision and forgets the others.
func (l *Log) Reset(ctx context.Context, truck string, r Revision) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Rev, "list", bt.Seq(r.Number), r.bytes())
	bt.Put(m, names.Head, "number", bt.Single{}, be(r.Number))
	m.DeleteCellsInColumn(rev, "list") // want ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, truck, m)
}

// Head is the newest revision of a list.
func (l *Log) Head(ctx context.Context, truck string) (Revision, error) {
	row, err := bt.One(ctx, l.tbl, truck, bt.With(bt.Only(names.Rev), bigtable.ColumnFilter("list"), bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return Revision{}, err
	}
	return first(row)
}

// Number is the number of the newest revision.
func (l *Log) Number(ctx context.Context, truck string) (uint64, error) {
	row, err := bt.One(ctx, l.tbl, truck, bt.With(bt.Only(names.Head))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	v, _ := bt.Value(row, names.Head, "number")
	return binary.BigEndian.Uint64(v), nil
}

// Revisions are the revisions of a list that are kept, newest first.
func (l *Log) Revisions(ctx context.Context, truck string) ([]Revision, error) {
	row, err := bt.One(ctx, l.tbl, truck, bt.With(bt.Only(names.Rev), bigtable.LatestNFilter(Keep))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// Everything is Revisions with those that the service has not collected.
func (l *Log) Everything(ctx context.Context, truck string) ([]Revision, error) {
	row, err := bt.One(ctx, l.tbl, truck, bt.With(bt.Only(names.Rev), bigtable.ColumnFilter("list"))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// LastTen are ten revisions, for the auditors.
func (l *Log) LastTen(ctx context.Context, truck string) ([]Revision, error) {
	ten := bigtable.ChainFilters(bt.Only(names.Rev), bigtable.LatestNFilter(10)) // want ttlread/version-limit[ten]
	row, err := bt.One(ctx, l.tbl, truck, bigtable.RowFilter(ten))               // want ttlread/version-limit[ten]
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// Today are the revisions since midnight.
func (l *Log) Today(ctx context.Context, truck string) ([]Revision, error) {
	midnight := time.Now().Truncate(24 * time.Hour)
	row, err := l.tbl.ReadRow(ctx, truck, bt.With(bt.Only(names.Rev), bigtable.TimestampRangeFilter(midnight, time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// Since are the revisions after a number.
func (l *Log) Since(ctx context.Context, truck string, n uint64) ([]Revision, error) {
	after := bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(n+1)*1000, 0)
	row, err := l.tbl.ReadRow(ctx, truck, bt.With(bt.Only(names.Rev), after, bigtable.LatestNFilter(Keep))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// By are the newest revisions that somebody made, by a search in the values.
func (l *Log) By(ctx context.Context, truck, who string) ([]Revision, error) {
	row, err := l.tbl.ReadRow(ctx, truck, bt.With(bt.Only(names.Rev), bigtable.ValueFilter(`.*"by":"`+who+`".*`), bigtable.LatestNFilter(1))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// HeadBy is the newest revision, if somebody made it.
func (l *Log) HeadBy(ctx context.Context, truck, who string) ([]Revision, error) {
	row, err := l.tbl.ReadRow(ctx, truck, bt.With(bt.Only(names.Rev), bigtable.LatestNFilter(1), bigtable.ValueFilter(`.*"by":"`+who+`".*`))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return revisions(row)
}

// Raw is the row as it is.
func (l *Log) Raw(ctx context.Context, truck string) (Revision, error) {
	row, err := l.tbl.ReadRow(ctx, truck) // want ttlread/missing-filter
	if err != nil {
		return Revision{}, err
	}
	return first(row)
}

// Known says whether there is a list at all.
func (l *Log) Known(ctx context.Context, truck string) (bool, error) {
	row, err := l.tbl.ReadRow(ctx, truck, bt.With(bt.Only(names.Rev), bigtable.CellsPerRowLimitFilter(1))) // ok ttlread/version-limit
	return len(row) > 0, err
}

// Trucks yields the trucks that have lists.
func (l *Log) Trucks(ctx context.Context) iter.Seq2[string, Revision] {
	return func(yield func(string, Revision) bool) {
		for row, err := range bt.Rows(ctx, l.tbl, bigtable.InfiniteRange(""), bt.With(bt.Newest(names.Rev))) { // ok ttlread/missing-filter
			if err != nil {
				l.log.ErrorContext(ctx, "trucks", "err", err)
				return
			}
			r, err := first(row)
			if err == nil && !yield(row.Key(), r) {
				return
			}
		}
	}
}

// Heavy yields the trucks whose lists were ever heavier than kg.
func (l *Log) Heavy(ctx context.Context, kg float64) iter.Seq[string] {
	var err error
	all := bt.Rows(ctx, l.tbl, bigtable.InfiniteRange(""), bt.With(bt.Only(names.Rev))) // want ttlread/version-limit
	heavy := seqx.Filter(seqx.Values(all, &err), func(row bigtable.Row) bool {
		rs, err := revisions(row)
		return err == nil && slices.ContainsFunc(rs, func(r Revision) bool { return r.Kilos() > kg })
	})
	return seqx.Map(heavy, bigtable.Row.Key)
}

func first(row bigtable.Row) (Revision, error) {
	v, ok := bt.Value(row, names.Rev, "list")
	if !ok {
		return Revision{}, bt.ErrNoRow
	}
	return parse(v)
}

func revisions(row bigtable.Row) (out []Revision, err error) {
	var errs []error
	for it := range bt.Items(row, names.Rev) {
		if bt.Qualifier(it) != "list" {
			continue
		}
		r, err := parse(it.Value)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.Number = uint64(bt.SeqOf(it.Timestamp)) // ok ttlage/not-write-time
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}

// Age is how old the newest revision is.
func (l *Log) Age(ctx context.Context, truck string) (time.Duration, error) {
	row, err := bt.One(ctx, l.tbl, truck, bt.With(bt.Newest(names.Rev)))
	if err != nil {
		return 0, err
	}
	for it := range bt.Items(row, names.Rev) {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, bt.ErrNoRow
}

// AgeOf is Age by the revision itself.
func (l *Log) AgeOf(ctx context.Context, truck string) (time.Duration, error) {
	r, err := l.Head(ctx, truck)
	return time.Since(r.At), err // ok ttlage/not-write-time
}

// Edit changes a list, unless somebody else was faster.
func (l *Log) Edit(ctx context.Context, truck string, base uint64, c Change, by string) (Revision, error) {
	old, err := l.Head(ctx, truck)
	if err != nil {
		return Revision{}, err
	}
	if old.Number != base {
		return old, ErrConflict
	}
	r := old.Apply(c, by, time.Now())
	m := bt.Cells(
		bt.Cell{Family: names.Rev, Column: "list", At: bt.Seq(r.Number).Timestamp(), Value: r.bytes()}, // ok ttlwrite/clock-in-sequence
		bt.Cell{Family: names.Head, Column: "number", Value: be(r.Number)},                             // ok ttlwrite/clock-in-zero
	)
	same := bigtable.ChainFilters(bt.Only(names.Head), bigtable.ColumnFilter("number"), bigtable.ValueFilter(string(be(base))))
	matched := false
	err = l.tbl.Apply(ctx, truck, bigtable.NewCondMutation(same, m, nil), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	if err == nil && !matched {
		err = ErrConflict
	}
	return r, err
}

// EditSigned is Edit for lists that somebody has signed.
func (l *Log) EditSigned(ctx context.Context, truck, signer string, r Revision) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Rev, "list", bt.Seq(r.Number), r.bytes())
	signed := bigtable.ChainFilters(bt.Only(names.Rev), bigtable.ColumnFilter("signed"), bigtable.ValueFilter(signer)) // want ttlread/conditional-mutation[signed]
	return l.tbl.Apply(ctx, truck, bigtable.NewCondMutation(signed, m, nil))                                           // want ttlread/conditional-mutation[signed]
}

// EditNew is Edit for lists that are not there yet.
func (l *Log) EditNew(ctx context.Context, truck string, r Revision) error {
	m := bigtable.NewMutation()
	bt.Put(m, names.Rev, "list", bt.Seq(r.Number), r.bytes())
	return l.tbl.Apply(ctx, truck, bigtable.NewCondMutation(bt.Only(names.Rev), nil, m)) // ok ttlread/conditional-mutation
}
