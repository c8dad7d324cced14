// Package repo hands the cells and rows that it reads to those who know what is in them.
package repo

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Scanner interface {
	Scan(items []bigtable.ReadItem)
}

type Decoder interface {
	Decode(row bigtable.Row) error
}

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func Get[T interface{ Family() string }](ctx context.Context, tbl *bigtable.Table, into T) error {
	row, err := tbl.ReadRow(ctx, "k", live())
	if s, ok := any(into).(Scanner); ok {
		s.Scan(row[into.Family()])
	}
	return err
}

func Iface(ctx context.Context, tbl *bigtable.Table, into Scanner) error {
	row, err := tbl.ReadRow(ctx, "k", live())
	into.Scan(row["token"])
	return err
}

func Row(ctx context.Context, tbl *bigtable.Table, into Decoder) error {
	row, err := tbl.ReadRow(ctx, "k", live())
	if err != nil {
		return err
	}
	return into.Decode(row)
}

func Func(ctx context.Context, tbl *bigtable.Table, scan func(items []bigtable.ReadItem)) error {
	row, err := tbl.ReadRow(ctx, "k", live())
	scan(row["token"])
	return err
}

func Each(ctx context.Context, tbl *bigtable.Table, cell func(it bigtable.ReadItem)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			cell(it)
		}
		return true
	}, live())
}

func Profile(ctx context.Context, tbl *bigtable.Table, into Scanner) error {
	row, err := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	into.Scan(row["profile"])
	return err
}

func ProfileFunc(ctx context.Context, tbl *bigtable.Table, scan func(items []bigtable.ReadItem)) error {
	row, err := tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("profile")))
	scan(row["profile"])
	return err
}
