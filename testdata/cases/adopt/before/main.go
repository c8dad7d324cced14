package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
)

// main writes and reads in the emulator of BIGTABLE_EMULATOR_HOST, and prints
// what all tables hold and what reads return. Times are rounded to tens of seconds from now.
func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}})
	if err != nil {
		return err
	}
	defer client.Close()
	admin, err := bigtable.NewAdminClient(ctx, "p", "i")
	if err != nil {
		return err
	}
	if err := create(ctx, admin); err != nil {
		return err
	}
	s := open(client)
	now := time.Now()
	for _, days := range []time.Duration{1, 3} {
		if err := s.grant(ctx, fmt.Sprint("k", int(days)), days*24*time.Hour, now.Add(days*time.Hour)); err != nil {
			return err
		}
		if err := s.visit(ctx, fmt.Sprint("k", int(days)), days*24*time.Hour, now.Add(days*time.Hour)); err != nil {
			return err
		}
	}
	if _, err := s.book(ctx, "k1", 5, "a", "b", "c", "d", "e"); err != nil {
		return err
	}
	if err := s.prefer(ctx, "k1"); err != nil {
		return err
	}
	for range 2 {
		held, err := s.lock(ctx, "k1")
		if err != nil {
			return err
		}
		fmt.Println("held:", held)
	}
	for _, name := range []string{"ad-logins", "ad-visits", "ad-books", "ad-prefs"} {
		info, err := admin.TableInfo(ctx, name)
		if err != nil {
			return err
		}
		for _, f := range info.FamilyInfos {
			lines = append(lines, fmt.Sprint("created ", name, " ", f.Name, ": ", f.GCPolicy))
		}
		tbl := client.Open(name)
		err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { //ttlvet:ignore ttlread shows all there is
			show("stored in "+name, row, now)
			return true
		})
		if err != nil {
			return err
		}
	}
	// Dead cells, and what only the live filters tell from the others.
	dead := bigtable.NewMutation()
	dead.Set("ad-grant", "dead", bigtable.Time(now.Add(-time.Hour)), nil) //ttlvet:ignore ttlwrite/already-expired what reads must keep out
	dead.Set("ad-person", "old", bigtable.Time(now.Add(-1000*time.Hour)), nil)
	if err := client.Open("ad-logins").Apply(ctx, "k1", dead); err != nil {
		return err
	}
	old := bigtable.NewMutation()
	old.Set("ad-visit", "unseen", bigtable.Time(now.Add(-721*time.Hour)), nil) //ttlvet:ignore ttlwrite/already-expired what reads must keep out
	if err := client.Open("ad-visits").Apply(ctx, "k1", old); err != nil {
		return err
	}
	for _, reader := range []struct {
		name string
		read func(context.Context, string) (bigtable.Row, error)
	}{
		{"logins", s.readLogins}, {"visits", s.readVisits}, {"newest", s.readNewest}, {"books", s.readBooks}, {"last", s.readLast},
	} {
		row, err := reader.read(ctx, "k1")
		if err != nil {
			return err
		}
		show("read by "+reader.name, row, now)
	}
	return nil
}

func show(what string, row bigtable.Row, now time.Time) {
	for _, cells := range row {
		for _, item := range cells {
			at := fmt.Sprint("number ", int64(item.Timestamp))
			if item.Timestamp > 1e12 {
				at = item.Timestamp.Time().Sub(now).Round(10 * time.Second).String()
			}
			lines = append(lines, fmt.Sprintf("%s: %s %s %q %s", what, item.Row, item.Column, item.Value, at))
		}
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	lines = nil
}

var lines []string
