package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// entryMapper maps entries for the repo.
type entryMapper struct{}

// Cells implements btstore.Mapper.
func (entryMapper) Cells(e Entry) ([]btstore.Cell, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return []btstore.Cell{
		{Family: famEntry, Column: "line", TS: btstore.SeqNo(e.Seq), Value: b},           // ok ttlwrite/unscaled-sequence
		{Family: famNote, Column: "reason", TS: bigtable.Now(), Value: []byte(e.Reason)}, // ok ttlwrite/clock-in-sequence
	}, nil
}

// FromRow implements btstore.Mapper.
func (entryMapper) FromRow(row bigtable.Row) (Entry, error) {
	e, ok, err := colEntry.Get(row)
	if err != nil || !ok {
		return e, fmt.Errorf("ledger: %q: %w", row.Key(), btstore.ErrNotFound)
	}
	if it, ok := colEntry.Item(row); ok {
		e.Seq = btstore.NumberOf(it.Timestamp) // ok ttlage/not-write-time
	}
	return e, nil
}

// datedMapper is entryMapper for the old screens, which show a date.
type datedMapper struct{ entryMapper }

// FromRow implements btstore.Mapper.
func (d datedMapper) FromRow(row bigtable.Row) (Entry, error) {
	e, err := d.entryMapper.FromRow(row)
	if err != nil {
		return e, err
	}
	if it, ok := colEntry.Item(row); ok {
		e.Created = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return e, nil
}

// Entries makes the repo of the entries.
func (l *Ledger) Entries() *btstore.Repo[Entry] {
	return btstore.NewRepo(l.tbl, entryMapper{}, btstore.Where(entries.Head())) // ok ttlread/missing-filter
}

// EntriesFull makes a repo that reads whatever there is.
func (l *Ledger) EntriesFull() *btstore.Repo[Entry] {
	return btstore.NewRepo(l.tbl, datedMapper{}, btstore.Where(bigtable.FamilyFilter(famEntry))) // want ttlread/version-limit[fullrepo]
}

// Latest reads an account's last entry.
func (l *Ledger) Latest(ctx context.Context, account string) (Entry, error) {
	return l.Entries().Find(ctx, account) // ok ttlread/missing-filter
}

// LatestOf reads the last entries of many accounts.
func (l *Ledger) LatestOf(ctx context.Context, prefix string) ([]Entry, error) {
	return l.EntriesFull().List(ctx, prefix) // want ttlread/version-limit[fullrepo]
}

// History reads the five entries that are kept.
func (l *Ledger) History(ctx context.Context, account string) ([]Entry, error) {
	row, err := l.tbl.Get(ctx, account, btstore.Where(entries.Live())) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeLines(row)
}

// HistoryAll reads more than are kept.
func (l *Ledger) HistoryAll(ctx context.Context, account string) ([]Entry, error) {
	row, err := l.tbl.Get(ctx, account, btstore.Where(btstore.Newest(famEntry, 50))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeLines(row)
}

// HistoryNone restricts nothing.
func (l *Ledger) HistoryNone(ctx context.Context, account string) ([]Entry, error) {
	row, err := l.raw.ReadRow(ctx, account) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeLines(row)
}

// HistoryToday asks the clock.
func (l *Ledger) HistoryToday(ctx context.Context, account string) ([]Entry, error) {
	row, err := l.raw.ReadRow(ctx, account, bigtable.RowFilter(btstore.LiveAt(famEntry, time.Now().Truncate(24*time.Hour)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeLines(row)
}

// HistoryFrom asks for numbers.
func (l *Ledger) HistoryFrom(ctx context.Context, account string, from int64) ([]Entry, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(famEntry),
		bigtable.TimestampRangeFilterMicros(btstore.SeqNo(from), 0), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(entryVersions),
	)
	row, err := l.raw.ReadRow(ctx, account, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeLines(row)
}

func decodeLines(row bigtable.Row) ([]Entry, error) {
	var out []Entry
	for _, it := range row[famEntry] {
		if it.Column != famEntry+":line" {
			continue
		}
		e, err := colEntry.Codec.Decode(it.Value)
		if err != nil {
			return nil, err
		}
		e.Seq = btstore.NumberOf(it.Timestamp)
		out = append(out, e)
	}
	return out, nil
}

// By reads the note.
func (l *Ledger) By(ctx context.Context, account string) (string, time.Time, error) {
	row, err := l.tbl.Get(ctx, account) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	by, _, err := colBy.Get(row)
	if err != nil {
		return "", time.Time{}, err
	}
	at, ok, err := colAt.Get(row)
	if !ok {
		it, _ := colBy.Item(row)
		at = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return by, at, err
}

// Page shows an account.
func (l *Ledger) Page(ctx context.Context, account string) (bigtable.Row, error) {
	f := btstore.Live(entries, heads, holds, notes)
	return l.tbl.Get(ctx, account, btstore.Where(f)) // ok ttlread/unfiltered-branch
}

// PageQuick shows an account, with everything that was ever held.
func (l *Ledger) PageQuick(ctx context.Context, account string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		entries.Head(),
		bigtable.FamilyFilter(famHold), // want ttlread/unfiltered-branch[pagequick]
		bigtable.FamilyFilter("head|note"),
	)
	return l.raw.ReadRow(ctx, account, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[pagequick]
}

// PageHeads shows heads and notes, which need nothing.
func (l *Ledger) PageHeads(ctx context.Context, account string) (bigtable.Row, error) {
	return l.raw.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter("head|note"))) // ok ttlread/missing-filter
}

// Render calls back for every row that is worth it.
func (l *Ledger) Render(ctx context.Context, prefix string, emit func(string, bigtable.Row)) error {
	return l.tbl.Prefix(ctx, prefix, func(r bigtable.Row) bool { // want ttlread/missing-filter
		emit(r.Key(), r)
		return true
	})
}

// RenderLive does so with what is live.
func (l *Ledger) RenderLive(ctx context.Context, prefix string, emit func(string, bigtable.Row)) error {
	return l.tbl.Prefix(ctx, prefix, func(r bigtable.Row) bool { // ok ttlread/missing-filter
		emit(r.Key(), r)
		return true
	}, btstore.Where(btstore.Live(entries, heads, holds, notes)))
}

// Accounts lists accounts.
func (l *Ledger) Accounts(ctx context.Context) ([]string, error) {
	return l.tbl.Keys(ctx, l.site) // ok ttlread/missing-filter
}
