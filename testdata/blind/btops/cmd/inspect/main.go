// inspect looks into rows: what is there, what lives, how long.
//
//	inspect session RIDER
//	inspect why RIDER        why is somebody signed out
//	inspect pass TENANT RIDER
//	inspect gate TENANT GATE
//	inspect row TABLE KEY
//	inspect ages TABLE FAMILY
//	inspect lag
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts  btx.Options
	dead  = flag.Bool("dead", false, "show dead cells as well")
	width = flag.Int("width", 60, "bytes of a value")
	utc   = flag.Bool("utc", true, "times in UTC")
)

type command struct {
	args int
	run  func(ctx context.Context, c *bigtable.Client, args []string) error
}

var commands = map[string]command{
	"session":  {1, session},
	"why":      {1, why},
	"pass":     {2, pass},
	"gate":     {2, gate},
	"row":      {2, row},
	"ages":     {2, ages},
	"lag":      {0, lag},
	"journey":  {1, journey},
	"lock":     {1, lock},
	"sentinel": {2, sentinel},
	"devices":  {1, devices},
	"first":    {1, first},
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	cmd, ok := commands[flag.Arg(0)]
	if !ok || flag.NArg() != cmd.args+1 {
		var names []string
		for n, c := range commands {
			names = append(names, fmt.Sprintf("%s(%d)", n, c.args))
		}
		sort.Strings(names)
		btx.Fatal(errors.New("one of " + strings.Join(names, " ")))
	}
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	btx.Fatal(cmd.run(ctx, client, flag.Args()[1:]))
}

// show prints a value so that one can read it.
func show(b []byte) string {
	s := hex.EncodeToString(b)
	if utf8.Valid(b) {
		s = string(b)
	}
	if len(s) > *width {
		s = s[:*width] + "…"
	}
	return s
}

func clock(ts bigtable.Timestamp) string {
	t := ts.Time()
	if *utc {
		t = t.UTC()
	}
	return t.Format("2006-01-02 15:04:05.000")
}

// session prints what lives of a session.
func session(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(schema.Sessions)
	now := time.Now()
	filter := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[session]
		bigtable.FamilyFilter("profile"),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[session]
		bigtable.TimestampRangeFilter(now, time.Time{}),
	)
	r, err := tbl.ReadRow(ctx, "s#"+args[0], bigtable.RowFilter(filter)) // want ttlread/unfiltered-branch[session]
	if err != nil {
		return err
	}
	for _, family := range []string{"token", "device", "profile"} {
		for _, it := range r[family] {
			fmt.Printf("%-30s %s\n", it.Column, show(it.Value))
		}
	}
	return nil
}

// why says what happened to a token: it lives, it is dead, it is gone.
func why(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(schema.Sessions)
	r, err := tbl.ReadRow(ctx, "s#"+args[0], bigtable.RowFilter(bigtable.FamilyFilter("token"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	now := bigtable.Now()
	for _, it := range r["token"] {
		if it.Timestamp < now { // ok ttlage/server-sentinel
			fmt.Printf("%s: dead since %s\n", it.Column, clock(it.Timestamp)) // ok ttlage/not-write-time
			continue
		}
		fmt.Printf("%s: lives until %s\n", it.Column, clock(it.Timestamp)) // ok ttlage/not-write-time
	}
	if len(r["token"]) == 0 {
		fmt.Println("nothing there")
	}
	return nil
}

func openTenant(c *bigtable.Client, id string) *tenant.Store {
	cfg := &tenant.Config{Env: "prod", Patterns: map[string]string{"ledger": "{env}-{tenant}-ledger", "passes": "{tenant}-passes"}}
	return tenant.Open(c, cfg, tenant.Tenant{ID: id})
}

func pass(ctx context.Context, c *bigtable.Client, args []string) error {
	s := openTenant(c, args[0])
	r, err := s.Passes().ReadRow(ctx, "r#"+args[1], bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[inspectpass]
		bigtable.FamilyFilter("pass"),
		bigtable.CellsPerRowLimitFilter(10), // want ttlread/limit-before-filter[inspectpass]
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)))
	if err != nil {
		return err
	}
	for _, it := range r["pass"] {
		age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		fmt.Printf("%s bought %s ago: %s\n", it.Column, age.Round(time.Second), show(it.Value))
	}
	r, err = s.Passes().ReadRow(ctx, "r#"+args[1], bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/limit-before-filter
		bigtable.FamilyFilter("pass"),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
		bigtable.CellsPerRowLimitFilter(10), // ok ttlread/limit-before-filter
	)))
	if err != nil {
		return err
	}
	for _, it := range r["pass"] {
		rest := time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
		fmt.Printf("%s good for %s: %s\n", it.Column, rest.Round(time.Second), show(it.Value))
	}
	return nil
}

func gate(ctx context.Context, c *bigtable.Client, args []string) error {
	s := openTenant(c, args[0])
	who, open, err := s.GateOpen(ctx, args[1])
	if err != nil {
		return err
	}
	held, err := s.GateHeld(ctx, args[1])
	if err != nil {
		return err
	}
	fmt.Println("open:", open, "for", who, "held:", held)
	return nil
}

