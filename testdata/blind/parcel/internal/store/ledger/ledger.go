// Package ledger is the books of cash on delivery, one table per region: "eu-ledger", "na-ledger".
//
// "entry" holds numbered values, of which three are kept; "cursor" one value per column, at timestamp 0.
package ledger

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/clock"
)

// Families of every ledger.
const (
	Entry  = "entry"
	Cursor = "cursor"
)

const kept = 3

// Posting is a booking.
type Posting struct {
	Account  string    `json:"account"`
	Cents    int64     `json:"cents"`
	Number   int64     `json:"number"`
	Created  time.Time `json:"created"`
	BookedOn time.Time `json:"booked_on"`
}

// Ledger is the ledger of a region.
type Ledger struct {
	region string
	tbl    bt.Table
	clk    clock.Clock
	next   int64
}

// Open opens the ledger of a region.
func Open(c *bigtable.Client, region string) *Ledger {
	return &Ledger{region: region, tbl: c.Open(region + "-ledger"), clk: clock.System{}}
}

// Post books.
func (l *Ledger) Post(ctx context.Context, p Posting) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	l.next++
	m := bigtable.NewMutation()
	m.Set(Entry, p.Account, bigtable.Timestamp(l.next*1000), raw)                   // ok ttlwrite/unscaled-sequence
	m.Set(Cursor, p.Account, 0, binary.BigEndian.AppendUint64(nil, uint64(l.next))) // ok ttlwrite/clock-in-zero
	return l.tbl.Apply(ctx, p.Account, m)
}

// PostQuick books without the JSON.
func (l *Ledger) PostQuick(ctx context.Context, account string, cents int64) error {
	l.next++
	m := bigtable.NewMutation()
	m.Set(Entry, account, bigtable.Timestamp(l.next), strconv.AppendInt(nil, cents, 10)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, account, m)
}

// Storno books the reverse.
func (l *Ledger) Storno(ctx context.Context, account string, cents int64) error {
	m := bigtable.NewMutation()
	m.Set(Entry, account, bigtable.Time(l.clk.Now()), strconv.AppendInt(nil, -cents, 10)) // want ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, account, m)
}

// Open0 opens an account.
func (l *Ledger) Open0(ctx context.Context, account string) error {
	return bt.Put(ctx, l.tbl, account, Entry, account, 1, []byte("0")) // want ttlwrite/unscaled-sequence
}

// Open1 opens an account with the first number.
func (l *Ledger) Open1(ctx context.Context, account string) error {
	return bt.Put(ctx, l.tbl, account, Entry, account, bt.Seq(1), []byte("0")) // ok ttlwrite/unscaled-sequence
}

// Adjust books what the auditors found.
func (l *Ledger) Adjust(ctx context.Context, account string, cents int64) error {
	return bt.PutNow(ctx, l.tbl, account, Entry, account, strconv.AppendInt(nil, cents, 10)) // want ttlwrite/clock-in-sequence
}

// MoveCursor sets how far an account was settled.
func (l *Ledger) MoveCursor(ctx context.Context, account string, n int64) error {
	return bt.Put(ctx, l.tbl, account, Cursor, account, 0, binary.BigEndian.AppendUint64(nil, uint64(n))) // ok ttlwrite/clock-in-zero
}

// ResetCursor settles an account anew.
func (l *Ledger) ResetCursor(ctx context.Context, account string) error {
	return bt.PutNow(ctx, l.tbl, account, Cursor, account, make([]byte, 8)) // want ttlwrite/clock-in-zero
}

// Mark sets two cursors.
func (l *Ledger) Mark(ctx context.Context, account string, n uint64) error {
	m := bigtable.NewMutation()
	m.Set(Cursor, "settled", 0, binary.BigEndian.AppendUint64(nil, n))   // ok ttlwrite/clock-in-zero
	m.Set(Cursor, "printed", 0, binary.BigEndian.AppendUint64(nil, n))   // ok ttlwrite/same-timestamp
	m.Set(Cursor, "settled", 0, binary.BigEndian.AppendUint64(nil, n-1)) // want ttlwrite/same-timestamp
	return l.tbl.Apply(ctx, account, m)
}

