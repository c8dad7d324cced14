// Command fixup has the one-off repairs of eight years. They are kept because the next one will be a copy.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

type fix struct {
	what string
	run  func(ctx context.Context, c *bigtable.Client, key string, dry bool) error
}

var fixes = map[string]fix{
	"2018-tokens":   {"tokens without expiry", fixTokens},
	"2019-ledger":   {"ledger numbers without scale", fixLedger},
	"2019-zero":     {"states with a date", fixZero},
	"2020-ids":      {"partner ids from the future", fixIDs},
	"2021-windows":  {"look for cells in odd places", fixWindows},
	"2022-cards":    {"cards twice", fixCards},
	"2023-counters": {"aggregates, an experiment", fixCounters},
	"2024-consent":  {"consent log gaps", fixConsent},
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "")
	instance := flag.String("instance", "leadmill-prod", "")
	name := flag.String("fix", "", "which")
	key := flag.String("key", "", "row key")
	dry := flag.Bool("n", true, "dry run")
	flag.Parse()
	f, ok := fixes[*name]
	if !ok {
		var names []string
		for n, f := range fixes {
			names = append(names, n+"  "+f.what)
		}
		sort.Strings(names)
		fmt.Println(strings.Join(names, "\n"))
		os.Exit(2)
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := f.run(ctx, c, *key, *dry); err != nil {
		log.Fatal(err)
	}
}

// jk 2018: tokens that were written with the server's time get half an hour.
func fixTokens(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("sessions")
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("tok"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	soon := time.Now().Add(time.Second)
	for _, it := range row["tok"] {
		if it.Timestamp.Time().After(soon) {
			continue
		}
		_, col, _ := strings.Cut(it.Column, ":")
		m.DeleteTimestampRange("tok", col, 0, bigtable.Now())                      // ok ttlunit/sub-millisecond
		m.Set("tok", col, bigtable.Time(time.Now().Add(30*time.Minute)), it.Value) // ok ttlwrite/write-time
	}
	m.DeleteTimestampRange("tok", "lb", 0, 999)            // want ttlunit/sub-millisecond
	m.DeleteTimestampRange("tok", "old", 0, 1000)          // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange("tok", "older", 5000, 2000)     // want ttlunit/empty-range
	m.Set("tok", "fixed", bigtable.Time(time.Time{}), nil) // want ttlwrite/already-expired|ttlunit/out-of-range
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}

// psz 2019: numbers were written as they are, so a thousand of them were one cell.
func fixLedger(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("budgets")
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("led"), bigtable.LatestNFilter(3)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for i, it := range row["led"] {
		_, col, _ := strings.Cut(it.Column, ":")
		m.Set("led", col, it.Timestamp*1000, it.Value)                                                    // ok ttlwrite/unscaled-sequence
		m.Set("led", fmt.Sprintf("%s_%d", col, i), bigtable.Timestamp(len(row["led"])-i), it.Value)       // want ttlwrite/unscaled-sequence
		m.Set("led", fmt.Sprintf("%s_s%d", col, i), bigtable.Timestamp(len(row["led"])-i)*1000, it.Value) // ok ttlwrite/unscaled-sequence
	}
	m.Set("led", "fix", 1500, []byte("2019"))  // want ttlwrite/unscaled-sequence
	m.Set("led", "fix2", 2000, []byte("2019")) // ok ttlwrite/unscaled-sequence
	m.Set("audit", "fix", bigtable.Now(), []byte("2019"))
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}

// psz 2019: the mail states had dates for a week.
func fixZero(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("mailq")
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("st"), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("st") // ok ttlwrite/delete-after-set
	for _, it := range row["st"] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			continue
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			log.Printf("%s is right already", it.Column)
		}
		m.Set("st", strings.TrimPrefix(it.Column, "st:"), 0, it.Value) // ok ttlwrite/clock-in-zero
	}
	m.Set("st", "fixed", bigtable.Time(time.Date(2019, 8, 1, 0, 0, 0, 0, time.UTC)), []byte("1")) // want ttlwrite/clock-in-zero
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}

// mh 2020: a partner sent ids with dates of 2038, which we took for timestamps.
func fixIDs(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("visitors")
	var ids []string
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("idmap"), bigtable.TimestampRangeFilter(time.Now().Add(24*time.Hour), time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row["idmap"] {
		_, col, _ := strings.Cut(it.Column, ":")
		m.DeleteCellsInColumn("idmap", col)           // ok ttlwrite/delete-after-set
		m.Set("idmap", col, bigtable.Now(), it.Value) // ok ttlwrite/write-time
		ids = append(ids, col)
	}
	m.Set("idmap", "fix20", bigtable.Time(time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC)), []byte(strings.Join(ids, ","))) // want ttlwrite/already-expired
	m.Set("attr", "fix20", bigtable.Time(time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC)), []byte(strings.Join(ids, ",")))  // ok ttlwrite/already-expired
	m.Set("attr", "never", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil)                           // want ttlunit/out-of-range
	m.Set("attr", "minus", -2000, nil)                                                                                  // want ttlunit/out-of-range
	m.Set("attr", "srv", -1, nil)                                                                                       // ok ttlunit/out-of-range
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}

