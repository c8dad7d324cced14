package jobs

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

const (
	// every session there ever was
	sqlSessions = "SELECT _key, tok['s'] AS s FROM sessions WHERE STARTS_WITH(_key, @prefix)" // want ttlread/sql[sqlsessions]
	// the sessions that are alive
	sqlLiveSessions = "SELECT _key, tok FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE STARTS_WITH(_key, @prefix)" // ok ttlread/sql
	// the current revision of each subscription
	sqlSubscriptions = "SELECT _key, state['sub'] AS sub FROM subscriptions WHERE STARTS_WITH(_key, @prefix)" // ok ttlread/sql
	// names
	sqlProfiles = "SELECT _key, prof['name'] AS name FROM sessions WHERE STARTS_WITH(_key, @prefix)" // ok ttlread/sql
	// copies
	sqlReports = "SELECT _key, tok['copy'] AS copy FROM reports WHERE STARTS_WITH(_key, @prefix)" // ok ttlread/sql
)

// Query runs statements.
type Query struct {
	client *bigtable.Client
}

// NewQuery returns a Query.
func NewQuery(client *bigtable.Client) *Query { return &Query{client: client} }

func (q *Query) run(ctx context.Context, stmt, prefix string, f func(bigtable.ResultRow) bool) error {
	ps, err := q.client.PrepareStatement(ctx, stmt, map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}})
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	bs, err := ps.Bind(map[string]any{"prefix": prefix})
	if err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	return bs.Execute(ctx, f)
}

// Sessions counts sessions.
func (q *Query) Sessions(ctx context.Context, user string) (n int, err error) {
	err = q.run(ctx, sqlSessions, "s#"+user, func(row bigtable.ResultRow) bool { // want ttlread/sql[sqlsessions]
		var s []byte
		if row.GetByName("s", &s) == nil && s != nil {
			n++
		}
		return true
	})
	return n, err
}

// LiveSessions counts sessions that are alive.
func (q *Query) LiveSessions(ctx context.Context, user string) (n int, err error) {
	err = q.run(ctx, sqlLiveSessions, "s#"+user, func(bigtable.ResultRow) bool { n++; return true }) // ok ttlread/sql
	return n, err
}

// Subscriptions counts subscriptions.
func (q *Query) Subscriptions(ctx context.Context) (n int, err error) {
	err = q.run(ctx, sqlSubscriptions, "sub#", func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// Profiles counts names.
func (q *Query) Profiles(ctx context.Context) (n int, err error) {
	err = q.run(ctx, sqlProfiles, "s#", func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// Reports counts copies.
func (q *Query) Reports(ctx context.Context) (n int, err error) {
	err = q.run(ctx, sqlReports, "", func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// Locks reads who works on which invoice.
func (q *Query) Locks(ctx context.Context) (map[string]string, error) {
	ps, err := q.client.PrepareStatement(ctx, "SELECT _key, lock['owner'] AS owner FROM invoices", nil) // want ttlread/sql
	if err != nil {
		return nil, err
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return nil, err
	}
	owners := make(map[string]string)
	err = bs.Execute(ctx, func(row bigtable.ResultRow) bool {
		var key, owner []byte
		if row.GetByName("_key", &key) == nil && row.GetByName("owner", &owner) == nil {
			owners[string(key)] = string(owner)
		}
		return true
	})
	return owners, err
}
