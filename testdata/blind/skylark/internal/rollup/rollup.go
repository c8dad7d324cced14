// Package rollup folds raw samples into minutes, hours and days.
package rollup

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/metrics"
	"example.com/skylark/internal/pipeline"
)

// Window is a span that is folded into one value.
type Window struct {
	Key    string
	Metric string
	Start  time.Time
	Len    time.Duration
}

// bootCutoff is the oldest sample that this process folds.
var bootCutoff = time.Now().Add(-bt.RawTTL) // want ttlread/stale-bound[cutoff]

// loaded once: the raw samples' bound.
var rawBound = sync.OnceValue(func() bigtable.Filter { // want ttlread/stale-bound[once]
	return bigtable.ChainFilters( // want ttlread/stale-bound[once]
		bigtable.FamilyFilter(bt.FamRaw),
		bigtable.TimestampRangeFilter(time.Now().Add(-bt.RawTTL), time.Time{}), // want ttlread/stale-bound[once]
	)
})

// Worker folds windows that others schedule.
type Worker struct {
	tbl     bigtable.TableAPI
	windows <-chan Window
	results chan Result
	log     *slog.Logger
	m       *metrics.Set
	sem     chan struct{}
}

// Result is what a window came to.
type Result struct {
	Window
	Count         int
	Sum, Min, Max float64
	Err           error
}

// NewWorker returns a worker.
func NewWorker(c *bigtable.Client, windows <-chan Window, parallel int, log *slog.Logger, m *metrics.Set) *Worker {
	return &Worker{
		tbl:     c.Open("samples"),
		windows: windows,
		results: make(chan Result, parallel),
		log:     log,
		m:       m,
		sem:     make(chan struct{}, parallel),
	}
}

// Run folds until the windows end.
func (w *Worker) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	done := make(chan error, 1)
	go func() { done <- w.store(ctx) }()
	for win := range w.windows {
		w.sem <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-w.sem; wg.Done() }()
			w.results <- w.fold(ctx, win)
		}()
	}
	wg.Wait()
	close(w.results)
	return <-done
}

func (w *Worker) fold(ctx context.Context, win Window) Result {
	res := Result{Window: win, Min: math.Inf(1), Max: math.Inf(-1)}
	row, err := w.tbl.ReadRow(ctx, win.Key, bigtable.RowFilter(bt.Since(bt.FamRaw, bt.RawTTL))) // ok ttlread/missing-filter
	if err != nil {
		res.Err = err
		return res
	}
	for _, it := range row["raw"] {
		if len(it.Value) != 8 || !strings.HasSuffix(it.Column, ":"+win.Metric) {
			continue
		}
		v := math.Float64frombits(binary.BigEndian.Uint64(it.Value))
		res.Count++
		res.Sum += v
		res.Min, res.Max = min(res.Min, v), max(res.Max, v)
	}
	return res
}

// refold folds a window again after a restart.
func (w *Worker) refold(ctx context.Context, win Window) (int, error) {
	n := 0
	f := bigtable.ChainFilters(bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(bootCutoff, time.Time{})) // want ttlread/stale-bound[cutoff]
	row, err := w.tbl.ReadRow(ctx, win.Key, bigtable.RowFilter(f))                                                   // want ttlread/stale-bound[cutoff]
	if err != nil {
		return 0, err
	}
	for range row["raw"] {
		n++
	}
	return n, nil
}

// Recount counts a metric's samples.
func (w *Worker) Recount(ctx context.Context, prefix string) (map[string]int, error) {
	res := map[string]int{}
	err := w.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/stale-bound[once]
		for _, it := range row["raw"] {
			res[it.Column]++
		}
		return true
	}, bigtable.RowFilter(rawBound())) // want ttlread/stale-bound[once]
	return res, err
}

