package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// ErrHeld is returned for leases that somebody else has.
var ErrHeld = errors.New("store: lease is held")

// Lease is what Acquire returns.
type Lease struct {
	Name  string
	Owner string
	Fence int64
	Until time.Time
}

// AcquireOptions change a lease.
type AcquireOptions struct {
	Life time.Duration
	Note string
}

// Leases lets one worker at a time do something. A lease ends by itself; the
// fence counts the owners.
type Leases struct {
	tbl   *bigtable.Table
	clk   clock.Clock
	owner string
}

// NewLeases opens the table.
func NewLeases(client *bigtable.Client, owner string, clk clock.Clock) *Leases {
	return &Leases{tbl: client.Open(tables.Leases), clk: clk, owner: owner}
}

func (l *Leases) leaseFilter(dead bool) bigtable.Filter {
	f := []bigtable.Filter{bigtable.FamilyFilter(tables.FamLease), bigtable.ColumnFilter("owner")}
	if !dead {
		f = append(f, bigtablex.LiveAt(l.clk.Now()))
	}
	f = append(f, bigtable.LatestNFilter(1))
	return bigtable.ChainFilters(f...)
}

func (l *Leases) leaseMutation(owner string, life time.Duration) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamLease, "owner")
	mut.Set(tables.FamLease, "owner", bigtable.Time(l.clk.Now().Add(life)), []byte(owner)) // ok ttlwrite/write-time
	return mut
}

// Acquire takes a lease, if nobody has it.
func (l *Leases) Acquire(ctx context.Context, name string, opt AcquireOptions) (*Lease, error) {
	life := opt.Life
	if life <= 0 {
		life = tables.LeaseTTL
	}
	mut := l.leaseMutation(l.owner, life)
	mut.Set(tables.FamOwner, "note", bigtable.Now(), []byte(opt.Note)) // ok ttlwrite/write-time
	var held bool
	err := l.tbl.Apply(ctx, name, bigtable.NewCondMutation(l.leaseFilter(false), nil, mut), bigtable.GetCondMutationResult(&held)) // ok ttlread/conditional-mutation
	if err != nil {
		return nil, err
	}
	if held {
		return nil, ErrHeld
	}
	return &Lease{Name: name, Owner: l.owner, Until: l.clk.Now().Add(life)}, nil
}

// Steal takes a lease whose owner is known to be gone.
func (l *Leases) Steal(ctx context.Context, name, from string) error {
	cond := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamLease),
		bigtable.ColumnFilter("owner"),
		bigtable.ValueFilter(from),
	)
	mut := l.leaseMutation(l.owner, tables.LeaseTTL)
	return l.tbl.Apply(ctx, name, bigtable.NewCondMutation(cond, mut, nil)) // want ttlread/conditional-mutation
}

// Release gives a lease back, if we have it.
func (l *Leases) Release(ctx context.Context, name string) error {
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamLease), bigtable.ColumnFilter("owner"), bigtable.ValueFilter(l.owner))
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(tables.FamLease)
	return l.tbl.Apply(ctx, name, bigtable.NewCondMutation(cond, del, nil)) // ok ttlread/conditional-mutation
}

// Renew prolongs a lease.
func (l *Leases) Renew(ctx context.Context, name string) error {
	return bigtablex.ApplyRetry(ctx, l.tbl, name, l.leaseMutation(l.owner, tables.LeaseTTL)) // ok ttlwrite/write-time
}

// Yield lets a lease run out now.
func (l *Leases) Yield(ctx context.Context, name string) error {
	return bigtablex.ApplyRetry(ctx, l.tbl, name, l.leaseMutation(l.owner, 0)) // want ttlwrite/write-time
}

// Holder says who has a lease.
func (l *Leases) Holder(ctx context.Context, name string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, name, bigtable.RowFilter(l.leaseFilter(false))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bigtablex.String(row, tables.FamLease, "owner"), nil
}

// LastHolder says who had it last.
func (l *Leases) LastHolder(ctx context.Context, name string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, name, bigtable.RowFilter(l.leaseFilter(true))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bigtablex.String(row, tables.FamLease, "owner"), nil
}

// Fence raises the fence of a lease to n.
func (l *Leases) Fence(ctx context.Context, le *Lease, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFence, "n", bigtablex.Seq(n), []byte(le.Owner)) // ok ttlwrite/unscaled-sequence
	le.Fence = n
	return l.tbl.Apply(ctx, le.Name, mut)
}

// FenceNext raises it by one.
func (l *Leases) FenceNext(ctx context.Context, le *Lease) error {
	le.Fence++
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFence, "n", bigtable.Timestamp(le.Fence), []byte(le.Owner)) // want ttlwrite/unscaled-sequence
	return l.tbl.Apply(ctx, le.Name, mut)
}

// FenceClock takes the clock for a number.
func (l *Leases) FenceClock(ctx context.Context, le *Lease) error {
	now := l.clk.Now()
	le.Fence = now.UnixMilli()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFence, "n", bigtable.Time(now), []byte(le.Owner)) // want ttlwrite/clock-in-sequence
	mut.Set(tables.FamOwner, "n", bigtable.Time(now), []byte(le.Owner)) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, le.Name, mut)
}

// FenceOf reads the fence.
func (l *Leases) FenceOf(ctx context.Context, name string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtablex.Latest(tables.FamFence, tables.SnapshotVersions))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[tables.FamFence] {
		return bigtablex.SeqOf(it.Timestamp), nil
	}
	return 0, nil
}