// row prints every cell of a row.
func row(ctx context.Context, c *bigtable.Client, args []string) error {
	r, err := c.Open(args[0]).ReadRow(ctx, args[1]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	var families []string
	for f := range r {
		families = append(families, f)
	}
	sort.Strings(families)
	for _, f := range families {
		for _, it := range r[f] {
			fmt.Printf("%-30s %20d %s %s\n", it.Column, it.Timestamp, clock(it.Timestamp), show(it.Value))
		}
	}
	return nil
}

// ages prints a histogram of timestamps relative to now.
func ages(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(args[0])
	family := args[1]
	now := time.Now()
	hist := map[int]int{}
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[family] {
			hist[int(now.Sub(it.Timestamp.Time()).Hours()/24)]++ // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(family)), bigtable.LimitRows(100000))
	if err != nil {
		return err
	}
	var days []int
	for d := range hist {
		days = append(days, d)
	}
	sort.Ints(days)
	for _, d := range days {
		fmt.Printf("%5d days %8d %s\n", d, hist[d], strings.Repeat("*", hist[d]*50/(1+len(days))))
	}
	return nil
}

// lag measures how far garbage collection is behind: the dead cells are what
// this command is about, the clock is compared below.
func lag(ctx context.Context, c *bigtable.Client, _ []string) error {
	tbl := c.Open(schema.Passcodes)
	var worst time.Duration
	n := 0
	now := time.Now()
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["code"] {
			t := it.Timestamp.Time()
			if t.After(now) {
				continue
			}
			n++
			if d := now.Sub(t); d > worst { // maybe ttlage/not-write-time
				worst = d
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	fmt.Println(n, "dead cells, the oldest died", worst, "ago")
	return err
}

// journey prints a journey with the time of each leg.
func journey(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(schema.Journeys)
	r, err := tbl.ReadRow(ctx, args[0], bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-schema.LegTTL), time.Time{}))) // want ttlread/hides-other-families
	if err != nil {
		return err
	}
	fmt.Println("class", btx.Value(r, "meta", "class"))
	for _, it := range r["leg"] {
		fmt.Printf("%s at %s\n", it.Column, show(it.Value))
	}
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("leg"), bigtable.TimestampRangeFilter(time.Now().Add(-schema.LegTTL), time.Time{})), // ok ttlread/hides-other-families
		bigtable.FamilyFilter("meta"), // ok ttlread/unfiltered-branch
	)
	r, err = tbl.ReadRow(ctx, args[0], bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println("class", btx.Value(r, "meta", "class"), "with", len(r["leg"]), "legs")
	return nil
}

// lock prints who holds a lock.
func lock(ctx context.Context, c *bigtable.Client, args []string) error {
	tbl := c.Open(schema.Locks)
	var ro []bigtable.ReadOption
	if !*dead {
		ro = append(ro, bigtable.RowFilter(bigtable.InterleaveFilters(
			bigtable.ChainFilters(bigtable.FamilyFilter("lease"), btx.Live()), // ok ttlread/unfiltered-branch
			bigtable.FamilyFilter("owner"),                                    // ok ttlread/unfiltered-branch
		)))
	}
	r, err := tbl.ReadRow(ctx, args[0], ro...) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println("lease", btx.Value(r, "lease", "host"), "last", btx.Value(r, "owner", "host"))
	return nil
}

// sentinel looks for cells whose writer meant the server's clock.
func sentinel(ctx context.Context, c *bigtable.Client, args []string) error {
	r, err := c.Open(schema.Vehicles).ReadRow(ctx, args[0]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range r["state"] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			fmt.Println(it.Column, "by the server's clock")
		}
		if it.Timestamp == 0 { // ok ttlage/server-sentinel
			fmt.Println(it.Column, "at zero")
		}
		if it.Column == args[1] {
			fmt.Println("updated", time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
	}
	return nil
}

// devices prints devices and since when they are known.
func devices(ctx context.Context, c *bigtable.Client, args []string) error {
	type dev struct {
		ID        string
		Model     string
		UpdatedAt time.Time
		Expires   time.Time
	}
	r, err := c.Open(schema.Sessions).ReadRow(ctx, "s#"+args[0], btx.LiveOnly("device")) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	var devs []dev
	for _, it := range r["device"] {
		devs = append(devs, dev{
			ID:        strings.TrimPrefix(it.Column, "device:"),
			Model:     string(it.Value),
			UpdatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
			Expires:   it.Timestamp.Time(), // ok ttlage/not-write-time
		})
	}
	for _, d := range devs {
		fmt.Fprintf(os.Stdout, "%s %s %s %s\n", d.ID, d.Model, d.UpdatedAt, d.Expires)
	}
	return nil
}

// first prints the first entry of an account that is kept.
func first(ctx context.Context, c *bigtable.Client, args []string) error {
	s := openTenant(c, "north")
	r, err := s.Ledger().ReadRow(ctx, "a#"+args[0], bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter("entry"), bigtable.LatestNFilter(5))))
	if err != nil {
		return err
	}
	items := r["entry"]
	if len(items) == 0 {
		return tenant.ErrNotFound
	}
	last := items[len(items)-1]
	fmt.Printf("entry %d, written %s\n", btx.SeqOf(last.Timestamp), last.Timestamp.Time()) // want ttlage/not-write-time
	fmt.Printf("entry %d: %s\n", btx.SeqOf(last.Timestamp), show(last.Value))              // ok ttlage/not-write-time
	return nil
}
