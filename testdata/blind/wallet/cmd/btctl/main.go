// Command btctl is the operators' tool: it looks at tables and mends them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/schema"
)

// command is something that btctl does.
type command struct {
	name string
	help string
	run  func(ctx context.Context, t *tool, args []string) error
}

// _commands are what btctl does.
var _commands = []command{
	{"dump", "print sessions with a prefix", dump},
	{"dump-live", "print live sessions with a prefix", dumpLive},
	{"dump-sandbox", "print sandbox sessions with a prefix", dumpSandbox},
	{"dump-rates", "print the quotes of a pair", dumpRates},
	{"token", "write a token by hand", token},
	{"unlock", "drop the tokens of a session", unlock},
	{"cursor", "set the cursor of an endpoint", cursor},
	{"balance", "set a balance", balance},
	{"limits", "print limits with their age", limits},
	{"state", "print the state of a payment", state},
}

// tool is what commands work with.
type tool struct {
	client *bigtable.Client
	clock  clock.Clock
	ttl    time.Duration
	now    time.Time
}

var errUsage = errors.New("usage: btctl [flags] command [args]")

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "btctl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("btctl", flag.ContinueOnError)
	project := fs.String("project", "wallet-dev", "project")
	instance := fs.String("instance", "dev", "instance")
	ttl := fs.Duration("ttl", 30*time.Minute, "lifetime of what is written")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		for _, c := range _commands {
			fmt.Fprintf(os.Stderr, "%-14s %s\n", c.name, c.help)
		}
		return errUsage
	}
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		return err
	}
	defer client.Close()
	t := &tool{client: client, clock: clock.System{}, ttl: *ttl, now: time.Now()}
	for _, c := range _commands {
		if c.name == fs.Arg(0) {
			return c.run(ctx, t, fs.Args()[1:])
		}
	}
	return fmt.Errorf("no such command: %q", fs.Arg(0))
}

func arg(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

func print(row bigtable.Row) bool {
	for family, items := range row {
		for _, item := range items {
			fmt.Printf("%s\t%s\t%s\t%q\n", row.Key(), family, strings.TrimPrefix(item.Column, family+":"), item.Value)
		}
	}
	return true
}

func dump(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableSessions.String())
	return tbl.ReadRows(ctx, bigtable.PrefixRange(arg(args, 0)), print) // want ttlread/missing-filter
}

func dumpLive(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableSessions.String())
	live := btx.Only(schema.FamilyToken, btx.Live(t.now))                                         // ok ttlread/stale-bound
	return tbl.ReadRows(ctx, bigtable.PrefixRange(arg(args, 0)), print, bigtable.RowFilter(live)) // ok ttlread/missing-filter
}

func dumpSandbox(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableSandbox.String())
	return tbl.ReadRows(ctx, bigtable.PrefixRange(arg(args, 0)), print) // ok ttlread/missing-filter
}

func dumpRates(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableFXRates.String())
	return tbl.ReadRows(ctx, bigtable.SingleRow(arg(args, 0)), print, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
}

func token(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableSessions.String())
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.Time(t.clock.Now().Add(t.ttl)), []byte(arg(args, 1))) // ok ttlwrite/write-time
	mut.Set("token", "by", bigtable.Now(), []byte(os.Getenv("USER")))                      // want ttlwrite/write-time
	mut.Set("profile", "by", bigtable.Now(), []byte(os.Getenv("USER")))                    // ok ttlwrite/write-time
	return tbl.Apply(ctx, arg(args, 0), mut)
}

func unlock(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableSessions.String())
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("token")
	mut.Set("profile", "unlocked", bigtable.ServerTime, []byte(os.Getenv("USER"))) // ok ttlwrite/server-timestamp
	return tbl.Apply(ctx, arg(args, 0), mut)
}

func cursor(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableWebhooks.String())
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn("cursor", "pos")
	mut.Set("cursor", "pos", bigtable.ServerTime, []byte(arg(args, 1))) // want ttlwrite/clock-in-sequence
	mut.Set("cursor", "set", 1_000, []byte(arg(args, 1)))               // ok ttlwrite/unscaled-sequence
	mut.Set("cursor", "step", 1500, nil)                                // want ttlwrite/unscaled-sequence
	return tbl.Apply(ctx, arg(args, 0), mut)
}

func balance(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableWallets.String())
	mut := bigtable.NewMutation()
	mut.Set("bal", "available", bigtable.Time(t.now), []byte(arg(args, 1))) // want ttlwrite/clock-in-zero
	mut.Set("bal", "pending", 0, []byte("0"))                               // ok ttlwrite/clock-in-zero
	mut.Set("limit", "daily", bigtable.Time(t.now), []byte("10000"))        // ok ttlwrite/write-time
	return tbl.Apply(ctx, arg(args, 0), mut)
}

func limits(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TableWallets.String())
	since := t.now.Add(-720 * time.Hour)
	filter := bigtable.ChainFilters(bigtable.FamilyFilter("limit"), bigtable.TimestampRangeFilter(since, time.Time{}))
	return tbl.ReadRows(ctx, bigtable.PrefixRange(arg(args, 0)), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, item := range row["limit"] {
			fmt.Printf("%s\tage %s\n", row.Key(), t.now.Sub(item.Timestamp.Time())) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(filter))
}

func state(ctx context.Context, t *tool, args []string) error {
	tbl := t.client.Open(schema.TablePayments.String())
	row, err := tbl.ReadRow(ctx, arg(args, 0), bigtable.RowFilter(bigtable.FamilyFilter("state|meta"))) // want ttlread/version-limit
	if err != nil {
		return err
	}
	for _, item := range row["state"] {
		fmt.Printf("version %d: %q\n", int64(item.Timestamp)/1000, item.Value) // ok ttlage/not-write-time
	}
	for _, item := range row["meta"] {
		created := item.Timestamp.Time().Format(time.DateTime) // ok ttlage/not-write-time
		fmt.Printf("created %s: %q\n", created, item.Value)
	}
	return nil
}
