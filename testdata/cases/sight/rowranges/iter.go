// Package rowranges ranges over cells by functions.
package rowranges

import (
	"context"
	"iter"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowranges/each"
)

func cells(row bigtable.Row, family string) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if !yield(it) {
				return
			}
		}
	}
}

func columns(row bigtable.Row, family string) iter.Seq2[string, *bigtable.ReadItem] {
	return func(yield func(string, *bigtable.ReadItem) bool) {
		items := row[family]
		for i := range items {
			if !yield(items[i].Column, &items[i]) {
				return
			}
		}
	}
}

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token|profile"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func ages(ctx context.Context, c *bigtable.Client) (d time.Duration) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", live())
	for it := range cells(row, "token") {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	for _, it := range columns(row, "token") {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	for _, it := range slices.Backward(row["token"]) {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	for it := range each.Cell(row, "token") {
		d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
	}
	for column, it := range each.Column(row, "token") {
		if column == "jwt" {
			d += time.Since(it.Timestamp.Time()) // want `not-write-time: .*"token"`
		}
	}
	return d
}

func okOrdinary(ctx context.Context, c *bigtable.Client) (d time.Duration) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", live())
	for it := range cells(row, "profile") {
		d += time.Since(it.Timestamp.Time())
	}
	for _, it := range each.Column(row, "profile") {
		d += time.Since(it.Timestamp.Time())
	}
	return d
}

func okChecked(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
	for it := range checked(row, "token") {
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	}
	return n
}

func checked(row bigtable.Row, family string) iter.Seq[bigtable.ReadItem] {
	return func(yield func(bigtable.ReadItem) bool) {
		for _, it := range row[family] {
			if !yield(it) {
				return
			}
		}
	}
}

func okCheckedElsewhere(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
	for _, it := range each.Column(row, "token") {
		if it.Timestamp < bigtable.Now() {
			continue
		}
		n++
	}
	return n
}

func okCheckedValues(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token")))
	for it := range slices.Values(row["token"]) {
		if it.Timestamp.Time().After(time.Now()) {
			n++
		}
	}
	return n
}

func unchecked(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.FamilyFilter("token"))) // want `missing-filter: .*"token"`
	for it := range each.Cell(row, "token") {
		n += len(it.Value)
	}
	return n
}
