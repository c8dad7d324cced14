// Package sqlreport runs the reports of the finance department, which speaks SQL.
package sqlreport

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Report is a statement and what it is called.
type Report interface {
	Name() string
	Run(ctx context.Context) (int, error)
}

// StatementRunner prepares and executes statements.
type StatementRunner struct {
	client *bigtable.Client
}

// NewStatementRunner returns a StatementRunner.
func NewStatementRunner(c *bigtable.Client) *StatementRunner { return &StatementRunner{client: c} }

func count(ctx context.Context, ps *bigtable.PreparedStatement) (int, error) {
	bs, err := ps.Bind(map[string]any{})
	if err != nil {
		return 0, err
	}
	n := 0
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// Tokens lists tokens.
func (r *StatementRunner) Tokens(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, token['jwt'] FROM sessions", nil) // want ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("tokens: %w", err)
	}
	return count(ctx, ps)
}

// Names lists names.
func (r *StatementRunner) Names(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, profile['name'] FROM sessions", nil) // ok ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("names: %w", err)
	}
	return count(ctx, ps)
}

// LiveTokens lists the tokens that live.
func (r *StatementRunner) LiveTokens(ctx context.Context) (int, error) {
	const q = "SELECT _key, token['jwt'] FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())"
	ps, err := r.client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("live tokens: %w", err)
	}
	return count(ctx, ps)
}

// Holds lists holds.
func (r *StatementRunner) Holds(ctx context.Context) (int, error) {
	const q = `SELECT _key, hold['cart'] AS cart
		FROM orders
		WHERE hdr['merchant'] = 'acme'`
	ps, err := r.client.PrepareStatement(ctx, q, nil) // want ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("holds: %w", err)
	}
	return count(ctx, ps)
}

// Revisions lists latest revisions; a plain statement returns the latest of each column.
func (r *StatementRunner) Revisions(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, rev['payload'] FROM orders", nil) // ok ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("revisions: %w", err)
	}
	return count(ctx, ps)
}

// AllRevisions lists what is there, superseded or not.
func (r *StatementRunner) AllRevisions(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, rev FROM orders(with_history => TRUE)", nil) // want ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("all revisions: %w", err)
	}
	return count(ctx, ps)
}

// ArchivedTokens asks a table that nobody registered.
func (r *StatementRunner) ArchivedTokens(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, token['jwt'] FROM archive", nil) // ok ttlread/sql
	if err != nil {
		return 0, fmt.Errorf("archived tokens: %w", err)
	}
	return count(ctx, ps)
}

// namedReport is a Report made of a name and a method.
type namedReport struct {
	name string
	run  func(context.Context) (int, error)
}

// Name implements Report.
func (n namedReport) Name() string { return n.name }

// Run implements Report.
func (n namedReport) Run(ctx context.Context) (int, error) { return n.run(ctx) }

// All returns the reports.
func (r *StatementRunner) All() []Report {
	return []Report{
		namedReport{"tokens", r.Tokens},
		namedReport{"names", r.Names},
		namedReport{"live-tokens", r.LiveTokens},
		namedReport{"holds", r.Holds},
		namedReport{"revisions", r.Revisions},
		namedReport{"all-revisions", r.AllRevisions},
		namedReport{"archived-tokens", r.ArchivedTokens},
	}
}
