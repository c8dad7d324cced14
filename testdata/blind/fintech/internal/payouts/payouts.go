// Package payouts moves money out. A payout's state is numbered by its
// transitions, events wait in an outbox numbered by the producer, and workers
// hold leases that expire.
package payouts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/clock"
	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// State of a payout.
type State string

// States.
const (
	Created   State = "created"
	Submitted State = "submitted"
	Settled   State = "settled"
	Failed    State = "failed"
)

// LeaseTTL is how long a worker may go without renewing.
const LeaseTTL = 30 * time.Second

// ErrConflict says that another worker holds the payout.
var ErrConflict = errors.New("payouts: leased by another worker")

// Payout is a payout as the API shows it.
type Payout struct {
	ID          string
	State       State
	Step        int64
	UpdatedAt   time.Time
	LastWritten string
}

// Event waits in the outbox.
type Event struct {
	Seq  int64
	Body []byte
}

// Repo stores payouts.
type Repo struct {
	tbl   *bigtable.Table
	clk   clock.Clock
	log   *slog.Logger
	steps map[string]int64
	seq   int64
}

// Option configures a Repo.
type Option func(*Repo)

// WithClock replaces the system's clock.
func WithClock(c clock.Clock) Option { return func(r *Repo) { r.clk = c } }

// WithLogger replaces the default logger.
func WithLogger(l *slog.Logger) Option { return func(r *Repo) { r.log = l } }

// New opens the payouts table.
func New(client *bigtable.Client, opts ...Option) *Repo {
	r := &Repo{tbl: client.Open(string(schema.TablePayouts)), clk: clock.System{}, log: slog.Default(), steps: map[string]int64{}}
	for _, o := range opts {
		o(r)
	}
	return r
}

func key(id string) string { return "payout#" + id }

// Transition records a payout's next state under its step.
func (r *Repo) Transition(ctx context.Context, id string, step int64, to State) error {
	mut := bigtable.NewMutation()
	mut.Set(string(schema.FamState), "current", store.Seq(step), []byte(to)) // ok ttlwrite/clock-in-sequence
	mut.Set(string(schema.FamNotes), "by", bigtable.Now(), []byte("worker")) // ok ttlwrite/clock-in-sequence
	if err := r.tbl.Apply(ctx, key(id), mut); err != nil {
		return fmt.Errorf("transition to %s: %w", to, err)
	}
	return nil
}

// Fail records a failure, whatever the step.
func (r *Repo) Fail(ctx context.Context, id string, cause error) error {
	mut := bigtable.NewMutation()
	mut.Set(string(schema.FamState), "current", bigtable.ServerTime, []byte(Failed))      // want ttlwrite/clock-in-sequence
	mut.Set(string(schema.FamNotes), "cause", bigtable.ServerTime, []byte(cause.Error())) // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// Submit records the bank's acknowledgement.
func (r *Repo) Submit(ctx context.Context, id, ref string) error {
	ts := bigtable.Timestamp(r.clk.Now().UnixMicro())
	mut := bigtable.NewMutation()
	mut.Set("state", "current", ts, []byte(Submitted)) // want ttlwrite/clock-in-sequence
	mut.Set("notes", "ref", ts, []byte(ref))           // ok ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// Step advances a payout by one.
func (r *Repo) Step(ctx context.Context, id string, to State) error {
	r.steps[id]++
	mut := bigtable.NewMutation()
	mut.Set("state", "current", bigtable.Timestamp(r.steps[id]), []byte(to)) // want ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// Settle records a list of states at once, in order.
func (r *Repo) Settle(ctx context.Context, id string, states []State) error {
	mut := bigtable.NewMutation()
	for i, s := range states {
		mut.Set("state", "step-"+strconv.Itoa(i), bigtable.Timestamp(i), []byte(s))          // want ttlwrite/unscaled-sequence
		mut.Set("state", "done-"+strconv.Itoa(i), bigtable.Timestamp((i+1)*1000), []byte(s)) // ok ttlwrite/unscaled-sequence
	}
	return r.tbl.Apply(ctx, key(id), mut)
}

// Enqueue puts an event into the outbox.
func (r *Repo) Enqueue(ctx context.Context, id string, ev Event) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.OutboxEvent, store.Seq(ev.Seq), ev.Body) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// EnqueueAll puts a burst of events into the outbox; the last one counts.
func (r *Repo) EnqueueAll(ctx context.Context, id string, bodies [][]byte) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.OutboxEvent, store.RawSeq(int64(len(bodies))), bodies[len(bodies)-1]) // want ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// Emit is Enqueue for producers without a counter.
func (r *Repo) Emit(ctx context.Context, id string, body []byte) error {
	mut := bigtable.NewMutation()
	store.Put(mut, schema.OutboxEvent, store.NowTS(), body) // want ttlwrite/clock-in-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// EmitNext numbers events by itself.
func (r *Repo) EmitNext(ctx context.Context, id string, body []byte) error {
	r.seq += 1000
	mut := bigtable.NewMutation()
	store.Put(mut, schema.OutboxEvent, bigtable.Timestamp(r.seq), body) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, key(id), mut)
}

// Version bumps a payout's revision on the server.
func (r *Repo) Version(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("outbox", "revision", 1) // want ttlwrite/read-modify-write
	rmw.Increment("notes", "revision", 1)  // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, key(id), rmw)
	return err
}

// Acquire takes the lease of a payout.
func (r *Repo) Acquire(ctx context.Context, id, worker string) error {
	now := r.clk.Now()
	take := bigtable.NewMutation()
	take.Set(string(schema.FamLease), "worker", bigtable.Time(now.Add(LeaseTTL)), []byte(worker)) // ok ttlwrite/write-time
	held := bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.TimestampRangeFilter(now, time.Time{}), bigtable.LatestNFilter(1))
	var busy bool
	err := r.tbl.Apply(ctx, key(id), bigtable.NewCondMutation(held, nil, take), bigtable.GetCondMutationResult(&busy)) // ok ttlread/conditional-mutation
	if err == nil && busy {
		err = ErrConflict
	}
	return err
}

