// Package codec decodes rows by what the type of its argument does, and into structs
// of another package.
package codec

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/decoded/domain"
)

type Entity interface{ Unmarshal(bigtable.Row) bool }

type Pointer[T any] interface {
	*T
	Entity
}

func Decode[T any, P Pointer[T]](row bigtable.Row) (T, bool) {
	var t T
	ok := P(&t).Unmarshal(row)
	return t, ok
}

func Load(ctx context.Context, tbl *bigtable.Table, key string, into Entity, opts ...bigtable.ReadOption) error {
	row, err := tbl.ReadRow(ctx, key, opts...)
	if err == nil {
		into.Unmarshal(row)
	}
	return err
}

func All[T any, P Pointer[T]](ctx context.Context, tbl *bigtable.Table, opts ...bigtable.ReadOption) ([]T, error) {
	var out []T
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		if t, ok := Decode[T, P](row); ok {
			out = append(out, t)
		}
		return true
	}, opts...)
	return out, err
}

// PassOf returns a pass; the struct is another package's.
func PassOf(row bigtable.Row) *domain.Pass {
	for _, it := range row["token"] {
		return &domain.Pass{Holder: string(it.Value), Until: it.Timestamp.Time()}
	}
	return nil
}

// Fill decodes into what it is given.
func Fill(p *domain.Pass, row bigtable.Row) {
	for _, it := range row["token"] {
		p.Holder, p.Until = string(it.Value), it.Timestamp.Time()
	}
}
