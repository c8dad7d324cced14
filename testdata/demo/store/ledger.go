package store

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
)

// A Ledger is a region's bookings, a row per account. Each booking has a
// number, which is its timestamp.
type Ledger struct{ tbl *bigtable.Table }

// Book enters an amount.
func (l *Ledger) Book(ctx context.Context, account string, number bigtable.Timestamp, amount []byte) error {
	return put(ctx, l.tbl, account, schema.Entry, "amount", number, amount)
}

// Recent returns the last bookings of the account, the newest first.
func (l *Ledger) Recent(ctx context.Context, account string) ([][]byte, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.FamilyFilter(schema.Entry))) // BAD: ttlread/version-limit
	return amounts(row), err
}

// RecentFixed asks for no more than the ledger keeps.
func (l *Ledger) RecentFixed(ctx context.Context, account string) ([][]byte, error) {
	row, err := l.tbl.ReadRow(ctx, account, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.Entry),
		bigtable.LatestNFilter(schema.LedgerVersions),
	)))
	return amounts(row), err
}

func amounts(row bigtable.Row) [][]byte {
	var list [][]byte
	for _, item := range row[schema.Entry] {
		list = append(list, item.Value)
	}
	return list
}
