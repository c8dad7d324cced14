// Package report has the queries of the dashboards. SQL, since 2024 (ana); the scans below are older.
package report

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Queries by name. Kept together, so that the analysts can read them.
const (
	qTokens = `SELECT _key, tok['jwt'] AS jwt FROM sessions WHERE STARTS_WITH(_key, @prefix)` // want ttlread/sql[q1]

	qLiveTokens = `
SELECT _key, tok['jwt'] AS jwt
FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())
WHERE STARTS_WITH(_key, @prefix)` // ok ttlread/sql

	qUsers = `SELECT _key, prof['user'] AS user FROM sessions WHERE prof['user'] = @user` // ok ttlread/sql

	qIDs = `SELECT _key, idmap['ttd'] AS ttd FROM visitors WHERE idmap['ttd'] IS NOT NULL` // want ttlread/sql[q2]

	qLiveIDs = `
SELECT _key, idmap['ttd']
FROM visitors(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 720 HOUR))
WHERE STARTS_WITH(_key, @prefix)` // ok ttlread/sql

	qSpend = `SELECT _key, led['spend'] AS spend FROM budgets WHERE _key = @campaign` // ok ttlread/sql

	qSpendHist = `SELECT _key, led['spend'] AS spend FROM budgets(with_history => TRUE) WHERE _key = @campaign` // want ttlread/sql[q3]

	qSpendLast3 = `SELECT _key, led['spend'] AS spend FROM budgets(with_history => TRUE, latest_n => 3) WHERE _key = @campaign` // ok ttlread/sql

	qScratch = `SELECT _key, tok['jwt'] AS jwt FROM scratch WHERE _key = @key` // ok ttlread/sql

	qCard = `SELECT _key, card['email'] AS email FROM contacts WHERE _key = @id` // ok ttlread/sql
)

// Runner runs statements.
type Runner struct {
	c     *bigtable.Client
	limit int
}

// NewRunner makes a runner.
func NewRunner(c *bigtable.Client) *Runner { return &Runner{c: c, limit: 10000} }

func (r *Runner) run(ctx context.Context, ps *bigtable.PreparedStatement, args map[string]any, f func(bigtable.ResultRow) error) error {
	bs, err := ps.Bind(args)
	if err != nil {
		return fmt.Errorf("report: bind: %w", err)
	}
	var inner error
	n := 0
	err = bs.Execute(ctx, func(row bigtable.ResultRow) bool {
		if n++; n > r.limit {
			log.Printf("report: stopped after %d rows", r.limit)
			return false
		}
		inner = f(row)
		return inner == nil
	})
	if err == nil {
		err = inner
	}
	return err
}

func str(row *bigtable.ResultRow, i int) string {
	var b []byte
	if err := row.GetByIndex(i, &b); err != nil {
		return ""
	}
	return string(b)
}

// Tokens lists tokens for the fraud people.
func (r *Runner) Tokens(ctx context.Context, prefix string, live bool) ([]string, error) {
	var ps *bigtable.PreparedStatement
	var err error
	types := map[string]bigtable.SQLType{"prefix": bigtable.BytesSQLType{}}
	if live {
		ps, err = r.c.PrepareStatement(ctx, qLiveTokens, types) // ok ttlread/sql
	} else {
		ps, err = r.c.PrepareStatement(ctx, qTokens, types) // want ttlread/sql[q1]
	}
	if err != nil {
		return nil, err
	}
	var out []string
	err = r.run(ctx, ps, map[string]any{"prefix": []byte(prefix)}, func(row bigtable.ResultRow) error {
		out = append(out, str(&row, 0)+" "+str(&row, 1))
		return nil
	})
	return out, err
}

// MatchRate counts visitors with an id.
func (r *Runner) MatchRate(ctx context.Context, prefix string) (all, live int, err error) {
	ps, err := r.c.PrepareStatement(ctx, qIDs, nil) // want ttlread/sql[q2]
	if err != nil {
		return 0, 0, err
	}
	if err = r.run(ctx, ps, nil, func(bigtable.ResultRow) error { all++; return nil }); err != nil {
		return 0, 0, err
	}
	ps, err = r.c.PrepareStatement(ctx, qLiveIDs, map[string]bigtable.SQLType{"prefix": bigtable.BytesSQLType{}}) // ok ttlread/sql
	if err != nil {
		return 0, 0, err
	}
	err = r.run(ctx, ps, map[string]any{"prefix": []byte(prefix)}, func(bigtable.ResultRow) error { live++; return nil })
	return all, live, err
}

// Spend reads a campaign's ledger. v2 shows what came before.
func (r *Runner) Spend(ctx context.Context, campaign string, v int) ([]string, error) {
	types := map[string]bigtable.SQLType{"campaign": bigtable.BytesSQLType{}}
	var ps *bigtable.PreparedStatement
	var err error
	switch v {
	case 1:
		ps, err = r.c.PrepareStatement(ctx, qSpend, types) // ok ttlread/sql
	case 2:
		ps, err = r.c.PrepareStatement(ctx, qSpendHist, types) // want ttlread/sql[q3]
	default:
		ps, err = r.c.PrepareStatement(ctx, qSpendLast3, types) // ok ttlread/sql
	}
	if err != nil {
		return nil, err
	}
	var out []string
	err = r.run(ctx, ps, map[string]any{"campaign": []byte(campaign)}, func(row bigtable.ResultRow) error {
		out = append(out, str(&row, 1))
		return nil
	})
	return out, err
}

// Lookup runs one of the single-row queries.
func (r *Runner) Lookup(ctx context.Context, what, key string) (string, error) {
	var q, param string
	switch what {
	case "user":
		q, param = qUsers, "user"
	case "scratch":
		q, param = qScratch, "key"
	case "card":
		q, param = qCard, "id"
	default:
		return "", fmt.Errorf("report: lookup %q", what)
	}
	ps, err := r.c.PrepareStatement(ctx, q, map[string]bigtable.SQLType{param: bigtable.BytesSQLType{}}) // ok ttlread/sql
	if err != nil {
		return "", err
	}
	var out []string
	err = r.run(ctx, ps, map[string]any{param: []byte(key)}, func(row bigtable.ResultRow) error {
		out = append(out, str(&row, 1))
		return nil
	})
	return strings.Join(out, ","), err
}

// Scores reads leads' scores "as of now".
func (r *Runner) Scores(ctx context.Context) (map[string]string, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, score['v'] FROM leads(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = r.run(ctx, ps, nil, func(row bigtable.ResultRow) error {
		out[str(&row, 0)] = str(&row, 1)
		return nil
	})
	return out, err
}

// Bids is a join of three things, by hand.
func (r *Runner) Bids(ctx context.Context, slot string) (string, error) {
	q := "SELECT bid['price'], bid['campaign'] FROM bidcache " + // want ttlread/sql[bids]
		"WHERE STARTS_WITH(_key, @slot)" // want ttlread/sql[bids]
	ps, err := r.c.PrepareStatement(ctx, q, map[string]bigtable.SQLType{"slot": bigtable.BytesSQLType{}}) // want ttlread/sql[bids]
	if err != nil {
		return "", err
	}
	var out []string
	err = r.run(ctx, ps, map[string]any{"slot": []byte(slot)}, func(row bigtable.ResultRow) error {
		out = append(out, str(&row, 1))
		return nil
	})
	return strings.Join(out, ","), err
}

// Window of a report.
type Window struct{ From, To time.Time }

// Yesterday in UTC.
func Yesterday(now time.Time) Window {
	y, m, d := now.UTC().Date()
	to := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return Window{to.AddDate(0, 0, -1), to}
}