// Renew keeps a lease; only its holder calls it.
func (r *Repo) Renew(ctx context.Context, id, worker string) error {
	mine := bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.ColumnFilter("worker"), bigtable.ValueFilter(worker)) // want ttlread/conditional-mutation[renew]
	keep := bigtable.NewMutation()
	keep.Set("lease", "worker", bigtable.Time(r.clk.Now().Add(LeaseTTL)), []byte(worker)) // ok ttlwrite/write-time
	var ok bool
	err := r.tbl.Apply(ctx, key(id), bigtable.NewCondMutation(mine, keep, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[renew]
	if err == nil && !ok {
		err = ErrConflict
	}
	return err
}

// Release gives a lease back.
func (r *Repo) Release(ctx context.Context, id, worker string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily("lease")
	mine := bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.ValueFilter(worker))
	return r.tbl.Apply(ctx, key(id), bigtable.NewCondMutation(mine, drop, nil)) // ok ttlread/conditional-mutation
}

// Heartbeat notes that a worker lives.
func (r *Repo) Heartbeat(ctx context.Context, id, worker string) error {
	mut := bigtable.NewMutation()
	mut.Set("lease", "heartbeat", bigtable.Time(time.Now()), []byte(worker)) // want ttlwrite/write-time
	return r.tbl.Apply(ctx, key(id), mut)
}

// Holder tells who works on a payout.
func (r *Repo) Holder(ctx context.Context, id string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, key(id)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[string(schema.FamLease)] {
		if it.Column == "lease:worker" {
			return string(it.Value), nil
		}
	}
	return "", store.ErrNotFound
}

// Idle is how long a payout's worker has been silent.
func (r *Repo) Idle(ctx context.Context, id string) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(store.LiveFamily(schema.FamLease, r.clk.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row["lease"] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, store.ErrNotFound
}

// LeaseLeft is how long a worker may still go without renewing.
func (r *Repo) LeaseLeft(ctx context.Context, id string) (time.Duration, error) {
	row, err := r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(store.LiveFamily(schema.FamLease, r.clk.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row["lease"] {
		return it.Timestamp.Time().Sub(r.clk.Now()), nil // ok ttlage/not-write-time
	}
	return 0, store.ErrNotFound
}

// Get returns a payout.
func (r *Repo) Get(ctx context.Context, id string) (Payout, error) {
	row, err := r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(store.LatestOf(schema.FamState, 1))) // ok ttlread/version-limit
	if err != nil {
		return Payout{}, err
	}
	for _, it := range row["state"] {
		if it.Column == "state:current" {
			return Payout{
				ID:        id,
				State:     State(it.Value),
				Step:      int64(it.Timestamp) / 1000, // ok ttlage/not-write-time
				UpdatedAt: it.Timestamp.Time(),        // want ttlage/not-write-time
			}, nil
		}
	}
	return Payout{}, store.ErrNotFound
}

// Trace returns the states a payout went through.
func (r *Repo) Trace(ctx context.Context, id string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(store.LatestOf(schema.FamState, 5))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["state"] {
		out = append(out, fmt.Sprintf("%s step %d", it.Value, store.Number(it))) // ok ttlage/not-write-time
	}
	return out, nil
}

// LongTrace returns more of them.
func (r *Repo) LongTrace(ctx context.Context, id string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(store.LatestOf(schema.FamState, 20))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["state"] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Stuck lists payouts that have not moved for an hour.
func (r *Repo) Stuck(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter("state"), bigtable.TimestampRangeFilter(time.Time{}, r.clk.Now().Add(-time.Hour))) // want ttlread/wrong-bound[stuck]
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("payout#"), func(row bigtable.Row) bool {                                           // want ttlread/wrong-bound[stuck]
		out = append(out, row.Key())
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[stuck]
	return out, err
}

// Drain hands the outbox to fn.
func (r *Repo) Drain(ctx context.Context, fn func(Event) error) error {
	var bad error
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("payout#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range row[schema.FamOutbox.String()] {
			if bad = fn(Event{Seq: store.Number(it), Body: it.Value}); bad != nil {
				return false
			}
		}
		return true
	})
	return errors.Join(err, bad)
}

// Flush hands the newest event of each payout to fn.
func (r *Repo) Flush(ctx context.Context, fn func(Event) error) error {
	var bad error
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("payout#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamOutbox.String()] {
			if bad = fn(Event{Seq: store.Number(it), Body: it.Value}); bad != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(store.LatestOf(schema.FamOutbox, 1)))
	return errors.Join(err, bad)
}

// Notes returns a payout's notes.
func (r *Repo) Notes(ctx context.Context, id string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, key(id)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["notes"] {
		out = append(out, fmt.Sprintf("%s written %s: %s", it.Column, it.Timestamp.Time().Format(time.DateTime), it.Value)) // ok ttlage/not-write-time
	}
	return out, nil
}

// Whole returns all of a payout with a filter for each family.
func (r *Repo) Whole(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("state|outbox|notes"), bigtable.LatestNFilter(1)),
	)
	return r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
}

// Export returns all of a payout, the lease too, for the auditors.
func (r *Repo) Export(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[export]
		bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{})),
		bigtable.FamilyFilter("lease"), // want ttlread/unfiltered-branch[export]
		bigtable.BlockAllFilter(),
	)
	return r.tbl.ReadRow(ctx, key(id), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[export]
}
