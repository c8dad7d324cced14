// Package store keeps the shop's data in Bigtable.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
)

// A Store has all tables of one region.
type Store struct {
	Sessions *Sessions
	Clicks   *Clicks
	Catalog  *Catalog
	Ledger   *Ledger
}

// New returns the store of a region.
func New(client *bigtable.Client, region string) *Store {
	return &Store{
		Sessions: &Sessions{tbl: client.Open(schema.Sessions)},
		Clicks:   &Clicks{tbl: client.Open(schema.Clicks)},
		Catalog:  &Catalog{tbl: client.Open(schema.Catalog)},
		Ledger:   &Ledger{tbl: client.Open(schema.LedgerTable(region))},
	}
}

// Stamp returns the timestamp of what is written now.
func Stamp() bigtable.Timestamp { return bigtable.Time(time.Now()) }

// ExpiresIn returns the timestamp of what expires in d.
func ExpiresIn(d time.Duration) bigtable.Timestamp { return bigtable.Time(time.Now().Add(d)) }

// Unexpired returns the filter for tokens that are still good.
func Unexpired() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.Token),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
}

// first returns the value of the first cell of the column.
func first(row bigtable.Row, family, column string) []byte {
	for _, item := range row[family] {
		if item.Column == family+":"+column {
			return item.Value
		}
	}
	return nil
}

// put writes one cell.
func put(ctx context.Context, tbl *bigtable.Table, key, family, column string, ts bigtable.Timestamp, value []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, value)
	return tbl.Apply(ctx, key, mut)
}
