package ttl_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

const leaseTime = 10 * time.Second

// The row of a job has who runs it, for that long at a time, the number of the
// run, and the report of the last run.
var (
	Lease  = ttl.OneSecond("lease", leaseTime).Skew(2 * time.Second)
	Run    = ttl.Sequence("run", 1)
	Report = ttl.Sequence("report", 1)
	Jobs   = ttl.NewTable("jobs", Lease, Run, Report)
)

// A lock is the right to run a job until the deadline.
type lock struct {
	tbl      *bigtable.Table
	job      string
	number   int64 // the fencing number: later runs have higher ones
	deadline time.Time
}

var errHeld = errors.New("another runs the job")

// acquire locks a job, or returns errHeld.
func acquire(ctx context.Context, tbl *bigtable.Table, job, owner string) (*lock, error) {
	row, err := tbl.ReadRow(ctx, job, Jobs.Latest(bigtable.FamilyFilter("run")))
	if err != nil {
		return nil, err
	}
	var last int64
	for _, item := range row["run"] {
		last = Run.Number(item)
	}

	// The holder counts from before it asks. The skew is for everybody else.
	l := &lock{tbl, job, last + 1, time.Now().Add(leaseTime)}
	take := bigtable.NewMutation()
	if err := errors.Join(
		Lease.SetUntil(take, "owner", []byte(owner), l.deadline),
		Run.Set(take, "owner", []byte(owner), l.number),
	); err != nil {
		return nil, err
	}
	// Nobody may have a lease that is live, nor have begun a run since.
	held := bigtable.InterleaveFilters(
		Lease.LiveFilter(),
		bigtable.ChainFilters(Run.LiveFilter(), bigtable.TimestampRangeFilterMicros(ttl.SequenceNumber(l.number), 0)),
	)
	var isHeld bool
	cond := bigtable.NewCondMutation(held, nil, take)
	if err := tbl.Apply(ctx, job, cond, bigtable.GetCondMutationResult(&isHeld)); err != nil {
		return nil, err
	}
	if isHeld {
		return nil, errHeld
	}
	return l, nil
}

// report writes the report of a run. Of one that lost its lock without
// noticing, it is an old version from the start, whenever it arrives.
func (l *lock) report(ctx context.Context, text string) error {
	mut := bigtable.NewMutation()
	if err := Report.Set(mut, "text", []byte(text), l.number); err != nil {
		return err
	}
	return l.tbl.Apply(ctx, l.job, mut)
}

// A lock on live cells, with a fencing number.
func Example_lock() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Jobs.Ensure(ctx, admin))
	tbl := client.Open(Jobs.Name())

	a, err := acquire(ctx, tbl, "nightly", "a")
	must(err)
	_, err = acquire(ctx, tbl, "nightly", "b")
	fmt.Println("b:", err)

	// a is suspended, and its lease is withdrawn. How it ends by itself, without
	// waiting for it, is tested with testing/synctest in sessions_test.go.
	withdraw := bigtable.NewMutation()
	withdraw.DeleteCellsInFamily("lease")
	must(tbl.Apply(ctx, "nightly", withdraw))
	b, err := acquire(ctx, tbl, "nightly", "b")
	must(err)
	must(b.report(ctx, "all done, by b"))

	// a wakes up and does not know. Its number is lower.
	must(a.report(ctx, "half done, by a"))
	row, err := tbl.ReadRow(ctx, "nightly", Jobs.Latest(bigtable.FamilyFilter("report")))
	must(err)
	fmt.Println(values(row))
	// Output:
	// b: another runs the job
	// report:text=all done, by b
}
