package services

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
)

// LimitService counts requests per window.
type LimitService struct {
	Allow      func(ctx context.Context, who string) (bool, error)
	AllowBurst func(ctx context.Context, who string, n int64) (bool, error)
	Used       func(ctx context.Context, who string) (int64, error)
	Peek       func(ctx context.Context, who string) (int64, error)
	Forgive    func(ctx context.Context, who string) error
}

func windowKey(who string, at time.Time, size time.Duration) string {
	return strutil.Key("w", who, strconv.FormatInt(at.Truncate(size).Unix(), 10))
}

// NewLimitService wires it.
func NewLimitService(deps Deps) *LimitService {
	tbl := deps.Tables.Counters
	cfg := deps.Config.Limits

	read := func(ctx context.Context, key string, opts ...bigtable.ReadOption) (int64, error) {
		row, err := tbl.ReadRow(ctx, key, opts...)
		if err != nil {
			return 0, err
		}
		it, ok := bt.Pick(row, tables.FamWindow, "n")
		if !ok {
			return 0, nil
		}
		return bt.ParseInt64(it.Value), nil
	}
	live := func() bigtable.ReadOption { return bt.Where(bt.InFamily(tables.FamWindow, bt.LiveNow())) }

	return &LimitService{
		Allow: func(ctx context.Context, who string) (bool, error) {
			n, err := bt.Incr(ctx, tbl, windowKey(who, deps.Clock(), cfg.Window), tables.FamWindow, "n", 1) // want ttlwrite/read-modify-write
			if err != nil {
				return false, err
			}
			if _, err := bt.Incr(ctx, tbl, strutil.Key("t", who), tables.FamTotal, "n", 1); err != nil { // ok ttlwrite/read-modify-write
				deps.Log.Warn("total not counted", "who", who, "err", err)
			}
			return n <= cfg.PerIP, nil
		},
		AllowBurst: func(ctx context.Context, who string, n int64) (bool, error) {
			now := deps.Clock()
			key := windowKey(who, now, cfg.Window)
			used, err := read(ctx, key, live()) // ok ttlread/missing-filter
			if err != nil || used+n > cfg.PerUser {
				return false, err
			}
			end := now.Truncate(time.Hour).Add(time.Hour)
			mut := bigtable.NewMutation()
			mut.Set(tables.FamWindow, "n", bigtable.Time(end), bt.Int64(used+n))                     // ok ttlwrite/write-time
			mut.AddIntToCell(tables.FamTotal, "sum", bigtable.ServerTime, n)                         // want ttlwrite/aggregate-server-time
			mut.AddIntToCell(tables.FamTotal, "sum_day", bigtable.Time(timeutil.StartOfDay(now)), n) // ok ttlwrite/aggregate-server-time
			return true, tbl.Apply(ctx, key, mut)
		},
		Used: func(ctx context.Context, who string) (int64, error) {
			return read(ctx, windowKey(who, deps.Clock(), cfg.Window), live()) // ok ttlread/missing-filter
		},
		Peek: func(ctx context.Context, who string) (int64, error) {
			return read(ctx, windowKey(who, deps.Clock(), cfg.Window)) // want ttlread/missing-filter
		},
		Forgive: func(ctx context.Context, who string) error {
			mut := bigtable.NewMutation()
			mut.Set(tables.FamWindow, "n", bigtable.Time(timeutil.FromNow(time.Hour)), bt.Int64(0))            // ok ttlwrite/write-time
			mut.Set(tables.FamWindow, "forgiven", bigtable.Timestamp(timeutil.FromNow(time.Hour).Unix()), nil) // want ttlunit/wrong-unit
			return tbl.Apply(ctx, windowKey(who, deps.Clock(), cfg.Window), mut)
		},
	}
}
