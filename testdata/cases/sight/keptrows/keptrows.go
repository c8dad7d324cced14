// Package keptrows gives rows to named results by local closures.
package keptrows

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func each(ctx context.Context, t *bigtable.Table, keys []string, keep func(bigtable.Row, error)) {
	for _, k := range keys {
		keep(t.ReadRow(ctx, k))
	}
}

// All returns them.
func All(ctx context.Context, c *bigtable.Client, keys []string) (rows []bigtable.Row, err error) {
	keep := func(r bigtable.Row, e error) { rows, err = append(rows, r), e }
	for _, k := range keys {
		keep(c.Open("sessions").ReadRow(ctx, k)) // want `missing-filter: .*"token"`
	}
	return rows, err
}

// Last returns one.
func Last(ctx context.Context, c *bigtable.Client, keys []string) (row bigtable.Row, err error) {
	keep := func(r bigtable.Row, e error) { row, err = r, e }
	for _, k := range keys {
		keep(c.Open("sessions").ReadRow(ctx, k)) // want `missing-filter: .*"token"`
	}
	return
}

// OkLive returns those that live.
func OkLive(ctx context.Context, c *bigtable.Client, keys []string) (rows []bigtable.Row, err error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	keep := func(r bigtable.Row, e error) { rows, err = append(rows, r), e }
	for _, k := range keys {
		keep(c.Open("sessions").ReadRow(ctx, k, bigtable.RowFilter(f)))
	}
	return rows, err
}

// okChecked returns values that live.
func okChecked(ctx context.Context, c *bigtable.Client, keys []string) (values []string, err error) {
	now := bigtable.Time(time.Now())
	keep := func(r bigtable.Row, e error) {
		for _, it := range r["token"] {
			if it.Timestamp > now {
				values = append(values, string(it.Value))
			}
		}
		err = e
	}
	for _, k := range keys {
		keep(c.Open("sessions").ReadRow(ctx, k))
	}
	return values, err
}

// okProfiles uses another family.
func okProfiles(ctx context.Context, c *bigtable.Client, keys []string) (n int, err error) {
	var rows []bigtable.Row
	keep := func(r bigtable.Row, e error) { rows, err = append(rows, r), e }
	for _, k := range keys {
		keep(c.Open("sessions").ReadRow(ctx, k))
	}
	for _, r := range rows {
		n += len(r["profile"])
	}
	return n, err
}
