package jobs

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Reporter runs the SQL reports.
type Reporter struct{ c *bigtable.Client }

func NewReporter(c *bigtable.Client) *Reporter { return &Reporter{c} }

func (r *Reporter) count(ctx context.Context, ps *bigtable.PreparedStatement, err error) (n int, _ error) {
	if err != nil {
		return 0, fmt.Errorf("prepare: %w", err)
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

func (r *Reporter) Silences(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, sil['s'] AS s FROM silences", nil) // want ttlread/sql
	return r.count(ctx, ps, err)
}

func (r *Reporter) Alerts(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, st['status'] FROM alert_state(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil) // ok ttlread/sql
	return r.count(ctx, ps, err)
}

func (r *Reporter) AlertsAsOf(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, st['status'] FROM alert_state(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	return r.count(ctx, ps, err)
}

func (r *Reporter) Owners(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, meta['owner'] FROM alert_state", nil) // ok ttlread/sql
	return r.count(ctx, ps, err)
}

func (r *Reporter) Revisions(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, rev['doc'] FROM dashboards(with_history => TRUE)", nil) // want ttlread/sql
	return r.count(ctx, ps, err)
}

func (r *Reporter) Dashboards(ctx context.Context) (int, error) {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, rev['doc'] FROM dashboards", nil) // ok ttlread/sql
	return r.count(ctx, ps, err)
}
