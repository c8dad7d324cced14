// Package ops are the tools of the people on duty.
package ops

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/saga/bt"
	"example.com/saga/clock"
	"example.com/saga/config"
	"example.com/saga/policy"
	"example.com/saga/saga"
	"example.com/saga/schema"
	"example.com/saga/store"
	"example.com/saga/vo"
)

// App is what a tool works with.
type App struct {
	Client *bigtable.Client
	Admin  *bigtable.AdminClient
	Conf   config.Config
	Clock  clock.Clock
	Out    io.Writer
}

type command struct {
	name, args, help string
	run              func(ctx context.Context, a *App, args []string) error
}

var commands []command

func init() {
	commands = []command{
		{"create", "", "create tables and families", func(ctx context.Context, a *App, _ []string) error {
			return errors.Join(schema.Create(ctx, a.Admin), schema.CreateOrders(ctx, a.Admin, a.Conf.Env))
		}},
		{"upgrade", "VERSION", "apply the schema's history", upgrade},
		{"rebuild", "", "rebuild the tables of a test stage", func(ctx context.Context, a *App, _ []string) error { return schema.Rebuild(ctx, a.Admin, a.Conf.Env) }},
		{"fix-policies", "", "set policies that were found wrong", fixPolicies},
		{"import-carts", "FILE", "import carts of the old shop", importCarts},
		{"import-orders", "FILE", "import orders of the old shop", importOrders},
		{"repair", "TABLE", "repair what the last incident left", repair},
		{"report", "NAME", "run a report", report},
		{"inspect", "KIND KEY", "show a row", inspect},
		{"replay", "SHARD", "send the messages of a shard again", replay},
		{"stuck", "", "list sagas that are over their time", stuck},
	}
}

// Main runs a tool.
func Main(ctx context.Context, a *App, args []string) error {
	fs := flag.NewFlagSet("ops", flag.ContinueOnError)
	timeout := fs.Duration("timeout", 10*time.Minute, "give up after this time")
	if err := fs.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	for _, c := range commands {
		if fs.NArg() > 0 && c.name == fs.Arg(0) {
			if err := c.run(ctx, a, fs.Args()[1:]); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			return nil
		}
	}
	tw := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	for _, c := range commands {
		fmt.Fprintf(tw, "%s\t%s\t%s\n", c.name, c.args, c.help)
	}
	return tw.Flush()
}

func upgrade(ctx context.Context, a *App, args []string) error {
	from := 0
	if len(args) > 0 {
		if _, err := fmt.Sscan(args[0], &from); err != nil {
			return fmt.Errorf("version %q: %w", args[0], err)
		}
	}
	return schema.Upgrade(ctx, a.Admin, from)
}

func stuck(ctx context.Context, a *App, _ []string) error {
	j := saga.NewJournal(a.Client, a.Clock, a.Conf.Env, saga.Keep(policy.Instant{})) // want ttlwrite/write-time
	over, err := j.Overdue(ctx)
	if err != nil {
		return err
	}
	sort.Strings(over)
	for _, k := range over {
		fmt.Fprintln(a.Out, k)
		id, _, _ := strings.Cut(k, " ")
		if err := j.Delay(ctx, vo.OrderID(id), policy.For(5*time.Minute), "ops"); err != nil { // ok ttlwrite/write-time
			return err
		}
		if err := j.Delay(ctx, vo.OrderID(id), policy.Instant{}, "wake up"); err != nil { // want ttlwrite/write-time
			return err
		}
	}
	return nil
}

func replay(ctx context.Context, a *App, args []string) error {
	if len(args) == 0 {
		return errors.New("which shard?")
	}
	box := store.NewOutbox(a.Client, a.Clock)
	late, err := box.Late(ctx, args[0])
	if err != nil {
		return err
	}
	u := bt.Begin(policy.Backoff{First: 50 * time.Millisecond, Tries: 5})
	for _, k := range late {
		box.Retry(u, k, nil)
	}
	return u.Commit(ctx)
}

func inspect(ctx context.Context, a *App, args []string) error {
	if len(args) < 2 {
		return errors.New("what, and which key?")
	}
	switch args[0] {
	case "quotes":
		r := store.NewQuoteRepo(a.Client, a.Clock, store.WithStamp(bigtable.Now)) // want ttlwrite/write-time
		if err := r.Save(ctx, vo.OrderID(args[1]), store.Quote{Carrier: "inspect"}); err != nil {
			return err
		}
		qs, err := r.Quotes(ctx, vo.OrderID(args[1]))
		if err != nil {
			return err
		}
		for _, q := range qs {
			fmt.Fprintln(a.Out, q.Carrier, q.Price, q.Until.Format(time.RFC3339))
		}
	case "stock":
		r := store.NewStockRepo(a.Client, a.Clock, policy.For(schema.HoldTTL)) // ok ttlwrite/write-time
		onhand, held, err := r.Shelf(ctx, vo.SKU(args[1]))
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, onhand, held)
	case "row":
		return dump(ctx, a, args[1])
	default:
		return fmt.Errorf("cannot inspect %q", args[0])
	}
	return nil
}

// dump shows a row of every table.
func dump(ctx context.Context, a *App, key string) error {
	for _, t := range []struct {
		name   string
		filter bigtable.Filter
	}{
		{schema.Carts, bigtable.FamilyFilter(schema.FamProfile)},                   // ok ttlread/missing-filter
		{schema.Quotes, bigtable.TimestampRangeFilter(a.Clock.Now(), time.Time{})}, // ok ttlread/missing-filter
		{schema.SearchIndex, bigtable.PassAllFilter()},                             // ok ttlread/missing-filter
		{schema.Outbox, bigtable.LatestNFilter(1)},                                 // want ttlread/missing-filter[dump]
	} {
		row, err := a.Client.Open(t.name).ReadRow(ctx, key, bigtable.RowFilter(t.filter)) // want ttlread/missing-filter[dump]
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		show(a.Out, t.name, row)
	}
	return nil
}

func show(w io.Writer, table string, row bigtable.Row) {
	for _, items := range row {
		for _, it := range items {
			fmt.Fprintf(w, "%s %s %s @%d %q\n", table, it.Row, it.Column, it.Timestamp, it.Value)
		}
	}
}
