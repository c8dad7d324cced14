// Command inspect prints rows for whoever is on call.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/timeutil"
)

type command func(ctx context.Context, c *bigtable.Client, key string) error

var commands = map[string]command{
	"session":   session,
	"lease":     lease,
	"revisions": revisions,
	"inbox":     inbox,
	"legacy":    legacy,
	"typing":    typing,
	"window":    window,
	"profile":   profile,
}

func main() {
	flag.Parse()
	run, ok := commands[flag.Arg(0)]
	if !ok {
		var names []string
		for n := range commands {
			names = append(names, n)
		}
		sort.Strings(names)
		log.Fatalf("usage: inspect %v KEY", names)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cfg := config.Default()
	c, err := bigtable.NewClient(ctx, cfg.Bigtable.Project, cfg.Bigtable.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := run(ctx, c, flag.Arg(1)); err != nil {
		log.Fatal(err)
	}
}

// age is for ordinary families.
func age(it bigtable.ReadItem) string {
	return timeutil.Humanize(time.Since(it.Timestamp.Time()))
}

func session(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open(tables.Sessions).ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamSess] {
		fmt.Println(it.Column, age(it)) // want ttlage/not-write-time
	}
	for _, it := range row[tables.FamMeta] {
		fmt.Println(it.Column, age(it)) // ok ttlage/not-write-time
	}
	return nil
}

func lease(ctx context.Context, c *bigtable.Client, key string) error {
	tbl := c.Open(tables.Jobs)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamLease), bt.LiveNow())
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamLease] {
		fmt.Println(it.Column, string(it.Value), "left", time.Until(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return nil
}

func revisions(ctx context.Context, c *bigtable.Client, key string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamRev), bigtable.LatestNFilter(5))
	row, err := c.Open(tables.Posts).ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamRev] {
		modified := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		fmt.Println(bt.SeqOf(it.Timestamp), modified, string(it.Value))
	}
	return nil
}

func inbox(ctx context.Context, c *bigtable.Client, key string) error {
	tbl := c.Open(tables.Notifications)
	opts := []bigtable.ReadOption{
		bigtable.RowFilter(bt.InFamily(tables.FamInbox, bt.YoungerThan(30*timeutil.Day))), // want ttlread/overridden-filter[inbox]
		bigtable.LimitRows(1),
		bigtable.RowFilter(bigtable.LatestNFilter(0)), // want ttlunit/invalid-filter // want ttlread/overridden-filter[inbox]
	}
	row, err := tbl.ReadRow(ctx, key, opts...) // want ttlread/overridden-filter[inbox] // maybe ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamInbox] {
		fmt.Println(it.Column, "gone at", timeutil.ISO(it.Timestamp.Time().Add(30*timeutil.Day))) // ok ttlage/not-write-time
	}
	return nil
}

func legacy(ctx context.Context, c *bigtable.Client, key string) error {
	row, err := c.Open(tables.LegacySessions).ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamSess] {
		fmt.Println(it.Column, age(it)) // ok ttlage/not-write-time
	}
	return nil
}

func typing(ctx context.Context, c *bigtable.Client, key string) error {
	live := bigtable.TimestampRangeFilter(time.Now(), time.Now().Add(-10*time.Second))                             // maybe *
	row, err := c.Open(tables.Presence).ReadRow(ctx, key, bt.Where(bigtable.FamilyFilter(tables.FamTyping), live)) // maybe *
	if err != nil {
		return err
	}
	fmt.Println(len(row[tables.FamTyping]), "typing")
	return nil
}

func window(ctx context.Context, c *bigtable.Client, key string) error {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	f := bigtable.TimestampRangeFilter(day, day) // want ttlunit/empty-range
	row, err := c.Open(tables.Analytics).ReadRow(ctx, key, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamWindow] {
		fmt.Println(it.Column, age(it)) // ok ttlage/not-write-time
	}
	month := bigtable.TimestampRangeFilter(day, day.AddDate(0, 1, 0))                // ok ttlunit/empty-range
	row, err = c.Open(tables.Analytics).ReadRow(ctx, key, bigtable.RowFilter(month)) // ok ttlread/upper-bound
	if err != nil {
		return err
	}
	fmt.Println(len(row))
	return nil
}

func profile(ctx context.Context, c *bigtable.Client, key string) error {
	tbl := c.Open(tables.Profiles)
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamBadge))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println(len(row[tables.FamBadge]), "badges")
	row, err = tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamCard))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[tables.FamCard] {
		fmt.Println(it.Column, string(it.Value))
	}
	return nil
}
