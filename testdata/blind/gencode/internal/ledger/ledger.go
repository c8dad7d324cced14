// Package ledger books money by hotel; entries carry their number as timestamp.
package ledger

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/ledgerbt"
	"example.com/hotelbook/internal/btx"
)

const keep = 3

// Book is the ledger of one hotel.
type Book struct {
	tbl  *ledgerbt.Table
	log  *slog.Logger
	next int64
	tick atomic.Int64
}

// OpenBook opens the ledger of a hotel.
func OpenBook(c *bigtable.Client, hotel string, log *slog.Logger) *Book {
	return &Book{tbl: ledgerbt.Open(c, hotel), log: log}
}

// Append books an entry under the next number.
func (b *Book) Append(ctx context.Context, k string, e *ledgerbt.Entry) error {
	b.next++
	mut := bigtable.NewMutation()
	e.MarshalBigtable(mut, btx.Seq(b.next)) // ok ttlwrite/unscaled-sequence
	return b.tbl.Apply(ctx, k, mut)
}

// Correct books a correction.
func (b *Book) Correct(ctx context.Context, k string, e *ledgerbt.Entry) error {
	b.next++
	mut := bigtable.NewMutation()
	e.MarshalBigtable(mut, bigtable.Timestamp(b.next)) // want ttlwrite/unscaled-sequence[correct]
	return b.tbl.Apply(ctx, k, mut)                    // want ttlwrite/unscaled-sequence[correct]
}

// Refund books a refund.
func (b *Book) Refund(ctx context.Context, k string, e *ledgerbt.Entry) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, bigtable.Timestamp(b.tick.Add(1))) // want ttlwrite/unscaled-sequence
}

// Charge books a charge.
func (b *Book) Charge(ctx context.Context, k string, e *ledgerbt.Entry) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, bigtable.Timestamp(b.tick.Add(1)*1000)) // ok ttlwrite/unscaled-sequence
}

// Thousand books an entry with a counter that steps by 1000.
func (b *Book) Thousand(ctx context.Context, k string, e *ledgerbt.Entry) error {
	n := b.tick.Add(1000)
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, bigtable.Timestamp(n*1000)) // ok ttlwrite/unscaled-sequence
}

// Adjust books an adjustment.
func (b *Book) Adjust(ctx context.Context, k string, e *ledgerbt.Entry) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, bigtable.Now()) // want ttlwrite/clock-in-sequence
}

// Tip books a tip.
func (b *Book) Tip(ctx context.Context, k string, cents int64) error {
	mut := bigtable.NewMutation()
	mut.Set(ledgerbt.FamilyEntry, ledgerbt.ColEntryAmountCents, bigtable.ServerTime, btrt.EncodeInt64(cents)) // want ttlwrite/clock-in-sequence[tip]
	mut.Set(ledgerbt.FamilyMeta, ledgerbt.ColMetaOwner, bigtable.ServerTime, []byte("desk"))                  // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, k, mut)                                                                           // want ttlwrite/clock-in-sequence[tip]
}

// Deposit books a deposit on the day it arrived.
func (b *Book) Deposit(ctx context.Context, k string, e *ledgerbt.Entry, day time.Time) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, bigtable.Time(day)) // want ttlwrite/clock-in-sequence
}

// Numbered books an entry whose number the caller has.
func (b *Book) Numbered(ctx context.Context, k string, e *ledgerbt.Entry, n int64) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, btx.Seq(n)) // ok ttlwrite/unscaled-sequence
}

// Opening books the first entry of a year.
func (b *Book) Opening(ctx context.Context, k string, e *ledgerbt.Entry) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, 1) // want ttlwrite/unscaled-sequence
}

// Closing books the last entry of a year.
func (b *Book) Closing(ctx context.Context, k string, e *ledgerbt.Entry) error {
	return b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, 1_000_000_000) // ok ttlwrite/unscaled-sequence
}

// Replay books entries in order.
func (b *Book) Replay(ctx context.Context, k string, entries []*ledgerbt.Entry) error {
	for i, e := range entries {
		if err := b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, btx.TS(int64(i+1))); err != nil { // want ttlwrite/unscaled-sequence
			return err
		}
	}
	return nil
}

// ReplayScaled books entries in order.
func (b *Book) ReplayScaled(ctx context.Context, k string, entries []*ledgerbt.Entry) error {
	for i, e := range entries {
		if err := b.tbl.PutAt(ctx, &ledgerbt.Row{Key: k, Entry: e}, btx.Seq(int64(i+1))); err != nil { // ok ttlwrite/unscaled-sequence
			return err
		}
	}
	return nil
}

