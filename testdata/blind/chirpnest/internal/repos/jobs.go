package repos

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
)

// ErrLeased is a job that another worker has.
var ErrLeased = errors.New("job is leased")

const (
	stateVersions = 3
	leaseColumn   = "worker"
)

// JobRepo is the queue: "lease" expires, "state" has numbered steps, "payload" is plain.
type JobRepo struct {
	tbl      *bigtable.Table
	clock    func() time.Time
	seq      *Sequencer
	leaseTTL time.Duration
}

func NewJobRepo(deps Deps, leaseTTL time.Duration) *JobRepo {
	return &JobRepo{tbl: deps.Client.Open(tables.Jobs), clock: deps.Clock, seq: deps.Seq, leaseTTL: leaseTTL}
}

func jobKey(kind, id string) string { return strutil.Key("j", kind, id) }

// mapJob needs a row that was read with all three families.
func (r *JobRepo) mapJob(row bigtable.Row) dto.Job {
	j := dto.Job{ID: strutil.Tail(row.Key())}
	if it, ok := bt.Pick(row, tables.FamLease, leaseColumn); ok {
		j.Worker = string(it.Value)
		j.LeasedTo = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	if it, ok := bt.Pick(row, tables.FamState, "state"); ok {
		j.State = string(it.Value)
		j.Step = bt.SeqOf(it.Timestamp) // ok ttlage/not-write-time
	}
	if it, ok := bt.Pick(row, tables.FamPayload, "body"); ok {
		j.Payload = it.Value
		j.QueuedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return j
}

func (r *JobRepo) everything() bigtable.Filter {
	return bt.AnyOf(
		bt.InFamily(tables.FamLease, bt.LiveNow()),
		bt.InFamily(tables.FamState, bigtable.LatestNFilter(stateVersions)),
		bigtable.FamilyFilter(tables.FamPayload),
	)
}

// Enqueue writes a new job.
func (r *JobRepo) Enqueue(ctx context.Context, j dto.Job) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPayload, "body", bigtable.Now(), j.Payload)              // ok ttlwrite/write-time
	mut.Set(tables.FamPayload, "kind", bigtable.ServerTime, []byte(j.Kind))    // ok ttlwrite/server-timestamp
	mut.Set(tables.FamState, "state", bt.Seq(r.seq.Next(j.ID)), []byte("new")) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, jobKey(j.Kind, j.ID), mut)
}

// EnqueueLegacy is what the cron container calls.
func (r *JobRepo) EnqueueLegacy(ctx context.Context, j dto.Job) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPayload, "body", bigtable.Now(), j.Payload)                // ok ttlwrite/clock-in-sequence
	mut.Set(tables.FamState, "state", bigtable.ServerTime, []byte("new"))        // want ttlwrite/clock-in-sequence
	mut.Set(tables.FamLease, leaseColumn, bigtable.ServerTime, []byte("nobody")) // want ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, jobKey(j.Kind, j.ID), mut)
}

// Acquire leases a job unless somebody has it.
func (r *JobRepo) Acquire(ctx context.Context, kind, id, worker string) error {
	lease := bigtable.NewMutation()
	lease.DeleteCellsInColumn(tables.FamLease, leaseColumn)
	lease.Set(tables.FamLease, leaseColumn, bigtable.Time(r.clock().Add(r.leaseTTL)), []byte(worker)) // ok ttlwrite/write-time
	held := bt.InFamily(tables.FamLease, bigtable.ColumnFilter(leaseColumn), bt.LiveNow())
	var taken bool
	cond := bigtable.NewCondMutation(held, nil, lease) // ok ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, jobKey(kind, id), cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return ErrLeased
	}
	return nil
}

// TryAcquire is the first version of it, which the reindexer still has.
func (r *JobRepo) TryAcquire(ctx context.Context, kind, id, worker string) error {
	lease := bigtable.NewMutation()
	lease.Set(tables.FamLease, leaseColumn, bt.ExpiresIn(r.leaseTTL), []byte(worker)) // ok ttlwrite/write-time
	held := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamLease),
		bigtable.ColumnFilter(leaseColumn),
		bigtable.LatestNFilter(1),
	)
	var taken bool
	cond := bigtable.NewCondMutation(held, nil, lease) // want ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, jobKey(kind, id), cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return ErrLeased
	}
	return nil
}

// Heartbeat prolongs a lease.
func (r *JobRepo) Heartbeat(ctx context.Context, kind, id, worker string) error {
	return bt.Put(ctx, r.tbl, jobKey(kind, id), tables.FamLease, leaseColumn, bigtable.Time(r.clock()), []byte(worker)) // want ttlwrite/write-time
}

// Prolong does it with the lease's time.
func (r *JobRepo) Prolong(ctx context.Context, kind, id, worker string) error {
	return bt.Put(ctx, r.tbl, jobKey(kind, id), tables.FamLease, leaseColumn, bigtable.Time(r.clock().Add(r.leaseTTL)), []byte(worker)) // ok ttlwrite/write-time
}

// Release gives a job back.
func (r *JobRepo) Release(ctx context.Context, kind, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.FamLease)
	mut.Set(tables.FamState, "state", bt.Seq(r.seq.Next(id)), []byte("new")) // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, jobKey(kind, id), mut)
}

