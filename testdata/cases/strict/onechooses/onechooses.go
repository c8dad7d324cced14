// Package onechooses has one flag, the result of one call, that chooses both
// the table and the filter: each goes with its own, with -strict, too.
package onechooses

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type stream struct{ retention time.Duration }

func (s stream) expires() bool { return s.retention != 0 }

type resolver interface{ Expires(name string) bool }

type store struct{ log, expiring *bigtable.Table }

func open(c *bigtable.Client) *store {
	return &store{log: c.Open("accounts"), expiring: c.Open("sessions")}
}

func (s *store) table(expires bool) *bigtable.Table {
	if expires {
		return s.expiring
	}
	return s.log
}

func filter(expires bool) bigtable.Filter {
	if expires {
		return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return bigtable.FamilyFilter("token")
}

func (s *store) OkCall(ctx context.Context, of stream, key string) (bigtable.Row, error) {
	expires := of.expires()
	return s.table(expires).ReadRow(ctx, key, bigtable.RowFilter(filter(expires)))
}

func (s *store) OkAsked(ctx context.Context, r resolver, key string) (bigtable.Row, error) {
	expires := r.Expires(key)
	return s.table(expires).ReadRow(ctx, key, bigtable.RowFilter(filter(expires)))
}

func (s *store) OkTwice(ctx context.Context, of stream, key string) (bigtable.Row, error) {
	return s.table(of.expires()).ReadRow(ctx, key, bigtable.RowFilter(filter(of.expires())))
}

func (s *store) OkInline(ctx context.Context, r resolver, key string) (bigtable.Row, error) {
	expires := r.Expires(key)
	tbl, f := s.log, bigtable.FamilyFilter("token")
	if expires {
		tbl = s.expiring
	}
	if expires {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

// The other way round it is wrong.
func (s *store) Crossed(ctx context.Context, r resolver, key string) (bigtable.Row, error) {
	expires := r.Expires(key)
	return s.table(expires).ReadRow(ctx, key, bigtable.RowFilter(filter(!expires))) // want `missing-filter: .*"token" .* in some cases `
}

func (s *store) Always(ctx context.Context, r resolver, key string) (bigtable.Row, error) {
	return s.table(r.Expires(key)).ReadRow(ctx, key, bigtable.RowFilter(filter(false))) // want `missing-filter: .*"token" .* in some cases `
}
