// Command fleet-inspect looks into the tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
)

var (
	project  = flag.String("project", "", "project")
	instance = flag.String("instance", "", "instance")
	table    = flag.String("table", keys.TableScratch, "table of the dump")
)

type tool func(ctx context.Context, c *bigtable.Client, arg string) error

var tools = map[string]tool{
	"dump": dump, "beats": beats, "owner": owner, "stages": stages, "tokens": tokens, "sql": query, "scratch": scratch,
}

func main() {
	flag.Parse()
	f, ok := tools[flag.Arg(0)]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: fleet-inspect TOOL ARG")
		os.Exit(2)
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err == nil {
		err = f(ctx, c, flag.Arg(1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func show(r bigtable.Row) bool {
	for fam, items := range r {
		for _, it := range items {
			fmt.Printf("%s %s/%s @%d %q\n", it.Row, fam, it.Column, it.Timestamp, it.Value)
		}
	}
	return true
}

func dump(ctx context.Context, c *bigtable.Client, arg string) error {
	return c.Open(*table).ReadRows(ctx, bigtable.PrefixRange(arg), show) // ok ttlread/missing-filter
}

func scratch(ctx context.Context, c *bigtable.Client, arg string) error {
	t := c.Open(keys.TableScratch)
	m := bigtable.NewMutation()
	m.Set(keys.FamHB, "probe", bigtable.Now(), nil)  // ok ttlwrite/write-time
	m.Set(keys.FamRev, "probe", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
	if err := t.Apply(ctx, arg, m); err != nil {
		return err
	}
	return t.ReadRows(ctx, bigtable.PrefixRange(arg), show) // ok ttlread/missing-filter
}

func beats(ctx context.Context, c *bigtable.Client, arg string) error {
	t := c.Open(keys.TableDeviceState)
	if arg == "" {
		return t.ReadRows(ctx, bigtable.InfiniteRange(""), show, bigtable.LimitRows(100)) // want ttlread/missing-filter
	}
	var written time.Time
	err := t.ReadRows(ctx, bigtable.PrefixRange(arg), func(r bigtable.Row) bool { // want ttlread/missing-filter[beats]
		for _, it := range r[keys.FamHB] {
			fmt.Printf("%s %s %s ago\n", r.Key(), it.Value, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		for _, it := range r[keys.FamMeta] {
			if t := it.Timestamp.Time(); t.After(written) { // ok ttlage/not-write-time
				written = t
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[beats]
	fmt.Println("last written", written)
	return err
}

func owner(ctx context.Context, c *bigtable.Client, arg string) error {
	t := c.Open("leases-eu")
	opts := []bigtable.ReadOption{}
	if arg == "live" {
		opts = append(opts, bigtable.RowFilter(btutil.Live(time.Now())))
	}
	if err := t.ReadRows(ctx, bigtable.InfiniteRange(""), show, opts...); err != nil { // want ttlread/missing-filter
		return err
	}
	opts = []bigtable.ReadOption{bigtable.LimitRows(10), bigtable.RowFilter(btutil.FamLive(keys.FamLease, time.Now()))}
	return t.ReadRows(ctx, bigtable.InfiniteRange("a"), show, opts...) // ok ttlread/missing-filter
}

func stages(ctx context.Context, c *bigtable.Client, arg string) error {
	t := c.Open(keys.TableFirmware)
	row, err := t.ReadRow(ctx, keys.Rollout(arg)) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[keys.FamRev] {
		fmt.Printf("%s modified %s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339)) // want ttlage/not-write-time
		if it.Timestamp == bigtable.ServerTime {                                            // want ttlage/server-sentinel
			fmt.Println("  (no revision)")
		}
	}
	row, err = t.ReadRow(ctx, keys.Rollout(arg), bigtable.RowFilter(btutil.FamLatest(keys.FamInfo+"|"+keys.FamRev, 3))) // ok ttlread/version-limit
	if err == nil {
		show(row)
	}
	return err
}

func tokens(ctx context.Context, c *bigtable.Client, arg string) error {
	t := c.Open(keys.TableSessions)
	n := 0
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamTok), bigtable.TimestampRangeFilterMicros(0, bigtable.Time(now))) // want ttlread/expired-only[tokens]
	err := t.ReadRows(ctx, bigtable.PrefixRange(arg), func(r bigtable.Row) bool {                                              // want ttlread/expired-only[tokens]
		n += len(r[keys.FamTok])
		return show(r)
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[tokens]
	fmt.Println(n, "cells")
	return err
}

func query(ctx context.Context, c *bigtable.Client, arg string) error {
	for _, q := range []string{
		"SELECT _key, lease['owner'] FROM `leases-eu`",                                                     // want ttlread/sql[owners]
		"SELECT _key, tok['t'] FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", // ok ttlread/sql
		"SELECT _key, rev['manifest'] FROM firmware",                                                       // ok ttlread/sql
		"SELECT _key, meta['fw'] FROM device_state",                                                        // ok ttlread/sql
	} {
		if _, err := c.PrepareStatement(ctx, q, nil); err != nil { // want ttlread/sql[owners]
			return err
		}
	}
	if _, err := c.PrepareStatement(ctx, "SELECT _key, st['in'] FROM geofence", nil); err != nil { // want ttlread/sql
		return err
	}
	_, err := c.PrepareStatement(ctx, "SELECT _key, hb['addr'] FROM device_state(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	return err
}
