// Package rows reads rows in a retry and hands them to a parser.
package rows

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

var errNone = errors.New("none")

func retried(f func() (bigtable.Row, error)) (row bigtable.Row, err error) {
	for range 3 {
		if row, err = f(); err == nil {
			return row, nil
		}
	}
	return nil, err
}

// Retry runs f until it succeeds.
func Retry[T any](n int, f func() (T, error)) (T, error) {
	var zero T
	for range n {
		if v, err := f(); err == nil {
			return v, nil
		}
	}
	return zero, errNone
}

func text(ctx context.Context, tbl *bigtable.Table, f bigtable.Filter) (string, error) {
	row, err := retried(func() (bigtable.Row, error) { return tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) })
	if err != nil {
		return "", err
	}
	return jwt(row)
}

func jwt(row bigtable.Row) (string, error) {
	for _, it := range row["token"] {
		return string(it.Value), nil
	}
	return "", errNone
}

func name(ctx context.Context, tbl *bigtable.Table, opts ...bigtable.ReadOption) (string, error) {
	row, err := Retry(3, func() (bigtable.Row, error) { return tbl.ReadRow(ctx, "k", opts...) })
	if err != nil || len(row["profile"]) == 0 {
		return "", err
	}
	return string(row["profile"][0].Value), nil
}

func live(ctx context.Context, tbl *bigtable.Table, opts ...bigtable.ReadOption) (string, error) {
	row, err := Retry(3, func() (bigtable.Row, error) { return tbl.ReadRow(ctx, "k", opts...) })
	if err != nil {
		return "", err
	}
	return alive(row)
}

func alive(row bigtable.Row) (string, error) {
	for _, it := range row["token"] {
		if it.Timestamp.Time().After(time.Now()) {
			return string(it.Value), nil
		}
	}
	return "", errNone
}

func uses(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	text(ctx, tbl, bigtable.FamilyFilter("token")) // want "read of one-second-expiration family .token. of table .sessions."
	text(ctx, tbl, bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	name(ctx, tbl)
	live(ctx, tbl)
}

// As reads a row as what parse makes of it.
func As[T any](ctx context.Context, tbl *bigtable.Table, f bigtable.Filter, parse func(bigtable.Row) (T, error)) (T, error) {
	var zero T
	row, err := Retry(3, func() (bigtable.Row, error) { return tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) })
	if err != nil {
		return zero, err
	}
	return parse(row)
}

func parsed(ctx context.Context, c *bigtable.Client) {
	As(ctx, c.Open("sessions"), bigtable.FamilyFilter("token"), jwt) // want "read of one-second-expiration family .token. of table .sessions."
	As(ctx, c.Open("sessions"), bigtable.FamilyFilter("token"), alive)
	As(ctx, c.Open("sessions"), bigtable.FamilyFilter("profile"), jwt)
	As(ctx, c.Open("sessions"), bigtable.LatestNFilter(1), func(r bigtable.Row) (int, error) { return len(r["profile"]), nil })
}

// Whole returns the row to whoever asks.
func Whole(ctx context.Context, tbl *bigtable.Table, f bigtable.Filter) (bigtable.Row, error) {
	return retried(func() (bigtable.Row, error) { return tbl.ReadRow(ctx, "k", bigtable.RowFilter(f)) })
}

func wholes(ctx context.Context, c *bigtable.Client) int {
	a, _ := Whole(ctx, c.Open("sessions"), bigtable.LatestNFilter(1)) // want "read of one-second-expiration family .token. of table .sessions."
	b, _ := Whole(ctx, c.Open("sessions"), bigtable.LatestNFilter(1))
	return len(a["token"]) + len(b["profile"])
}

// First returns a parser of the newest cell of a family.
func First(family string) func(bigtable.Row) (string, error) {
	return func(r bigtable.Row) (string, error) {
		for _, it := range r[family] {
			return string(it.Value), nil
		}
		return "", errNone
	}
}

// Alive returns a parser that looks at the time of the cells.
func Alive(family string) func(bigtable.Row) (string, error) {
	return func(r bigtable.Row) (string, error) {
		for _, it := range r[family] {
			if it.Timestamp > bigtable.Now() {
				return string(it.Value), nil
			}
		}
		return "", errNone
	}
}

// Same returns a parser that returns what it is given.
func Same() func(bigtable.Row) (bigtable.Row, error) {
	return func(r bigtable.Row) (bigtable.Row, error) { return r, nil }
}
