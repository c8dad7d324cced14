// Package worker holds the background processes: sweepers, projections,
// backfills and the exporter.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Job is something that is done again and again.
type Job interface {
	Name() string
	Every() time.Duration
	Do(ctx context.Context) error
}

// Leaser keeps jobs from running twice.
type Leaser interface {
	Run(ctx context.Context, name string, f func(context.Context) error) error
}

// Pool runs jobs.
type Pool struct {
	jobs  []Job
	lease Leaser
	log   *slog.Logger
}

// NewPool makes a Pool.
func NewPool(lease Leaser, log *slog.Logger, jobs ...Job) *Pool {
	return &Pool{jobs: jobs, lease: lease, log: log}
}

// Run runs the jobs until ctx ends.
func (p *Pool) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, j := range p.jobs {
		g.Go(func() error {
			t := time.NewTicker(j.Every())
			defer t.Stop()
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-t.C:
					if err := p.lease.Run(ctx, j.Name(), j.Do); err != nil {
						p.log.ErrorContext(ctx, "job", "name", j.Name(), "err", err)
					}
				}
			}
		})
	}
	return g.Wait()
}

// base is what every job has.
type base struct {
	name  string
	every time.Duration
	log   *slog.Logger
}

func (b base) Name() string         { return b.name }
func (b base) Every() time.Duration { return b.every }

// write is a row's mutation on its way to a table.
type write struct {
	key string
	mut *bigtable.Mutation
}

// sink writes what comes through a channel.
func sink(ctx context.Context, t bt.Table, in <-chan write) error {
	b := bt.NewBatch(t, 500)
	for w := range in {
		if err := b.Add(ctx, w.key, w.mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

// send gives up when ctx ends.
func send[T any](ctx context.Context, out chan<- T, v T) bool {
	select {
	case out <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// Tables are the tables that jobs use.
type Tables struct {
	Tokens    bt.Table
	Grants    bt.Table
	Prefs     bt.Table
	Presence  bt.Table
	Analytics bt.Table
	Quotas    bt.Table
	Scratch   bt.Table
}

// Sweeper deletes rows of tokens of which nothing is left but the audit trail.
type Sweeper struct {
	base
	tables Tables
	keep   time.Duration
}

// NewSweeper makes a Sweeper.
func NewSweeper(t Tables, log *slog.Logger) *Sweeper {
	return &Sweeper{base: base{name: "sweeper", every: time.Hour, log: log}, tables: t, keep: 365 * 24 * time.Hour}
}

// Do sweeps once.
func (s *Sweeper) Do(ctx context.Context) error {
	var errs []error
	err := s.tables.Tokens.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[string(schema.Audit)] {
			if time.Since(it.Timestamp.Time()) < s.keep { // ok ttlage/not-write-time
				return true
			}
		}
		m := bigtable.NewMutation()
		m.DeleteRow()
		errs = append(errs, s.tables.Tokens.Apply(ctx, r.Key(), m))
		return ctx.Err() == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.StripValueFilter())))
	return errors.Join(append(errs, err)...)
}

// Projector copies what the services write into the analysts' table.
type Projector struct {
	base
	tables Tables
	batch  int
}

// NewProjector makes a Projector.
func NewProjector(t Tables, log *slog.Logger) *Projector {
	return &Projector{base: base{name: "projector", every: 5 * time.Minute, log: log}, tables: t, batch: 200}
}

// Do projects once.
func (p *Projector) Do(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	out := make(chan write, p.batch)
	g.Go(func() error { return sink(ctx, p.tables.Analytics, out) })
	g.Go(func() error {
		defer close(out)
		return errors.Join(p.grants(ctx, out), p.tokens(ctx, out), p.presence(ctx, out), p.devices(ctx, out))
	})
	return g.Wait()
}

// grants projects the current grants.
func (p *Projector) grants(ctx context.Context, out chan<- write) error {
	return p.tables.Grants.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[pgrants]
		m := bigtable.NewMutation()
		for it := range bt.Cells(r, schema.FamGrant) {
			m.Set(schema.FamGrant, "state", bigtable.Now(), it.Value) // ok ttlwrite/clock-in-sequence // maybe ttlwrite/same-timestamp
		}
		return send(ctx, out, write{r.Key(), m})
	}, bigtable.RowFilter(bt.In(schema.FamGrant, bigtable.ColumnFilter(schema.ColState)))) // want ttlread/version-limit[pgrants]
}

// tokens projects how many tokens subjects have.
func (p *Projector) tokens(ctx context.Context, out chan<- write) error {
	count := map[string]int{}
	filter := bt.In(schema.Access, bigtable.ColumnFilter(schema.ColSubject), bt.Live())
	err := p.tables.Tokens.ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for it := range bt.Cells(r, schema.Access) {
			count[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(filter))
	for subject, n := range count {
		m := bigtable.NewMutation()
		m.Set(schema.FamDaily, "tokens", bigtable.Now(), fmt.Append(nil, n)) // ok ttlwrite/write-time
		if !send(ctx, out, write{subject, m}) {
			break
		}
	}
	return err
}

// presence projects who was online.
func (p *Projector) presence(ctx context.Context, out chan<- write) error {
	return p.tables.Presence.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[ppresence]
		m := bigtable.NewMutation()
		for it := range bt.Cells(r, schema.FamOnline) {
			m.Set(schema.FamRaw, "online", it.Timestamp, it.Value) // ok ttlwrite/write-time
		}
		return send(ctx, out, write{r.Key(), m})
	}, bigtable.RowFilter(bt.In(schema.FamOnline, bt.Newest()))) // want ttlread/missing-filter[ppresence]
}

