// Command flowctl is for operators.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strconv"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/flowkeep/archive"
	"example.com/flowkeep/engine"
	"example.com/flowkeep/history"
	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/lease"
)

// env is what a command works with.
type env struct {
	client *bigtable.Client
	out    *tabwriter.Writer
	now    time.Time
	ns     string
}

type command struct {
	name, args string
	n          int
	run        func(ctx context.Context, e *env, args []string) error
}

var commands = []command{
	{"lease-set", "RESOURCE OWNER", 2, leaseSet},
	{"lease-force", "RESOURCE OWNER", 2, leaseForce},
	{"lease-show", "RESOURCE", 1, leaseShow},
	{"lease-list", "PREFIX", 1, leaseList},
	{"lease-check", "RESOURCE", 1, leaseCheck()},
	{"fence", "RESOURCE NUMBER", 2, fence},
	{"fence-next", "RESOURCE", 1, fenceNext},
	{"events", "RUN", 1, events},
	{"events-all", "RUN", 1, eventsAll},
	{"signal", "RUN ID TEXT", 3, signalPut},
	{"signals", "RUN", 1, signalShow},
	{"result", "KEY", 1, result},
	{"archive", "RUN", 1, archiveRun},
	{"abort", "RUN...", 1, abortAll},
	{"audit-note", "RUN TEXT", 2, auditNote},
	{"due", "RUN", 1, due},
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "flowkeep", "instance")
	ns := flag.String("ns", "default", "namespace")
	flag.Usage = usage
	flag.Parse()
	if err := run(context.Background(), *project, *instance, *ns, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "flowctl:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: flowctl [flags] command args...")
	names := make([]string, 0, len(commands))
	for _, c := range commands {
		names = append(names, c.name+" "+c.args)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintln(os.Stderr, "  ", n)
	}
}

func run(ctx context.Context, project, instance, ns string, args []string) error {
	if len(args) == 0 {
		usage()
		return flag.ErrHelp
	}
	client, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return err
	}
	defer client.Close()
	e := &env{client: client, out: tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0), now: time.Now(), ns: ns}
	defer e.out.Flush()
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		if len(args)-1 < c.n {
			return fmt.Errorf("%s wants %s", c.name, c.args)
		}
		return c.run(ctx, e, args[1:])
	}
	return fmt.Errorf("unknown command %q", args[0])
}

func leaseSet(ctx context.Context, e *env, args []string) error {
	m := bigtable.NewMutation()
	m.Set("lease", "owner", bigtable.Time(e.now.Add(lease.DefaultTTL)), []byte(args[1])) // ok ttlwrite/write-time
	return e.client.Open(lease.Table).Apply(ctx, args[0], m)
}

func leaseForce(ctx context.Context, e *env, args []string) error {
	m := bigtable.NewMutation()
	m.Set("lease", "owner", bigtable.Time(e.now), []byte(args[1])) // want ttlwrite/write-time
	m.Set("lease", "forced", bigtable.ServerTime, []byte("1"))     // want ttlwrite/server-timestamp
	return e.client.Open(lease.Table).Apply(ctx, args[0], m)
}

