package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// Versions is how many versions of an entry are kept.
const Versions = 3

// Statement is what the API shows of an account.
type Statement struct {
	Account   string
	Balance   int64
	Number    int64
	UpdatedAt time.Time
	Last      Posting
}

// Current returns the newest entry of an account.
func (b *Book) Current(ctx context.Context, acct string) (Posting, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(store.LatestOf(schema.FamEntry, 1))) // ok ttlread/version-limit
	if err != nil {
		return Posting{}, err
	}
	return entryOf(row)
}

func entryOf(row bigtable.Row) (Posting, error) {
	var p Posting
	it, ok := store.Newest(row, schema.EntryBody)
	if !ok {
		return p, store.ErrNotFound
	}
	if err := json.Unmarshal(it.Value, &p); err != nil {
		return p, err
	}
	p.Number = store.Number(it) // ok ttlage/not-write-time
	return p, nil
}

// Versions returns what is kept of an entry, newest first.
func (b *Book) Versions(ctx context.Context, acct string) ([]bigtable.ReadItem, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(store.LatestOf(schema.FamEntry, Versions))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return row["entry"], nil
}

// Corrections returns ten versions of an entry.
func (b *Book) Corrections(ctx context.Context, acct string) ([]bigtable.ReadItem, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(store.LatestOf(schema.FamEntry, 10))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return row["entry"], nil
}

// Balance returns an account's balance.
func (b *Book) Balance(ctx context.Context, acct string) (int64, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct)) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := store.Newest(row, schema.BalanceNow)
	if !ok {
		return 0, store.ErrNotFound
	}
	return store.ParseInt(it.Value)
}

// Cleared returns what has been cleared of an account's balance.
func (b *Book) Cleared(ctx context.Context, acct string) (string, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), store.WholeFamily(schema.FamBalance)) // want ttlread/version-limit
	if err != nil {
		return "", err
	}
	return store.Text(row, schema.Address{Family: schema.FamBalance, Column: "cleared"}), nil
}

// Memos returns an account's memos.
func (b *Book) Memos(ctx context.Context, acct string) (map[string]string, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), store.WholeFamily(schema.FamMemo)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row["memo"] {
		out[it.Column] = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	return out, nil
}

// Exists says whether an account has been opened.
func (b *Book) Exists(ctx context.Context, acct string) (bool, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Statement builds an account's statement.
func (b *Book) Statement(ctx context.Context, acct string) (Statement, error) {
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/version-limit
	if err != nil {
		return Statement{}, err
	}
	st := Statement{Account: acct}
	if st.Last, err = entryOf(row); err != nil {
		return st, err
	}
	it, ok := store.Newest(row, schema.BalanceNow)
	if !ok {
		return st, store.ErrNotFound
	}
	st.Number = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
	st.UpdatedAt = it.Timestamp.Time()     // want ttlage/not-write-time
	st.Balance, err = store.ParseInt(it.Value)
	return st, err
}

// Since returns entries booked since a date.
func (b *Book) Since(ctx context.Context, acct string, since time.Time) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.TimestampRangeFilter(since, time.Time{})) // want ttlread/wrong-bound[ledgersince]
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(f))                                          // want ttlread/wrong-bound[ledgersince]
	if err != nil {
		return nil, err
	}
	return row["entry"], nil
}

// Recent returns the entries of the last day.
func (b *Book) Recent(ctx context.Context, acct string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), store.Within(b.clk.Now(), 24*time.Hour)) // want ttlread/wrong-bound[ledgerrecent]
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(f))                                // want ttlread/wrong-bound[ledgerrecent]
	return len(row["entry"]), err
}

// Between looks entries up by number.
func (b *Book) Between(ctx context.Context, acct string, from, to int64) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter("entry"),
		bigtable.TimestampRangeFilterMicros(store.Seq(from), store.Seq(to+1)),
		bigtable.LatestNFilter(Versions),
	)
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return row["entry"], nil
}

// MemosSince returns memos by their date.
func (b *Book) MemosSince(ctx context.Context, acct string, since time.Time) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("memo"), bigtable.TimestampRangeFilter(since, time.Time{}))
	row, err := b.tbl.ReadRow(ctx, account(acct), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return len(row["memo"]), err
}

// Disputed finds accounts whose entry is in dispute.
func (b *Book) Disputed(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ValueFilter(".*dispute.*"), bigtable.LatestNFilter(1)) // want ttlread/version-limit[disputed]
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool {                                    // want ttlread/version-limit[disputed]
		if p, err := entryOf(row); err == nil {
			out = append(out, p.Account)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/version-limit[disputed]
	return out, err
}

// Frozen finds accounts whose newest entry froze them.
func (b *Book) Frozen(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*frozen.*"))
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		if p, err := entryOf(row); err == nil {
			out = append(out, p.Account)
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Trial sums the newest balances.
func (b *Book) Trial(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	var bad error
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["balance"] {
			n, err := store.ParseInt(it.Value)
			if err != nil {
				bad = fmt.Errorf("%s: %w", row.Key(), err)
				return false
			}
			out[row.Key()] += n
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("balance"), bigtable.ColumnFilter("amount"), bigtable.LatestNFilter(1))))
	if err == nil {
		err = bad
	}
	return out, err
}

// Sum is Trial for one currency.
func (b *Book) Sum(ctx context.Context, prefix string) (int64, error) {
	var total int64
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row["balance"] {
			n, err := store.ParseInt(it.Value)
			if err != nil {
				return false
			}
			total += n
		}
		return true
	})
	return total, err
}

// Stale lists accounts that have not been booked on for a month.
func (b *Book) Stale(ctx context.Context) ([]string, error) {
	var out []string
	err := b.tbl.ReadRows(ctx, bigtable.PrefixRange("acct#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		for _, it := range row["entry"] {
			if age := b.clk.Now().Sub(it.Timestamp.Time()); age > 30*24*time.Hour { // want ttlage/not-write-time
				out = append(out, row.Key())
			}
		}
		return true
	}, bigtable.RowFilter(store.LatestOf(schema.FamEntry, 1)))
	return out, err
}

// OpenOnce opens an account unless it has an entry.
func (b *Book) OpenOnce(ctx context.Context, acct string, body []byte) error {
	open := bigtable.NewMutation()
	open.Set("entry", "body", store.Seq(1), body)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("entry"), nil, open) // ok ttlread/conditional-mutation
	return b.tbl.Apply(ctx, account(acct), cond)
}

// Thaw writes an entry if the account is frozen.
func (b *Book) Thaw(ctx context.Context, acct string, n int64, body []byte) error {
	thaw := bigtable.NewMutation()
	thaw.Set("entry", "body", store.Seq(n), body)
	frozen := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("body"), bigtable.ValueFilter(".*frozen.*")) // want ttlread/conditional-mutation[thaw]
	return b.tbl.Apply(ctx, account(acct), bigtable.NewCondMutation(frozen, thaw, nil))                                                // want ttlread/conditional-mutation[thaw]
}

// Release is Thaw for disputes.
func (b *Book) Release(ctx context.Context, acct string, n int64, body []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("entry", "body", store.Seq(n), body)
	disputed := bigtable.ChainFilters(bigtable.FamilyFilter("entry"), bigtable.ColumnFilter("body"), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*dispute.*"))
	return b.tbl.Apply(ctx, account(acct), bigtable.NewCondMutation(disputed, mut, nil)) // ok ttlread/conditional-mutation
}
