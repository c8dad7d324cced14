// Package jobs holds the platform's batch jobs. Each implements sched.Job.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/sched"
	"example.com/lakehouse/internal/schema"
)

// Env is what jobs share.
type Env struct {
	Client *bigtable.Client
	Conf   conf.Config
	Clock  etl.Clock
	Log    *slog.Logger
}

// base is embedded in jobs.
type base struct {
	env   Env
	name  string
	every time.Duration
	// tables, opened once
	clicks, features, dedup, offsets, agg bigtable.TableAPI
}

func newBase(env Env, name string, every time.Duration) base {
	return base{
		env: env, name: name, every: every,
		clicks:   env.Client.Open(schema.TableClicks),
		features: env.Client.Open(schema.TableFeatures),
		dedup:    env.Client.Open(schema.TableDedup),
		offsets:  env.Client.Open(schema.TableOffsets),
		agg:      env.Client.Open(schema.TableAgg),
	}
}

// Name implements sched.Job.
func (b *base) Name() string { return b.name }

// Every implements sched.Job.
func (b *base) Every() time.Duration { return b.every }

// log is the job's logger.
func (b *base) log() *slog.Logger { return b.env.Log.With("job", b.name) }

// finish notes the end of a job in its watermark row. n numbers the runs.
func (b *base) finish(ctx context.Context, ts bigtable.Timestamp, pos string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamWatermark, "pos", ts, []byte(pos))
	m.Set(schema.FamAudit, "finished", bigtable.Now(), []byte(b.name)) // ok ttlwrite/clock-in-sequence
	return b.offsets.Apply(ctx, b.name, m)
}

// scan reads a table with a filter that may be nil.
func scan(ctx context.Context, tbl bigtable.TableAPI, prefix string, f bigtable.Filter, each func(bigtable.Row) error) error {
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	var failed error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		failed = each(row)
		return failed == nil
	}, opts...)
	if err != nil {
		return err
	}
	return failed
}

// All makes the jobs of the platform.
func All(env Env) []sched.Job {
	return []sched.Job{
		NewBackfill(env, 90),
		NewCompact(env),
		NewTrainingSet(env, "/var/lib/lake/training"),
		NewRefresh(env),
		NewReconcile(env),
		NewSeed(env),
		NewReport(env),
		NewArchive(env),
		sched.Func("noop", time.Minute, func(context.Context) (sched.Report, error) { return sched.Report{}, nil }),
	}
}
