// Package numbers counts on from the numbers of cells.
package numbers

import (
	"context"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_helpers/schema"
)

func okNext(mut *bigtable.Mutation, row bigtable.Row) error {
	var n int64
	for _, item := range row["amount"] {
		n = schema.Amount.Number(item)
		break
	}
	return schema.Amount.Set(mut, "eur", nil, n+1)
}

func okNextAtOnce(mut *bigtable.Mutation, row bigtable.Row) error {
	return schema.Amount.Set(mut, "eur", nil, schema.Amount.Number(row["amount"][0])+1)
}

func okNextPlain(mut *bigtable.Mutation, row bigtable.Row) {
	mut.Set("amount", "eur", ttl.SequenceNumber(schema.Amount.Number(row["amount"][0])+1), nil)
	mut.Set("amount", "usd", bigtable.Timestamp((schema.Amount.Number(row["amount"][0])+1)*1000), nil)
	mut.Set("amount", "gbp", row["amount"][0].Timestamp+1000, nil)
}

func nextUnscaled(mut *bigtable.Mutation, row bigtable.Row) {
	mut.Set("amount", "eur", bigtable.Timestamp(schema.Amount.Number(row["amount"][0])+1), nil) // want `unscaled-sequence: .*"amount"`
}

func okReadNext(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("books")
	row, err := tbl.ReadRow(ctx, "k", schema.Books.LiveAnd(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	next := int64(1)
	if cells := row["amount"]; len(cells) > 0 {
		next = schema.Amount.Number(cells[0]) + 1
	}
	if err := schema.Amount.Set(mut, "eur", nil, next); err != nil {
		return err
	}
	return tbl.Apply(ctx, "k", mut)
}

var last atomic.Int64

func okAtomic(mut *bigtable.Mutation) error {
	return schema.Amount.Set(mut, "eur", nil, last.Add(1))
}

type counter struct{ n int64 }

func (c *counter) okField(mut *bigtable.Mutation) error {
	c.n++
	return schema.Amount.Set(mut, "eur", nil, c.n)
}

func okFromTime(mut *bigtable.Mutation, at time.Time) error {
	return schema.Person.SetAt(mut, "name", nil, at)
}

func okExpiryKept(mut *bigtable.Mutation, row bigtable.Row) error {
	return schema.Grant.SetUntil(mut, "copy", nil, schema.Grant.Expiry(row["grant"][0]))
}