func (w *Worker) store(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	flush := func() error {
		if len(keys) == 0 {
			return nil
		}
		errs, err := w.tbl.ApplyBulk(ctx, keys, muts)
		if err != nil {
			return err
		}
		for i, e := range errs {
			if e != nil {
				w.log.Warn("rollup", "key", keys[i], "err", e)
				w.m.Inc("rollup_failed")
			}
		}
		keys, muts = nil, nil
		return nil
	}
	for r := range w.results {
		if r.Err != nil || r.Count == 0 {
			w.m.Inc("rollup_empty")
			continue
		}
		m := bigtable.NewMutation()
		at := bigtable.Time(r.Start)
		for name, v := range map[string]float64{"sum": r.Sum, "min": r.Min, "max": r.Max} {
			m.Set(bt.FamRollup, fmt.Sprintf("%s/%s/%s", r.Metric, r.Len, name), at, binary.BigEndian.AppendUint64(nil, math.Float64bits(v))) // ok ttlwrite/write-time
		}
		m.Set(bt.FamRollup, r.Metric+"/count", bigtable.Timestamp(r.Start.UnixMilli()), nil)     // want ttlunit/wrong-unit
		m.Set(bt.FamRollup, r.Metric+"/span", at+bigtable.Timestamp(r.Len), nil)                 // want ttlunit/wrong-unit
		m.Set(bt.FamRollup, r.Metric+"/end", at+bigtable.Timestamp(r.Len/time.Microsecond), nil) // ok ttlunit/wrong-unit
		keys, muts = append(keys, r.Key), append(muts, m)
		if len(keys) >= 100 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// Between reads rolled up values of a span.
func (w *Worker) Between(ctx context.Context, key string, from, to time.Time) ([]bigtable.ReadItem, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRollup), bigtable.TimestampRangeFilter(from, to))
	row, err := w.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return row[bt.FamRollup], nil
}

// Aged lists raw samples that are about to go.
func (w *Worker) Aged(ctx context.Context, key string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRaw), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-bt.RawTTL))) // want ttlread/expired-only[aged]
	row, err := w.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                                                                           // want ttlread/expired-only[aged]
	if err != nil {
		return 0, err
	}
	return len(row[bt.FamRaw]), nil
}

// Mixed reads both families.
func (w *Worker) Mixed(ctx context.Context, key string) (raw, rolled int, err error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRaw), bigtable.TimestampRangeFilter(time.Now().Add(-bt.RawTTL), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRollup), bigtable.LatestNFilter(1)),
	)
	row, err := w.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return 0, 0, err
	}
	return len(row[bt.FamRaw]), len(row[bt.FamRollup]), nil
}

// MixedNewest reads the newest of both families.
func (w *Worker) MixedNewest(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[mixednewest]
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRaw), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[mixednewest]
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRollup), bigtable.LatestNFilter(1)),
	)
	return w.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[mixednewest]
}

// Window3d reads all of a row that is at most three days old.
func (w *Worker) Window3d(ctx context.Context, key string) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilter(time.Now().Add(-72*time.Hour), time.Time{}) // want ttlread/hides-other-families[w3d]
	return w.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))                          // want ttlread/hides-other-families[w3d]
}

// Schedule emits the windows of the last day.
func Schedule(ctx context.Context, keys []string, metric string, every time.Duration) <-chan Window {
	out := make(chan Window)
	go func() {
		defer close(out)
		end := time.Now().Truncate(every)
		for t := end.Add(-24 * time.Hour); t.Before(end); t = t.Add(every) {
			for _, k := range keys {
				select {
				case out <- Window{Key: k, Metric: metric, Start: t, Len: every}:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return out
}

// Restart folds windows that a crash left behind.
func (w *Worker) Restart(ctx context.Context, wins []Window) (int, error) {
	total := 0
	for _, win := range wins {
		n, err := pipeline.Value(ctx, pipeline.Backoff{Attempts: 3, Base: time.Second, Cap: time.Minute}, func(ctx context.Context) (int, error) {
			return w.refold(ctx, win)
		})
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
