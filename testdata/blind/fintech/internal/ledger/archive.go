package ledger

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/schema"
)

// Archive keeps closed ledgers by date: the families are a ledger's, the
// timestamps are real.
type Archive struct{ tbl *bigtable.Table }

// NewArchive opens the archive.
func NewArchive(client *bigtable.Client) *Archive {
	return &Archive{tbl: client.Open(string(schema.TableArchive))}
}

// Put archives an entry.
func (a *Archive) Put(ctx context.Context, acct string, p Posting, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", bigtable.Time(p.BookedAt), body) // ok ttlwrite/clock-in-sequence
	mut.Set("entry", "archived", bigtable.Now(), nil)         // ok ttlwrite/clock-in-sequence
	return a.tbl.Apply(ctx, account(acct), mut)
}

// Month reads a month's entries.
func (a *Archive) Month(ctx context.Context, first time.Time) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range row["entry"] {
			out[row.Key()] = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(first, first.AddDate(0, 1, 0))))
	return out, err
}

// Drop forgets everything before a date.
func (a *Archive) Drop(ctx context.Context, acct string, before time.Time) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange("entry", "body", 0, bigtable.Time(before)) // ok ttlunit/sub-millisecond
	return a.tbl.Apply(ctx, account(acct), mut)
}

// DropFirst forgets the placeholder at the very beginning.
func (a *Archive) DropFirst(ctx context.Context, acct string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange("entry", "placeholder", 0, 999) // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange("entry", "opening", 0, 1000)    // ok ttlunit/sub-millisecond
	return a.tbl.Apply(ctx, account(acct), mut)
}
