// Package janitor runs what nobody waits for.
package janitor

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/metrics"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

// Job is something that is done now and then.
type Job struct {
	Name string
	Run  func(ctx context.Context) (int, error)
}

// Janitor runs jobs.
type Janitor struct {
	every   time.Duration
	jobs    []Job
	log     *slog.Logger
	metrics *metrics.Registry
}

// New returns a janitor.
func New(every time.Duration, log *slog.Logger, m *metrics.Registry, jobs ...Job) *Janitor {
	return &Janitor{every: every, jobs: jobs, log: log, metrics: m}
}

func (j *Janitor) Run(ctx context.Context) {
	t := time.NewTicker(j.every)
	defer t.Stop()
	for {
		for _, job := range j.jobs {
			start := time.Now()
			n, err := job.Run(ctx)
			j.metrics.Observe("janitor_"+job.Name, start)
			if err != nil {
				j.log.Error("janitor", "job", job.Name, "err", err)
				continue
			}
			j.log.Info("janitor", "job", job.Name, "rows", n)
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// Sweeper has the jobs over tokens.
type Sweeper struct {
	tokens, archive, device *bigtable.Table
	clk                     clock.Clock
}

// NewSweeper opens the tables.
func NewSweeper(c *bigtable.Client, clk clock.Clock) *Sweeper {
	return &Sweeper{tokens: c.Open(schema.TableTokens), archive: c.Open(schema.TableLegacy), device: c.Open(schema.TableDevice), clk: clk}
}

func (s *Sweeper) Used(ctx context.Context) (int, error) {
	n := 0
	err := s.tokens.ReadRows(ctx, bigtable.PrefixRange("t#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		n++
		return s.tokens.Apply(ctx, r.Key(), m) == nil
	}, bigtable.RowFilter(store.Column(schema.FamRefresh, "used")))
	return n, err
}

func (s *Sweeper) Archive(ctx context.Context) (int, error) {
	n := 0
	err := s.tokens.ReadRows(ctx, bigtable.PrefixRange("t#"), func(r bigtable.Row) bool { // want ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r[schema.FamRefresh] {
			m.Set(schema.FamRefresh, "hash", it.Timestamp, it.Value) // ok ttlwrite/already-expired
		}
		n++
		return s.archive.Apply(ctx, r.Key(), m) == nil
	})
	return n, err
}

func (s *Sweeper) Orphans(ctx context.Context) (int, error) {
	live := store.In(schema.FamAccess, store.Live(s.clk.Now()))
	n := 0
	err := s.tokens.ReadRows(ctx, bigtable.PrefixRange("t#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if len(r[schema.FamAccess]) > 0 && len(r[schema.FamClient]) == 0 {
			n++
		}
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters(live, bigtable.FamilyFilter(schema.FamClient)))) // ok ttlread/unfiltered-branch
	return n, err
}

func (s *Sweeper) Nudge(ctx context.Context) (int, error) {
	keys, muts := []string{}, []*bigtable.Mutation{}
	err := s.device.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.Set(schema.FamCode, "nudged", bigtable.Now(), nil) // want ttlwrite/write-time
		m.Set(schema.FamPoll, "nudged", bigtable.Now(), nil) // ok ttlwrite/write-time
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(store.In(schema.FamCode, store.Live(s.clk.Now()), bigtable.StripValueFilter())))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = s.device.ApplyBulk(ctx, keys, muts)
	return len(keys), err
}
