// Package atcalls gives filters and options to what reads with them.
package atcalls

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/fixes/atcalls/kit"
)

type store struct {
	tokens, codes, clicks, ledger *kit.Table
	client                        *bigtable.Client
	now                           func() time.Time
	clock                         kit.Clock
}

func open(c *bigtable.Client) *store {
	return &store{
		tokens: kit.Open(c, "sessions"), codes: kit.Open(c, "otp"), clicks: kit.Open(c, "clicks"), ledger: kit.Open(c, "bank-ledger"),
		client: c, now: time.Now, clock: kit.System{},
	}
}

func (s *store) option(ctx context.Context) (bigtable.Row, error) {
	return s.codes.Get(ctx, "k") // want `missing-filter: .*"code"`
}

func (s *store) another(ctx context.Context) (bigtable.Row, error) {
	return s.codes.Get(ctx, "k", bigtable.LimitRows(1)) // want `missing-filter: .*"code"`
}

func (s *store) filter(ctx context.Context) (bigtable.Row, error) {
	return s.codes.Get(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"code"`
}

func (s *store) bare(ctx context.Context) (bigtable.Row, error) {
	return s.tokens.Filtered(ctx, "k", kit.In("token", bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
}

func (s *store) local(ctx context.Context) (bigtable.Row, error) {
	f := kit.In("token", bigtable.ColumnFilter("jwt"))
	return s.tokens.Filtered(ctx, "k", f) // want `missing-filter: .*"token"`
}

func (s *store) versions(ctx context.Context) (bigtable.Row, error) {
	return s.ledger.Filtered(ctx, "k", bigtable.FamilyFilter("entry")) // want `version-limit: .*"entry"`
}

// What the helper does with its own filter, or with the argument beside, is not the call's.
func (s *store) overruled(ctx context.Context) (bigtable.Row, error) {
	return kit.Newest(ctx, s.client.Open("otp"), "k") // want `missing-filter: .*"code"`
}

func (s *store) both(ctx context.Context) (bigtable.Row, bigtable.Row, error) {
	return kit.Both(ctx, s.client, "k", bigtable.LatestNFilter(1)) // want `missing-filter: .*"code"`
}

func (s *store) options(ctx context.Context, opts []bigtable.ReadOption) (bigtable.Row, error) {
	opts = []bigtable.ReadOption{bigtable.LimitRows(1)}
	return s.codes.Get(ctx, "k", opts...) // want `missing-filter: .*"code"`
}

// A lifetime that a helper is given may be used for more than the range: that is written
// with the calls of the client, by the same clock.
func (s *store) lifetime(ctx context.Context) (bigtable.Row, error) {
	return s.clicks.Filtered(ctx, "k", kit.Within("event", 24*time.Hour)) // want `wrong-bound: .*"event"`
}

func (s *store) since(ctx context.Context) (bigtable.Row, error) {
	return s.clicks.Filtered(ctx, "k", kit.Since(s.now(), time.Hour)) // want `wrong-bound: .*"event"`
}

func (s *store) twice(ctx context.Context) (bigtable.Row, error) {
	return s.clicks.Filtered(ctx, "k", kit.Since(time.Now().Add(-time.Hour), time.Hour)) // want `wrong-bound: .*"event"`
}

// A helper for another strategy gives way to the client's calls.
func (s *store) another1(ctx context.Context) (bigtable.Row, error) {
	return s.tokens.Filtered(ctx, "k", kit.Within("token", 30*time.Minute)) // want `wrong-bound: .*"token"`
}

func (s *store) another2(ctx context.Context) (bigtable.Row, error) {
	return s.tokens.Filtered(ctx, "k", kit.In("token", kit.Since(s.clock.Now(), time.Minute))) // want `wrong-bound: .*"token"`
}

func (s *store) another3(ctx context.Context) (bigtable.Row, error) {
	return s.clicks.Filtered(ctx, "k", kit.Live(s.now())) // want `wrong-bound: .*"event"`
}

func (s *store) another4(ctx context.Context) (bigtable.Row, error) {
	return s.clicks.Filtered(ctx, "k", kit.LiveBy(s.clock)) // want `wrong-bound: .*"event"`
}

func (s *store) another5(ctx context.Context) (bigtable.Row, error) {
	return s.ledger.Filtered(ctx, "k", kit.In("entry", kit.Live(s.now()), bigtable.ColumnFilter("n"))) // want `wrong-bound: .*"entry"`
}
