package sched

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// startedAt is when this instance came up.
var startedAt = time.Now() // want ttlwrite/stale-clock[uptime]

// bootExpiry is for the boot lease; set once.
var bootExpiry = bigtable.Time(time.Now().Add(schema.LeaseTTL)) // want ttlwrite/stale-clock[boot]

// bootFilter was meant to save the clock call in the hot loop.
var bootFilter = bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[boot]

// ErrHeld says that another instance holds the lease.
var ErrHeld = errors.New("sched: lease is held")

// Leases keeps one instance at a time on a job.
type Leases struct {
	tbl   *bigtable.Table
	owner string
	ttl   time.Duration

	mu   sync.Mutex
	runs map[string]int64
}

// NewLeases opens the table.
func NewLeases(client *bigtable.Client, owner string, ttl time.Duration) *Leases {
	return &Leases{tbl: client.Open(schema.TableLeases), owner: owner, ttl: ttl, runs: map[string]int64{}}
}

func held() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamLease),
		bigtable.ColumnFilter("owner"),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
}

// Acquire takes the lease or fails with ErrHeld.
func (l *Leases) Acquire(ctx context.Context, job string) error {
	take := bigtable.NewMutation()
	take.DeleteCellsInFamily(schema.FamLease)
	take.Set(schema.FamLease, "owner", etl.ExpiresIn(l.ttl), []byte(l.owner)) // ok ttlwrite/write-time
	var was bool
	err := l.tbl.Apply(ctx, job, bigtable.NewCondMutation(held(), nil, take), bigtable.GetCondMutationResult(&was)) // ok ttlread/conditional-mutation
	if err != nil {
		return fmt.Errorf("sched: acquire %s: %w", job, err)
	}
	if was {
		return ErrHeld
	}
	return nil
}

// AcquireFirst is what Acquire was before an instance died with a lease.
func (l *Leases) AcquireFirst(ctx context.Context, job string) error {
	take := bigtable.NewMutation()
	take.Set(schema.FamLease, "owner", etl.ExpiresIn(l.ttl), []byte(l.owner))
	var was bool
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.ColumnFilter("owner"), bigtable.CellsPerRowLimitFilter(1)) // want ttlread/conditional-mutation[first]
	m := bigtable.NewCondMutation(cond, nil, take)                                                                                            // want ttlread/conditional-mutation[first]
	if err := l.tbl.Apply(ctx, job, m, bigtable.GetCondMutationResult(&was)); err != nil {
		return err
	}
	if was {
		return ErrHeld
	}
	return nil
}

// Renew prolongs the lease if it is still ours.
func (l *Leases) Renew(ctx context.Context, job string) error {
	again := bigtable.NewMutation()
	again.Set(schema.FamLease, "owner", bigtable.Time(time.Now().Add(l.ttl)), []byte(l.owner))
	mine := bigtable.ChainFilters(held(), bigtable.ValueFilter(l.owner))
	var ours bool
	err := l.tbl.Apply(ctx, job, bigtable.NewCondMutation(mine, again, nil), bigtable.GetCondMutationResult(&ours)) // ok ttlread/conditional-mutation
	if err != nil {
		return err
	}
	if !ours {
		return ErrHeld
	}
	return nil
}

// Heartbeat shows that the owner lives.
func (l *Leases) Heartbeat(ctx context.Context, job string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, "beat", bigtable.Now(), []byte(l.owner)) // want ttlwrite/write-time
	m.Set(schema.FamLog, "beat", bigtable.Now(), []byte(l.owner))   // ok ttlwrite/write-time
	m.Set(schema.FamState, "beat", 0, []byte(time.Now().Format(time.RFC3339)))
	return l.tbl.Apply(ctx, job, m)
}

// Release gives the lease up; only our own.
func (l *Leases) Release(ctx context.Context, job string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(schema.FamLease)
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.ColumnFilter("owner"), bigtable.ValueFilter(l.owner))
	return l.tbl.Apply(ctx, job, bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

// Boot takes the lease of the boot job.
func (l *Leases) Boot(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, "owner", bootExpiry, []byte(l.owner)) // want ttlwrite/stale-clock[boot]
	m.Set(schema.FamLog, "boot", bigtable.Time(startedAt), nil)  // ok ttlwrite/stale-clock
	return l.tbl.Apply(ctx, "_boot", m)
}

// Uptime writes how long we run, with a lease on it.
func (l *Leases) Uptime(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, "uptime", bigtable.Time(startedAt.Add(schema.LeaseTTL)), []byte(time.Since(startedAt).String())) // want ttlwrite/stale-clock[uptime]
	return l.tbl.Apply(ctx, "_boot", m)
}

// Owner reads who holds the lease.
func (l *Leases) Owner(ctx context.Context, job string) (string, error) {
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(held())) // ok ttlread/missing-filter
	if err != nil || len(row[schema.FamLease]) == 0 {
		return "", err
	}
	return string(row[schema.FamLease][0].Value), nil
}

