// Package display writes the little texts that operators see beside a row.
// The collector keeps them in its state, the ledger with the stock.
package display

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Family is the family of texts, in whatever table.
const Family = "d"

// Text makes the mutation of a text.
func Text(text string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(Family, "text", bigtable.Now(), []byte(text))
	return m
}

// TextFor makes the mutation of a text that is to go away.
func TextFor(text string, ttl time.Duration) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set(Family, "text", btstore.Expiry(ttl), []byte(text)) // ok ttlwrite/write-time
	return m
}

// Of reads the text of a row.
func Of(row bigtable.Row) string { return string(btstore.Value(row, Family, "text")) }