func leaseShow(ctx context.Context, e *env, args []string) error {
	row, err := e.client.Open(lease.Table).ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["lease"] {
		fmt.Fprintf(e.out, "%s\t%s\tuntil %s\n", it.Column, it.Value, it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return nil
}

func leaseList(ctx context.Context, e *env, args []string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.TimestampRangeFilter(e.now, time.Time{}))
	return e.client.Open(lease.Table).ReadRows(ctx, bigtable.PrefixRange(args[0]), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["lease"] {
			fmt.Fprintf(e.out, "%s\t%s\theld for %s\n", r.Key(), it.Value, e.now.Sub(it.Timestamp.Time())) // want ttlage/not-write-time
			fmt.Fprintf(e.out, "%s\t%s\tleft %s\n", r.Key(), it.Value, it.Timestamp.Time().Sub(e.now))     // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
}

// leaseCheck makes the command that checks leases.
func leaseCheck() func(context.Context, *env, []string) error {
	return func(ctx context.Context, e *env, args []string) error {
		row, err := e.client.Open(lease.Table).ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.FamilyFilter("lease"))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, it := range row["lease"] {
			state := "live"
			if !it.Timestamp.Time().After(e.now) {
				state = "expired"
			}
			fmt.Fprintf(e.out, "%s\t%s\n", it.Column, state)
		}
		return nil
	}
}

func fence(ctx context.Context, e *env, args []string) error {
	n, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set("fence", "epoch", bigtable.Timestamp(n*1000), []byte(args[1])) // ok ttlwrite/unscaled-sequence
	m.Set("fence", "by-hand", bigtable.Time(e.now), []byte(args[1]))     // want ttlwrite/clock-in-sequence
	return e.client.Open(lease.Table).Apply(ctx, args[0], m)
}

func fenceNext(ctx context.Context, e *env, args []string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("fence", "epoch", 1) // want ttlwrite/read-modify-write
	_, err := e.client.Open(lease.Table).ApplyReadModifyWrite(ctx, args[0], rmw)
	return err
}

func events(ctx context.Context, e *env, args []string) error {
	evs, err := history.Open(e.client).Tail(ctx, args[0])
	for _, ev := range evs {
		fmt.Fprintf(e.out, "%d\t%s\t%s\n", ev.Seq, ev.Kind, ev.At.Format(time.RFC3339))
	}
	return err
}

func eventsAll(ctx context.Context, e *env, args []string) error {
	row, err := e.client.Open(history.Table).ReadRow(ctx, args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[history.FamEvent] {
		fmt.Fprintf(e.out, "%d\t%s\n", bt.SeqOf(it.Timestamp), it.Value)          // ok ttlage/not-write-time
		fmt.Fprintf(e.out, "\twritten %s ago\n", time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
	}
	return nil
}

func signalPut(ctx context.Context, e *env, args []string) error {
	m := bigtable.NewMutation()
	m.Set("inbox", args[1], bigtable.Now(), []byte(args[2])) // ok ttlwrite/write-time
	m.Set("ack", "by-hand", bigtable.Now(), nil)             // ok ttlwrite/write-time
	return e.client.Open("flow-signals").Apply(ctx, args[0], m)
}

func signalShow(ctx context.Context, e *env, args []string) error {
	row, err := e.client.Open("flow-signals").ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.TimestampRangeFilter(e.now, time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return err
	}
	for _, it := range row["inbox"] {
		fmt.Fprintf(e.out, "%s\t%s\n", it.Column, it.Value)
	}
	return nil
}

func result(ctx context.Context, e *env, args []string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("output"), bigtable.TimestampRangeFilter(e.now.Add(-720*time.Hour), time.Time{}), bigtable.LatestNFilter(1))
	row, err := e.client.Open("flow-results").ReadRow(ctx, args[0], bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	for _, it := range row["output"] {
		fmt.Fprintf(e.out, "%s\n", it.Value)
	}
	return nil
}

func archiveRun(ctx context.Context, e *env, args []string) error {
	a := archive.Open(e.client)
	return errors.Join(a.Copy(ctx, args[0]), a.Mark(ctx, args[0]))
}

func abortAll(ctx context.Context, e *env, args []string) error {
	store := engine.NewStore(e.client, engine.WithHook(func(in *engine.Instance, m *bigtable.Mutation) {
		m.Set(engine.FamState, "operator", 0, []byte(os.Getenv("USER")))                // ok ttlwrite/clock-in-zero
		m.Set(engine.FamState, "aborted", bigtable.Time(e.now), nil)                    // want ttlwrite/clock-in-zero
		m.Set(engine.FamLock, "aborted", bigtable.Time(e.now.Add(engine.LockTTL)), nil) // ok ttlwrite/write-time
	}))
	for _, id := range args {
		in, err := store.Load(ctx, e.ns, id)
		if err != nil {
			return err
		}
		in.State = engine.Failed
		if err := store.Save(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

func auditNote(ctx context.Context, e *env, args []string) error {
	m := bigtable.NewMutation()
	m.Set("event", "note", bigtable.Time(e.now), []byte(args[1])) // ok ttlwrite/clock-in-sequence
	return e.client.Open(history.AuditTable).Apply(ctx, args[0], m)
}

func due(ctx context.Context, e *env, args []string) error {
	tbl := e.client.Open(e.ns + "-timers")
	return tbl.ReadRows(ctx, bigtable.PrefixRange(args[0]), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r["due"] {
			fmt.Fprintf(e.out, "%s\t%s\n", r.Key(), it.Value)
		}
		return true
	})
}
