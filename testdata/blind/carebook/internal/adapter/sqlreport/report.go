// Package sqlreport answers the questions of the operations team in GoogleSQL.
package sqlreport

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Statements that are prepared at start.
const (
	tokensSQL     = "SELECT _key, token['jwt'] AS jwt FROM sessions WHERE _key LIKE @prefix"                                                      // want ttlread/sql[tokens]
	liveTokensSQL = "SELECT _key, token FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE _key LIKE @prefix"       // ok ttlread/sql
	namesSQL      = "SELECT _key, profile['name'] AS name FROM sessions WHERE _key LIKE @prefix"                                                  // ok ttlread/sql
	statesSQL     = "SELECT _key, state['status'] AS status FROM slots WHERE _key LIKE @prefix"                                                   // ok ttlread/sql
	holdsSQL      = "SELECT _key, hold['owner'] AS owner FROM `slots`(as_of => CURRENT_TIMESTAMP()) WHERE _key LIKE @prefix"                      // want ttlread/sql[holds]
	dueSQL        = "SELECT _key, due FROM reminders(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY))" // ok ttlread/sql
	allDueSQL     = "SELECT _key, due['body'] AS body FROM reminders"                                                                             // want ttlread/sql[due]
	auditSQL      = "SELECT _key, token['body'] AS body FROM session_audit"                                                                       // ok ttlread/sql
)

// Reporter runs reports.
type Reporter struct {
	client *bigtable.Client
}

// New returns a reporter.
func New(client *bigtable.Client) *Reporter { return &Reporter{client} }

var byPrefix = map[string]bigtable.SQLType{"prefix": bigtable.StringSQLType{}}

// Tokens lists tokens.
func (r *Reporter) Tokens(ctx context.Context, prefix string) ([]string, error) {
	return r.keys(ctx, tokensSQL, prefix) // want ttlread/sql[tokens]
}

// LiveTokens lists tokens that are live.
func (r *Reporter) LiveTokens(ctx context.Context, prefix string) ([]string, error) {
	return r.keys(ctx, liveTokensSQL, prefix) // ok ttlread/sql
}

// Names lists names.
func (r *Reporter) Names(ctx context.Context, prefix string) ([]string, error) {
	return r.keys(ctx, namesSQL, prefix) // ok ttlread/sql
}

// States lists states.
func (r *Reporter) States(ctx context.Context, prefix string) ([]string, error) {
	return r.keys(ctx, statesSQL, prefix) // ok ttlread/sql
}

// Holds lists holds.
func (r *Reporter) Holds(ctx context.Context, prefix string) ([]string, error) {
	return r.keys(ctx, holdsSQL, prefix) // want ttlread/sql[holds]
}

func (r *Reporter) keys(ctx context.Context, stmt, prefix string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ps, err := r.client.PrepareStatement(ctx, stmt, byPrefix)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	bound, err := ps.Bind(map[string]any{"prefix": prefix + "%"})
	if err != nil {
		return nil, err
	}
	return collect(ctx, bound)
}

func collect(ctx context.Context, bound *bigtable.BoundStatement) (out []string, err error) {
	var inner error
	err = bound.Execute(ctx, func(row bigtable.ResultRow) bool {
		var k []byte
		if inner = row.GetByName("_key", &k); inner != nil {
			return false
		}
		out = append(out, string(k))
		return true
	})
	if err != nil {
		return nil, err
	}
	return out, inner
}

// Due counts what is due.
func (r *Reporter) Due(ctx context.Context, all bool) (int, error) {
	stmt := dueSQL
	if all {
		ps, err := r.client.PrepareStatement(ctx, allDueSQL, nil) // want ttlread/sql[due]
		if err != nil {
			return 0, err
		}
		return r.count(ctx, ps)
	}
	ps, err := r.client.PrepareStatement(ctx, stmt, nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.count(ctx, ps)
}

// Audit counts what compliance has.
func (r *Reporter) Audit(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, auditSQL, nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.count(ctx, ps)
}

func (r *Reporter) count(ctx context.Context, ps *bigtable.PreparedStatement) (int, error) {
	bound, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	keys, err := collect(ctx, bound)
	return len(keys), err
}