// devices projects the devices that users trust.
func (p *Projector) devices(ctx context.Context, out chan<- write) error {
	since := time.Now().Add(-schema.DeviceTTL)
	return p.tables.Prefs.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.Set(schema.FamDaily, "devices", bigtable.ServerTime, fmt.Append(nil, len(r[schema.FamDevice]))) // ok ttlwrite/server-timestamp
		return send(ctx, out, write{r.Key(), m})
	}, bigtable.RowFilter(bt.In(schema.FamDevice, bt.LiveAt(since)))) // ok ttlread/wrong-bound
}

// Backfill copies tables into new ones, or back.
type Backfill struct {
	base
	tables Tables
	rev    int64
}

// NewBackfill makes a Backfill.
func NewBackfill(t Tables, log *slog.Logger) *Backfill {
	return &Backfill{base: base{name: "backfill", every: 24 * time.Hour, log: log}, tables: t}
}

// Do runs the steps of the backfill.
func (b *Backfill) Do(ctx context.Context) error {
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"grants", b.grants},
		{"limits", b.limits},
		{"refresh", b.refresh},
		{"scratch", b.scratch},
	} {
		if err := step.run(ctx); err != nil {
			return fmt.Errorf("backfill %s: %w", step.name, err)
		}
		b.log.InfoContext(ctx, "backfilled", "step", step.name)
	}
	return nil
}

// grants renumbers the grants that the importer left at revision zero.
func (b *Backfill) grants(ctx context.Context) error {
	out := bt.NewBatch(b.tables.Grants, 100)
	for row, err := range bt.Rows(ctx, b.tables.Grants, bigtable.InfiniteRange(""), bigtable.RowFilter(bt.In(schema.FamGrant, bt.Newest()))) { // ok ttlread/version-limit
		if err != nil {
			return err
		}
		for it := range bt.Cells(row, schema.FamGrant) {
			if it.Timestamp != 0 {
				continue
			}
			b.rev++
			m := bigtable.NewMutation()
			m.Set(schema.FamGrant, "state", bigtable.Timestamp(b.rev), it.Value)        // want ttlwrite/unscaled-sequence
			m.Set(schema.FamGrant, "by", bigtable.Timestamp(b.rev*1e3), []byte(b.name)) // ok ttlwrite/unscaled-sequence
			m.Set(schema.FamMeta, "backfilled", bigtable.Now(), nil)                    // ok ttlwrite/clock-in-sequence
			m.Set(schema.FamGrant, "filled", bigtable.Now(), nil)                       // want ttlwrite/clock-in-sequence
			if err := out.Add(ctx, row.Key(), m); err != nil {
				return err
			}
		}
	}
	return out.Flush(ctx)
}

// limits fills in limits that were lost.
func (b *Backfill) limits(ctx context.Context) error {
	out := bt.NewBatch(b.tables.Quotas, 100)
	for row, err := range bt.Rows(ctx, b.tables.Quotas, bigtable.InfiniteRange(""), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamLimit))) { // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		if _, ok := bt.First(row, schema.FamLimit, "units"); ok {
			continue
		}
		m := bt.Mutate(
			bt.SetCell(schema.FamLimit, "units", bt.Epoch, []byte{0, 0, 0, 0, 0, 0, 0, 100}), // ok ttlwrite/clock-in-zero
			bt.SetCell(schema.FamLimit, "plan", bt.NowTS(), []byte("free")),                  // want ttlwrite/clock-in-zero
		)
		if err := out.Add(ctx, row.Key(), m); err != nil {
			return err
		}
	}
	return out.Flush(ctx)
}

// refresh gives the refresh tokens of the old system their real expiry.
func (b *Backfill) refresh(ctx context.Context) error {
	out := bt.NewBatch(b.tables.Tokens, 100)
	rows := bt.Rows(ctx, b.tables.Tokens, bigtable.PrefixRange("r#"), bigtable.RowFilter(bt.In(schema.Refresh, bt.Newest()))) // want ttlread/missing-filter
	for row, err := range rows {
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		for it := range bt.Cells(row, schema.Refresh) {
			created := it.Timestamp.Time()                                                                                      // want ttlage/not-write-time[created]
			m.Set(string(schema.Refresh), it.Column[len("refresh:"):], bigtable.Time(created.Add(schema.RefreshTTL)), it.Value) // maybe ttlage/not-write-time
		}
		if err := out.Add(ctx, row.Key(), m); err != nil {
			return err
		}
	}
	return out.Flush(ctx)
}

// scratch copies an import out of the scratch table.
func (b *Backfill) scratch(ctx context.Context) error {
	out := bt.NewBatch(b.tables.Prefs, 100)
	for row, err := range bt.Rows(ctx, b.tables.Scratch, bigtable.InfiniteRange("")) { // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		for it := range bt.Cells(row, schema.FamPref) {
			m.Set(schema.FamPref, it.Column[len("pref:"):], 0, it.Value) // ok ttlwrite/clock-in-zero
		}
		m.Set(schema.FamPref, "imported", bigtable.Time(time.Now()), nil) // want ttlwrite/clock-in-zero
		if err := out.Add(ctx, row.Key(), m); err != nil {
			return err
		}
		done := bigtable.NewMutation()
		done.Set(schema.FamPref, "done", bigtable.Now(), nil) // ok ttlwrite/clock-in-zero
		if err := b.tables.Scratch.Apply(ctx, row.Key(), done); err != nil {
			return err
		}
	}
	return out.Flush(ctx)
}
