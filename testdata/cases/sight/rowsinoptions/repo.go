package rowsinoptions

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowsinoptions/opt"
	"example.com/cases/sight/rowsinoptions/tables"
)

// A Repo reads by way of a package that returns rows in results.
type Repo struct{ sessions, ledger tables.Table }

// NewRepo returns one.
func NewRepo(c *bigtable.Client) Repo {
	return Repo{tables.Open(c, "sessions"), tables.Open(c, "ledger-ledger")}
}

var newest = bigtable.RowFilter(bigtable.LatestNFilter(1))

func (r Repo) okProfile(ctx context.Context) opt.Result[int] {
	return opt.Then(r.sessions.Row(ctx, "k", newest), func(row bigtable.Row) int { return len(row["profile"]) })
}

func (r Repo) badToken(ctx context.Context) opt.Result[int] {
	return opt.Then(r.sessions.Row(ctx, "k", newest), func(row bigtable.Row) int { return len(row["token"]) }) // want `missing-filter: .*"token"`
}

var entries = bigtable.RowFilter(bigtable.FamilyFilter("entry"))

func (r Repo) okExists(ctx context.Context) opt.Result[bool] {
	return opt.Then(r.ledger.Row(ctx, "k", entries), func(row bigtable.Row) bool { return len(row) > 0 })
}

func (r Repo) badEntries(ctx context.Context) opt.Result[int] {
	return opt.Then(r.ledger.Row(ctx, "k", entries), func(row bigtable.Row) int { return len(row["entry"]) }) // want `version-limit: .*"entry"`
}