// Own changes the owner of a ledger.
func (b *Book) Own(ctx context.Context, k, owner string) error {
	mut := bigtable.NewMutation()
	ledgerbt.SetMetaOwner(mut, bigtable.Now(), owner) // ok ttlwrite/clock-in-sequence
	return b.tbl.Apply(ctx, k, mut)
}

// Get reads entries and owner.
func (b *Book) Get(ctx context.Context, k string) (*ledgerbt.Row, error) {
	return b.tbl.ReadRow(ctx, k, btx.Newest(keep)) // ok ttlread/version-limit
}

// GetOne reads the newest entry.
func (b *Book) GetOne(ctx context.Context, k string) (*ledgerbt.Row, error) {
	return b.tbl.ReadRow(ctx, k, btx.Newest(1)) // ok ttlread/version-limit
}

// GetAll reads all entries.
func (b *Book) GetAll(ctx context.Context, k string) (*ledgerbt.Row, error) {
	return b.tbl.ReadRow(ctx, k) // want ttlread/missing-filter
}

// History reads ten entries.
func (b *Book) History(ctx context.Context, k string) (*ledgerbt.Row, error) {
	return b.tbl.ReadRow(ctx, k, btx.Newest(10)) // want ttlread/version-limit
}

// Entries reads entries only.
func (b *Book) Entries(ctx context.Context, k string) (*ledgerbt.Row, error) {
	return b.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter(ledgerbt.FamilyEntry))) // want ttlread/version-limit
}

// Owner reads the owner only.
func (b *Book) Owner(ctx context.Context, k string) (*ledgerbt.Row, error) {
	return b.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter(ledgerbt.FamilyMeta))) // ok ttlread/version-limit
}

// Month reads the entries of a month.
func (b *Book) Month(ctx context.Context, k string) (*ledgerbt.Row, error) {
	f := btx.In(ledgerbt.FamilyEntry, btx.Within(30*24*time.Hour)) // want ttlread/wrong-bound[month]
	return b.tbl.ReadRow(ctx, k, bigtable.RowFilter(f))            // want ttlread/wrong-bound[month]
}

// Refs reads references with a value.
func (b *Book) Refs(ctx context.Context, k, ref string) (*ledgerbt.Row, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter(ledgerbt.ColEntryRef), bigtable.LatestNFilter(1), bigtable.ValueFilter(ref))
	return b.tbl.ReadRow(ctx, k, bigtable.RowFilter(f)) // ok ttlread/version-limit
}

// Total adds up a ledger.
func (b *Book) Total(ctx context.Context, prefix string) (sum int64, err error) {
	err = b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r *ledgerbt.Row) bool { // want ttlread/missing-filter
		if r.Entry != nil {
			sum += r.Entry.AmountCents
		}
		return true
	})
	return sum, err
}

// TotalNewest adds up a ledger.
func (b *Book) TotalNewest(ctx context.Context, prefix string) (sum int64, err error) {
	err = b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r *ledgerbt.Row) bool { // ok ttlread/missing-filter
		if r.Entry != nil {
			sum += r.Entry.AmountCents
		}
		return true
	}, btx.Newest(1))
	return sum, err
}

// Number returns the number of the newest entry.
func (b *Book) Number(ctx context.Context, k string) (int64, error) {
	row, err := b.tbl.Raw().ReadRow(ctx, k, btx.Newest(1)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[ledgerbt.FamilyEntry] {
		b.log.Debug("entry", "number", int64(it.Timestamp)/1000)             // ok ttlage/not-write-time
		b.log.Info("entry", "age", time.Since(it.Timestamp.Time()).String()) // want ttlage/not-write-time
		return int64(it.Timestamp) / 1000, nil
	}
	return 0, nil
}

// Opened says when the owner was set.
func (b *Book) Opened(ctx context.Context, k string) (time.Duration, error) {
	row, err := b.tbl.Raw().ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter(ledgerbt.FamilyMeta))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[ledgerbt.FamilyMeta] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Once books an entry if the row has none.
func (b *Book) Once(ctx context.Context, k string, e *ledgerbt.Entry) error {
	set := bigtable.NewMutation()
	e.MarshalBigtable(set, btx.Seq(1))                                                      // ok ttlwrite/unscaled-sequence
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(ledgerbt.FamilyEntry), nil, set) // ok ttlread/conditional-mutation
	return b.tbl.Raw().Apply(ctx, k, cond)
}
