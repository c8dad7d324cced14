// Package stamps makes timestamps in functions that return no error, and
// imports package ttl.
package stamps

import (
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/adopt/schema"
)

var _ = ttl.ExpiresIn

func expiring(mut *bigtable.Mutation, life time.Duration, deadline time.Time, now func() time.Time) {
	mut.Set(schema.Grant.Name(), "usual", bigtable.Time(time.Now().Add(30*time.Minute)), nil)
	mut.Set("ad-grant", "given", bigtable.Time(time.Now().Add(life)), nil)
	mut.Set("ad-grant", "until", bigtable.Time(deadline), nil)
	mut.Set("ad-grant", "clock", bigtable.Time(now().Add(life)), nil) // the program's clock stays
	mut.Set("ad-grant", "ms", bigtable.Time(deadline.Truncate(time.Second)), nil)
}

func numbered(mut *bigtable.Mutation, n int, m uint64) {
	mut.Set("ad-amount", "eur", bigtable.Timestamp(n*1000), nil)
	mut.Set("ad-amount", "usd", 1000*bigtable.Timestamp(n), nil)
	mut.Set("ad-amount", "gbp", bigtable.Timestamp(m*1000), nil) // does not fit
}
