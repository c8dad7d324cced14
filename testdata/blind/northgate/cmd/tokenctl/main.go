// Command tokenctl is what support uses to look at a subject and to mend it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// command is a subcommand.
type command struct {
	usage string
	run   func(ctx context.Context, c *bigtable.Client, args []string) error
}

var commands = map[string]command{
	"show":     {"show TOKEN", show},
	"live":     {"live PREFIX", live},
	"revive":   {"revive TOKEN MINUTES", revive},
	"kill":     {"kill TOKEN", kill},
	"grant":    {"grant KEY REVISION VALUE", grant},
	"limit":    {"limit SUBJECT UNITS", limit},
	"device":   {"device USER ID DAYS", device},
	"events":   {"events KIND AGGREGATE", events},
	"online":   {"online USER", online},
	"window":   {"window SUBJECT FROM TO", window},
	"restore":  {"restore KEY UNIX VALUE", restore},
	"renumber": {"renumber KIND AGGREGATE", renumber},
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "project")
	instance := flag.String("instance", "identity", "instance")
	flag.Parse()
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		for _, c := range commands {
			fmt.Fprintln(os.Stderr, "tokenctl", c.usage)
		}
		os.Exit(2)
	}
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err == nil {
		err = cmd.run(ctx, client, flag.Args()[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// need checks how many arguments there are.
func need(args []string, n int) error {
	if len(args) != n {
		return fmt.Errorf("need %d arguments", n)
	}
	return nil
}

func show(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	row, err := c.Open("identity-tokens").ReadRow(ctx, "a#"+args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	defer w.Flush()
	for fam, items := range row {
		for _, it := range items {
			fmt.Fprintf(w, "%s\t%s\t%q\n", fam, it.Column, it.Value)
		}
	}
	return nil
}

func live(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open("identity-tokens")
	n := 0
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("a#"+strings.Join(args, "")), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["access"] {
			if it.Timestamp.Time().Before(time.Now()) {
				continue
			}
			n++
			fmt.Println(r.Key(), it.Column, time.Until(it.Timestamp.Time()).Round(time.Second)) // ok ttlage/not-write-time
		}
		return true
	})
	fmt.Println(n, "cells")
	return err
}

func revive(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	minutes, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("access", "revived", bigtable.Time(time.Now().Add(time.Duration(minutes)*time.Minute)), []byte(args[1])) // ok ttlwrite/write-time
	mut.Set("access", "revived_by", bigtable.Now(), []byte(os.Getenv("USER")))                                       // want ttlwrite/write-time
	mut.Set("audit", "revived_by", bigtable.Now(), []byte(os.Getenv("USER")))                                        // ok ttlwrite/write-time
	return c.Open("identity-tokens").Apply(ctx, "a#"+args[0], mut)
}

func kill(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("access")
	mut.Set("audit", "killed_by", bigtable.ServerTime, []byte(os.Getenv("USER"))) // ok ttlwrite/server-timestamp
	mut.Set("access", "killed", bigtable.ServerTime, nil)                         // want ttlwrite/server-timestamp
	return c.Open("identity-tokens").Apply(ctx, "a#"+args[0], mut)
}

func grant(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 3); err != nil {
		return err
	}
	rev, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	tbl := c.Open("identity-grants")
	before, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.FamilyFilter("grant"))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range before["grant"] {
		fmt.Printf("was %s at %d\n", it.Value, it.Timestamp/1000)
	}
	mut := bigtable.NewMutation()
	mut.Set("grant", "state", bigtable.Timestamp(rev*1000), []byte(args[2]))     // ok ttlwrite/unscaled-sequence
	mut.Set("grant", "by", bigtable.Time(time.Now()), []byte(os.Getenv("USER"))) // want ttlwrite/clock-in-sequence
	mut.Set("meta", "by", bigtable.Time(time.Now()), []byte(os.Getenv("USER")))  // ok ttlwrite/clock-in-sequence
	return tbl.Apply(ctx, args[0], mut)
}

func limit(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("limit", "units", bigtable.Now(), []byte(args[1])) // want ttlwrite/clock-in-zero
	mut.Set("limit", "by", 0, []byte(os.Getenv("USER")))       // ok ttlwrite/clock-in-zero
	return c.Open("entitlement-quotas").Apply(ctx, args[0], mut)
}

func device(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 3); err != nil {
		return err
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	life := time.Duration(n) * 24 * time.Hour
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("device", args[1])
	mut.Set("device", args[1], bt.Shifted(life, schema.DeviceTTL), []byte("support")) // ok ttlwrite/already-expired
	mut.Set("device", "by", bigtable.Now(), []byte(os.Getenv("USER")))                // ok ttlwrite/write-time
	return c.Open("user-prefs").Apply(ctx, args[0], mut)
}

func events(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	tbl := c.Open(schema.JournalPrefix + args[0])
	row, err := tbl.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.LatestNFilter(5)))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row["event"] {
		fmt.Println(it.Timestamp.Time().Format(time.DateTime), it.Column, string(it.Value)) // maybe ttlage/not-write-time
	}
	return nil
}

func renumber(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 2); err != nil {
		return err
	}
	tbl := c.Open(schema.JournalPrefix + args[0])
	row, err := tbl.ReadRow(ctx, args[1], bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("event"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	items := row["event"]
	for i, it := range items {
		col := strings.TrimPrefix(it.Column, "event:")
		mut.Set("event", col, bigtable.Timestamp(len(items)-i), it.Value)             // want ttlwrite/unscaled-sequence
		mut.Set("event", col+".n", bigtable.Timestamp((len(items)-i)*1000), it.Value) // ok ttlwrite/unscaled-sequence
	}
	return tbl.Apply(ctx, args[1], mut)
}

func online(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 1); err != nil {
		return err
	}
	now := time.Now()
	row, err := c.Open("presence").ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("online"),
		bigtable.TimestampRangeFilter(now.Add(-10*time.Minute), time.Time{}), // want ttlread/wrong-bound
	)))
	if err != nil {
		return err
	}
	for _, it := range row["online"] {
		fmt.Println(it.Column, string(it.Value))
	}
	return nil
}

// window shows the facts between two dates.
func window(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 3); err != nil {
		return err
	}
	from, err1 := time.Parse(time.DateOnly, args[1])
	to, err2 := time.Parse(time.DateOnly, args[2])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	row, err := c.Open("analytics").ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter("raw"), bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/upper-bound
	if err != nil {
		return err
	}
	for _, it := range row["raw"] {
		fmt.Println(it.Timestamp.Time().Format(time.DateTime), it.Column, string(it.Value)) // ok ttlage/not-write-time
	}
	return nil
}

// restore puts a fact back at the time it happened.
func restore(ctx context.Context, c *bigtable.Client, args []string) error {
	if err := need(args, 3); err != nil {
		return err
	}
	sec, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	at := time.Unix(sec, 0)
	mut := bigtable.NewMutation()
	mut.Set("raw", "restored", bigtable.Timestamp(at.UnixMilli()), []byte(args[2])) // want ttlunit/wrong-unit
	mut.Set("raw", "value", bigtable.Timestamp(at.UnixMicro()), []byte(args[2]))    // ok ttlunit/wrong-unit
	mut.Set("raw", "sec", bt.FromUnix(at.Unix()), []byte(args[2]))                  // ok ttlunit/wrong-unit
	return c.Open("analytics").Apply(ctx, args[0], mut)
}
