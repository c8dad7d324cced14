package exper

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Rollout is how far a variant is rolled out, by revision.
type Rollout struct {
	Experiment string `json:"experiment"`
	Revision   int64  `json:"revision"`
	Percent    int    `json:"percent"`
	By         string `json:"by,omitempty"`
}

// Rollouts keep the last three revisions of each experiment.
type Rollouts struct {
	tbl  *Table
	next atomic.Int64
}

// NewRollouts makes Rollouts.
func NewRollouts(tbl *Table) *Rollouts { return &Rollouts{tbl: tbl} }

func percent(p int) []byte { return []byte(strconv.Itoa(p)) }

// Publish writes a revision.
func (r *Rollouts) Publish(ctx context.Context, ro Rollout) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, btx.Seq(ro.Revision), percent(ro.Percent)) // ok ttlwrite/clock-in-sequence ttlwrite/unscaled-sequence
	m.Set(schema.FamInfo, "by", bigtable.Now(), []byte(ro.By))                             // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, ro.Experiment, m)
}

// PublishNow writes a revision outside of the usual course.
func (r *Rollouts) PublishNow(ctx context.Context, experiment string, p int) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, bigtable.Now(), percent(p)) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamInfo, "by", bigtable.Now(), []byte("operator"))         // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, experiment, m)
}

// Step raises the rollout by one step.
func (r *Rollouts) Step(ctx context.Context, experiment string, p int) (int64, error) {
	n := r.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, bigtable.Timestamp(n), percent(p)) // want ttlwrite/unscaled-sequence
	return n, r.tbl.Apply(ctx, experiment, m)
}

// StepScaled is Step with a step that Bigtable can tell from the last.
func (r *Rollouts) StepScaled(ctx context.Context, experiment string, p int) (int64, error) {
	n := r.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, bigtable.Timestamp(n*1000), percent(p)) // ok ttlwrite/unscaled-sequence
	return n, r.tbl.Apply(ctx, experiment, m)
}

// Init writes the first revision.
func (r *Rollouts) Init(ctx context.Context, experiment string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, 1, percent(0)) // want ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, experiment, m)
}

// InitScaled writes the first revision, too.
func (r *Rollouts) InitScaled(ctx context.Context, experiment string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, 1000, percent(0)) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, experiment, m)
}

// Plan writes a whole plan, one revision a step.
func (r *Rollouts) Plan(ctx context.Context, experiment string, steps []int) error {
	m := bigtable.NewMutation()
	for i, p := range steps {
		m.Set(schema.FamRollout, schema.ColPercent, btx.Number(i+1), percent(p)) // want ttlwrite/unscaled-sequence
	}
	return r.tbl.Apply(ctx, experiment, m)
}

// PlanScaled is Plan with steps of a thousand.
func (r *Rollouts) PlanScaled(ctx context.Context, experiment string, steps []int) error {
	m := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	for _, p := range steps {
		ts += 1000
		m.Set(schema.FamRollout, schema.ColPercent, ts, percent(p)) // ok ttlwrite/unscaled-sequence ttlwrite/same-timestamp
	}
	return r.tbl.Apply(ctx, experiment, m)
}

// Rollback writes the last revision but one again.
func (r *Rollouts) Rollback(ctx context.Context, experiment string) error {
	all, err := r.History(ctx, experiment)
	if err != nil {
		return err
	}
	if len(all) < 2 {
		return fmt.Errorf("%s: nothing to go back to", experiment)
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, bigtable.Time(time.Now()), percent(all[1].Percent)) // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, experiment, m)
}

// RollbackTo writes an old revision under the next number.
func (r *Rollouts) RollbackTo(ctx context.Context, experiment string, old Rollout, head int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, btx.Seq(head+1), percent(old.Percent)) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, experiment, m)
}

// Pause stops a rollout.
func (r *Rollouts) Pause(ctx context.Context, experiment string) error {
	return btx.Put(ctx, r.tbl, experiment, schema.FamRollout, "paused", bigtable.ServerTime, []byte{1}) // want ttlwrite/clock-in-sequence
}

// Bump counts a rollout's revision up on the server.
func (r *Rollouts) Bump(ctx context.Context, experiment string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamRollout, "n", 1) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, experiment, rmw)
	return err
}

// Current reads the newest revision.
func (r *Rollouts) Current(ctx context.Context, experiment string) (*Rollout, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(btx.Cell(schema.FamRollout, schema.ColPercent))) // ok ttlread/version-limit ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for ro := range rolloutsOf(experiment, row) {
		return &ro, nil
	}
	return nil, btx.ErrNotFound
}

func rolloutsOf(experiment string, row bigtable.Row) iter.Seq[Rollout] {
	return func(yield func(Rollout) bool) {
		for _, it := range row[schema.FamRollout] {
			p, err := strconv.Atoi(string(it.Value))
			if err != nil {
				continue
			}
			if !yield(Rollout{Experiment: experiment, Revision: btx.SeqOf(it.Timestamp), Percent: p}) { // ok ttlage/not-write-time
				return
			}
		}
	}
}

