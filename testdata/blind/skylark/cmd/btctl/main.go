// Command btctl is what operators use when something is stuck.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
)

type command func(ctx context.Context, c *bigtable.Client, args []string) error

var commands = map[string]command{
	"cat":     cat,
	"jobs":    jobs,
	"online":  online,
	"unstick": unstick,
	"skip":    skip,
	"poke":    poke,
	"set":     set,
	"age":     age,
}

func main() {
	project := flag.String("project", os.Getenv("SKYLARK_PROJECT"), "project")
	instance := flag.String("instance", os.Getenv("SKYLARK_INSTANCE"), "instance")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		fail(err)
	}
	cmd, ok := commands[flag.Arg(0)]
	if !ok {
		fail(fmt.Errorf("unknown command %q", flag.Arg(0)))
	}
	if err := cmd(ctx, c, flag.Args()[1:]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "btctl:", err)
	os.Exit(1)
}

func show(row bigtable.Row) {
	for fam, items := range row {
		for _, it := range items {
			fmt.Printf("%s\t%s\t%d\t%q\n", fam, it.Column, it.Timestamp, it.Value)
		}
	}
}

// cat prints a row of any table.
func cat(ctx context.Context, c *bigtable.Client, args []string) error {
	row, err := c.Open(args[0]).ReadRow(ctx, args[1]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	show(row)
	return nil
}

// jobs prints a notification.
func jobs(ctx context.Context, c *bigtable.Client, args []string) error {
	row, err := c.Open("outbox").ReadRow(ctx, args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	show(row)
	return nil
}

// online prints the live devices of a tenant.
func online(ctx context.Context, c *bigtable.Client, args []string) error {
	f := bigtable.ChainFilters(bigtable.FamilyFilter("live"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	return c.Open("devices").ReadRows(ctx, bigtable.PrefixRange(args[0]), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		show(r)
		return true
	}, bigtable.RowFilter(f))
}

// unstick drops a job's claim.
func unstick(ctx context.Context, c *bigtable.Client, args []string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn("job", "claim")                              // ok ttlwrite/delete-after-set
	m.Set("job", "unstuck", bigtable.Now(), []byte(os.Getenv("USER"))) // want ttlwrite/write-time
	m.Set("receipt", "unstuck", bigtable.Now(), nil)                   // ok ttlwrite/write-time
	return c.Open("outbox").Apply(ctx, args[0], m)
}

// skip moves a consumer on.
func skip(ctx context.Context, c *bigtable.Client, args []string) error {
	t := c.Open("offsets")
	m := bigtable.NewMutation()
	m.Set("commit", "position", bigtable.Time(time.Now()), []byte(args[1])) // want ttlwrite/clock-in-sequence
	if err := t.Apply(ctx, args[0], m); err != nil {
		return err
	}
	row, err := t.ReadRow(ctx, args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	show(row)
	return nil
}

// poke writes into a journal.
func poke(ctx context.Context, c *bigtable.Client, args []string) error {
	m := bigtable.NewMutation()
	m.Set("ev", "poke", bigtable.ServerTime, []byte(strings.Join(args, " "))) // want ttlwrite/clock-in-sequence
	m.Set("note", "poke", bigtable.ServerTime, nil)                           // ok ttlwrite/clock-in-sequence
	if err := c.Open("fleet-journal").Apply(ctx, args[0], m); err != nil {
		return err
	}
	m = bigtable.NewMutation()
	m.Set("ev", "poke", bigtable.ServerTime, []byte(strings.Join(args, " "))) // ok ttlwrite/clock-in-sequence
	return c.Open("audit").Apply(ctx, args[0], m)
}

// set writes a cell of a table that the operator names.
func set(ctx context.Context, c *bigtable.Client, args []string) error {
	m := bigtable.NewMutation()
	m.Set("ev", args[2], bigtable.Now(), []byte(args[3])) // ok ttlwrite/clock-in-sequence
	return c.Open(args[0]).Apply(ctx, args[1], m)
}

// age prints how old a device's cells are.
func age(ctx context.Context, c *bigtable.Client, args []string) error {
	row, err := c.Open("devices").ReadRow(ctx, args[0], bigtable.RowFilter(bt.WholeDevice(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row["info"] {
		fmt.Println("info", it.Column, time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	for _, it := range row["live"] {
		fmt.Println("live", it.Column, time.Until(it.Timestamp.Time())) // ok ttlage/not-write-time
		fmt.Println("age", it.Column, time.Since(it.Timestamp.Time()))  // want ttlage/not-write-time
	}
	return nil
}
