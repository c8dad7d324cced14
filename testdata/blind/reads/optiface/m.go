package optiface

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type settings struct{ expired bool }

type option interface{ apply(*settings) }

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

func withExpired() option { return optionFunc(func(s *settings) { s.expired = true }) }

func resolve(opts ...option) bigtable.Filter {
	var s settings
	for _, o := range opts {
		o.apply(&s)
	}
	if s.expired {
		return bigtable.LatestNFilter(1)
	}
	return bigtable.TimestampRangeFilter(time.Now(), time.Time{})
}

type L struct{ t *bigtable.Table }

func New(c *bigtable.Client) *L { return &L{c.Open("rate_limits")} }

func (l *L) read(ctx context.Context, k string, opts ...option) int {
	row, _ := l.t.ReadRow(ctx, k, bigtable.RowFilter(resolve(opts...)))
	return len(row["win"])
}

func (l *L) Live(ctx context.Context, k string) int {
	return l.read(ctx, k) // silent
}

func (l *L) Expired(ctx context.Context, k string) int {
	return l.read(ctx, k, withExpired()) // want `missing-filter: .*"win"`
}
