// Package sprint makes texts of values.
package sprint

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Info is of an event.
type Info struct{ ModifiedAt, ExpiresAt string }

// Infos says when it was written, and should not.
func Infos(ctx context.Context, c *bigtable.Client) (in Info, err error) {
	row, err := c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))))
	for _, it := range row["event"] {
		in.ModifiedAt = fmt.Sprint(it.Timestamp.Time().Format(time.DateTime)) // want `not-write-time: .*"event"`
		in.ExpiresAt = fmt.Sprint(it.Timestamp.Time())
	}
	return in, err
}

// Named writes to a table whose name is made.
func Named(ctx context.Context, c *bigtable.Client, tenant string) error {
	m := bigtable.NewMutation()
	m.Set("entry", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"entry" of table "\*-ledger"`
	return c.Open(fmt.Sprint(tenant, "-ledger")).Apply(ctx, "k", m)
}

// Spaced writes to families that are called otherwise: there is a space between numbers.
func Spaced(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set(fmt.Sprint("token", 1, 2), "n", bigtable.Now(), nil)
	return c.Open("sessions").Apply(ctx, "k", m)
}
