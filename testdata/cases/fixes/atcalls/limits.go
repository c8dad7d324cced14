package atcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/fixes/atcalls/kit"
)

func newest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(kit.NewestWithin("event", time.Hour))) // want `wrong-bound: .*"event"`
}

// The clock is the object's where the call is given none.
type byMethod struct {
	tbl *bigtable.Table
	now func() time.Time
}

func newByMethod(c *bigtable.Client, now func() time.Time) *byMethod {
	return &byMethod{c.Open("sessions"), now}
}

func (s *byMethod) within(d time.Duration) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(s.now().Add(-d), time.Time{}))
}

func (s *byMethod) read(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(s.within(time.Hour))) // want `wrong-bound: .*"token"`
}