// Balance returns the last value of an account.
func (l *Ledger) Balance(ctx context.Context, account string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bt.LatestOf(Entry, 1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[Entry] {
		return strconv.ParseInt(string(it.Value), 10, 64)
	}
	return 0, bt.ErrNotFound
}

// Postings returns the last bookings of an account.
func (l *Ledger) Postings(ctx context.Context, account string) ([]Posting, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter(Entry))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Posting
	for _, it := range row[Entry] {
		p := Posting{Account: account, Number: bt.SeqNumber(it.Timestamp)} // ok ttlage/not-write-time
		if err := json.Unmarshal(it.Value, &p); err != nil {
			return nil, fmt.Errorf("ledger: %s: %w", account, err)
		}
		p.Created = it.Timestamp.Time() // want ttlage/not-write-time
		out = append(out, p)
	}
	return out, nil
}

// Last returns the last three bookings.
func (l *Ledger) Last(ctx context.Context, account string) (int, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bt.LatestOf(Entry, kept))) // ok ttlread/version-limit
	return len(row[Entry]), err
}

// LastTen returns the last ten bookings.
func (l *Ledger) LastTen(ctx context.Context, account string) (int, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bt.LatestOf(Entry, 10))) // want ttlread/version-limit
	return len(row[Entry]), err
}

// CursorOf returns a cursor.
func (l *Ledger) CursorOf(ctx context.Context, account string) (uint64, error) {
	row, err := l.tbl.ReadRow(ctx, account) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[Cursor] {
		if len(it.Value) == 8 {
			return binary.BigEndian.Uint64(it.Value), nil
		}
	}
	return 0, bt.ErrNotFound
}

// Totals adds up a ledger.
func (l *Ledger) Totals(ctx context.Context, prefix string) (map[string]int64, error) {
	out := map[string]int64{}
	err := l.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[Entry] {
			n, err := strconv.ParseInt(string(it.Value), 10, 64)
			if err == nil {
				out[r.Key()] += n
			}
		}
		return true
	})
	return out, err
}

// Booked adds up what was booked since.
func (l *Ledger) Booked(ctx context.Context, prefix string, since time.Duration) (n int, err error) {
	start := l.clk.Now().Add(-since)
	rng := bigtable.TimestampRangeFilter(start, l.clk.Now())                            // want ttlread/wrong-bound[booked]
	err = l.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/wrong-bound[booked]
		n += len(r[Entry])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(Entry), rng))) // want ttlread/wrong-bound[booked]
	return n, err
}

// Year is the ledger's copy of a year's values under another column.
func (l *Ledger) Year(ctx context.Context, account string, values []int64) error {
	b := bt.NewBulk(len(values))
	number := 0
	for _, v := range values {
		number++
		m := bigtable.NewMutation()
		m.Set(Entry, "year", bt.Ordinal(number), strconv.AppendInt(nil, v, 10)) // want ttlwrite/unscaled-sequence
		b.Add(account, m)
	}
	for i, v := range values {
		m := bigtable.NewMutation()
		m.Set(Entry, "year2", bt.Ordinal((i+1)*1000), strconv.AppendInt(nil, v, 10)) // ok ttlwrite/unscaled-sequence
		b.Add(account, m)
	}
	return b.Flush(ctx, l.tbl)
}

// Bump counts the bookings of an account.
func (l *Ledger) Bump(ctx context.Context, c *bigtable.Client, account string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(Cursor, "bumps", 1) // want ttlwrite/read-modify-write
	_, err := c.Open(l.region+"-ledger").ApplyReadModifyWrite(ctx, account, rmw)
	return err
}
