// Package use supplies the options.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/libraryoptions/lib"
)

// Readers makes some.
func Readers(c *bigtable.Client) []*lib.Reader {
	return []*lib.Reader{
		lib.New(c),
		lib.New(c, lib.WithFilter(bigtable.FamilyFilter("token"))), // want "read of one-second-expiration family .token. of table .sessions."
		lib.New(c, lib.WithFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))),
		lib.NewFrom(c, lib.WithLimit(1), lib.WithFilter(bigtable.FamilyFilter("token"))), // want "read of one-second-expiration family .token. of table .sessions."
	}
}

// Days reads too few.
func Days(ctx context.Context, c *bigtable.Client) (n int) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-7*24*time.Hour), time.Time{}))
	for r := range lib.Stream(ctx, c.Open("clicks"), bigtable.RowFilter(f)) { // want "starts its range later than 30d ago"
		n += len(r["event"])
	}
	return n
}
