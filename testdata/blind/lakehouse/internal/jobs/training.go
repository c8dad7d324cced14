package jobs

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/sched"
	"example.com/lakehouse/internal/schema"
)

// TrainingSet exports features of all entities as CSV for training.
type TrainingSet struct {
	base
	dir string
}

// NewTrainingSet writes into dir.
func NewTrainingSet(env Env, dir string) *TrainingSet {
	return &TrainingSet{base: newBase(env, "training-set", 24*time.Hour), dir: dir}
}

// readFilter is the filter of exports; online only when the model serves.
func readFilter(online bool) bigtable.Filter {
	if online {
		return bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamOnline), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamStats), bigtable.TimestampRangeFilter(time.Now().Add(-schema.StatsRetention), time.Time{}))
}

// Run implements sched.Job.
func (t *TrainingSet) Run(ctx context.Context) (sched.Report, error) {
	var rep sched.Report
	name := filepath.Join(t.dir, t.env.Clock.Now().Format("20060102")+".csv")
	f, err := os.Create(name)
	if err != nil {
		return rep, err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	err = errors.Join(
		t.write(ctx, w, schema.FamOnline, readFilter(true), &rep),                             // ok ttlread/missing-filter
		t.write(ctx, w, schema.FamStats, readFilter(false), &rep),                             // ok ttlread/missing-filter
		t.write(ctx, w, schema.FamEntity, etl.InFamily(schema.FamEntity, etl.Newest()), &rep), // ok ttlread/missing-filter
	)
	w.Flush()
	return rep, errors.Join(err, w.Error())
}

// write exports one family.
func (t *TrainingSet) write(ctx context.Context, w *csv.Writer, family string, f bigtable.Filter, rep *sched.Report) error {
	return scan(ctx, t.features, "", f, func(row bigtable.Row) error {
		for _, it := range row[family] {
			rep.Rows++
			if err := w.Write([]string{row.Key(), it.Column, fmt.Sprintf("%x", it.Value)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Labels joins clicks to features: what was clicked within an hour.
func (t *TrainingSet) Labels(ctx context.Context, out chan<- [2]string) error {
	defer close(out)
	recent := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.ColumnFilter("url"), etl.Within(time.Hour))) // want ttlread/wrong-bound[labels]
	return t.clicks.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                                                          // want ttlread/wrong-bound[labels]
		for _, it := range row[schema.FamEvent] {
			select {
			case out <- [2]string{row.Key(), string(it.Value)}:
			case <-ctx.Done():
				return false
			}
		}
		return true
	}, recent) // want ttlread/wrong-bound[labels]
}

// Refresh prolongs online features that are about to end.
type Refresh struct {
	base
	ahead time.Duration
}

// NewRefresh makes it.
func NewRefresh(env Env) *Refresh {
	return &Refresh{base: newBase(env, "refresh", time.Hour), ahead: 2 * time.Hour}
}

// Run implements sched.Job. Producers and a pool of writers.
func (r *Refresh) Run(ctx context.Context) (sched.Report, error) {
	type item struct {
		key string
		mut *bigtable.Mutation
	}
	ch := make(chan item, 100)
	out := etl.NewBatcher(r.features, 200, r.log())
	done := make(chan error, 1)
	go func() {
		done <- etl.Pool(ctx, 4, ch, func(ctx context.Context, it item) error { return out.Add(ctx, it.key, it.mut) })
	}()
	soon := bigtable.Time(r.env.Clock.Now().Add(r.ahead))
	until := bigtable.Time(r.env.Clock.Now().Add(schema.OnlineTTL))
	stamp := bigtable.Now()
	n := 0
	err := scan(ctx, r.features, "", readFilter(true), func(row bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		ends := 0
		for _, it := range row[schema.FamOnline] {
			if it.Timestamp < soon {
				m.Set(schema.FamOnline, etl.Column(it), until, it.Value) // ok ttlwrite/write-time
				ends++
			}
		}
		if ends == 0 {
			return nil
		}
		n++
		m.Set(schema.FamOnline, "_refreshed", stamp, []byte(strconv.Itoa(ends))) // want ttlwrite/write-time
		m.Set(schema.FamEntity, "refreshed", stamp, []byte(strconv.Itoa(ends)))  // ok ttlwrite/write-time
		ch <- item{row.Key(), m}
		return nil
	})
	close(ch)
	err = errors.Join(err, <-done, out.Flush(ctx))
	if err != nil {
		return sched.Report{Rows: n}, err
	}
	return sched.Report{Rows: n}, r.finish(ctx, etl.Seq(int64(n)), "refresh") // ok ttlwrite/unscaled-sequence
}

// Prune removes features nobody serves; it compares expiries by hand, since
// it wants to see the dead ones as well.
func (r *Refresh) Prune(ctx context.Context) (int, error) {
	n := 0
	deadline := time.Now().Add(-24 * time.Hour)
	err := scan(ctx, r.features, "", bigtable.FamilyFilter(schema.FamOnline), func(row bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range row[schema.FamOnline] {
			if it.Timestamp.Time().Before(deadline) {
				m.DeleteCellsInColumn(schema.FamOnline, etl.Column(it))
				n++
			}
		}
		if n == 0 {
			return nil
		}
		return r.features.Apply(ctx, row.Key(), m)
	})
	return n, err
}
