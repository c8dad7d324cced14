// Package unknownstart reads up to now from a start that is not known exactly.
package unknownstart

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Conf says how long things are kept.
type Conf struct{ Retention time.Duration }

// Reader reads.
type Reader struct {
	clicks, tickets *bigtable.Table
	conf            Conf
}

// New makes a Reader.
func New(c *bigtable.Client, conf Conf) *Reader {
	return &Reader{c.Open("clicks"), c.Open("tickets"), conf}
}

// Window hides what lives longer than usual, whatever the retention is.
func (r *Reader) Window(ctx context.Context) (bigtable.Row, error) {
	now := time.Now()
	return r.clicks.ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(now.Add(-r.conf.Retention), now)))) // want `upper-bound: .*"event" of table "clicks"`
}

// Dead returns what has expired.
func (r *Reader) Dead(ctx context.Context) (bigtable.Row, error) {
	now := time.Now()
	return r.tickets.ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.ChainFilters(bigtable.FamilyFilter("ticket"), bigtable.TimestampRangeFilter(now.Add(-r.conf.Retention), now)))) // want `expired-only: .*"ticket" of table "tickets"`
}

// Live may be right.
func (r *Reader) Live(ctx context.Context) (bigtable.Row, error) {
	return r.clicks.ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.TimestampRangeFilter(time.Now().Add(-r.conf.Retention), time.Time{})))
}

// Between is any time.
func (r *Reader) Between(ctx context.Context) (bigtable.Row, error) {
	now := time.Now()
	return r.clicks.ReadRow(ctx, "k", bigtable.RowFilter(
		bigtable.TimestampRangeFilter(now.Add(-r.conf.Retention), now.Add(r.conf.Retention))))
}
