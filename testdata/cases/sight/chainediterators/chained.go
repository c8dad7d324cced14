// Package chainediterators gives iterators over rows to generic functions of another
// package, and converts times of cells to a type whose methods compare them.
package chainediterators

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/chainediterators/seq"
	"example.com/cases/sight/chainediterators/store"
)

func okOrdinary(ctx context.Context, c *bigtable.Client) (n int, err error) {
	for row := range seq.Values(store.Rows(ctx, c.Open("sessions"), bigtable.InfiniteRange("")), &err) {
		for range store.Items(row, "profile") {
			n++
		}
	}
	return n, err
}

func tokens(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	for row := range seq.Values(store.Rows(ctx, c.Open("sessions"), bigtable.InfiniteRange("")), &err) { // want `missing-filter: .*"token"`
		for it := range store.Items(row, "token") {
			out = append(out, string(it.Value))
		}
	}
	return out, err
}

func okEach(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	rows := seq.Values(store.Rows(ctx, c.Open("sessions"), bigtable.InfiniteRange("")), &err)
	err = seq.Each(rows, func(row bigtable.Row) error {
		for it := range store.Items(row, "profile") {
			out = append(out, string(it.Value))
		}
		return nil
	})
	return out, err
}

func each(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	rows := seq.Values(store.Rows(ctx, c.Open("sessions"), bigtable.InfiniteRange("")), &err) // want `missing-filter: .*"token"`
	err = seq.Each(rows, func(row bigtable.Row) error {
		for it := range store.Items(row, "token") {
			out = append(out, string(it.Value))
		}
		return nil
	})
	return out, err
}

// by has the rows in lists in a map, which is used whole.
func by(ctx context.Context, c *bigtable.Client) (out map[string][]bigtable.Row, err error) {
	rows := seq.Values(store.Rows(ctx, c.Open("sessions"), bigtable.InfiniteRange("")), &err) // want `missing-filter: .*"token"`
	return seq.By(rows, bigtable.Row.Key), err
}

func okDead(ctx context.Context, c *bigtable.Client, now time.Time) (out []string, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	for it := range store.Items(row, "token") {
		if !store.Expiry(it.Timestamp).Dead(now) {
			out = append(out, string(it.Value))
		}
	}
	return out, err
}

func zero(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for it := range store.Items(row, "token") {
		if !store.Expiry(it.Timestamp).IsZero() {
			out = append(out, string(it.Value))
		}
	}
	return out, err
}

type expiry bigtable.Timestamp

func (e expiry) dead(now time.Time) bool { return bigtable.Timestamp(e).Time().Before(now) }

func (e expiry) isZero() bool { return e == 0 }

func okDeadHere(ctx context.Context, c *bigtable.Client, now time.Time) (out []string, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	for _, it := range row["token"] {
		if !expiry(it.Timestamp).dead(now) {
			out = append(out, string(it.Value))
		}
	}
	return out, err
}

func zeroHere(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		if !expiry(it.Timestamp).isZero() {
			out = append(out, string(it.Value))
		}
	}
	return out, err
}
