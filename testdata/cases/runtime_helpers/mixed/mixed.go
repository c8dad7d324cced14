// Package mixed is half way from plain calls to helpers: the findings are those
// of plain code.
package mixed

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"

	"example.com/cases/runtime_helpers/schema"
)

func plainBesideHelper(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	if err := schema.Grant.Set(mut, "a", nil); err != nil {
		return err
	}
	mut.Set("grant", "b", bigtable.Now(), nil) // want `write-time: .*"grant"`
	mut.Set("visit", "b", bigtable.ServerTime, nil)
	mut.Set("amount", "b", 7, nil) // want `unscaled-sequence: .*"amount"`
	return tbl.Apply(ctx, "k", mut)
}

func helperThenPlain(mut *bigtable.Mutation, n int64) error {
	if err := schema.Amount.Set(mut, "eur", nil, n); err != nil {
		return err
	}
	mut.Set("amount", "eur", ttl.SequenceNumber(n), nil) // want `same-timestamp: .*"amount"`
	return nil
}

func plainThenHelper(mut *bigtable.Mutation) error {
	mut.Set("amount", "eur", bigtable.Timestamp(7000), nil)
	return schema.Amount.Set(mut, "eur", nil, 7) // want `same-timestamp: .*"amount"`
}

func zeroTwice(mut *bigtable.Mutation) error {
	mut.Set("pref", "lang", 0, nil)
	return schema.Pref.Set(mut, "lang", nil) // want `same-timestamp: .*"pref"`
}

func expiryIn(d time.Duration) bigtable.Timestamp {
	if d == 0 {
		return bigtable.Now()
	}
	return ttl.ExpiresIn(d)
}

func byOwnHelper(mut *bigtable.Mutation) {
	mut.Set("grant", "a", expiryIn(0), nil) // want `write-time: .*"grant"`
	mut.Set("grant", "b", expiryIn(time.Hour), nil)
}

func liveOr(filter bigtable.Filter) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(schema.Logins.LiveFilter(), filter))
}

func okOwnLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", liveOr(bigtable.LatestNFilter(1)))
}

func plainRead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("logins").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.ColumnFilter("a"))) // want `missing-filter: .*"grant"`
}

func limited(tbl *bigtable.Table, ctx context.Context, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return tbl.ReadRow(ctx, "k", append(opts, bigtable.LimitRows(1))...)
}

func okThroughOptions(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return limited(c.Open("logins"), ctx, schema.Logins.Live())
}

func missingThroughOptions(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return limited(c.Open("logins"), ctx) // want `missing-filter: .*"grant"`
}

func confWithMore(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := schema.Logins.Conf()
	conf.ColumnFamilies["audit"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(1)}
	return ac.CreateTableFromConf(ctx, conf)
}
