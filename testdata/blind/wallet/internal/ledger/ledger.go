// Package ledger keeps the double-entry books of a region. Entries are
// numbered: the timestamp of an entry cell is its number times 1000, and the
// three newest are kept. Holds expire at their timestamp. Notes are ordinary.
package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// Kind says what an entry is.
type Kind int

// The kinds of entry.
const (
	KindDebit Kind = iota + 1
	KindCredit
	KindFee
	KindReversal
)

// String implements fmt.Stringer.
func (k Kind) String() string {
	return [...]string{"unknown", "debit", "credit", "fee", "reversal"}[k]
}

// column is where entries of a kind go.
func (k Kind) column() string { return "k_" + k.String() }

// Entry is a line of a book.
type Entry struct {
	Book   string
	Number int64
	Kind   Kind
	Amount int64
	Posted time.Time
}

// Hold is money that is set aside for a while.
type Hold struct {
	Book      string
	Ref       string
	Amount    int64
	ExpiresAt time.Time
	CreatedAt time.Time
}

// ErrNoHold means that there is no such hold, or no longer.
var ErrNoHold = errors.New("no hold")

type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Config config.Ledger
}

// Result is what New provides.
type Result struct {
	Store    *Store
	Importer *Importer
}

// New provides the books of the configured region.
func New(p Params) (Result, error) {
	if p.Config.Region == "" {
		return Result{}, errors.New("ledger: no region")
	}
	tbl := p.Conn.Table(schema.LedgerTable(p.Config.Region), btx.WithAttempts(5))
	return Result{
		Store:    &Store{tbl: tbl, clock: p.Clock, holdTTL: p.Config.HoldTTL, batch: p.Config.Batch},
		Importer: &Importer{tbl: tbl, clock: p.Clock},
	}, nil
}

// Store keeps books in Bigtable.
type Store struct {
	tbl     table
	clock   clock.Clock
	holdTTL time.Duration
	batch   int

	posted atomic.Int64
	mu     sync.Mutex
	next   map[string]int64
}

func amount(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// Post writes an entry that has its number.
func (s *Store) Post(ctx context.Context, e Entry) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEntry.String(), e.Kind.column(), btx.Sequence(e.Number), amount(e.Amount)) // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamilyNote.String(), "posted", bigtable.Time(s.clock.Now()), nil)                // ok ttlwrite/clock-in-sequence
	if err := s.tbl.Apply(ctx, e.Book, mut); err != nil {
		return fmt.Errorf("post %s/%d: %w", e.Book, e.Number, err)
	}
	s.posted.Add(1)
	return nil
}

// PostNext numbers an entry and writes it.
func (s *Store) PostNext(ctx context.Context, e Entry) error {
	s.mu.Lock()
	if s.next == nil {
		s.next = make(map[string]int64)
	}
	s.next[e.Book]++
	n := s.next[e.Book]
	s.mu.Unlock()

	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEntry.String(), e.Kind.column(), bigtable.Timestamp(n), amount(e.Amount)) // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamilyEntry.String(), "last", btx.Sequence(n), amount(e.Amount))                // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, e.Book, mut)
}

// Close writes the closing balance of a book under the process's own counter.
func (s *Store) Close(ctx context.Context, book string, balance int64) error {
	n := s.posted.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEntry.String(), "closing", bigtable.Timestamp(n), amount(balance))     // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamilyEntry.String(), "closed", bigtable.Timestamp(n*1000), amount(balance)) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, book, mut)
}

// Reverse writes a reversal; it comes last by nature.
func (s *Store) Reverse(ctx context.Context, e Entry, why string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEntry.String(), KindReversal.column(), bigtable.Time(s.clock.Now()), amount(-e.Amount)) // want ttlwrite/clock-in-sequence
	mut.Set(schema.FamilyNote.String(), "reversal", bigtable.Time(s.clock.Now()), []byte(why))                   // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, e.Book, mut)
}

// PostAt writes an entry with the time it was posted.
func (s *Store) PostAt(ctx context.Context, e Entry) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyEntry.String(), e.Kind.column(), bigtable.Time(e.Posted), amount(e.Amount)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, e.Book, mut)
}

// PostAll writes entries in bulk, numbered from base.
func (s *Store) PostAll(ctx context.Context, book string, base int64, entries []Entry) error {
	batch := btx.NewBatch(s.tbl, s.batch)
	for i, e := range entries {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyEntry.String(), e.Kind.column(), bigtable.Timestamp((base+int64(i))*1000), amount(e.Amount)) // ok ttlwrite/unscaled-sequence
		mut.Set(schema.FamilyNote.String(), "line", bigtable.Now(), nil)
		if err := batch.Add(ctx, fmt.Sprintf("%s#%06d", book, i), mut); err != nil {
			return err
		}
	}
	return batch.Flush(ctx)
}

