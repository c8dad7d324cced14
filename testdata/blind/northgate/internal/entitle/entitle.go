// Package entitle decides what plans entitle to, and keeps trials, seats and
// overrides.
package entitle

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Trial is a feature for a time.
type Trial struct {
	Feature string        `json:"feature"`
	For     time.Duration `json:"for"`
	Ends    time.Time     `json:"ends"`
	Begun   time.Time     `json:"begun"`
}

// Seat is a user's place in a plan.
type Seat struct {
	User string `json:"user"`
	Plan string `json:"plan"`
	No   uint64 `json:"no"`
}

// kind says how a family is written and read; one per strategy.
type kind struct {
	family string
	stamp  func(now time.Time, life time.Duration) bigtable.Timestamp
	filter func(now time.Time) bigtable.Filter
}

// The kinds of cells that entitlements are kept in.
var (
	windowed = kind{
		family: schema.FamWindow,
		stamp:  func(now time.Time, life time.Duration) bigtable.Timestamp { return bigtable.Time(now.Add(life)) }, // ok ttlwrite/write-time
		filter: func(now time.Time) bigtable.Filter { return bigtable.TimestampRangeFilter(now, time.Time{}) },     // ok ttlread/missing-filter
	}
	fixed = kind{
		family: schema.FamLimit,
		stamp:  func(time.Time, time.Duration) bigtable.Timestamp { return 0 },       // ok ttlwrite/clock-in-zero
		filter: func(time.Time) bigtable.Filter { return bigtable.LatestNFilter(1) }, // ok ttlread/missing-filter
	}
	burst = kind{ // want ttlwrite/write-time[burst]
		family: schema.FamWindow,
		stamp:  func(now time.Time, _ time.Duration) bigtable.Timestamp { return bigtable.Time(now) }, // want ttlwrite/write-time[burst]
		filter: windowed.filter,
	}
)

// Keeper keeps entitlements.
type Keeper struct {
	quotas bt.Table
	grants bt.Table
	now    func() time.Time
	seats  *bt.Repository[Seat]
	waits  *bt.Repository[Seat]
}

// NewKeeper makes a Keeper.
func NewKeeper(quotas, grants bt.Table) *Keeper {
	return &Keeper{
		quotas: quotas,
		grants: grants,
		now:    time.Now,
		seats:  bt.NewRepository(grants, schema.FamGrant, "seat", bt.Stamped(func(s Seat) bigtable.Timestamp { return bt.Seq(s.No) })),     // ok ttlwrite/unscaled-sequence
		waits:  bt.NewRepository(grants, schema.FamMeta, "wait", bt.Stamped(func(Seat) bigtable.Timestamp { return bigtable.ServerTime })), // ok ttlwrite/clock-in-sequence
	}
}

// Provide makes a Keeper on a client.
func Provide(o bt.Opener) *Keeper {
	return NewKeeper(bt.Open(o, schema.Quotas), bt.Open(o, schema.Grants))
}

// put writes a cell of a kind.
func (k *Keeper) put(ctx context.Context, kd kind, key, column string, life time.Duration, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(kd.family, column, kd.stamp(k.now(), life), b) // want ttlwrite/write-time[burst]
	return k.quotas.Apply(ctx, key, m)
}

// get reads a cell of a kind.
func (k *Keeper) get(ctx context.Context, kd kind, key, column string, v any) error {
	row, err := k.quotas.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(kd.family), bigtable.ColumnFilter(column), kd.filter(k.now())))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	it, ok := bt.First(row, kd.family, column)
	if !ok {
		return bt.ErrNotFound
	}
	return json.Unmarshal(it.Value, v)
}

// Begin begins a trial.
func (k *Keeper) Begin(ctx context.Context, subject string, t Trial) error {
	t.Begun, t.Ends = k.now(), k.now().Add(t.For)
	if err := k.put(ctx, windowed, subject, "trial_"+t.Feature, t.For, t); err != nil { // ok ttlwrite/write-time
		return fmt.Errorf("begin trial: %w", err)
	}
	return k.put(ctx, fixed, subject, "tried_"+t.Feature, 0, t.Begun) // ok ttlwrite/clock-in-zero
}

// Burst lets a subject exceed its limit for a moment.
func (k *Keeper) Burst(ctx context.Context, subject string, units int) error {
	return k.put(ctx, burst, subject, "burst", time.Minute, units) // want ttlwrite/write-time[burst]
}

// Trial reads a trial.
func (k *Keeper) Trial(ctx context.Context, subject, feature string) (t Trial, err error) {
	return t, k.get(ctx, windowed, subject, "trial_"+feature, &t) // ok ttlread/missing-filter
}

// Tried tells whether a subject has had a trial.
func (k *Keeper) Tried(ctx context.Context, subject, feature string) bool {
	var at time.Time
	return k.get(ctx, fixed, subject, "tried_"+feature, &at) == nil // ok ttlread/missing-filter
}

