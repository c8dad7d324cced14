// Package stalebound reads with filters whose clock was read once.
package stalebound

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct{ sessions, clicks, ledger *bigtable.Table }

func newStore(c *bigtable.Client) *store {
	return &store{c.Open("sessions"), c.Open("clicks"), c.Open("eu-ledger")}
}

var (
	started = time.Now()
	live    = bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	option  = bigtable.RowFilter(live)
	value   = sync.OnceValue(func() bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	})
)

func use(row bigtable.Row, _ error) { fmt.Println(row) }

func (s *store) filters(ctx context.Context) {
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(live)))    // want `stale-bound: .*"token"`
	use(s.sessions.ReadRow(ctx, "k", option))                      // want `stale-bound: .*"token"`
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(value()))) // want `stale-bound: .*"token"`
}

func (s *store) bounds(ctx context.Context) {
	token := bigtable.FamilyFilter("token")
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(token, bigtable.TimestampRangeFilter(started, time.Time{}))))) // want `stale-bound: .*"token"`
	use(s.clicks.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(started.Add(-720*time.Hour), time.Time{}))))             // want `stale-bound: .*"event"`
}

// What is wrong at any time says so.
func (s *store) others(ctx context.Context) {
	use(s.clicks.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(started, time.Time{}))))                     // want `wrong-bound: .*"event"`
	use(s.clicks.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(started.Add(-721*time.Hour), time.Time{})))) // want `wrong-bound: .*"event"`
	use(s.ledger.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(started, time.Time{}))))                     // want `wrong-bound: .*"entry"`
}

func fresh() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

func (s *store) okFresh(ctx context.Context) {
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(fresh())))
}

// A second bound that is read for each read.
func (s *store) okBoth(ctx context.Context) {
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(live, bigtable.TimestampRangeFilter(time.Now(), time.Time{})))))
}

// Something may refresh it.
var refreshed = time.Now()

func refresh() { refreshed = time.Now() }

func (s *store) okRefreshed(ctx context.Context) {
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(refreshed, time.Time{})))))
}

// An object may be made for one request.
type request struct {
	s      *store
	filter bigtable.Filter
}

func newRequest(s *store) *request { return &request{s, fresh()} }

func (r *request) okField(ctx context.Context) {
	use(r.s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(r.filter)))
}

func (s *store) okOtherFamily(ctx context.Context) {
	use(s.sessions.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.TimestampRangeFilter(started, time.Time{})))))
}
