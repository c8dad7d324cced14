package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// began is when this job began.
var began = time.Now() // want ttlread/stale-bound[began] ttlwrite/stale-clock[replay]

// dead is what has expired when the job began.
var dead = bigtable.TimestampRangeFilter(time.Time{}, began)

// reap deletes expired holds, passes and grants, table by table.
func reap(ctx context.Context, e *env, args []string) error {
	targets := []struct {
		table  string
		family names.Family
	}{
		{names.DockSlots, names.Hold},
		{names.GatePasses, names.Pass},
		{names.Parcels, names.Grant},
	}
	var errs []error
	for _, t := range targets {
		tbl := e.client.Open(t.table)
		n := 0
		writes := func(yield func(bt.Write) bool) {
			opt := bt.With(bt.Only(t.family), dead, bigtable.StripValueFilter())
			for row, err := range bt.Rows(ctx, tbl, bigtable.InfiniteRange(""), opt) { // ok ttlread/expired-only
				if err != nil {
					errs = append(errs, err)
					return
				}
				m := bigtable.NewMutation()
				for _, it := range row[string(t.family)] {
					m.DeleteTimestampRange(string(t.family), bt.Qualifier(it), 0, it.Timestamp+1000)
				}
				n++
				if e.dry {
					continue
				}
				if !yield(bt.Write{Key: row.Key(), Mut: m}) {
					return
				}
			}
		}
		if err := bt.Bulk(ctx, tbl, writes, 1000); err != nil {
			errs = append(errs, err)
		}
		e.log.InfoContext(ctx, "reaped", "table", t.table, "rows", n)
	}
	return errors.Join(errs...)
}

// backfill reads a file of holds and passes: kind, key, value, end.
func backfill(ctx context.Context, e *env, args []string) error {
	if len(args) != 1 {
		return errors.New("backfill FILE")
	}
	slots := e.client.Open(names.DockSlots)
	passes := e.client.Open(names.GatePasses)
	now := time.Now()
	var done, skipped int
	for f, err := range lines(args[0]) {
		if err != nil {
			return err
		}
		if len(f) < 4 {
			skipped++
			continue
		}
		sec, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			e.log.WarnContext(ctx, "bad line", "line", f, "err", err)
			skipped++
			continue
		}
		m := bigtable.NewMutation()
		switch f[0] {
		case "hold":
			m.Set("hold", "by", bigtable.Time(time.Unix(sec, 0)), []byte(f[2])) // ok ttlwrite/write-time
			m.Set("slot", "backfilled", bigtable.Time(now), []byte(f[2]))       // ok ttlwrite/write-time
			err = slots.Apply(ctx, f[1], m)
		case "old-hold":
			m.Set("hold", "by", bigtable.Timestamp(sec), []byte(f[2])) // maybe ttlunit/wrong-unit
			err = slots.Apply(ctx, f[1], m)
		case "pass":
			m.Set("pass", "bearer", bigtable.Time(now), []byte(f[2])) // want ttlwrite/write-time
			err = passes.Apply(ctx, f[1], m)
		case "pass-end":
			m.Set("pass", "bearer", bigtable.Timestamp(sec*1e6), []byte(f[2])) // ok ttlunit/wrong-unit
			err = passes.Apply(ctx, f[1], m)
		case "pass-void":
			m.Set("pass", "void", bigtable.Time(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), []byte(f[2])) // want ttlwrite/already-expired
			err = passes.Apply(ctx, f[1], m)
		case "pass-day":
			m.Set("pass", "bearer", bigtable.Time(now.Add(24*time.Hour)), []byte(f[2])) // ok ttlwrite/write-time
			m.Set("info", "backfilled", bigtable.Time(now), []byte(f[2]))               // ok ttlwrite/write-time
			err = passes.Apply(ctx, f[1], m)
		default:
			skipped++
			continue
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", f[0], f[1], err)
		}
		if done++; done%1000 == 0 {
			e.log.InfoContext(ctx, "backfill", "done", done, "skipped", skipped)
		}
	}
	return nil
}

// copyParcels copies the parcels into the table of another depot's parcels,
// cell by cell, with their timestamps.
func copyParcels(ctx context.Context, e *env, args []string) error {
	if len(args) != 1 {
		return errors.New("copy TABLE")
	}
	from, to := e.client.Open(names.Parcels), e.client.Open(args[0])
	now := time.Now()
	live := bigtable.InterleaveFilters(
		bt.Only(names.State, names.Trail),
		bigtable.ChainFilters(bt.Only(names.Step), bigtable.LatestNFilter(5)),
		bt.LiveOnly(names.Grant, now),
	)
	writes := func(yield func(bt.Write) bool) {
		for row, err := range bt.Rows(ctx, from, bigtable.InfiniteRange(""), bt.With(live)) { // ok ttlread/missing-filter ttlread/unfiltered-branch
			if err != nil {
				e.log.ErrorContext(ctx, "copy", "err", err)
				return
			}
			m := bigtable.NewMutation()
			for f, items := range row {
				for _, it := range items {
					m.Set(f, bt.Qualifier(it), it.Timestamp, it.Value)
				}
			}
			if !yield(bt.Write{Key: row.Key(), Mut: m}) {
				return
			}
		}
	}
	return bt.Bulk(ctx, to, writes, 100)
}

