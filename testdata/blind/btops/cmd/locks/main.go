// locks takes, shows and breaks the locks of nightly jobs. A lock is a lease
// in one cell that expires by itself.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
)

var (
	opts  btx.Options
	ttl   = flag.Duration("ttl", 20*time.Second, "lease")
	wait  = flag.Duration("wait", 0, "wait so long for the lock")
	table = "locks"
)

// live passes what holds now.
var live = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[locklive]

var errHeld = errors.New("somebody else holds it")

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	l := &locker{tbl: client.Open(table), me: hostname()}
	switch args := flag.Args(); {
	case len(args) > 2 && args[0] == "run":
		err = l.with(ctx, args[1], args[2:])
	case len(args) == 2 && args[0] == "show":
		err = l.show(ctx, args[1])
	case len(args) == 2 && args[0] == "break":
		err = l.steal(ctx, args[1])
	case len(args) == 1 && args[0] == "list":
		err = l.list(ctx)
	case len(args) == 2 && args[0] == "count":
		err = l.count(ctx, args[1])
	default:
		err = errors.New("run NAME COMMAND…, show NAME, break NAME, list or count NAME?")
	}
	btx.Fatal(err)
}

func hostname() string {
	h, err := os.Hostname()
	if err != nil {
		return "pid" + strconv.Itoa(os.Getpid())
	}
	return h
}

type locker struct {
	tbl *bigtable.Table
	me  string
}

// acquire takes the lock if nobody has it.
func (l *locker) acquire(ctx context.Context, name string) error {
	now := time.Now()
	take := bigtable.NewMutation()
	take.DeleteCellsInColumn("lease", "host")
	take.Set("lease", "host", bigtable.Time(now.Add(*ttl)), []byte(l.me)) // ok ttlwrite/write-time
	take.Set("owner", "host", bigtable.Time(now), []byte(l.me))           // ok ttlwrite/write-time
	held := bigtable.ChainFilters(
		bigtable.FamilyFilter("lease"),
		bigtable.ColumnFilter("host"),
		bigtable.TimestampRangeFilter(now, time.Time{}),
	)
	var matched bool
	cond := bigtable.NewCondMutation(held, nil, take) // ok ttlread/conditional-mutation
	if err := l.tbl.Apply(ctx, name, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if matched {
		return errHeld
	}
	return nil
}

// renew keeps the lock for another while, if we still have it.
func (l *locker) renew(ctx context.Context, name string) error {
	mine := bigtable.ChainFilters( // want ttlread/conditional-mutation[lockrenew]
		bigtable.FamilyFilter("lease"),
		bigtable.ColumnFilter("host"),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(l.me),
	)
	again := bigtable.NewMutation()
	again.Set("lease", "host", btx.Expiry(*ttl), []byte(l.me)) // ok ttlwrite/write-time
	again.Set("lease", "renewed", bigtable.ServerTime, nil)    // want ttlwrite/server-timestamp
	var matched bool
	cond := bigtable.NewCondMutation(mine, again, nil) // want ttlread/conditional-mutation[lockrenew]
	if err := l.tbl.Apply(ctx, name, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if !matched {
		return fmt.Errorf("lost lock %s", name)
	}
	return nil
}

// release gives the lock back.
func (l *locker) release(ctx context.Context, name string) error {
	mine := bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.ColumnFilter("host"), bigtable.ValueFilter(l.me))
	drop := bigtable.NewMutation()
	drop.DeleteCellsInColumn("lease", "host")
	return l.tbl.Apply(ctx, name, bigtable.NewCondMutation(mine, drop, nil)) // ok ttlread/conditional-mutation
}

func (l *locker) with(ctx context.Context, name string, cmd []string) error {
	deadline := time.Now().Add(*wait)
	for {
		err := l.acquire(ctx, name)
		if err == nil {
			break
		}
		if !errors.Is(err, errHeld) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(time.Second)
	}
	defer func() {
		if err := l.release(context.WithoutCancel(ctx), name); err != nil {
			fmt.Fprintln(os.Stderr, "release:", err)
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		t := time.NewTicker(*ttl / 3)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if err := l.renew(ctx, name); err != nil {
					cancel(err)
				}
			}
		}
	}()
	c := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return errors.Join(c.Run(), context.Cause(ctx))
}

// show prints the holder of a lock.
func (l *locker) show(ctx context.Context, name string) error {
	row, err := l.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("lease"), live))) // want ttlread/stale-bound[locklive]
	if err != nil {
		return err
	}
	for _, it := range row["lease"] {
		fmt.Println(name, string(it.Value), "until", it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return nil
}

// steal breaks a lock, and says whose it was.
func (l *locker) steal(ctx context.Context, name string) error {
	row, err := l.tbl.ReadRow(ctx, name) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["lease"] {
		fmt.Printf("%s was held by %s\n", name, it.Value)
	}
	if !btx.Confirm("break lock %s?", name) {
		return nil
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("lease") // ok ttlwrite/delete-after-set
	m.Set("owner", "broken-by", bigtable.Now(), []byte(l.me))
	return l.tbl.Apply(ctx, name, m)
}

// list prints all locks that are held.
func (l *locker) list(ctx context.Context) error {
	now := time.Now()
	soon := now.Add(time.Minute)
	n := 0
	err := l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/upper-bound[locklist]
		for _, it := range r["lease"] {
			n++
			fmt.Println(r.Key(), string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(now, soon))) // want ttlread/upper-bound[locklist]
	if err != nil {
		return err
	}
	fmt.Println(n, "locks")
	// And those of the last second, for the race.
	return l.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/wrong-bound[lockrace]
		for _, it := range r["lease"] {
			fmt.Println("maybe", r.Key(), string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[lockrace]
		bigtable.FamilyFilter("lease"),
		bigtable.TimestampRangeFilter(now.Add(-time.Second), time.Time{}), // want ttlread/wrong-bound[lockrace]
	))) // want ttlread/wrong-bound[lockrace]
}

// count counts how often a job ran.
func (l *locker) count(ctx context.Context, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("owner", "runs", 1) // ok ttlwrite/read-modify-write
	rmw.Increment("lease", "runs", 1) // want ttlwrite/read-modify-write
	row, err := l.tbl.ApplyReadModifyWrite(ctx, name, rmw)
	if err != nil {
		return err
	}
	for _, it := range row["owner"] {
		fmt.Println(it.Column, btx.ToInt(it.Value))
	}
	return nil
}
