// Command btfix holds the repairs that were once needed. Each is a function;
// the name of the function is the first argument.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

var (
	project  = flag.String("project", "lakehouse-prod", "project")
	instance = flag.String("instance", "lake", "instance")
	table    = flag.String("table", "", "table, for the repairs that take one")
	limit    = flag.Int64("limit", 0, "rows at most")
	keep     = flag.Duration("keep", 24*time.Hour, "lifetime")
	now      = flag.Bool("now", false, "stamp with the clock")
)

type fix func(ctx context.Context, c *bigtable.Client, args []string) error

var fixes = map[string]fix{
	"unmark":     unmark,
	"mark":       mark,
	"watermark":  watermark,
	"renumber":   renumber,
	"totals":     totals,
	"show":       show,
	"peek":       peek,
	"features":   featuresFix,
	"sessions":   sessions,
	"copy":       copyTable,
	"leases":     leases,
	"statesince": stateSince,
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	f, ok := fixes[flag.Arg(0)]
	if !ok {
		names := make([]string, 0, len(fixes))
		for n := range fixes {
			names = append(names, n)
		}
		sort.Strings(names)
		log.Fatalf("which of %s?", strings.Join(names, ", "))
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := f(ctx, c, flag.Args()[1:]); err != nil {
		log.Fatal(err)
	}
}

// unmark removes marks from the dedup table; keys from stdin.
func unmark(ctx context.Context, c *bigtable.Client, _ []string) error {
	t := c.Open("dedup")
	sc := bufio.NewScanner(os.Stdin)
	for sc.Scan() {
		m := bigtable.NewMutation()
		m.DeleteRow()
		if err := t.Apply(ctx, sc.Text(), m); err != nil {
			return err
		}
	}
	return sc.Err()
}

// mark marks keys for -keep.
func mark(ctx context.Context, c *bigtable.Client, keys []string) error {
	t := c.Open("dedup")
	ts := bigtable.Time(time.Now().Add(*keep))
	if *now {
		ts = bigtable.Now()
	}
	for _, k := range keys {
		m := bigtable.NewMutation()
		m.Set("seen", "id", ts, []byte("btfix"))                                             // want ttlwrite/write-time
		m.Set("seen", "by", bigtable.Time(time.Now().Add(*keep)), []byte(os.Getenv("USER"))) // ok ttlwrite/write-time
		if err := t.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

// watermark sets a watermark: PIPELINE NUMBER POSITION.
func watermark(ctx context.Context, c *bigtable.Client, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("watermark PIPELINE NUMBER POSITION")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	t := c.Open("offsets")
	m := bigtable.NewMutation()
	m.Set("wm", "pos", bigtable.Timestamp(n*1000), []byte(args[2]))   // ok ttlwrite/unscaled-sequence
	m.Set("wm", "by", bigtable.ServerTime, []byte(os.Getenv("USER"))) // want ttlwrite/clock-in-sequence
	m.Set("audit", "by", bigtable.ServerTime, []byte("btfix"))        // ok ttlwrite/clock-in-sequence
	return t.Apply(ctx, args[0], m)
}

// renumber writes the watermarks of a pipeline anew, from 1.
func renumber(ctx context.Context, c *bigtable.Client, args []string) error {
	t := c.Open("offsets")
	for _, p := range args {
		row, err := t.ReadRow(ctx, p, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("wm"), bigtable.LatestNFilter(5)))) // ok ttlread/version-limit
		if err != nil {
			return err
		}
		items := row["wm"]
		sort.Slice(items, func(i, j int) bool { return items[i].Timestamp < items[j].Timestamp })
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("wm")
		for n, it := range items {
			m.Set("wm", "pos", bigtable.Timestamp(n+1), it.Value)        // want ttlwrite/unscaled-sequence
			m.Set("wm", "old", bigtable.Timestamp((n+1)*1000), it.Value) // ok ttlwrite/unscaled-sequence
		}
		if err := t.Apply(ctx, p, m); err != nil {
			return err
		}
	}
	return nil
}

// totals copies totals that were written with a clock down to zero.
func totals(ctx context.Context, c *bigtable.Client, views []string) error {
	t := c.Open("aggregates")
	for _, v := range views {
		var failed error
		err := t.ReadRows(ctx, bigtable.PrefixRange(v), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, it := range row["agg"] {
				if it.Timestamp == 0 {
					continue
				}
				_, col, _ := strings.Cut(it.Column, ":")
				m := bigtable.NewMutation()
				m.DeleteCellsInColumn("agg", col)
				m.Set("agg", col, 0, it.Value) // ok ttlwrite/clock-in-zero
				if failed = t.Apply(ctx, row.Key(), m); failed != nil {
					return false
				}
			}
			return true
		}, bigtable.RowFilter(bigtable.FamilyFilter("agg")))
		if err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// show prints rows of -table, which may be any.
func show(ctx context.Context, c *bigtable.Client, keys []string) error {
	t := c.Open(*table)
	for _, k := range keys {
		row, err := t.ReadRow(ctx, k) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for _, items := range row {
			for _, it := range items {
				fmt.Printf("%s\t%s\t%d\t%q\n", it.Row, it.Column, it.Timestamp, it.Value)
			}
		}
	}
	return nil
}

// peek prints clicks.
func peek(ctx context.Context, c *bigtable.Client, args []string) error {
	t := c.Open("clickstream")
	opts := []bigtable.ReadOption{}
	if *limit > 0 {
		opts = append(opts, bigtable.LimitRows(*limit))
	}
	return t.ReadRows(ctx, bigtable.PrefixRange(strings.Join(args, "#")), func(row bigtable.Row) bool { // want ttlread/missing-filter[peek]
		for _, it := range row["ev"] {
			fmt.Printf("%s\t%s\t%s\n", it.Row, it.Column, it.Value)
		}
		return true
	}, opts...) // want ttlread/missing-filter[peek]
}

// featuresFix rewrites features that lived for ever.
func featuresFix(ctx context.Context, c *bigtable.Client, keys []string) error {
	t := c.Open("features")
	for _, k := range keys {
		row, err := t.ReadRow(ctx, k, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("online"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("online")
		for _, it := range row["online"] {
			_, col, _ := strings.Cut(it.Column, ":")
			if it.Timestamp > bigtable.Time(time.Now().AddDate(1, 0, 0)) {
				m.Set("online", col, etl.ExpiresIn(6*time.Hour), it.Value) // ok ttlwrite/write-time
			} else {
				m.Set("online", col, it.Timestamp, it.Value) // ok ttlwrite/write-time
			}
		}
		m.Set("online", "fixed", bigtable.Timestamp(time.Now().Add(6*time.Hour).UnixNano()), nil)       // want ttlunit/wrong-unit
		m.Set("online", "fixed2", bigtable.Timestamp(time.Now().Add(6*time.Hour).UnixNano()/1000), nil) // ok ttlunit/wrong-unit
		if err := t.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

// sessions prints dead sessions: those that expired, by their timestamps.
func sessions(ctx context.Context, c *bigtable.Client, _ []string) error {
	return c.Open("clickstream").ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/expired-only[m1]
		fmt.Println(row.Key(), len(row["sess"]))
		return true
	}, bigtable.RowFilter(etl.InFamily("sess", bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now())))) // want ttlread/expired-only[m1]
}

// copyTable copies clicks into the mirror with their timestamps.
func copyTable(ctx context.Context, c *bigtable.Client, args []string) error {
	from, to := c.Open(schema.TableClicks), c.Open(schema.TableWarehouse)
	var failed error
	err := from.ReadRows(ctx, bigtable.PrefixRange(strings.Join(args, "#")), func(row bigtable.Row) bool { // want ttlread/missing-filter
		m := bigtable.NewMutation()
		for fam, items := range row {
			for _, it := range items {
				m.Set(fam, etl.Column(it), it.Timestamp, it.Value)
			}
		}
		failed = to.Apply(ctx, row.Key(), m)
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return err
}

// leases ends leases by writing them into the past.
func leases(ctx context.Context, c *bigtable.Client, jobs []string) error {
	t := c.Open("leases")
	for _, j := range jobs {
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily("lease")
		m.Set("lease", "owner", bigtable.Time(time.Time{}), nil)          // want ttlwrite/already-expired
		m.Set("lease", "note", bigtable.Timestamp(1672531200000000), nil) // want ttlwrite/already-expired
		m.Set("log", "note", bigtable.Timestamp(1672531200000000), nil)   // ok ttlwrite/already-expired
		if err := t.Apply(ctx, j, m); err != nil {
			return err
		}
	}
	return nil
}

// stateSince prints since when a job is in its state.
func stateSince(ctx context.Context, c *bigtable.Client, jobs []string) error {
	t := c.Open("leases")
	for _, j := range jobs {
		row, err := t.ReadRow(ctx, j, bigtable.RowFilter(bigtable.FamilyFilter("state|log")))
		if err != nil {
			return err
		}
		for _, it := range row["state"] {
			fmt.Println(j, it.Column, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		for _, it := range row["log"] {
			fmt.Println(j, it.Column, time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
	}
	return nil
}
