// Command backfill repairs tenants' data after incidents. Each of its steps was
// written in a hurry, and is kept because the next incident will be like the last.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
)

var (
	project  = flag.String("project", "", "project")
	instance = flag.String("instance", "", "instance")
	prefix   = flag.String("prefix", "prod", "prefix of tables")
	tenants  = flag.String("tenants", "", "tenants, with commas")
	step     = flag.String("step", "", "what to do")
	family   = flag.String("family", "", "family, for steps that need one")
	days     = flag.Int("days", 30, "how far back")
)

type record struct {
	Key    string `json:"key"`
	Column string `json:"column"`
	Value  string `json:"value"`
	At     int64  `json:"at"` // milliseconds
	No     int64  `json:"no"`
}

func main() {
	flag.Parse()
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	steps := map[string]func(context.Context, *bigtable.Client, layout.Names) error{
		"tokens":   tokens,
		"cursors":  cursors,
		"ledger":   ledger,
		"events":   events,
		"points":   points,
		"generic":  generic,
		"count":    count,
		"prefs":    prefs,
		"journals": journals,
	}
	run, ok := steps[*step]
	if !ok {
		log.Fatalf("unknown step %q", *step)
	}
	for _, t := range strings.Split(*tenants, ",") {
		if err := run(ctx, client, layout.For(*prefix, t)); err != nil {
			log.Fatalf("%s: %v", t, err)
		}
	}
}

// input reads records from the standard input.
func input(each func(record) error) error {
	sc := bufio.NewScanner(os.Stdin)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := each(r); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return sc.Err()
}

// tokens writes tokens again that were lost with a cluster.
func tokens(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.Sessions())
	return input(func(r record) error {
		ts := bigtable.Time(time.UnixMilli(r.At))
		mut := bigtable.NewMutation()
		mut.Set("token", r.Column, ts, []byte(r.Value))                                            // ok ttlwrite/already-expired
		mut.Set("token", "restored", bigtable.Now(), nil)                                          // want ttlwrite/write-time
		mut.Set("token", "epoch", bigtable.Time(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // want ttlwrite/already-expired
		mut.Set("profile", "restored", bigtable.Now(), nil)                                        // ok ttlwrite/write-time
		mut.Set("profile", "lost", bigtable.Timestamp(r.At*1000), nil)                             // ok ttlunit/wrong-unit
		return tbl.Apply(ctx, r.Key, mut)
	})
}

// cursors moves cursors to where they were.
func cursors(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.State())
	line := 0
	return input(func(r record) error {
		line++
		mut := bigtable.NewMutation()
		mut.Set("cursor", "offset", bigtable.Timestamp(r.No*1000), []byte(strconv.FormatInt(r.No, 10))) // ok ttlwrite/unscaled-sequence
		mut.Set("cursor", "line", bigtable.Timestamp(line), []byte(r.Value))                            // want ttlwrite/unscaled-sequence
		mut.Set("cursor", "restored", bigtable.Time(time.Now()), nil)                                   // want ttlwrite/clock-in-sequence
		mut.Set("cursor", "size", bigtable.Timestamp(len(r.Value)), nil)                                // want ttlwrite/unscaled-sequence
		mut.Set("cursor", "length", bigtable.Timestamp(len(r.Value)*1000), nil)                         // ok ttlwrite/unscaled-sequence
		return tbl.Apply(ctx, r.Key, mut)
	})
}

// ledger books what was lost, in one mutation per account.
func ledger(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.Ledger())
	muts := map[string]*bigtable.Mutation{}
	err := input(func(r record) error {
		m := muts[r.Key]
		if m == nil {
			m = bigtable.NewMutation()
			muts[r.Key] = m
		}
		m.Set(layout.LedgerEntry, r.Column, bigtable.Timestamp(r.No)*1000, []byte(r.Value)) // ok ttlwrite/unscaled-sequence
		m.Set(layout.LedgerHead, "last", 0, []byte(r.Value))                                // ok ttlwrite/clock-in-zero // maybe ttlwrite/same-timestamp
		return nil
	})
	if err != nil {
		return err
	}
	for key, m := range muts {
		m.Set(layout.LedgerHead, "backfilled", bigtable.Now(), nil) // want ttlwrite/clock-in-zero
		if err := tbl.Apply(ctx, key, m); err != nil {
			return err
		}
	}
	return nil
}

// events writes events with the dates that they had.
func events(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.Audit())
	mut := bigtable.NewMutation()
	size := 0
	err := input(func(r record) error {
		mut.Set("event", r.Column, bigtable.Timestamp(r.At*1000), []byte(r.Value)) // ok ttlunit/wrong-unit
		size++
		return nil
	})
	if err != nil {
		return err
	}
	ts := bigtable.Now()
	for i := 0; i < size; i++ {
		mut.Set("event", "batch", ts, []byte(strconv.Itoa(i))) // want ttlwrite/same-timestamp
	}
	mut.Set("event", "batches", ts, []byte(strconv.Itoa(size))) // ok ttlwrite/same-timestamp
	return tbl.Apply(ctx, "backfill", mut)
}

// points reads what is left of series.
func points(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.Metrics())
	from := time.Now().AddDate(0, 0, -*days)
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range r["point"] {
			fmt.Println(r.Key(), it.Column, it.Timestamp.Time().Format(time.RFC3339), len(it.Value)) // maybe ttlage/not-write-time
		}
		for _, it := range r["rollup"] {
			fmt.Println(r.Key(), it.Column, it.Timestamp.Time().Format(time.RFC3339), len(it.Value)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("point|rollup"), bigtable.TimestampRangeFilter(from, time.Time{}))))
}

// generic writes to the family that the flag names: whoever runs it knows.
func generic(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.Sessions())
	return input(func(r record) error {
		mut := bigtable.NewMutation()
		mut.Set(*family, r.Column, bigtable.Now(), []byte(r.Value)) // ok ttlwrite/write-time
		return tbl.Apply(ctx, r.Key, mut)
	})
}

// count counts rows.
func count(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	total := 0
	for _, name := range n.All() {
		rows := 0
		err := c.Open(name).ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
			rows++
			return true
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
		if err != nil {
			return err
		}
		fmt.Println(name, rows)
		total += rows
	}
	fmt.Println("total", total)
	return nil
}

// prefs writes preferences again, first those of everybody.
func prefs(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.State())
	return input(func(r record) error {
		mut := bigtable.NewMutation()
		mut.Set("pref", "source", 0, []byte("default"))      // ok ttlwrite/same-timestamp
		mut.Set("pref", "source", 0, []byte("backfill"))     // want ttlwrite/same-timestamp
		mut.Set("pref", r.Column, 0, []byte(r.Value))        // ok ttlwrite/same-timestamp
		mut.Set("pref", "at", bigtable.Timestamp(1000), nil) // want ttlwrite/clock-in-zero
		return tbl.Apply(ctx, r.Key, mut)
	})
}

// journals writes entries of the journal.
func journals(ctx context.Context, c *bigtable.Client, n layout.Names) error {
	tbl := c.Open(n.Journal())
	return input(func(r record) error {
		mut := bigtable.NewMutation()
		mut.Set(layout.JournalEntry, r.Column, bigtable.Time(time.UnixMilli(r.At)), []byte(r.Value)) // ok ttlwrite/clock-in-sequence
		mut.Set(layout.JournalEntry, "line", bigtable.Timestamp(r.No), nil)                          // ok ttlwrite/unscaled-sequence
		return tbl.Apply(ctx, r.Key, mut)
	})
}
