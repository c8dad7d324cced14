package services

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Report is one SQL report of the admin pages.
type Report struct {
	Name string
	Run  func(ctx context.Context, each func(bigtable.ResultRow) bool) error
}

const agentsSQL = "SELECT _key, meta['ua'] AS ua FROM sessions LIMIT 1000"

// NewReports lists the reports.
func NewReports(deps Deps) []Report {
	exec := func(ctx context.Context, ps *bigtable.PreparedStatement, args map[string]any, each func(bigtable.ResultRow) bool) error {
		bs, err := ps.Bind(args)
		if err != nil {
			return fmt.Errorf("bind: %w", err)
		}
		return bs.Execute(ctx, each)
	}
	return []Report{
		{
			Name: "agents",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				ps, err := deps.Client.PrepareStatement(ctx, agentsSQL, nil) // ok ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "devices",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				ps, err := deps.Client.PrepareStatement(ctx, "SELECT _key, sess['device'] AS device FROM sessions", nil) // want ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "live-devices",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				const q = "SELECT _key, sess['device'] AS device FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())"
				ps, err := deps.Client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "revisions",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				const q = "SELECT _key, rev['text'] AS texts FROM posts(with_history => TRUE)" // want ttlread/sql[revsql]
				ps, err := deps.Client.PrepareStatement(ctx, q, nil)                           // want ttlread/sql[revsql]
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "kept-revisions",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				const q = "SELECT _key, rev['text'] AS texts FROM posts(with_history => TRUE, latest_n => 5)"
				ps, err := deps.Client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "timeline-sizes",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				const q = "SELECT _key, entry FROM timelines WHERE STARTS_WITH(_key, 't#')" // want ttlread/sql[timesql]
				ps, err := deps.Client.PrepareStatement(ctx, q, nil)                        // want ttlread/sql[timesql]
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "timeline-live",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				const q = "SELECT _key, entry FROM timelines(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 14 DAY))"
				ps, err := deps.Client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "cards",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				ps, err := deps.Client.PrepareStatement(ctx, "SELECT _key, card['name'] AS name FROM profiles", nil) // ok ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
		{
			Name: "analytics",
			Run: func(ctx context.Context, each func(bigtable.ResultRow) bool) error {
				ps, err := deps.Client.PrepareStatement(ctx, "SELECT _key, window['n'] AS n FROM analytics", nil) // ok ttlread/sql
				if err != nil {
					return err
				}
				return exec(ctx, ps, nil, each)
			},
		},
	}
}

// RunAll runs the reports one by one.
func RunAll(ctx context.Context, reports []Report, each func(name string, row bigtable.ResultRow) bool) error {
	for _, r := range reports {
		start := time.Now()
		if err := r.Run(ctx, func(row bigtable.ResultRow) bool { return each(r.Name, row) }); err != nil {
			return fmt.Errorf("report %s after %s: %w", r.Name, time.Since(start), err)
		}
	}
	return nil
}
