// Package reports asks in SQL.
package reports

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Reports runs statements.
type Reports struct{ c *bigtable.Client }

// New returns the reports.
func New(c *bigtable.Client) *Reports { return &Reports{c} }

func (r *Reports) run(ctx context.Context, ps *bigtable.PreparedStatement) (int, error) {
	bound, err := ps.Bind(nil)
	if err != nil {
		return 0, fmt.Errorf("reports: %w", err)
	}
	n := 0
	err = bound.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

func (r *Reports) Sessions(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, session['data'] FROM `idp-sessions` WHERE session['data'] IS NOT NULL", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps)
}

func (r *Reports) LiveSessions(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, session['data'] FROM `idp-sessions`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps)
}

func (r *Reports) Events(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, event['json'] FROM `idp-audit`(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 90 DAY))", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps)
}

func (r *Reports) Actors(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, actor['user'] FROM `idp-audit`", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps)
}

func (r *Reports) AllEvents(ctx context.Context) (int, error) {
	const q = "SELECT _key, event['json'] FROM `idp-audit`" // want ttlread/sql[sql1]
	ps, err := r.c.PrepareStatement(ctx, q, nil)            // want ttlread/sql[sql1]
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps)
}

func (r *Reports) Grants(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, `grant`['grant'] FROM `idp-consents`", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps)
}
