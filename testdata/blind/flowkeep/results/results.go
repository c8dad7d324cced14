// Package results keeps what runs returned: a month by default, as long as the namespace wants, or for ever.
package results

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
)

// Family is a family's name.
type Family string

// The families of the table.
const (
	Output Family = "output"
	Pinned Family = "pinned"
)

// DefaultAge is the output's age limit.
const DefaultAge = 720 * time.Hour

// Namespace is how a namespace keeps its results.
type Namespace struct {
	Name   string
	Family Family
	Stamp  func(now time.Time) bigtable.Timestamp
	Bound  func(now time.Time) bigtable.Filter
}

var namespaces = map[string]Namespace{
	"default": {
		Name:   "default",
		Family: Output,
		Stamp:  bigtable.Time,                                                            // ok ttlwrite/write-time
		Bound:  func(now time.Time) bigtable.Filter { return bt.Since(now, DefaultAge) }, // ok ttlread/wrong-bound
	},
	"short": {
		Name:   "short",
		Family: Output,
		Stamp:  shift(24 * time.Hour),                                                    // ok ttlwrite/already-expired
		Bound:  func(now time.Time) bigtable.Filter { return bt.Since(now, DefaultAge) }, // ok ttlread/wrong-bound
	},
	"keep": {
		Name:   "keep",
		Family: Pinned,
		Stamp:  func(time.Time) bigtable.Timestamp { return 0 },                     // ok ttlwrite/clock-in-zero
		Bound:  func(time.Time) bigtable.Filter { return bigtable.PassAllFilter() }, // ok ttlread/missing-filter
	},
}

// scratch is for runs of the test environment.
var scratch = Namespace{
	Name:   "scratch",
	Family: Output,
	Stamp:  func(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(-DefaultAge)) }, // want ttlwrite/already-expired[scratch]
	Bound:  func(now time.Time) bigtable.Filter { return bt.Since(now, time.Hour) },               // want ttlread/wrong-bound[scratchread]
}

// audited keeps the results of audited runs, pinned.
var audited = Namespace{
	Name:   "audited",
	Family: Pinned,
	Stamp:  bigtable.Time,                                                       // want ttlwrite/clock-in-zero[audited]
	Bound:  func(time.Time) bigtable.Filter { return bigtable.PassAllFilter() }, // ok ttlread/missing-filter
}

// shift stamps so that a cell lives for d.
func shift(d time.Duration) func(time.Time) bigtable.Timestamp {
	return func(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(d - DefaultAge)) }
}

// Store keeps results.
type Store struct {
	tbl bt.ReadWriter
	now func() time.Time
}

// Open opens the store.
func Open(c *bigtable.Client) *Store {
	return &Store{tbl: c.Open("flow-results"), now: time.Now}
}

// Put stores a result by the rule of ns.
func (s *Store) Put(ctx context.Context, ns, run string, value []byte) error {
	p, ok := namespaces[ns]
	if !ok {
		p = namespaces["default"]
	}
	mut := bigtable.NewMutation()
	mut.Set(string(p.Family), "value", p.Stamp(s.now()), value) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, ns+"#"+run, mut)
}

// PutScratch stores a result of the test environment.
func (s *Store) PutScratch(ctx context.Context, run string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(string(scratch.Family), "value", scratch.Stamp(s.now()), value) // want ttlwrite/already-expired[scratch]
	return s.tbl.Apply(ctx, "scratch#"+run, mut)
}

// PutAudited stores a result of an audited run.
func (s *Store) PutAudited(ctx context.Context, run string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(string(audited.Family), "value", audited.Stamp(s.now()), value) // want ttlwrite/clock-in-zero[audited]
	return s.tbl.Apply(ctx, "audited#"+run, mut)
}

// Pin moves a result to where it stays.
func (s *Store) Pin(ctx context.Context, ns, run string, value []byte) error {
	family, ts := string(Pinned), bigtable.Timestamp(0)
	if ns == "scratch" {
		family, ts = string(Output), bigtable.Time(s.now())
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "value", ts, value) // ok ttlwrite/clock-in-zero // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, ns+"#"+run, mut)
}

// PinNote pins a note.
func (s *Store) PinNote(ctx context.Context, key, note string) error {
	mut := bigtable.NewMutation()
	mut.Set(string(Pinned), "note", bigtable.Time(s.now().UTC()), []byte(note)) // want ttlwrite/clock-in-zero
	mut.Set(string(Output), "note", bigtable.Time(s.now().UTC()), []byte(note)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key, mut)
}

// Epoch is a result that came with no time at all.
func (s *Store) Epoch(ctx context.Context, key string, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(string(Output), "value", bigtable.Time(time.Unix(0, 0)), value) // want ttlwrite/already-expired
	mut.Set(string(Pinned), "value", bigtable.Time(time.Unix(0, 0)), value) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key, mut)
}

func first(f Family) bt.Decode[[]byte] {
	return func(row bigtable.Row) ([]byte, error) {
		for _, it := range row[string(f)] {
			return it.Value, nil
		}
		return nil, bt.ErrNotFound
	}
}

