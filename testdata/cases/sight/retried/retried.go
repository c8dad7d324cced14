// Package retried uses rows that another package reads, when that succeeds.
package retried

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/retried/kit"
)

type token struct{ CreatedAt, ExpiresAt time.Time }

func live() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
}

func show(ctx context.Context, tbl *bigtable.Table, key string) (t token, err error) {
	row, err := kit.Get(ctx, tbl, key, live())
	if err != nil {
		return t, err
	}
	for _, it := range row["token"] {
		t.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
		t.ExpiresAt = it.Timestamp.Time()
	}
	if it, ok := kit.Cell(row, "token", "jwt"); ok {
		t.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	}
	return t, nil
}

func once(ctx context.Context, c *bigtable.Client, key string) (t token, err error) {
	row, err := kit.GetOnce(ctx, c.Open("sessions"), key, live())
	if err != nil {
		return t, err
	}
	for _, it := range row["token"] {
		t.CreatedAt = it.Timestamp.Time() // want `not-write-time: .*"token"`
	}
	return t, nil
}

func shown(ctx context.Context, c *bigtable.Client) (token, error) {
	return show(ctx, c.Open("sessions"), "k")
}

// next numbers entries behind the last.
func next(ctx context.Context, c *bigtable.Client, key string) error {
	tbl := c.Open("cash-ledger")
	row, err := kit.Get(ctx, tbl, key, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	last := bigtable.Timestamp(0)
	for _, it := range row["entry"] {
		last = max(last, it.Timestamp)
	}
	m := bigtable.NewMutation()
	m.Set("entry", "reason", last+1000, []byte("a"))
	m.Set("entry", "reason", last+1000, []byte("b")) // want `same-timestamp: .*"entry"`
	return tbl.Apply(ctx, key, m)
}

// OkStamp leaves it to its callers which of two times it is.
func OkStamp(mut *bigtable.Mutation, now bool) {
	mut.Set("token", "c", kit.Stamp(now), nil)
}

func stamps(mut *bigtable.Mutation) {
	OkStamp(mut, true) // want `write-time: .*"token"`
	OkStamp(mut, false)
}