// Fees writes the fees of a day, one version each.
func (s *Store) Fees(ctx context.Context, book string, fees []int64) error {
	var (
		keys = make([]string, 0, len(fees))
		muts = make([]*bigtable.Mutation, 0, len(fees))
	)
	for i := range fees {
		mut := bigtable.NewMutation()
		mut.Set(schema.FamilyEntry.String(), KindFee.column(), bigtable.Timestamp(i), amount(fees[i])) // want ttlwrite/unscaled-sequence
		keys = append(keys, book)
		muts = append(muts, mut)
	}
	rowErrs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(rowErrs, err)...)
}

// Place sets money aside.
func (s *Store) Place(ctx context.Context, h Hold) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyHold.String(), h.Ref, btx.ExpiresIn(s.clock, s.holdTTL), amount(h.Amount)) // ok ttlwrite/write-time
	mut.Set(schema.FamilyNote.String(), h.Ref, bigtable.ServerTime, []byte("placed"))               // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, h.Book, mut)
}

// PlaceAll sets money aside in several books.
func (s *Store) PlaceAll(ctx context.Context, holds []Hold) error {
	keys := make([]string, len(holds))
	muts := make([]*bigtable.Mutation, len(holds))
	now := bigtable.Now()
	for i, h := range holds {
		keys[i] = h.Book
		muts[i] = bigtable.NewMutation()
		muts[i].Set(schema.FamilyHold.String(), h.Ref, now, amount(h.Amount)) // want ttlwrite/write-time
		muts[i].Set(schema.FamilyNote.String(), h.Ref, now, []byte("placed")) // ok ttlwrite/write-time
	}
	_, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Extend lets a hold live longer.
func (s *Store) Extend(ctx context.Context, h Hold, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyHold.String(), h.Ref, bigtable.Time(h.ExpiresAt.Add(d)), amount(h.Amount)) // ok ttlwrite/write-time
	mut.Set(schema.FamilyHold.String(), h.Ref+"_ext", bigtable.ServerTime, nil)                     // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, h.Book, mut)
}

// Release gives money back.
func (s *Store) Release(ctx context.Context, h Hold) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamilyHold.String(), h.Ref) // ok ttlwrite/delete-after-set
	mut.Set(schema.FamilyNote.String(), h.Ref, bigtable.Now(), []byte("released"))
	return s.tbl.Apply(ctx, h.Book, mut)
}

// ReleaseAll gives everything back that a book holds, and says so.
func (s *Store) ReleaseAll(ctx context.Context, book string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyHold.String(), "released", btx.ExpiresIn(s.clock, time.Hour), nil)
	mut.DeleteCellsInFamily(schema.FamilyHold.String()) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, book, mut)
}

// AddToHold raises a hold.
func (s *Store) AddToHold(ctx context.Context, h Hold, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyHold.String(), h.Ref, by) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, h.Book, rmw)
	return err
}

// Tally counts entries of a kind.
func (s *Store) Tally(ctx context.Context, book string, kind Kind) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyEntry.String(), "n_"+kind.String(), 1) // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamilyNote.String(), "n_"+kind.String(), 1)  // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, book, rmw)
	return err
}

// Last returns the newest entry of a kind.
func (s *Store) Last(ctx context.Context, book string, kind Kind) (*Entry, error) {
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(btx.Cell(schema.FamilyEntry, schema.Column(kind.column())))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for _, item := range row[schema.FamilyEntry.String()] {
		return &Entry{Book: book, Kind: kind, Number: btx.SequenceNumber(item.Timestamp)}, nil // ok ttlage/not-write-time
	}
	return nil, nil
}

// Entries returns what a book keeps.
func (s *Store) Entries(ctx context.Context, book string) ([]Entry, error) {
	var out []Entry
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(book+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[schema.FamilyEntry.String()] {
			out = append(out, Entry{Book: book, Number: btx.SequenceNumber(item.Timestamp), Amount: int64(binary.BigEndian.Uint64(item.Value))})
		}
		return true
	})
	return out, err
}

// Statement returns the entries of a month.
func (s *Store) Statement(ctx context.Context, book string, from, to time.Time) ([]Entry, error) {
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamilyEntry.String()),
		bigtable.TimestampRangeFilter(from, to),
	)
	var out []Entry
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(book+"#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound|ttlread/version-limit[statement]
		for _, item := range row[schema.FamilyEntry.String()] {
			out = append(out, Entry{Book: book, Posted: item.Timestamp.Time()})
		}
		return true
	}, bigtable.RowFilter(filter)) // want ttlread/wrong-bound|ttlread/version-limit[statement]
	return out, err
}