// Sit gives a user a seat.
func (k *Keeper) Sit(ctx context.Context, s Seat) error {
	if err := k.seats.Put(ctx, s.Plan, s); err != nil { // ok ttlwrite/unscaled-sequence
		return k.waits.Put(ctx, s.Plan, s) // ok ttlwrite/clock-in-sequence
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamGrant, "seat_"+s.User, bigtable.Timestamp(s.No), nil)      // maybe ttlwrite/unscaled-sequence
	m.Set(schema.FamGrant, "plan_"+s.User, bigtable.Timestamp(1000*s.No), nil) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamGrant, "sat_"+s.User, bigtable.Time(k.now()), nil)         // want ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "sat_"+s.User, bigtable.Time(k.now()), nil)          // ok ttlwrite/clock-in-sequence
	return k.grants.Apply(ctx, s.Plan, m)
}

// Seats ranges over the seats of all plans.
func (k *Keeper) Seats(ctx context.Context) iter.Seq2[string, Seat] {
	return k.seats.All(ctx, "") // ok ttlread/version-limit
}

// Features are what a subject has, from all sources.
type Features struct {
	Plan   string
	Trials []string
	Since  time.Time
}

// Features reads what a subject has.
func (k *Keeper) Features(ctx context.Context, subject string) (*Features, error) {
	f := &Features{}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		row, err := k.quotas.ReadRow(ctx, subject, bigtable.RowFilter(bt.In(schema.FamLimit, bigtable.ColumnFilter("plan")))) // ok ttlread/missing-filter
		if it, ok := bt.First(row, schema.FamLimit, "plan"); ok {
			f.Plan = string(it.Value)
		}
		return err
	})
	g.Go(func() error {
		row, err := k.quotas.ReadRow(ctx, subject, bigtable.RowFilter(bt.In(schema.FamWindow, bigtable.ColumnFilter("trial_.*")))) // want ttlread/missing-filter
		for it := range bt.Cells(row, schema.FamWindow) {
			f.Trials = append(f.Trials, it.Column)
		}
		return err
	})
	g.Go(func() error {
		row, err := k.grants.ReadRow(ctx, subject, bigtable.RowFilter(bt.In(schema.FamMeta, bt.Newest()))) // ok ttlread/missing-filter
		for it := range bt.Cells(row, schema.FamMeta) {
			f.Since = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		return err
	})
	return f, g.Wait()
}

// Ending lists trials that end within the hour; a window is at most that long.
func (k *Keeper) Ending(ctx context.Context) iter.Seq2[string, time.Time] {
	return func(yield func(string, time.Time) bool) {
		now := k.now()
		filter := bt.In(schema.FamWindow, bigtable.ColumnFilter("trial_.*"), bigtable.TimestampRangeFilter(now, now.Add(time.Hour))) // ok ttlread/upper-bound
		for row, err := range bt.Rows(ctx, k.quotas, bigtable.InfiniteRange(""), bigtable.RowFilter(filter)) {                       // ok ttlread/upper-bound
			if err != nil {
				return
			}
			for it := range bt.Cells(row, schema.FamWindow) {
				if !yield(row.Key(), it.Timestamp.Time()) { // ok ttlage/not-write-time
					return
				}
			}
		}
	}
}

// Upgrade moves a subject to a plan, once its trial is over.
func (k *Keeper) Upgrade(ctx context.Context, subject, plan string) (bool, error) {
	inTrial := bt.Where(schema.FamWindow).Column("trial_.*").Since(k.now()).Build()
	set := bt.Mutate(bt.SetCell(schema.FamLimit, "plan", bt.Epoch, []byte(plan))) // ok ttlwrite/clock-in-zero
	var trial bool
	err := k.quotas.Apply(ctx, subject, bigtable.NewCondMutation(inTrial, nil, set), bigtable.GetCondMutationResult(&trial)) // ok ttlread/conditional-mutation
	return !trial, err
}

// Downgrade moves a subject to the free plan unless it is in a trial.
func (k *Keeper) Downgrade(ctx context.Context, subject string) (bool, error) {
	inTrial := bt.Where(schema.FamWindow).Column("trial_.*").Latest(1).Build() // want ttlread/conditional-mutation[downgrade]
	set := bt.Mutate(
		bt.DropColumn(schema.FamLimit, "plan"),
		bt.SetCell(schema.FamLimit, "plan", 0, []byte("free")), // ok ttlwrite/delete-after-set
		bt.SetCell(schema.FamLimit, "since", bt.NowTS(), nil),  // want ttlwrite/clock-in-zero
	)
	var trial bool
	err := k.quotas.Apply(ctx, subject, bigtable.NewCondMutation(inTrial, nil, set), bigtable.GetCondMutationResult(&trial)) // want ttlread/conditional-mutation[downgrade]
	return !trial, err
}
