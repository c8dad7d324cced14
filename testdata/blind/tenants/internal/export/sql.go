package export

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	sessionsByTenant = "SELECT _key, session['user'] AS user FROM `platform-auth` WHERE STARTS_WITH(_key, @prefix)" // want ttlread/sql[bytenant]

	liveSessions = "SELECT _key, session FROM `platform-auth`(with_history => TRUE, after_or_equal => @now) WHERE STARTS_WITH(_key, @prefix)" // ok ttlread/sql
)

var stringAndTime = map[string]bigtable.SQLType{
	"prefix": bigtable.StringSQLType{},
	"now":    bigtable.TimestampSQLType{},
}

// Querier runs the reports' statements.
type Querier struct {
	Client *bigtable.Client
}

func (q *Querier) each(ctx context.Context, ps *bigtable.PreparedStatement, params map[string]any, f func(bigtable.ResultRow) bool) error {
	bs, err := ps.Bind(params)
	if err != nil {
		return err
	}
	return bs.Execute(ctx, f)
}

func (q *Querier) SessionsOf(ctx context.Context, prefix string) ([]string, error) {
	ps, err := q.Client.PrepareStatement(ctx, sessionsByTenant, stringAndTime) // want ttlread/sql[bytenant]
	if err != nil {
		return nil, err
	}
	var out []string
	err = q.each(ctx, ps, map[string]any{"prefix": prefix, "now": time.Now()}, func(r bigtable.ResultRow) bool {
		var user string
		if err := r.GetByName("user", &user); err == nil {
			out = append(out, user)
		}
		return true
	})
	return out, err
}

func (q *Querier) LiveOf(ctx context.Context, prefix string) (int, error) {
	ps, err := q.Client.PrepareStatement(ctx, liveSessions, stringAndTime) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	n := 0
	err = q.each(ctx, ps, map[string]any{"prefix": prefix, "now": time.Now()}, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}

func (q *Querier) InvitesNow(ctx context.Context, prefix string) (int, error) {
	query := "SELECT _key, invite FROM `platform-auth`(as_of => @now) WHERE STARTS_WITH(_key, @prefix)" // want ttlread/sql[asof]
	ps, err := q.Client.PrepareStatement(ctx, query, stringAndTime)                                     // want ttlread/sql[asof]
	if err != nil {
		return 0, err
	}
	n := 0
	err = q.each(ctx, ps, map[string]any{"prefix": prefix, "now": time.Now()}, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}

func (q *Querier) Locks(ctx context.Context) (int, error) {
	ps, err := q.Client.PrepareStatement(ctx, "SELECT _key, `lock` FROM `acme-cache`", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	n := 0
	err = q.each(ctx, ps, nil, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}

func (q *Querier) Bodies(ctx context.Context, limit int) (int, error) {
	ps, err := q.Client.PrepareStatement(ctx, fmt.Sprintf("SELECT _key, rev['body'] AS body FROM `acme-docs` LIMIT %d", limit), nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	n := 0
	err = q.each(ctx, ps, nil, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}
