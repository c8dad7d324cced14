// Package sqlq runs the GoogleSQL statements of the dashboards.
package sqlq

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Statements of the dashboards.
const (
	liveCaps   = "SELECT _key, cap FROM freqcap(after_or_equal => @now, with_history => TRUE) WHERE _key = @user" // ok ttlread/sql
	allCaps    = "SELECT _key, cap FROM freqcap WHERE _key = @user"                                               // want ttlread/sql[allcaps]
	segments   = "SELECT _key, seg FROM freqcap WHERE _key = @user"                                               // ok ttlread/sql
	revisions  = "SELECT _key, rev FROM consent WHERE _key = @user"                                               // ok ttlread/sql
	revHistory = "SELECT _key, rev FROM consent(with_history => TRUE) WHERE _key = @user"                         // want ttlread/sql[revhist]
	members    = "SELECT _key, member FROM audience WHERE STARTS_WITH(_key, @user)"                               // want ttlread/sql[members]
	pacingRate = "SELECT _key, rate, entry FROM pacing WHERE _key = @user"                                        // ok ttlread/sql
)

// Runner prepares and runs statements.
type Runner struct{ c *bigtable.Client }

// New returns a runner.
func New(c *bigtable.Client) *Runner { return &Runner{c: c} }

var userParam = map[string]bigtable.SQLType{"user": bigtable.StringSQLType{}}

func (r *Runner) run(ctx context.Context, ps *bigtable.PreparedStatement, params map[string]any) (n int, err error) {
	bs, err := ps.Bind(params)
	if err != nil {
		return 0, err
	}
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool {
		n++
		return true
	})
	return n, err
}

// LiveCaps counts the live caps.
func (r *Runner) LiveCaps(ctx context.Context, user string, now any) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, liveCaps, map[string]bigtable.SQLType{"user": bigtable.StringSQLType{}, "now": bigtable.TimestampSQLType{}}) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user, "now": now})
}

// AllCaps counts all.
func (r *Runner) AllCaps(ctx context.Context, user string) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, allCaps, userParam) // want ttlread/sql[allcaps]
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user})
}

// Segments counts segments.
func (r *Runner) Segments(ctx context.Context, user string) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, segments, userParam) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user})
}

// Revisions reads the latest revision.
func (r *Runner) Revisions(ctx context.Context, user string) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, revisions, userParam) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user})
}

// RevHistory reads them all.
func (r *Runner) RevHistory(ctx context.Context, user string) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, revHistory, userParam) // want ttlread/sql[revhist]
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user})
}

// Members counts memberships.
func (r *Runner) Members(ctx context.Context, user string) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, members, userParam) // want ttlread/sql[members]
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user})
}

// Pacing reads rates.
func (r *Runner) Pacing(ctx context.Context, user string) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, pacingRate, userParam) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"user": user})
}
