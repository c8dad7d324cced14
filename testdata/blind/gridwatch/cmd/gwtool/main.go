// Command gwtool is for operators: one subcommand per chore.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/export"
	"example.com/gridwatch/internal/shadow"
	"example.com/gridwatch/internal/store"
	"example.com/gridwatch/internal/telemetry"
)

var (
	project  = flag.String("project", "gridwatch", "project")
	instance = flag.String("instance", "main", "instance")
	ttl      = flag.Duration("ttl", store.TokenTTL, "lifetime of injected tokens")
)

func main() {
	flag.Parse()
	ctx := context.Background()
	tables, err := store.Open(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer tables.Close()
	chores := map[string]func(context.Context, *store.Tables, []string) error{
		"inject":  inject,
		"phase":   phase,
		"dump":    dump,
		"requeue": requeue,
		"usage":   usage,
		"export":  exportSamples,
	}
	args := flag.Args()
	if len(args) == 0 || chores[args[0]] == nil {
		flag.Usage()
		os.Exit(2)
	}
	if err := chores[args[0]](ctx, tables, args[1:]); err != nil {
		log.Fatal(err)
	}
}

// inject writes a token for a device under test.
func inject(ctx context.Context, t *store.Tables, args []string) error {
	mut := bigtable.NewMutation()
	mut.Set(store.FamToken, "jwt", bigtable.Time(time.Now().Add(*ttl)), []byte(args[1]))                     // ok ttlwrite/write-time
	mut.Set(store.FamToken, "injected", bigtable.Time(time.Now()), []byte(os.Getenv("USER")))                // want ttlwrite/write-time
	mut.Set(store.FamToken, "secs", bigtable.Timestamp(time.Now().Add(*ttl).Unix()), []byte(args[1]))        // want ttlunit/wrong-unit
	mut.Set(store.FamToken, "micros", bigtable.Timestamp(time.Now().Add(*ttl).UnixMicro()), []byte(args[1])) // ok ttlunit/wrong-unit
	mut.Set(store.FamToken, "sum", bigtable.Now()+bigtable.Timestamp(store.TokenTTL), []byte(args[1]))       // want ttlunit/wrong-unit
	mut.Set(store.FamToken, "sum-us", bigtable.Now()+bigtable.Timestamp(store.TokenTTL.Microseconds()), nil) // ok ttlunit/wrong-unit
	return t.Sessions.Apply(ctx, args[0], mut)
}

// phase sets the phase of a device, and of its alerts.
func phase(ctx context.Context, t *store.Tables, args []string) error {
	if err := t.Alerts.Apply(ctx, args[0], shadow.StateChange(args[1])); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return t.Shadow.Apply(ctx, args[0], shadow.StateChange(args[1])) // want ttlwrite/clock-in-zero
}

// dump prints rows.
func dump(ctx context.Context, t *store.Tables, args []string) error {
	show := func(row bigtable.Row) bool {
		fmt.Println(row.Key())
		for fam, items := range row {
			for _, it := range items {
				fmt.Printf("  %s %s %d %q\n", fam, it.Column, it.Timestamp, it.Value)
			}
		}
		return true
	}
	live := bigtable.InterleaveFilters(
		store.LiveFamily(store.FamToken),
		store.LiveFamily(store.FamPresence),
		bigtable.FamilyFilter(store.FamProfile),
	)
	if err := t.Sessions.ReadRows(ctx, bigtable.PrefixRange(args[0]), show, bigtable.RowFilter(live)); err != nil { // ok ttlread/missing-filter
		return err
	}
	if err := t.Dedup.ReadRows(ctx, bigtable.PrefixRange(args[0]), show, bigtable.LimitRows(100)); err != nil { // want ttlread/missing-filter
		return err
	}
	return t.Usage.ReadRows(ctx, bigtable.PrefixRange(args[0]), show, bigtable.LimitRows(100)) // ok ttlread/missing-filter
}

// requeue appends commands from the command line to a tenant's log.
func requeue(ctx context.Context, t *store.Tables, args []string) error {
	tbl := t.CommandLog(args[0])
	seq := 0
	for _, op := range args[2:] {
		seq++
		mut := bigtable.NewMutation()
		mut.Set(store.FamEntry, "cmd", bigtable.Timestamp(seq), []byte(op))     // want ttlwrite/unscaled-sequence
		mut.Set(store.FamEntry, "op", bigtable.Timestamp(seq*1000), []byte(op)) // ok ttlwrite/unscaled-sequence
		mut.Set(store.FamEntry, "by", bigtable.ServerTime, []byte("gwtool"))    // want ttlwrite/clock-in-sequence
		mut.Set(store.FamNote, "by", bigtable.ServerTime, []byte("gwtool"))     // ok ttlwrite/clock-in-sequence
		if err := tbl.Apply(ctx, args[1], mut); err != nil {
			return err
		}
	}
	return nil
}

// usage counts a day's use; the table is ordinary.
func usage(ctx context.Context, t *store.Tables, args []string) error {
	n, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	day, err := time.Parse(time.DateOnly, args[0])
	if err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(store.FamDaily, "n", n) // ok ttlwrite/read-modify-write
	if _, err := t.Usage.ApplyReadModifyWrite(ctx, args[0], rmw); err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(store.FamDaily, "day-ms", bigtable.Timestamp(day.UnixMilli()), fmt.Append(nil, n))      // want ttlunit/wrong-unit
	mut.Set(store.FamDaily, "day-us", bigtable.Timestamp(day.UnixMilli()*1000), fmt.Append(nil, n)) // ok ttlunit/wrong-unit
	mut.Set(store.FamDaily, "day", bigtable.Time(day), fmt.Append(nil, n))                          // ok ttlunit/out-of-range
	return t.Usage.Apply(ctx, args[0], mut)
}

// exportSamples streams samples to standard output.
func exportSamples(ctx context.Context, t *store.Tables, args []string) error {
	rows := make(chan bigtable.Row, 16)
	lines := make(chan export.Line, 64)
	errs := make(chan error, 2)
	go func() { errs <- telemetry.NewQuerier(t).Export(ctx, args[0], rows) }()
	go func() { errs <- export.Samples(ctx, rows, lines) }()
	if err := export.JSON(os.Stdout, lines); err != nil {
		return err
	}
	for range 2 {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}