// History reads the revisions that are kept.
func (r *Rollouts) History(ctx context.Context, experiment string) ([]Rollout, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(btx.Family(schema.FamRollout, bigtable.LatestNFilter(schema.RolloutVersions)))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return slices.Collect(rolloutsOf(experiment, row)), nil
}

// FullHistory reads all revisions.
func (r *Rollouts) FullHistory(ctx context.Context, experiment string) ([]Rollout, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamRollout))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return slices.Collect(rolloutsOf(experiment, row)), nil
}

// Ten reads ten revisions, for the chart.
func (r *Rollouts) Ten(ctx context.Context, experiment string) ([]Rollout, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(btx.Family(schema.FamRollout, bigtable.LatestNFilter(10)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return slices.Collect(rolloutsOf(experiment, row)), nil
}

// LastHour reads the revisions of the last hour.
func (r *Rollouts) LastHour(ctx context.Context, experiment string) ([]Rollout, error) {
	f := btx.Family(schema.FamRollout, btx.Within(time.Hour), bigtable.LatestNFilter(schema.RolloutVersions)) // want ttlread/wrong-bound[hour]
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(f))                                         // want ttlread/wrong-bound[hour]
	if err != nil {
		return nil, err
	}
	return slices.Collect(rolloutsOf(experiment, row)), nil
}

// At reads one revision.
func (r *Rollouts) At(ctx context.Context, experiment string, n int64) (*Rollout, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(btx.Family(schema.FamRollout, bigtable.TimestampRangeFilterMicros(btx.Seq(n), btx.Seq(n+1))))) // ok ttlread/wrong-bound ttlread/version-limit
	if err != nil {
		return nil, err
	}
	for ro := range rolloutsOf(experiment, row) {
		return &ro, nil
	}
	return nil, btx.ErrNotFound
}

// Everywhere lists the experiments at a hundred percent.
func (r *Rollouts) Everywhere(ctx context.Context) ([]string, error) {
	var done []string
	for row, err := range btx.Scan(ctx, r.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRollout), bigtable.ValueFilter("100"), bigtable.LatestNFilter(1)))) { // want ttlread/version-limit
		if err != nil {
			return nil, err
		}
		done = append(done, row.Key())
		for ro := range rolloutsOf(row.Key(), row) {
			r.tbl.log.Info("done", "experiment", ro.Experiment, "revision", ro.Revision)
		}
	}
	return done, nil
}

// EverywhereNow asks for the newest cell first.
func (r *Rollouts) EverywhereNow(ctx context.Context) ([]string, error) {
	var done []string
	for row, err := range btx.Scan(ctx, r.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRollout), bigtable.LatestNFilter(1), bigtable.ValueFilter("100")))) { // ok ttlread/version-limit
		if err != nil {
			return nil, err
		}
		done = append(done, row.Key())
	}
	return done, nil
}

// SinceChange tells for how long the current revision has been in force.
func (r *Rollouts) SinceChange(ctx context.Context, experiment string) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(btx.Cell(schema.FamRollout, schema.ColPercent))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it, ok := btx.First(row, schema.FamRollout, schema.ColPercent)
	if !ok {
		return 0, btx.ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// Changed tells when the description of an experiment was changed.
func (r *Rollouts) Changed(ctx context.Context, experiment string) (time.Time, error) {
	row, err := r.tbl.ReadRow(ctx, experiment, bigtable.RowFilter(btx.Cell(schema.FamInfo, schema.ColSpec))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	it, ok := btx.First(row, schema.FamInfo, schema.ColSpec)
	if !ok {
		return time.Time{}, btx.ErrNotFound
	}
	updated := it.Timestamp.Time() // ok ttlage/not-write-time
	return updated, nil
}

// PublishIf writes a revision unless there is one.
func (r *Rollouts) PublishIf(ctx context.Context, ro Rollout) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, schema.ColPercent, btx.Seq(ro.Revision), percent(ro.Percent)) // ok ttlwrite/unscaled-sequence
	var any bool
	cond := bigtable.NewCondMutation(btx.Cell(schema.FamRollout, schema.ColPercent), nil, m) // ok ttlread/conditional-mutation
	err := r.tbl.Apply(ctx, ro.Experiment, cond, bigtable.GetCondMutationResult(&any))
	return !any, err
}

// Board is the page of all rollouts and their leases.
func (r *Rollouts) Board(ctx context.Context) (json.RawMessage, error) {
	type line struct {
		Rollout
		Holders int `json:"holders"`
	}
	var lines []line
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), btx.Live()),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRollout), bigtable.LatestNFilter(1)),
	)
	for row, err := range btx.Scan(ctx, r.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(f)) { // ok ttlread/unfiltered-branch ttlread/version-limit
		if err != nil {
			return nil, err
		}
		for ro := range rolloutsOf(row.Key(), row) {
			lines = append(lines, line{Rollout: ro, Holders: len(row[schema.FamLease])})
		}
	}
	return json.Marshal(lines)
}
