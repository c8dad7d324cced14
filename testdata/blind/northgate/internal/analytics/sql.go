package analytics

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Preparer prepares statements; *bigtable.Client has it.
type Preparer interface {
	PrepareStatement(ctx context.Context, query string, paramTypes map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error)
}

// Queries runs the analysts' statements.
type Queries struct{ db Preparer }

// NewQueries makes Queries.
func NewQueries(db Preparer) *Queries { return &Queries{db: db} }

const (
	sqlUses    = "SELECT _key, `grant`['last'] AS last FROM analytics WHERE STARTS_WITH(_key, @p)"                                                    // ok ttlread/sql
	sqlTokens  = "SELECT _key, access['sub'] AS sub FROM `identity-tokens` WHERE STARTS_WITH(_key, @p)"                                               // want ttlread/sql[sqltokens]
	sqlLive    = "SELECT _key, access['sub'] AS sub FROM `identity-tokens`(with_history => TRUE, after_or_equal => @now) WHERE STARTS_WITH(_key, @p)" // ok ttlread/sql
	sqlDevices = "SELECT _key, device FROM `user-prefs`(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 90 DAY))" // ok ttlread/sql
	sqlPrefs   = "SELECT _key, pref['lang'] AS lang FROM `user-prefs`"                                                                                // ok ttlread/sql
	sqlAudit   = "SELECT _key, audit['issued'] AS issued FROM `identity-tokens`"                                                                      // ok ttlread/sql
)

func (q *Queries) run(ctx context.Context, sql string, params map[string]any, f func(bigtable.ResultRow) bool) error {
	types := map[string]bigtable.SQLType{}
	for name, v := range params {
		switch v.(type) {
		case string:
			types[name] = bigtable.StringSQLType{}
		case time.Time:
			types[name] = bigtable.TimestampSQLType{}
		default:
			return fmt.Errorf("query: parameter %s has type %T", name, v)
		}
	}
	ps, err := q.db.PrepareStatement(ctx, sql, types)
	if err != nil {
		return err
	}
	bound, err := ps.Bind(params)
	if err != nil {
		return err
	}
	return bound.Execute(ctx, f)
}

// Tokens lists whose tokens there are.
func (q *Queries) Tokens(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, sqlTokens, map[string]any{"p": prefix}, f) // want ttlread/sql[sqltokens]
}

// LiveTokens is Tokens without what has run out.
func (q *Queries) LiveTokens(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, sqlLive, map[string]any{"p": prefix, "now": time.Now()}, f) // ok ttlread/sql
}

// Devices lists the devices that users trust.
func (q *Queries) Devices(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, sqlDevices, nil, f) // ok ttlread/sql
}

// Languages lists users' languages.
func (q *Queries) Languages(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, sqlPrefs, nil, f) // ok ttlread/sql
}

// Issued lists when tokens were issued.
func (q *Queries) Issued(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, sqlAudit, nil, f) // ok ttlread/sql
}

// Uses lists when grants were used.
func (q *Queries) Uses(ctx context.Context, prefix string, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, sqlUses, map[string]any{"p": prefix}, f) // ok ttlread/sql
}

// Leases lists who holds which lease.
func (q *Queries) Leases(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	return q.run(ctx, "SELECT _key, lease['holder'] AS holder FROM `worker-leases`", nil, f) // want ttlread/sql
}
