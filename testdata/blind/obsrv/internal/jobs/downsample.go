// Package jobs has what runs in the background: downsampling, retention,
// copying between tables and reports.
package jobs

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// Downsampler rolls points up to one resolution.
type Downsampler struct {
	points, out, cursors *bigtable.Table
	res                  string
	step                 time.Duration
	runs                 int64
}

func NewDownsampler(c *bigtable.Client, res string, step time.Duration) *Downsampler {
	return &Downsampler{
		points: c.Open(names.TablePoints), out: c.Open(names.RollupTable(res)), cursors: c.Open(names.TableCursors),
		res: res, step: step,
	}
}

type bucket struct {
	key        string
	start, end time.Time
	sum        float64
	n          int
}

// Run handles the tenants, four at a time.
func (d *Downsampler) Run(ctx context.Context, tenants []string) error {
	end := time.Now().Truncate(d.step)
	start := end.Add(-d.step)
	if err := d.lock(ctx); err != nil {
		return err
	}
	buckets := make(chan bucket, 32)
	errs := make(chan error, len(tenants)+1)
	var readers sync.WaitGroup
	sem := make(chan struct{}, 4)
	for _, t := range tenants {
		readers.Add(1)
		go func() {
			defer readers.Done()
			sem <- struct{}{}
			errs <- d.read(ctx, t, start, end, buckets)
			<-sem
		}()
	}
	go func() { readers.Wait(); close(buckets) }()
	errs <- d.write(ctx, buckets)
	close(errs)
	var all error
	for err := range errs {
		all = errors.Join(all, err)
	}
	return errors.Join(all, d.finish(ctx, tenants))
}

func (d *Downsampler) read(ctx context.Context, tenant string, start, end time.Time, out chan<- bucket) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPoint), bigtable.ColumnFilter("v"), bigtable.TimestampRangeFilter(start, end)) // ok ttlread/upper-bound
	return d.points.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool {                                              // ok ttlread/missing-filter
		b := bucket{key: r.Key(), start: start, end: end}
		for _, it := range r[names.FamPoint] {
			if v, err := strconv.ParseFloat(string(it.Value), 64); err == nil {
				b.sum += v
				b.n++
			}
		}
		out <- b
		return true
	}, bigtable.RowFilter(f))
}

func (d *Downsampler) write(ctx context.Context, in <-chan bucket) error {
	b := bt.NewBatch(d.out, 250)
	for bk := range in {
		mut := bigtable.NewMutation()
		col := bk.start.Format("1504")
		mut.Set(names.FamRollup, col, bigtable.Time(bk.end), strconv.AppendFloat(nil, bk.sum, 'g', -1, 64))               // ok ttlwrite/already-expired
		mut.Set(names.FamRollup, col+"n", bigtable.Timestamp(bk.end.UnixNano()), strconv.AppendInt(nil, int64(bk.n), 10)) // want ttlunit/wrong-unit
		mut.Set(names.FamHeader, "run", bt.Stamp(), nil)                                                                  // want ttlwrite/clock-in-zero
		mut.Set(names.FamHeader, "res", 0, []byte(d.res))                                                                 // ok ttlwrite/clock-in-zero
		if err := b.Add(ctx, bk.key, mut); err != nil {
			return err
		}
	}
	return b.Flush(ctx)
}

func (d *Downsampler) lock(ctx context.Context) error {
	row, err := bt.One(ctx, d.cursors, "job/"+d.res, bigtable.FamilyFilter(names.FamLease), bt.Live()) // ok ttlread/missing-filter
	if err == nil && len(row) > 0 {
		return errors.New("jobs: downsampler runs elsewhere")
	}
	if err := bt.Put(ctx, d.cursors, "job/"+d.res, names.FamLease, "since", bigtable.ServerTime, nil); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	return bt.Put(ctx, d.cursors, "job/"+d.res, names.FamLease, "job", bt.ExpiresIn(5*time.Minute), nil) // ok ttlwrite/write-time
}

func (d *Downsampler) finish(ctx context.Context, done []string) error {
	d.runs++
	mut := bigtable.NewMutation()
	mut.Set(names.FamPos, "run", bigtable.Timestamp(d.runs), nil)                 // want ttlwrite/unscaled-sequence
	mut.Set(names.FamPos, "runs", bt.Seq(d.runs), nil)                            // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamPos, "tenants", bigtable.Timestamp(len(done)), nil)          // want ttlwrite/unscaled-sequence
	mut.Set(names.FamPos, "at", bt.Stamp(), nil)                                  // want ttlwrite/clock-in-sequence
	mut.Set(names.FamPos, "end", bigtable.Timestamp(time.Now().UnixMicro()), nil) // want ttlwrite/clock-in-sequence
	return d.cursors.Apply(ctx, "job/"+d.res, mut)
}

// Purge deletes what a tenant with a short retention should not have.
func Purge(ctx context.Context, c *bigtable.Client, tenant string, keep time.Duration) (int, error) {
	spans := c.Open(names.TableSpans)
	cut := time.Now().Add(-keep)
	b := bt.NewBatch(spans, 500)
	n := 0
	var bad error
	err := spans.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		for _, it := range r[names.FamSpan] {
			mut.DeleteTimestampRange(names.FamSpan, it.Column[len(names.FamSpan)+1:], 0, bigtable.Time(cut)) // ok ttlunit/sub-millisecond
			n++
		}
		bad = b.Add(ctx, r.Key(), mut)
		return bad == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSpan), bigtable.TimestampRangeFilter(time.Time{}, cut))))
	return n, errors.Join(err, bad, b.Flush(ctx))
}
