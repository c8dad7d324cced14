// Package lib reads with what options put into a configuration inside of the
// object, or what a goroutine is handed on.
package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type config struct {
	filter bigtable.Filter
	limit  int64
}

// Reader reads.
type Reader struct {
	tbl *bigtable.Table
	cfg config
}

// Option configures a Reader.
type Option func(*config)

// WithFilter sets the filter.
func WithFilter(f bigtable.Filter) Option { return func(c *config) { c.filter = f } }

// WithLimit sets the number of rows.
func WithLimit(n int64) Option { return func(c *config) { c.limit = n } }

// New returns a Reader of profiles, unless an option says otherwise.
func New(c *bigtable.Client, opts ...Option) *Reader {
	r := &Reader{tbl: c.Open("sessions"), cfg: config{filter: bigtable.FamilyFilter("profile"), limit: 1}}
	for _, o := range opts {
		o(&r.cfg)
	}
	return r
}

func defaults() config { return config{filter: bigtable.FamilyFilter("profile")} }

// NewFrom is New with defaults from elsewhere.
func NewFrom(c *bigtable.Client, opts ...Option) *Reader {
	r := &Reader{tbl: c.Open("sessions"), cfg: defaults()}
	for _, o := range opts {
		o(&r.cfg)
	}
	return r
}

// Read reads.
func (r *Reader) Read(ctx context.Context, key string) (bigtable.Row, error) {
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(r.cfg.filter))
}

func variants(c *bigtable.Client) []*Reader {
	return []*Reader{
		New(c),
		New(c, WithLimit(3)),
		New(c, WithFilter(bigtable.FamilyFilter("token"))), // want "read of one-second-expiration family .token. of table .sessions."
		New(c, WithFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))),
		NewFrom(c, WithLimit(2)),
		NewFrom(c, WithLimit(2), WithFilter(bigtable.FamilyFilter("token"))), // want "read of one-second-expiration family .token. of table .sessions."
	}
}

// Stream sends rows.
func Stream(ctx context.Context, t *bigtable.Table, ro ...bigtable.ReadOption) <-chan bigtable.Row {
	rows := make(chan bigtable.Row)
	go func() {
		defer close(rows)
		t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
			rows <- r
			return true
		}, ro...)
	}()
	return rows
}

func streams(ctx context.Context, c *bigtable.Client) {
	bad := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-7*24*time.Hour), time.Time{})))
	good := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{})))
	for r := range Stream(ctx, c.Open("clicks"), bad) { // want "starts its range later than 30d ago"
		println(len(r["event"]))
	}
	for r := range Stream(ctx, c.Open("clicks"), bigtable.LimitRows(4), good) {
		println(len(r["event"]))
	}
}

// Patched sets an element of what it is given: what is read, nobody knows.
func Patched(ctx context.Context, t *bigtable.Table, ro ...bigtable.ReadOption) {
	func() {
		ro[0] = bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}()
	t.ReadRow(ctx, "k", ro...)
}

func patches(ctx context.Context, c *bigtable.Client) {
	Patched(ctx, c.Open("tickets"), bigtable.RowFilter(bigtable.FamilyFilter("ticket")))
}