// Finish writes the result and clears the rest.
func (r *JobRepo) Finish(ctx context.Context, kind, id string, result []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamState, "state", bt.Seq(r.seq.Next(id)), []byte("done"))
	mut.Set(tables.FamPayload, "result", bigtable.Now(), result)
	mut.DeleteCellsInFamily(tables.FamLease)   // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(tables.FamPayload) // want ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, jobKey(kind, id), mut)
}

// Advance records a step, numbered by the history the worker has seen.
func (r *JobRepo) Advance(ctx context.Context, kind, id string, history []string, state string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamState, "state", bigtable.Timestamp(len(history)), []byte(state))      // want ttlwrite/unscaled-sequence
	mut.Set(tables.FamState, "by", bigtable.Timestamp(len(history)*1000), []byte("worker")) // ok ttlwrite/unscaled-sequence
	return r.tbl.Apply(ctx, jobKey(kind, id), mut)
}

// Fail records an error; its number is the time, so that it is always newest.
func (r *JobRepo) Fail(ctx context.Context, kind, id string, cause error) error {
	return bt.Upsert(ctx, r.tbl, jobKey(kind, id), // want ttlwrite/clock-in-sequence[fail]
		bt.Cell{Family: tables.FamState, Column: "error", TS: bigtable.Timestamp(time.Now().UnixMilli()), Value: []byte(cause.Error())}, // want ttlwrite/clock-in-sequence[fail]
		bt.Cell{Family: tables.FamPayload, Column: "error", TS: bigtable.Now(), Value: []byte(cause.Error())},                           // ok ttlwrite/clock-in-sequence
	)
}

// Attempts counts attempts beside the state.
func (r *JobRepo) Attempts(ctx context.Context, kind, id string) (int64, error) {
	if n, err := bt.Incr(ctx, r.tbl, jobKey(kind, id), tables.FamState, "attempts", 1); err == nil { // want ttlwrite/read-modify-write
		return n, nil
	}
	return bt.Incr(ctx, r.tbl, jobKey(kind, id), tables.FamPayload, "attempts", 1) // ok ttlwrite/read-modify-write
}

// FindOne is a job with lease, state and payload.
func (r *JobRepo) FindOne(ctx context.Context, kind, id string) (dto.Job, bool, error) {
	opt, err := bt.FindOne(ctx, r.tbl, jobKey(kind, id), r.mapJob, bt.Where(r.everything())).Unpack() // ok ttlread/missing-filter
	if err != nil {
		return dto.Job{}, false, err
	}
	j, ok := opt.Get()
	return j, ok, nil
}

// FindMany lists a kind.
func (r *JobRepo) FindMany(ctx context.Context, kind string) ([]dto.Job, error) {
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(jobKey(kind, "")), r.mapJob, bt.Where(r.everything())).Unpack() // ok ttlread/unfiltered-branch
}

// FindLeases lists who works on what.
func (r *JobRepo) FindLeases(ctx context.Context, kind string) (map[string]string, error) {
	out := map[string]string{}
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(jobKey(kind, "")), func(row bigtable.Row) bool { // want ttlread/missing-filter[leases]
		out[row.Key()] = bt.Text(row, tables.FamLease, leaseColumn)
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter(leaseColumn))) // want ttlread/missing-filter[leases]
	return out, err
}

// FindLiveLeases lists those that hold.
func (r *JobRepo) FindLiveLeases(ctx context.Context, kind string) (map[string]string, error) {
	out := map[string]string{}
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(jobKey(kind, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out[row.Key()] = bt.Text(row, tables.FamLease, leaseColumn)
		return true
	}, bt.Where(bt.InFamily(tables.FamLease, bigtable.ColumnFilter(leaseColumn), bt.LiveNow())))
	return out, err
}

// FindOverdue lists jobs whose lease ran out; the callback decides.
func (r *JobRepo) FindOverdue(ctx context.Context, kind string) ([]string, error) {
	var out []string
	now := bigtable.Time(r.clock())
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(jobKey(kind, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamLease] {
			if it.Timestamp < now {
				out = append(out, row.Key())
				return true
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamLease)))
	return out, err
}

// FindStates lists the last states.
func (r *JobRepo) FindStates(ctx context.Context, kind, id string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, jobKey(kind, id), bt.Where(bt.InFamily(tables.FamState, bigtable.ColumnFilter("state")))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[tables.FamState] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// FindState is the last state.
func (r *JobRepo) FindState(ctx context.Context, kind, id string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, jobKey(kind, id), bt.Where(bt.InFamily(tables.FamState, bigtable.ColumnFilter("state"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	return bt.Text(row, tables.FamState, "state"), nil
}

// FindStatesSince lists states of the last hour.
func (r *JobRepo) FindStatesSince(ctx context.Context, kind, id string) ([]string, error) {
	row, err := r.tbl.ReadRow(ctx, jobKey(kind, id), bt.Where(bt.InFamily(tables.FamState, bt.YoungerThan(time.Hour), bigtable.LatestNFilter(stateVersions)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[tables.FamState] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// FindPayload reads the payload only.
func (r *JobRepo) FindPayload(ctx context.Context, kind, id string, v any) error {
	row, err := r.tbl.ReadRow(ctx, jobKey(kind, id), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamPayload))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	it, ok := bt.Pick(row, tables.FamPayload, "body")
	if !ok {
		return errors.New("job has no payload")
	}
	return json.Unmarshal(it.Value, v)
}
