// Package report answers the back office's questions in SQL.
package report

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

const tokensByDepot = "SELECT _key, token['jwt'] AS jwt FROM sessions WHERE STARTS_WITH(_key, @depot)" // want ttlread/sql[tokens]

const liveTokens = "SELECT _key, token FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE STARTS_WITH(_key, @depot)"

const models = "SELECT _key, device['model'] AS model FROM sessions WHERE STARTS_WITH(_key, @depot)"

// Reporter runs statements.
type Reporter struct {
	c *bigtable.Client
}

// New returns a Reporter.
func New(c *bigtable.Client) *Reporter { return &Reporter{c: c} }

func (r *Reporter) run(ctx context.Context, ps *bigtable.PreparedStatement, args map[string]any, f func(bigtable.ResultRow) bool) error {
	bs, err := ps.Bind(args)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return bs.Execute(ctx, f)
}

var depotParam = map[string]bigtable.SQLType{"depot": bigtable.StringSQLType{}}

// Tokens counts the tokens of a depot.
func (r *Reporter) Tokens(ctx context.Context, depot string) (n int, err error) {
	ps, err := r.c.PrepareStatement(ctx, tokensByDepot, depotParam) // want ttlread/sql[tokens]
	if err != nil {
		return 0, err
	}
	return n, r.run(ctx, ps, map[string]any{"depot": depot}, func(bigtable.ResultRow) bool { n++; return true })
}

// LiveTokens counts the live tokens of a depot.
func (r *Reporter) LiveTokens(ctx context.Context, depot string) (n int, err error) {
	ps, err := r.c.PrepareStatement(ctx, liveTokens, depotParam) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return n, r.run(ctx, ps, map[string]any{"depot": depot}, func(bigtable.ResultRow) bool { n++; return true })
}

// Models counts the phones of a depot.
func (r *Reporter) Models(ctx context.Context, depot string) (n int, err error) {
	ps, err := r.c.PrepareStatement(ctx, models, depotParam) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return n, r.run(ctx, ps, map[string]any{"depot": depot}, func(bigtable.ResultRow) bool { n++; return true })
}

// Prices lists what a relation costs.
func (r *Reporter) Prices(ctx context.Context) (n int, err error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, price FROM rates", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	return n, r.run(ctx, ps, nil, func(bigtable.ResultRow) bool { n++; return true })
}
