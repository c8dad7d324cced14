// Package store keeps entries in a table that its callers open: whether a cell's timestamp
// is a date, they know.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Entry is what a row says.
type Entry struct {
	CreatedAt time.Time
	Age       time.Duration
	Left      time.Duration
}

// Store keeps entries.
type Store struct{ tbl *bigtable.Table }

// New is given the table.
func New(t *bigtable.Table) *Store { return &Store{t} }

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1)))
}

// Get reads an entry, and stores its time as it is.
func (s *Store) Get(ctx context.Context, key string) (Entry, error) {
	row, err := s.tbl.ReadRow(ctx, key, live())
	if err != nil {
		return Entry{}, err
	}
	return Entry{CreatedAt: row["val"][0].Timestamp.Time()}, nil
}

func decode(row bigtable.Row) Entry {
	it := row["val"][0]
	return Entry{Age: time.Since(it.Timestamp.Time()), Left: time.Until(it.Timestamp.Time())}
}

// List has a function that decodes each row.
func (s *Store) List(ctx context.Context) (out []Entry, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		out = append(out, decode(row))
		return true
	}, live())
	return out, err
}

// Dates has what its callers see themselves.
type Dates struct{ tbl *bigtable.Table }

// NewDates is given the table.
func NewDates(t *bigtable.Table) *Dates { return &Dates{t} }

// Written returns a time.
func (d *Dates) Written(ctx context.Context, key string) (string, error) {
	row, err := d.tbl.ReadRow(ctx, key, live())
	if err != nil {
		return "", err
	}
	created := row["val"][0].Timestamp.Time() // its name alone says what it is
	return created.Format(time.RFC3339), nil
}

// Both reads two tables into one kind of entry.
type Both struct{ dated, other *bigtable.Table }

// NewBoth is given both.
func NewBoth(dated, other *bigtable.Table) *Both { return &Both{dated, other} }

// Get stores the time of one of them.
func (b *Both) Get(ctx context.Context, key string) (Entry, []byte, error) {
	row, err := b.dated.ReadRow(ctx, key, live())
	if err != nil {
		return Entry{}, nil, err
	}
	other, err := b.other.ReadRow(ctx, key, live())
	if err != nil {
		return Entry{}, nil, err
	}
	return Entry{CreatedAt: row["val"][0].Timestamp.Time()}, other["val"][0].Value, nil
}

// Known opens its table itself.
type Known struct{ tbl *bigtable.Table }

// NewKnown is given the client.
func NewKnown(c *bigtable.Client) *Known { return &Known{c.Open("cache")} }

// Get is wrong whoever calls it.
func (k *Known) Get(ctx context.Context, key string) (Entry, error) {
	row, err := k.tbl.ReadRow(ctx, key, live())
	if err != nil {
		return Entry{}, err
	}
	return Entry{CreatedAt: row["val"][0].Timestamp.Time()}, nil // want `not-write-time: .*"val" of table "cache"`
}
