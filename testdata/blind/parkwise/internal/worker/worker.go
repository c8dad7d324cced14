// Package worker runs what has to be done again and again.
package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Job is something that runs at an interval.
type Job struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context, id tenant.ID) error
}

// Runner runs jobs for tenants.
type Runner struct {
	tenants []tenant.ID
	jobs    []Job
	jitter  time.Duration
	log     *slog.Logger
}

// Option configures a Runner.
type Option func(*Runner)

// WithJitter spreads the jobs of tenants.
func WithJitter(d time.Duration) Option { return func(r *Runner) { r.jitter = d } }

// WithJob adds a job.
func WithJob(name string, every time.Duration, run func(context.Context, tenant.ID) error) Option {
	return func(r *Runner) { r.jobs = append(r.jobs, Job{Name: name, Every: every, Run: run}) }
}

// New makes a Runner.
func New(log *slog.Logger, tenants []tenant.ID, opts ...Option) *Runner {
	r := &Runner{tenants: tenants, log: log}
	for _, o := range opts {
		o(r)
	}
	return r
}

// Run runs until ctx ends.
func (r *Runner) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, j := range r.jobs {
		g.Go(func() error { return r.loop(ctx, j) })
	}
	return g.Wait()
}

func (r *Runner) loop(ctx context.Context, j Job) error {
	tick := time.NewTicker(j.Every)
	defer tick.Stop()
	for {
		for _, id := range r.tenants {
			if r.jitter > 0 {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(rand.N(r.jitter)):
				}
			}
			start := time.Now()
			if err := j.Run(tenant.With(ctx, id), id); err != nil && !errors.Is(err, context.Canceled) {
				r.log.ErrorContext(ctx, "job failed", "job", j.Name, "tenant", id, "err", err)
				continue
			}
			r.log.DebugContext(ctx, "job done", "job", j.Name, "tenant", id, "took", time.Since(start))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Rollup sums what the chargers sent into the counters.
type Rollup struct {
	charging bt.Table
	counters bt.Table
	auth     bt.Table
	log      *slog.Logger
}

// NewRollup makes a Rollup.
func NewRollup(client *bigtable.Client, log *slog.Logger) *Rollup {
	return &Rollup{
		charging: client.Open(bt.TableCharging),
		counters: client.Open(bt.TableCounters),
		auth:     client.Open(bt.TableAuth),
		log:      log,
	}
}

type peak struct {
	sid string
	kw  float64
}

// Peaks finds the highest power of each session and writes it into the window.
func (w *Rollup) Peaks(ctx context.Context, id tenant.ID) error {
	peaks := make(chan peak, 64)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(peaks)
		now := clock.Now(ctx)
		week := bigtable.RowFilter(bt.In(bt.FamSample, bt.Within(now, bt.SampleRetention)))
		return w.charging.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "chg", "")), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
			p := peak{sid: row.Key()}
			for _, it := range row[bt.FamSample] {
				var sm charging.Sample
				if json.Unmarshal(it.Value, &sm) == nil && sm.KW > p.kw {
					p.kw = sm.KW
				}
			}
			select {
			case peaks <- p:
				return true
			case <-ctx.Done():
				return false
			}
		}, week)
	})
	g.Go(func() error {
		for p := range peaks {
			err := bt.Build().
				PutAt(bt.FamWindow, "peak", bigtable.Now(), fmt.Append(nil, p.kw)). // ok ttlwrite/write-time
				PutZero(bt.FamGauge, "peak", fmt.Append(nil, p.kw)).                // ok ttlwrite/clock-in-zero
				Apply(ctx, w.counters, p.sid)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}

// Energy sums the energy of each session.
func (w *Rollup) Energy(ctx context.Context, id tenant.ID) error {
	totals := map[string]float64{}
	err := w.charging.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "chg", "")), func(row bigtable.Row) bool { // want ttlread/missing-filter[energy]
		for _, it := range row[bt.FamSample] {
			var sm charging.Sample
			if json.Unmarshal(it.Value, &sm) == nil {
				totals[row.Key()] = max(totals[row.Key()], sm.KWh)
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamSample))) // want ttlread/missing-filter[energy]
	if err != nil {
		return err
	}
	var bulk bt.Bulk
	for key, kwh := range totals {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamGauge, "kwh", bigtable.ServerTime, fmt.Append(nil, kwh)) // want ttlwrite/clock-in-zero
		mut.Set(bt.FamAgg, "kwh", bigtable.Now(), fmt.Append(nil, kwh))        // ok ttlwrite/clock-in-zero
		bulk.Add(key, mut)
	}
	return bulk.Flush(ctx, w.counters)
}

// Stopped collects the sessions that stopped; these are ordinary cells.
func (w *Rollup) Stopped(ctx context.Context, id tenant.ID) error {
	n := 0
	err := w.charging.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "chg", "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if it, ok := bt.First(row, bt.FamSession, "stopped"); ok && clock.Now(ctx).Sub(it.Timestamp.Time()) < time.Hour { // ok ttlage/not-write-time
			n++
		}
		return true
	})
	w.log.InfoContext(ctx, "stopped in the last hour", "n", n)
	return err
}

// SignedIn counts the drivers with a live session and writes the number down.
func (w *Rollup) SignedIn(ctx context.Context, id tenant.ID) error {
	drivers := map[string]struct{}{}
	err := w.auth.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "ses", "")), func(row bigtable.Row) bool { // want ttlread/missing-filter[signedin]
		for _, it := range row[bt.FamSession] {
			var s struct{ Driver string }
			if json.Unmarshal(it.Value, &s) == nil {
				drivers[s.Driver] = struct{}{}
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamSession), bigtable.ColumnFilter("data")))) // want ttlread/missing-filter[signedin]
	if err != nil {
		return err
	}
	return w.gauge(ctx, id, "signed_in", int64(len(drivers)))
}

// SignedInLive checks the expiry itself.
func (w *Rollup) SignedInLive(ctx context.Context, id tenant.ID) error {
	now := clock.Now(ctx)
	drivers := map[string]struct{}{}
	err := w.auth.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "ses", "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamSession] {
			if it.Timestamp.Time().Before(now) {
				continue
			}
			var s struct{ Driver string }
			if json.Unmarshal(it.Value, &s) == nil {
				drivers[s.Driver] = struct{}{}
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamSession)))
	if err != nil {
		return err
	}
	return w.gauge(ctx, id, "signed_in_live", int64(len(drivers)))
}

func (w *Rollup) gauge(ctx context.Context, id tenant.ID, name string, n int64) error {
	return bt.Build().PutZero(bt.FamGauge, name, bt.Int64(n)).Apply(ctx, w.counters, tenant.Key(id, "gauge")) // ok ttlwrite/clock-in-zero
}
