package jobs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/sched"
	"example.com/lakehouse/internal/schema"
)

// Backfill recomputes hourly rollups and statistics of past days.
type Backfill struct {
	base
	days int
	run  int64
}

// NewBackfill goes back the days.
func NewBackfill(env Env, days int) *Backfill {
	return &Backfill{base: newBase(env, "backfill", 24*time.Hour), days: days}
}

// Run implements sched.Job.
func (b *Backfill) Run(ctx context.Context) (sched.Report, error) {
	var rep sched.Report
	b.run++
	now := b.env.Clock.Now().UTC().Truncate(24 * time.Hour)
	for d := range b.days {
		day := now.AddDate(0, 0, -d)
		n, err := b.day(ctx, day)
		if err != nil {
			return rep, fmt.Errorf("backfill %s: %w", day.Format(time.DateOnly), err)
		}
		rep.Rows += n
	}
	if err := b.finish(ctx, etl.Seq(b.run), now.Format(time.DateOnly)); err != nil { // ok ttlwrite/unscaled-sequence
		return rep, err
	}
	return rep, nil
}

func (b *Backfill) day(ctx context.Context, day time.Time) (int, error) {
	hours := map[int]int64{}
	users := map[string]int64{}
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamEvent),
		bigtable.ColumnFilter("url|user"),
		bigtable.TimestampRangeFilter(b.env.Clock.Now().Add(-b.env.Conf.Clicks.Retention), time.Time{}),
	)
	err := scan(ctx, b.clicks, "", f, func(row bigtable.Row) error { // ok ttlread/wrong-bound
		at, user, ok := eventTime(row.Key())
		if !ok || !sameDay(at, day) {
			return nil
		}
		hours[at.Hour()]++
		users[user]++
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(users), errors.Join(b.rollup(ctx, day, hours), b.stats(ctx, day, users))
}

// rollup writes at the time of the hour: the cells go 90 days after it.
func (b *Backfill) rollup(ctx context.Context, day time.Time, hours map[int]int64) error {
	m := bigtable.NewMutation()
	for h, n := range hours {
		at := day.Add(time.Duration(h) * time.Hour)
		m.Set(schema.FamHour, at.Format("2006010215"), bigtable.Time(at), etl.Int64(n)) // ok ttlwrite/already-expired
	}
	m.Set(schema.FamAgg, "backfilled", 0, []byte(day.Format(time.DateOnly)))          // ok ttlwrite/clock-in-zero
	m.Set(schema.FamAgg, "day", bigtable.Time(day), []byte(strconv.Itoa(len(hours)))) // want ttlwrite/clock-in-zero
	return b.agg.Apply(ctx, etl.Key("clicks", day.Format(time.DateOnly)), m)
}

func (b *Backfill) stats(ctx context.Context, day time.Time, users map[string]int64) error {
	keys := make([]string, 0, len(users))
	muts := make([]*bigtable.Mutation, 0, len(users))
	for u, n := range users {
		m := bigtable.NewMutation()
		m.Set(schema.FamStats, "clicks:"+day.Format(time.DateOnly), bigtable.Time(day), etl.Int64(n)) // ok ttlwrite/already-expired
		m.Set(schema.FamOnline, "clicks_1d", etl.ExpiresIn(schema.OnlineTTL), etl.Int64(n))           // ok ttlwrite/write-time
		m.Set(schema.FamOnline, "day", bigtable.Time(b.env.Clock.Now()), []byte(day.String()))        // want ttlwrite/write-time
		keys = append(keys, u)
		muts = append(muts, m)
	}
	errs, err := b.features.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

func eventTime(key string) (time.Time, string, bool) {
	parts := etl.SplitKey(key)
	if len(parts) != 4 {
		return time.Time{}, "", false
	}
	at, err := time.Parse("20060102T150405.000", parts[2])
	return at, parts[1], err == nil
}

func sameDay(a, b time.Time) bool {
	return a.UTC().Truncate(24 * time.Hour).Equal(b.UTC().Truncate(24 * time.Hour))
}

// Seed fills the dedup table from the events of the last day, after an outage.
type Seed struct{ base }

// NewSeed makes it.
func NewSeed(env Env) *Seed { return &Seed{newBase(env, "seed", 0)} }

// Run implements sched.Job.
func (s *Seed) Run(ctx context.Context) (sched.Report, error) {
	out := etl.NewBatcher(s.dedup, 0, s.log())
	f := etl.InFamily(schema.FamEvent, bigtable.ColumnFilter("url"), etl.Within(schema.ClickRetention))
	runs := 0
	err := scan(ctx, s.clicks, "", f, func(row bigtable.Row) error { // ok ttlread/missing-filter
		runs++
		at, _, ok := eventTime(row.Key())
		if !ok {
			return nil
		}
		m := bigtable.NewMutation()
		m.Set(schema.FamSeen, "id", bigtable.Time(at.Add(schema.SeenTTL)), []byte("seed")) // ok ttlwrite/already-expired
		m.Set(schema.FamSeen, "seeded", bigtable.Now(), nil)                               // want ttlwrite/write-time
		return out.Add(ctx, row.Key(), m)
	})
	if err != nil {
		return sched.Report{Rows: out.Sent()}, err
	}
	if err := s.finish(ctx, bigtable.Timestamp(runs), ""); err != nil { // want ttlwrite/unscaled-sequence
		return sched.Report{}, err
	}
	return sched.Report{Rows: out.Sent()}, out.Flush(ctx)
}
