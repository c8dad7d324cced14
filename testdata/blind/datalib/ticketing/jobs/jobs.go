// Package jobs has the ticket service's background work.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
	"example.com/datalib/ticketing/config"
)

var (
	once   sync.Once
	cutoff bigtable.Filter
)

// liveOnce makes the filter when it is first needed.
func liveOnce() bigtable.Filter {
	once.Do(func() {
		cutoff = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[j1]
	})
	return cutoff
}

// Runner runs jobs.
type Runner struct {
	cfg *config.Config
	set *tables.Set
}

// New makes a runner.
func New(cfg *config.Config, set *tables.Set) *Runner { return &Runner{cfg, set} }

type job struct {
	name  string
	every time.Duration
	run   func(context.Context) error
}

// Run runs all jobs until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	jobs := []job{
		{"reminders", time.Minute, r.reminders},
		{"migrate", time.Hour, r.migrate},
		{"report", 24 * time.Hour, r.report},
		{"expired", 24 * time.Hour, r.sweep},
	}
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Go(func() {
			t := time.NewTicker(j.every)
			defer t.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-t.C:
					if err := write.Retry(ctx, 3, time.Second, j.run); err != nil {
						slog.Error("job", "name", j.name, "err", err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// reminders tells holders that their ticket ends.
func (r *Runner) reminders(ctx context.Context) error {
	return r.set.Tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[j1]
		slog.Info("remind", "ticket", row.Key(), "zone", string(read.First(row, schema.Pass)))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Pass), liveOnce()))) // want ttlread/stale-bound[j1]
}

// migrate copies tickets to the new columns.
func (r *Runner) migrate(ctx context.Context) error {
	b := write.NewBatch(r.set.Tickets, r.cfg.BatchSize)
	var failed error
	err := r.set.Tickets.ReadRows(ctx, bigtable.PrefixRange("old#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.Pass] {
			m := bigtable.NewMutation()
			m.Set(schema.Pass, "copy", it.Timestamp, it.Value)    // ok ttlwrite/write-time
			m.Set(schema.Pass, "migrated", bigtable.Now(), nil)   // want ttlwrite/write-time
			m.Set(schema.Holder, "migrated", bigtable.Now(), nil) // ok ttlwrite/write-time
			if failed = b.Add(ctx, row.Key(), m); failed != nil {
				return false
			}
		}
		return true
	}, read.Opt(read.LiveIn(schema.Pass)))
	if err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return b.Flush(ctx)
}

// report prints the tickets of the day.
func (r *Runner) report(ctx context.Context) error {
	zones := map[string]int{}
	err := read.Scan(ctx, r.set.Tickets, "", func(row bigtable.Row) error { // want ttlread/missing-filter[j2]
		zones[string(read.First(row, schema.Pass))]++
		return nil
	}, read.Opt(bigtable.FamilyFilter(schema.Pass), bigtable.ColumnFilter("zone"))) // want ttlread/missing-filter[j2]
	if err != nil {
		return err
	}
	names := map[string]int{}
	err = read.Scan(ctx, r.set.Tickets, "", func(row bigtable.Row) error { // ok ttlread/missing-filter
		names[string(read.First(row, schema.Holder))]++
		return nil
	}, read.Opt(bigtable.FamilyFilter(schema.Holder), read.Latest(1)))
	fmt.Println(len(zones), len(names))
	return err
}

// sweep deletes rows of expired logins.
func (r *Runner) sweep(ctx context.Context) error {
	var failed error
	err := r.set.Sessions.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteRow()
		failed = r.set.Sessions.Apply(ctx, row.Key(), m)
		return failed == nil
	}, bigtable.RowFilter(read.Until()))
	if err != nil {
		return err
	}
	return failed
}

// stats asks in SQL how many logins there are.
func (r *Runner) stats(ctx context.Context) error {
	st, err := r.set.Client().PrepareStatement(ctx, "SELECT _key, token['user'] FROM sessions", nil) // want ttlread/sql
	if err != nil {
		return err
	}
	bs, err := st.Bind(nil)
	if err != nil {
		return err
	}
	return bs.Execute(ctx, func(bigtable.ResultRow) bool { return true })
}

// names asks in SQL for an ordinary family.
func (r *Runner) names(ctx context.Context) error {
	_, err := r.set.Client().PrepareStatement(ctx, "SELECT _key, holder['name'] FROM tickets", nil) // ok ttlread/sql
	return err
}

// blacklist writes the day's revoked tickets.
func (r *Runner) blacklist(ctx context.Context, ids []string, ttl time.Duration) error {
	muts := make([]*bigtable.Mutation, len(ids))
	for i := range ids {
		muts[i] = bigtable.NewMutation()
		muts[i].Set(schema.Pass, "black", bigtable.Time(time.Now().Add(ttl)), nil) // ok ttlwrite/write-time
		muts[i].Set(schema.Pass, "why", bigtable.ServerTime, []byte("list"))       // want ttlwrite/server-timestamp
	}
	_, err := r.set.Tickets.ApplyBulk(ctx, ids, muts)
	return err
}

// Nightly runs what has no ticker.
func (r *Runner) Nightly(ctx context.Context, ids []string) error {
	if err := r.stats(ctx); err != nil {
		return err
	}
	if err := r.names(ctx); err != nil {
		return err
	}
	if err := r.tidy(ctx); err != nil {
		return err
	}
	return r.blacklist(ctx, ids, 24*time.Hour)
}

// tidy deletes by ranges.
func (r *Runner) tidy(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(schema.Holder, "log", 0, 999)              // want ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.Holder, "old", 0, 1000)             // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.Holder, "name", 0, clock.NowTS())   // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange(schema.Holder, "gone", 5000, 5000)         // want ttlunit/empty-range
	m.AddIntToCell(schema.Holder, "tidied", bigtable.ServerTime, 1)   // want ttlwrite/aggregate-server-time
	m.AddIntToCell(schema.Holder, "tidied2", 0, 1)                    // ok ttlwrite/aggregate-server-time
	m.Set(schema.Holder, "never", bigtable.Time(time.Time{}), nil)    // want ttlunit/out-of-range
	m.Set(schema.Holder, "once", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	return r.set.Tickets.Apply(ctx, "tidy", m)
}
