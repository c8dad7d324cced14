// Package unasked gives functions what nothing of what they do with Bigtable
// hangs on: how it comes about decides nothing.
package unasked

import (
	"context"
	"errors"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Clock tells the time.
type Clock interface{ Now() time.Time }

// Env is what jobs share.
type Env struct {
	Client *bigtable.Client
	Clock  Clock
}

type base struct {
	env            Env
	visits, totals bigtable.TableAPI
}

func newBase(env Env) base {
	return base{env: env, visits: env.Client.Open("clicks"), totals: env.Client.Open("history")}
}

// A Backfill counts again what there was.
type Backfill struct {
	base
	days int
}

// NewBackfill goes back that many days.
func NewBackfill(env Env, days int) *Backfill {
	return &Backfill{base: newBase(env), days: days}
}

// Run goes from day to day.
func (b *Backfill) Run(ctx context.Context) (int, error) {
	users := 0
	now := b.env.Clock.Now().UTC().Truncate(24 * time.Hour)
	for d := range b.days {
		n, err := b.day(ctx, now.AddDate(0, 0, -d))
		if err != nil {
			return users, err
		}
		users += n
	}
	return users, nil
}

// The hours come out of a callback, by way of a function that may fail: the
// callback goes on where it does not.
func (b *Backfill) day(ctx context.Context, day time.Time) (int, error) {
	hours := map[int]int64{}
	users := map[string]int64{}
	live := bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.TimestampRangeFilter(b.env.Clock.Now().Add(-720*time.Hour), time.Time{}))
	err := scan(ctx, b.visits, live, func(row bigtable.Row) error {
		at, user, ok := eventTime(row.Key())
		if !ok || !at.Truncate(24*time.Hour).Equal(day) {
			return nil
		}
		hours[at.Hour()]++
		users[user]++
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(users), errors.Join(b.rollup(ctx, day, hours), b.okRollup(ctx, day, users))
}

func (b *Backfill) rollup(ctx context.Context, day time.Time, hours map[int]int64) error {
	m := bigtable.NewMutation()
	m.Set("val", "day", bigtable.Time(day), make([]byte, len(hours))) // want `clock-in-sequence: .*"val" of table "history"`
	return b.totals.Apply(ctx, day.Format(time.DateOnly), m)
}

func (b *Backfill) okRollup(ctx context.Context, day time.Time, users map[string]int64) error {
	m := bigtable.NewMutation()
	m.Set("val", "day", bigtable.Timestamp(day.Unix()/86400*1000), make([]byte, len(users)))
	return b.totals.Apply(ctx, day.Format(time.DateOnly), m)
}

func scan(ctx context.Context, tbl bigtable.TableAPI, f bigtable.Filter, each func(bigtable.Row) error) error {
	var opts []bigtable.ReadOption
	if f != nil {
		opts = append(opts, bigtable.RowFilter(f))
	}
	var failed error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(row bigtable.Row) bool {
		failed = each(row)
		return failed == nil
	}, opts...)
	if err != nil {
		return err
	}
	return failed
}

func eventTime(key string) (time.Time, string, bool) {
	parts := strings.Split(key, "#")
	if len(parts) != 4 {
		return time.Time{}, "", false
	}
	at, err := time.Parse("20060102T150405.000", parts[2])
	return at, parts[1], err == nil
}