// Today returns the entries that were posted today.
func (s *Store) Today(ctx context.Context, book string) (int, error) {
	midnight := s.clock.Now().Truncate(24 * time.Hour)
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(btx.Only(schema.FamilyEntry, bigtable.TimestampRangeFilter(midnight, time.Time{}), bigtable.LatestNFilter(1)))) // want ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamilyEntry.String()]), nil
}

// NotesToday returns the notes that were made today.
func (s *Store) NotesToday(ctx context.Context, book string) (int, error) {
	midnight := s.clock.Now().Truncate(24 * time.Hour)
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(btx.Only(schema.FamilyNote, bigtable.TimestampRangeFilter(midnight, time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamilyNote.String()]), nil
}

// Holds returns what a book holds now.
func (s *Store) Holds(ctx context.Context, book string) ([]Hold, error) {
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(btx.Only(schema.FamilyHold, btx.Live(s.clock.Now()), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Hold
	for _, item := range row[schema.FamilyHold.String()] {
		out = append(out, Hold{
			Book:      book,
			Ref:       item.Column,
			ExpiresAt: item.Timestamp.Time(), // ok ttlage/not-write-time
			CreatedAt: item.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	return out, nil
}

// Held sums what a book holds.
func (s *Store) Held(ctx context.Context, book string) (sum int64, err error) {
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(btx.Latest(schema.FamilyHold))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamilyHold.String()] {
		sum += int64(binary.BigEndian.Uint64(item.Value))
	}
	return sum, nil
}

// HeldAll sums what several books hold.
func (s *Store) HeldAll(ctx context.Context, books []string) (int64, error) {
	var sum atomic.Int64
	filter := btx.Only(schema.FamilyHold, bigtable.TimestampRangeFilter(s.clock.Now().Add(-15*time.Minute), time.Time{})) // want ttlread/wrong-bound[heldall]
	g, ctx := errgroup.WithContext(ctx)
	for _, book := range books {
		g.Go(func() error {
			row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[heldall]
			if err != nil {
				return err
			}
			for _, item := range row[schema.FamilyHold.String()] {
				sum.Add(int64(binary.BigEndian.Uint64(item.Value)))
			}
			return nil
		})
	}
	err := g.Wait()
	return sum.Load(), err
}

// Page returns a page of holds.
func (s *Store) Page(ctx context.Context, book string, offset, size int) ([]Hold, error) {
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[page]
		bigtable.FamilyFilter(schema.FamilyHold.String()),
		bigtable.CellsPerRowLimitFilter(50), // want ttlread/limit-before-filter[page]
		btx.Live(s.clock.Now()),
	)))
	if err != nil {
		return nil, err
	}
	items := row[schema.FamilyHold.String()]
	var out []Hold
	for _, item := range items[min(offset, len(items)):] {
		if len(out) == size {
			break
		}
		out = append(out, Hold{Book: book, Ref: item.Column, ExpiresAt: item.Timestamp.Time()})
	}
	return out, nil
}

// First returns one hold.
func (s *Store) First(ctx context.Context, book string) (*Hold, error) {
	row, err := s.tbl.ReadRow(ctx, book, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/limit-before-filter
		bigtable.FamilyFilter(schema.FamilyHold.String()),
		btx.Live(s.clock.Now()),
		bigtable.CellsPerRowLimitFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	for _, item := range row[schema.FamilyHold.String()] {
		return &Hold{Book: book, Ref: item.Column}, nil
	}
	return nil, ErrNoHold
}

// PlaceOnce sets money aside unless that has been done.
func (s *Store) PlaceOnce(ctx context.Context, h Hold) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamilyHold.String(), h.Ref, btx.ExpiresIn(s.clock, s.holdTTL), amount(h.Amount)) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamilyHold.String()), bigtable.ColumnFilter(h.Ref))
	return s.tbl.Apply(ctx, h.Book, bigtable.NewCondMutation(pred, nil, set)) // want ttlread/conditional-mutation
}

// DropDead deletes what has expired in a book.
func (s *Store) DropDead(ctx context.Context, book string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(schema.FamilyHold.String())
	pred := btx.Only(schema.FamilyHold, bigtable.TimestampRangeFilter(time.Time{}, s.clock.Now()))
	return s.tbl.Apply(ctx, book, bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}