// Get reads a result by the rule of ns.
func (s *Store) Get(ctx context.Context, ns, run string) ([]byte, error) {
	p := namespaces["short"]
	if ns == "default" {
		p = namespaces["default"]
	}
	f := bt.In(string(p.Family), p.Bound(s.now()))
	return bt.One(ctx, s.tbl, ns+"#"+run, first(p.Family), bigtable.RowFilter(f)) // ok ttlread/wrong-bound // ok ttlread/missing-filter
}

// GetScratch reads a result of the test environment.
func (s *Store) GetScratch(ctx context.Context, run string) ([]byte, error) {
	f := bt.In(string(scratch.Family), scratch.Bound(s.now()))
	return bt.One(ctx, s.tbl, "scratch#"+run, first(Output), bigtable.RowFilter(f)) // want ttlread/wrong-bound[scratchread]
}

// GetPinned reads what stays.
func (s *Store) GetPinned(ctx context.Context, key string) ([]byte, error) {
	return bt.One(ctx, s.tbl, key, first(Pinned), bigtable.RowFilter(bigtable.FamilyFilter(string(Pinned)))) // ok ttlread/missing-filter
}

// GetAny reads whatever there is.
func (s *Store) GetAny(ctx context.Context, key string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, f := range []Family{Pinned, Output} {
		if b, err := first(f)(row); err == nil {
			return b, nil
		}
	}
	return nil, bt.ErrNotFound
}

// GetEither reads by one filter for both.
func (s *Store) GetEither(ctx context.Context, key string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters(
		bigtable.FamilyFilter(string(Pinned)),                  // ok ttlread/unfiltered-branch
		bt.In(string(Output), bt.Since(s.now(), DefaultAge))))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, f := range []Family{Pinned, Output} {
		if b, err := first(f)(row); err == nil {
			return b, nil
		}
	}
	return nil, bt.ErrNotFound
}

// GetWeek shows the week's results only, or so it was meant.
func (s *Store) GetWeek(ctx context.Context, ns string, f func([]byte) bool) error {
	now := s.now()
	week := bigtable.TimestampRangeFilter(now.AddDate(0, 0, -7), time.Time{})                                                   // want ttlread/wrong-bound[week]
	return bt.Each(ctx, s.tbl, bigtable.PrefixRange(ns+"#"), first(Output), f, bigtable.RowFilter(bt.In(string(Output), week))) // want ttlread/wrong-bound[week]
}

// GetMonth has the bound of the policy, written differently.
func (s *Store) GetMonth(ctx context.Context, ns string, f func([]byte) bool) error {
	month := bigtable.TimestampRangeFilter(s.now().Add(-30*24*time.Hour), time.Time{})                                           // ok ttlread/wrong-bound
	return bt.Each(ctx, s.tbl, bigtable.PrefixRange(ns+"#"), first(Output), f, bigtable.RowFilter(bt.In(string(Output), month))) // ok ttlread/missing-filter
}

var (
	monthOnce   sync.Once
	monthFilter bigtable.Filter
)

func sharedMonth() bigtable.Filter {
	monthOnce.Do(func() {
		monthFilter = bigtable.TimestampRangeFilter(time.Now().Add(-DefaultAge), time.Time{}) // want ttlread/stale-bound[month]
	})
	return monthFilter
}

// GetShared saves the allocation of a filter.
func (s *Store) GetShared(ctx context.Context, key string) ([]byte, error) {
	return bt.One(ctx, s.tbl, key, first(Output), bigtable.RowFilter(bt.In(string(Output), sharedMonth()))) // want ttlread/stale-bound[month]
}

// Info is about a result.
type Info struct {
	Key        string
	ModifiedAt string
	Size       int
}

// Infos lists the results of ns.
func (s *Store) Infos(ctx context.Context, ns string, f func(Info) bool) error {
	dec := func(row bigtable.Row) (Info, error) {
		in := Info{Key: row.Key()}
		for _, it := range row[string(Output)] {
			in.Size += len(it.Value)
			in.ModifiedAt = fmt.Sprint(it.Timestamp.Time().Format(time.DateTime)) // want ttlage/not-write-time
		}
		return in, nil
	}
	return bt.Each(ctx, s.tbl, bigtable.PrefixRange(ns+"#"), dec, f, bigtable.RowFilter(bt.In(string(Output), bt.Since(s.now(), DefaultAge)))) // ok ttlread/missing-filter
}

// Newest is the timestamp of the newest version, to compare it with others.
func (s *Store) Newest(ctx context.Context, key string) (bigtable.Timestamp, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bt.In(string(Output), bt.Since(s.now(), DefaultAge), bt.Newest(1))))
	if err != nil {
		return 0, err
	}
	var newest bigtable.Timestamp
	for _, it := range row[string(Output)] {
		if it.Timestamp > newest { // ok ttlage/server-sentinel
			newest = it.Timestamp // ok ttlage/not-write-time
		}
	}
	return newest, nil
}