// mh 2021: print what is in odd windows.
func fixWindows(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	imp := c.Open("impressions")
	for i, f := range []bigtable.Filter{
		bigtable.TimestampRangeFilterMicros(0, 999),                                    // want ttlunit/sub-millisecond
		bigtable.TimestampRangeFilterMicros(1000, 2000),                                // ok ttlunit/sub-millisecond
		bigtable.TimestampRangeFilterMicros(2000, 1000),                                // want ttlunit/empty-range
		bigtable.TimestampRangeFilterMicros(3000, 0),                                   // ok ttlunit/empty-range
		bigtable.LatestNFilter(0),                                                      // want ttlunit/invalid-filter
		bigtable.ChainFilters(bigtable.FamilyFilter("cap")),                            // want ttlunit/invalid-filter
		bigtable.ChainFilters(bigtable.FamilyFilter("cap"), bigtable.LatestNFilter(1)), // ok ttlunit/invalid-filter
	} {
		row, err := imp.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
		if err != nil {
			log.Printf("%d: %v", i, err)
			continue
		}
		for fam, items := range row {
			log.Printf("%d: %s: %d", i, fam, len(items))
		}
	}
	row, err := imp.ReadRow(ctx, key, // want ttlread/overridden-filter[imp]
		bigtable.RowFilter(bigtable.FamilyFilter("cap")), // want ttlread/overridden-filter[imp]
		bigtable.LimitRows(1),
		bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter[imp]
	if err != nil {
		return err
	}
	log.Printf("%d families, dry %v", len(row), dry)
	return nil
}

// ana 2022: cards were there twice.
func fixCards(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("contacts")
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("card"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	seen := map[string]bool{}
	for _, it := range row["card"] {
		col := strings.TrimPrefix(it.Column, "card:")
		if seen[col] {
			continue
		}
		seen[col] = true
		m.DeleteCellsInColumn("card", col) // ok ttlwrite/delete-after-set
		m.Set("card", col, 0, it.Value)    // ok ttlwrite/clock-in-zero
	}
	m.Set("opt", "fixed", bigtable.Now(), []byte("2022")) // ok ttlwrite/write-time
	m.DeleteCellsInColumn("opt", "fixed")                 // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn("opt", "broken")                // ok ttlwrite/delete-after-set
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}

// psz 2023: aggregates. We did not keep them.
func fixCounters(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("freqcaps")
	m := bigtable.NewMutation()
	m.AddIntToCell("sum", "n", bigtable.ServerTime, 1)                                          // want ttlwrite/aggregate-server-time
	m.AddIntToCell("sum", "n2", 0, 1)                                                           // ok ttlwrite/aggregate-server-time
	m.MergeBytesToCell("hll", "u", bigtable.ServerTime, []byte(key))                            // want ttlwrite/aggregate-server-time
	m.MergeBytesToCell("hll", "u2", bigtable.Time(time.Now().Truncate(time.Hour)), []byte(key)) // ok ttlwrite/aggregate-server-time
	m.Set("cap", "hour", bigtable.Time(time.Now().Truncate(time.Hour)), nil)                    // want ttlwrite/already-expired|ttlwrite/write-time
	m.Set("cap", "fixed", bigtable.Timestamp(time.Minute), nil)                                 // want ttlunit/wrong-unit|ttlwrite/already-expired
	m.Set("roll", "fixed", bigtable.Timestamp(1690000000000), nil)                              // want ttlwrite/already-expired
	m.Set("roll", "n", bigtable.Timestamp(time.Now().UnixNano()/1000), nil)                     // ok ttlunit/wrong-unit
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}

// ana 2024: the log of consents has gaps where the sequencer was down.
func fixConsent(ctx context.Context, c *bigtable.Client, key string, dry bool) error {
	tbl := c.Open("consent")
	row, err := tbl.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	var last bigtable.Timestamp
	m := bigtable.NewMutation()
	for _, it := range row["log"] {
		if last != 0 && last-it.Timestamp > 1000 {
			m.Set("log", "gap", it.Timestamp+1000, []byte("filled")) // ok ttlwrite/unscaled-sequence
		}
		last = it.Timestamp
	}
	for _, it := range row["grant"] {
		log.Printf("%s: %d bytes", it.Column, len(it.Value))
	}
	m.Set("log", "fixed", last+1, []byte("2024"))     // maybe ttlwrite/unscaled-sequence
	m.Set("log", "fixed2", last+2000, []byte("2024")) // ok ttlwrite/unscaled-sequence
	if dry {
		return nil
	}
	return tbl.Apply(ctx, key, m)
}
