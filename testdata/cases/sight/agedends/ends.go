// Package agedends ends ranges at ages of which not all is known.
package agedends

import (
	"context"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct {
	sessions, clicks *bigtable.Table
	age              time.Duration
}

func newStore(c *bigtable.Client) *store {
	d, _ := time.ParseDuration(os.Getenv("AGE"))
	return &store{c.Open("sessions"), c.Open("clicks"), d}
}

func use(rows []bigtable.Row) (n int) {
	for _, r := range rows {
		n += len(r["token"]) + len(r["event"])
	}
	return n
}

// Whatever the age is, the range begins with what has expired: that is certain. That
// it holds nothing else is not, since the age may be negative.
func (s *store) unknown(ctx context.Context, key string, age time.Duration) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-age))))) // want `missing-filter: .*"token"`
}

func (s *store) known(ctx context.Context, key string) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-time.Hour))))) // want `expired-only: .*"token"`
}

func (s *store) ahead(ctx context.Context, key string, age time.Duration) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(age))))) // want `missing-filter: .*"token"`
}

func (s *store) okDefault(ctx context.Context, key string) (bigtable.Row, error) {
	n, _ := strconv.Atoi(os.Getenv("DAYS"))
	return s.clicks.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Duration(n)*24*time.Hour), time.Time{})))
}

func (s *store) since(ctx context.Context, key string, age time.Duration) (bigtable.Row, error) {
	return s.sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now().Add(-age), time.Time{}))))
}