// FenceTop reads it and hopes that the first cell is the newest.
func (l *Leases) FenceTop(ctx context.Context, name string) (int64, error) {
	row, err := l.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamFence))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[tables.FamFence] {
		return bigtablex.SeqOf(it.Timestamp), nil
	}
	return 0, nil
}

// FenceAge says how old the fence is.
func (l *Leases) FenceAge(ctx context.Context, name string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtablex.Latest(tables.FamFence, 1)))
	if err != nil {
		return 0, err
	}
	it, ok := bigtablex.Item(row, tables.FamFence, "n")
	if !ok {
		return 0, ErrNotFound
	}
	return l.clk.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// Job is something to be done later.
type Job struct {
	ID      string
	Kind    string
	Payload []byte
	Tries   int
}

// Outbox keeps jobs for three days, and the ones that failed.
type Outbox struct {
	tbl *bigtable.Table

	once  sync.Once
	epoch time.Time
}

// NewOutbox opens the table.
func NewOutbox(client *bigtable.Client) *Outbox {
	return &Outbox{tbl: client.Open(tables.Outbox)}
}

var processStart = sync.OnceValue(time.Now)

// JobOption changes how a job is stored.
type JobOption func(*jobConfig)

type jobConfig struct {
	ts   bigtable.Timestamp
	dead bool
}

// KeepFor keeps a job for d instead of three days.
func KeepFor(d time.Duration) JobOption {
	return func(c *jobConfig) { c.ts = bigtablex.Shifted(d, tables.JobTTL) }
}

// Dead stores a job among the failed ones.
func Dead() JobOption { return func(c *jobConfig) { c.dead = true } }

func jobMutation(j Job, opts ...JobOption) *bigtable.Mutation {
	c := jobConfig{ts: bigtable.Now()}
	for _, o := range opts {
		o(&c)
	}
	fam := tables.FamJob
	if c.dead {
		fam = tables.FamDead
	}
	mut := bigtable.NewMutation()
	mut.Set(fam, "json", c.ts, marshal(j)) // ok ttlwrite/write-time
	return mut
}

// Enqueue stores a job.
func (o *Outbox) Enqueue(ctx context.Context, j Job) error {
	return bigtablex.ApplyRetry(ctx, o.tbl, j.ID, jobMutation(j)) // ok ttlwrite/write-time
}

// EnqueueShort stores one that nobody needs after an hour.
func (o *Outbox) EnqueueShort(ctx context.Context, j Job) error {
	return bigtablex.ApplyRetry(ctx, o.tbl, j.ID, jobMutation(j, KeepFor(time.Hour))) // ok ttlwrite/already-expired
}

// EnqueueBoot stores the jobs that every start makes.
func (o *Outbox) EnqueueBoot(ctx context.Context, j Job) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamJob, "json", bigtable.Time(processStart()), marshal(j)) // want ttlwrite/stale-clock
	mut.Set(tables.FamDead, "boot", bigtable.Time(processStart()), nil)       // ok ttlwrite/stale-clock
	return o.tbl.Apply(ctx, j.ID, mut)
}

// Bury moves a job to the failed ones.
func (o *Outbox) Bury(ctx context.Context, j Job) error {
	mut := jobMutation(j, Dead())
	mut.DeleteCellsInFamily(tables.FamJob) // ok ttlwrite/delete-after-set
	return o.tbl.Apply(ctx, j.ID, mut)
}

// Finish drops a job.
func (o *Outbox) Finish(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	return o.tbl.Apply(ctx, id, mut)
}

// Pending lists the jobs that wait.
func (o *Outbox) Pending(ctx context.Context, f func(Job) bool) error {
	return o.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		var j Job
		v, ok := bigtablex.Value(row, tables.FamJob, "json")
		if !ok || unmarshal(v, &j) != nil {
			return true
		}
		return f(j)
	}, bigtable.RowFilter(bigtablex.Family(tables.FamJob, bigtablex.Within(tables.JobTTL))))
}

// PendingBoot lists those since the start of the process, or thinks so.
func (o *Outbox) PendingBoot(ctx context.Context, f func(Job) bool) error {
	o.once.Do(func() { o.epoch = time.Now().Add(-tables.JobTTL) })
	return o.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[pb]
		var j Job
		v, ok := bigtablex.Value(row, tables.FamJob, "json")
		if !ok || unmarshal(v, &j) != nil {
			return true
		}
		return f(j)
	}, bigtable.RowFilter(bigtablex.Family(tables.FamJob, bigtable.TimestampRangeFilter(o.epoch, time.Time{})))) // want ttlread/stale-bound[pb]
}

// Any lists everything that has not been taken away.
func (o *Outbox) Any(ctx context.Context, f func(Job) bool) error {
	return o.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[any]
		for _, fam := range []string{tables.FamJob, tables.FamDead} {
			v, ok := bigtablex.Value(row, fam, "json")
			if !ok {
				continue
			}
			var j Job
			if unmarshal(v, &j) == nil && !f(j) {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[any]
}

// Server says whether a cell's time came from the server; in code that was
// copied from the writer.
func (o *Outbox) Server(row bigtable.Row) bool {
	for _, it := range row[tables.FamDead] {
		if it.Timestamp == -1 { // want ttlage/server-sentinel
			return true
		}
	}
	return false
}

// IsServer is about a timestamp that is to be written.
func IsServer(ts bigtable.Timestamp) bool { return ts == bigtable.ServerTime } // ok ttlage/server-sentinel
