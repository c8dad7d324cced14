package main

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

// sweeper removes what nobody needs, once in a while.
type sweeper struct {
	sessions *sessionStore
	stores   map[string]*tenant.Store
	every    time.Duration
}

func (s *sweeper) run(ctx context.Context) {
	t := time.NewTicker(s.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			n, err := s.tokens(ctx)
			slog.Info("swept tokens", "rows", n, "err", err)
			for id, st := range s.stores {
				n, err := s.passes(ctx, st)
				slog.Info("swept passes", "tenant", id, "rows", n, "err", err)
				u, err := s.usage(ctx, st)
				slog.Info("usage", "tenant", id, "cells", u, "err", err)
			}
		}
	}
}

// tokens deletes the dead tokens of all riders.
func (s *sweeper) tokens(ctx context.Context) (int, error) {
	n := 0
	now := bigtable.Now()
	var aerr error
	err := s.sessions.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteTimestampRange("token", "jwt", 0, now) // ok ttlunit/sub-millisecond
		n++
		aerr = s.sessions.tbl.Apply(ctx, r.Key(), m)
		return aerr == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilterMicros(0, now)))) // ok ttlread/expired-only
	if err == nil {
		err = aerr
	}
	return n, err
}

// passes counts the passes that are good, and those that end this week.
func (s *sweeper) passes(ctx context.Context, st *tenant.Store) (int, error) {
	now := time.Now()
	good, ending := 0, 0
	err := st.Passes().ReadRows(ctx, bigtable.PrefixRange("r#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.Pass] {
			switch t := it.Timestamp.Time(); {
			case t.Before(now):
			case t.Sub(now) < 48*time.Hour: // ok ttlage/not-write-time
				ending++
			default:
				good++
			}
		}
		return true
	}, btx.Newest())
	if err != nil {
		return 0, err
	}
	soon := 0
	err = st.Passes().ReadRows(ctx, bigtable.PrefixRange("r#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[passsoon]
		soon += len(r[schema.Pass])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/upper-bound[passsoon]
		bigtable.FamilyFilter(schema.Pass),
		bigtable.TimestampRangeFilter(now, now.Add(48*time.Hour)), // want ttlread/upper-bound[passsoon]
	))) // want ttlread/upper-bound[passsoon]
	if soon != ending {
		slog.Warn("passes differ", "soon", soon, "ending", ending, "good", good)
	}
	return good + ending, err
}

// usage sums up what was used, for the invoice.
func (s *sweeper) usage(ctx context.Context, st *tenant.Store) (int, error) {
	cells := 0
	err := st.Passes().ReadRows(ctx, bigtable.PrefixRange("r#"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[usagelive]
		cells += len(r[schema.Usage])
		return true
	}, btx.LiveOnly("usage")) // want ttlread/wrong-bound[usagelive]
	if err != nil {
		return 0, err
	}
	all := 0
	err = st.Passes().ReadRows(ctx, bigtable.PrefixRange("r#"), func(r bigtable.Row) bool { // want ttlread/unfiltered-branch[usageall]
		all += len(r[schema.Usage]) + len(r[schema.Pass])
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[usageall]
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.Usage), btx.Within(schema.UsageTTL)), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(schema.Pass),   // want ttlread/unfiltered-branch[usageall]
		bigtable.FamilyFilter(schema.Holder), // ok ttlread/unfiltered-branch
	)))
	if all < cells {
		slog.Warn("usage", "all", all, "live", cells)
	}
	return cells, err
}