type exported struct {
	Table   string            `json:"table"`
	Key     string            `json:"key"`
	Cells   map[string]string `json:"cells"`
	Written string            `json:"written,omitempty"`
	Until   string            `json:"until,omitempty"`
}

// export writes holds, passes, grants and pings to stdout, as JSON.
func export(ctx context.Context, e *env, args []string) error {
	enc := json.NewEncoder(os.Stdout)
	now := time.Now()

	slots := e.client.Open(names.DockSlots)
	for row, err := range bt.Rows(ctx, slots, bigtable.InfiniteRange("")) { // want ttlread/missing-filter
		if err != nil {
			return err
		}
		x := exported{Table: names.DockSlots, Key: row.Key(), Cells: map[string]string{}}
		for _, items := range row {
			for _, it := range items {
				x.Cells[it.Column] = string(it.Value)
			}
		}
		if err := enc.Encode(x); err != nil {
			return err
		}
	}

	passes := e.client.Open(names.GatePasses)
	for row, err := range bt.Rows(ctx, passes, bigtable.InfiniteRange(""), bt.With(bt.LiveOnly(names.Pass, now))) { // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		x := exported{Table: names.GatePasses, Key: row.Key(), Cells: map[string]string{}}
		for _, it := range row["pass"] {
			x.Cells[it.Column] = string(it.Value)
			x.Written = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		}
		if err := enc.Encode(x); err != nil {
			return err
		}
	}

	parcels := e.client.Open(names.Parcels)
	grants := bigtable.ChainFilters(bt.Only(names.Grant), bigtable.TimestampRangeFilter(began, time.Time{})) // want ttlread/stale-bound[began]
	for row, err := range bt.Rows(ctx, parcels, bigtable.InfiniteRange(""), bt.With(grants)) {               // want ttlread/stale-bound[began]
		if err != nil {
			return err
		}
		x := exported{Table: names.Parcels, Key: row.Key(), Cells: map[string]string{}}
		for _, it := range row["grant"] {
			x.Cells[it.Column] = string(it.Value)
			x.Until = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		}
		if err := enc.Encode(x); err != nil {
			return err
		}
	}

	telemetry := e.client.Open(names.Telemetry)
	pings := bt.With(bt.Only(names.Ping), bt.Since(now, 24*time.Hour))                       // want ttlread/wrong-bound[day]
	err := telemetry.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/wrong-bound[day]
		x := exported{Table: names.Telemetry, Key: row.Key(), Cells: map[string]string{}}
		for _, it := range row["ping"] {
			x.Cells[it.Column] = fmt.Sprintf("%x", it.Value)
		}
		return enc.Encode(x) == nil
	}, pings)
	if err != nil {
		return err
	}

	books := e.client.Open(names.YardAudit)
	return books.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		x := exported{Table: names.YardAudit, Key: row.Key(), Cells: map[string]string{}}
		for _, it := range row["step"] {
			x.Cells[it.Column] = string(it.Value)
			x.Written = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		}
		return enc.Encode(x) == nil
	})
}

// renumber numbers the revisions of all trucks anew, oldest first.
func renumber(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(names.Manifest(e.depot))
	var moved atomic.Int64
	var failed []error
	three := bt.With(bt.Only(names.Rev), bigtable.ColumnFilter("list"), bigtable.LatestNFilter(3))
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/version-limit
		items := row["rev"]
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn("rev", "list")
		for i := range items {
			it := items[len(items)-1-i]
			m.Set("rev", "list", bigtable.Timestamp(i+1)*1000, it.Value)    // ok ttlwrite/unscaled-sequence
			m.Set("rev", "was", bigtable.Timestamp(moved.Add(1)), it.Value) // want ttlwrite/unscaled-sequence
		}
		m.Set("rev", "renumbered", bigtable.Now(), []byte(e.depot)) // want ttlwrite/clock-in-sequence
		m.Set("head", "renumbered", 0, []byte(e.depot))             // ok ttlwrite/clock-in-zero
		if err := tbl.Apply(ctx, row.Key(), m); err != nil {
			failed = append(failed, err)
		}
		return len(failed) < 10
	}, three)
	e.log.InfoContext(ctx, "renumbered", "revisions", moved.Load())
	return errors.Join(append(failed, err)...)
}