// Owners reads all of them in the hot loop.
func (l *Leases) Owners(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/stale-bound[boot]
		if o := etl.First(row, schema.FamLease, "owner"); o != nil {
			out[row.Key()] = string(o)
		}
		return true
	}, bigtable.RowFilter(bootFilter)) // want ttlread/stale-bound[boot]
	return out, err
}

// OwnersAny is for the console.
func (l *Leases) OwnersAny(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	opts := []bigtable.ReadOption{bigtable.LimitRows(500)}
	opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter("owner")))
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[any]
		if o := etl.First(row, schema.FamLease, "owner"); o != nil {
			out[row.Key()] = string(o)
		}
		return true
	}, opts...) // want ttlread/missing-filter[any]
	return out, err
}

// Begin notes a new run. Runs are numbered; 20 are kept.
func (l *Leases) Begin(ctx context.Context, job string) (int64, error) {
	l.mu.Lock()
	l.runs[job]++
	n := l.runs[job]
	l.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(schema.FamRun, "begin", etl.Seq(n), []byte(l.owner))     // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamLog, "begin", bigtable.Now(), etl.Int64(n))    // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamState, "running", 0, []byte("1"))              // ok ttlwrite/clock-in-zero
	m.Set(schema.FamState, "since", bigtable.Now(), []byte("1"))   // want ttlwrite/clock-in-zero
	m.Set(schema.FamRun, "n", bigtable.Timestamp(n), etl.Int64(n)) // want ttlwrite/unscaled-sequence
	return n, l.tbl.Apply(ctx, job, m)
}

// Done notes the end of a run.
func (l *Leases) Done(ctx context.Context, job string, n int64, r Report, failed error) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRun, "report", etl.Seq(n), b) // ok ttlwrite/unscaled-sequence
	if failed != nil {
		m.Set(schema.FamRun, "error", bigtable.ServerTime, []byte(failed.Error())) // want ttlwrite/clock-in-sequence
	}
	m.Set(schema.FamState, "running", 0, []byte("0"))
	m.Set(schema.FamLog, "done", bigtable.ServerTime, []byte(strconv.FormatInt(n, 10))) // ok ttlwrite/clock-in-sequence
	return l.tbl.Apply(ctx, job, m)
}

// Run is one entry of History.
type Run struct {
	N       int64
	Owner   string
	Report  Report
	Started time.Time
}

// History reads the runs that are kept.
func (l *Leases) History(ctx context.Context, job string) ([]Run, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRun), bigtable.LatestNFilter(schema.RunKeep))
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return runs(row), nil
}

func runs(row bigtable.Row) []Run {
	byN := map[int64]*Run{}
	var order []int64
	for _, it := range row[schema.FamRun] {
		n := etl.SeqOf(it.Timestamp)
		r := byN[n]
		if r == nil {
			r = &Run{N: n}
			byN[n] = r
			order = append(order, n)
		}
		switch etl.Column(it) {
		case "begin":
			r.Owner = string(it.Value)
		case "report":
			_ = json.Unmarshal(it.Value, &r.Report)
		}
	}
	out := make([]Run, 0, len(order))
	for _, n := range order {
		out = append(out, *byN[n])
	}
	return out
}

// HistoryAll has no limit and shows superseded runs for as long as they lie.
func (l *Leases) HistoryAll(ctx context.Context, job string) ([]Run, error) {
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRun), bigtable.ColumnFilter("begin|report")))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return runs(row), nil
}

// HistoryMonth thinks that runs are dated.
func (l *Leases) HistoryMonth(ctx context.Context, job string) ([]Run, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRun), bigtable.TimestampRangeFilter(time.Now().AddDate(0, -1, 0), time.Time{})) // want ttlread/wrong-bound[histmonth]
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(f))                                                                                 // want ttlread/wrong-bound[histmonth]
	if err != nil {
		return nil, err
	}
	return runs(row), nil
}

// LastLog reads the ordinary family.
func (l *Leases) LastLog(ctx context.Context, job string) (time.Time, error) {
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLog), etl.Within(schema.LogRetention)))) // ok ttlread/wrong-bound
	if err != nil {
		return time.Time{}, err
	}
	var last time.Time
	for _, it := range row[schema.FamLog] {
		if t := it.Timestamp.Time(); t.After(last) {
			last = t // ok ttlage/not-write-time
		}
	}
	return last, nil
}

// State reads the zero family, in which nothing dies.
func (l *Leases) State(ctx context.Context, job string) (running bool, err error) {
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamState))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return string(etl.First(row, schema.FamState, "running")) == "1", nil
}

// RunAge is how long ago the last run began.
func (l *Leases) RunAge(ctx context.Context, job string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRun), bigtable.LatestNFilter(1))))
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamRun] {
		if it.Column == "run:begin" {
			return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, nil
}

// Left is how long the lease is ours.
func (l *Leases) Left(ctx context.Context, job string) (time.Duration, error) {
	row, err := l.tbl.ReadRow(ctx, job, bigtable.RowFilter(held()))
	if err != nil || len(row[schema.FamLease]) == 0 {
		return 0, err
	}
	return time.Until(row[schema.FamLease][0].Timestamp.Time()), nil // ok ttlage/not-write-time
}