// check looks for cells that should not be there.
func check(ctx context.Context, e *env, args []string) error {
	now := time.Now()
	var late, odd, young int
	slots := e.client.Open(names.DockSlots)
	err := slots.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["hold"] {
			if now.After(it.Timestamp.Time().Add(7 * 24 * time.Hour)) {
				late++
			}
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				odd++
			}
		}
		return true
	})
	if err != nil {
		return err
	}

	lists := e.client.Open(names.Manifest(e.depot))
	for row, err := range bt.Rows(ctx, lists, bigtable.InfiniteRange(""), bt.With(bt.Newest(names.Rev))) { // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row["rev"] {
			if it.Timestamp%1000 != 0 || it.Timestamp < 0 { // ok ttlage/server-sentinel
				odd++
			}
			if time.Since(it.Timestamp.Time()) < time.Hour { // want ttlage/not-write-time
				young++
			}
		}
	}

	rates := e.client.Open(names.Quotes)
	old := 0
	for row, err := range bt.Rows(ctx, rates, bigtable.InfiniteRange(""), bt.With(bt.LiveOnly(names.Rate, now))) { // want ttlread/wrong-bound
		if err != nil {
			return err
		}
		old += len(row["rate"])
	}
	for row, err := range bt.Rows(ctx, rates, bigtable.InfiniteRange(""), bt.With(bt.Only(names.Rate), bigtable.TimestampRangeFilter(time.Time{}, now.Add(-6*time.Hour)))) { // want ttlread/expired-only
		if err != nil {
			return err
		}
		old += len(row["rate"])
	}
	e.log.InfoContext(ctx, "checked", "late", late, "odd", odd, "young", young, "old", old)
	return nil
}

// rotate replaces all passes by new ones that last a day.
func rotate(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(names.GatePasses)
	now := time.Now()
	end := bigtable.Time(now.Add(24 * time.Hour))
	live := bt.With(bt.LiveOnly(names.Pass, now))
	writes := func(yield func(bt.Write) bool) {
		for row, err := range bt.Rows(ctx, tbl, bigtable.InfiniteRange(""), live) { // ok ttlread/missing-filter
			if err != nil {
				return
			}
			m := bigtable.NewMutation()
			for _, it := range row["pass"] {
				m.DeleteCellsInColumn("pass", bt.Qualifier(it))
				m.Set("pass", bt.Qualifier(it), end, it.Value) // ok ttlwrite/delete-after-set
			}
			m.Set("pass", "rotated", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
			m.Set("info", "rotated", bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
			if !yield(bt.Write{Key: row.Key(), Mut: m}) {
				return
			}
		}
	}
	return bt.Bulk(ctx, tbl, writes, 200)
}

// replay sends the telemetry of a file again, each ping with the time at
// which it was sent; alarms live for a year.
func replay(ctx context.Context, e *env, args []string) error {
	if len(args) != 1 {
		return errors.New("replay FILE")
	}
	const year = 365 * 24 * time.Hour
	tbl := e.client.Open(names.Telemetry)
	base := time.Now()
	var bad error
	writes := seqx.Map(seqx.Values(lines(args[0]), &bad), func(f []string) bt.Write {
		m := bigtable.NewMutation()
		ms, _ := strconv.ParseInt(f[1], 10, 64)
		sent := time.UnixMilli(ms)
		m.Set("ping", "pos", bigtable.Time(sent), []byte(f[2]))                                                 // ok ttlwrite/stale-clock
		m.Set("ping", "sent", bigtable.Timestamp(sent.Unix()), []byte(f[1]))                                    // want ttlunit/wrong-unit|ttlwrite/already-expired
		m.Set("alarm", "replayed", bigtable.Time(base.Add(year-schema720)), []byte(f[2]))                       // ok ttlwrite/already-expired
		m.Set("alarm", "gone", bigtable.Time(base.Add(-schema720)), []byte(f[2]))                               // want ttlwrite/already-expired
		m.Set("ping", "began", bigtable.Time(began), []byte(f[0]))                                              // want ttlwrite/stale-clock[replay]
		m.Set("ping", "seen", bigtable.Now()+bigtable.Timestamp(30*time.Minute/time.Microsecond), []byte(f[0])) // ok ttlunit/wrong-unit
		m.Set("ping", "later", bigtable.Now()+bigtable.Timestamp(30*time.Minute), []byte(f[0]))                 // want ttlunit/wrong-unit
		return bt.Write{Key: f[0], Mut: m}
	})
	return errors.Join(bt.Bulk(ctx, tbl, writes, 500), bad)
}

const schema720 = 720 * time.Hour

// stats counts rows and cells.
func stats(ctx context.Context, e *env, args []string) error {
	rows, cells := map[string]int{}, map[string]int{}
	for _, table := range []string{names.DockSlots, names.GatePasses, names.Telemetry} {
		tbl := e.client.Open(table)
		keys := bt.With(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
		for row, err := range bt.Rows(ctx, tbl, bigtable.InfiniteRange(""), keys) { // ok ttlread/missing-filter
			if err != nil {
				return err
			}
			_ = row.Key()
			rows[table]++
		}
	}
	passes := e.client.Open(names.GatePasses)
	for row, err := range bt.Rows(ctx, passes, bigtable.InfiniteRange(""), bt.With(bt.Only(names.Pass))) { // want ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row["pass"] {
			cells[string(it.Value)]++
		}
	}
	for table, n := range seqx.SortedKeys(rows) {
		fmt.Printf("%-12s %8d rows\n", table, n)
	}
	for bearer, n := range seqx.SortedKeys(cells) {
		fmt.Printf("%-12s %8d cells\n", bearer, n)
	}
	return nil
}
