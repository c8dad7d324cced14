// clean deletes what garbage collection does not: sessions of riders who left,
// locks of hosts that are gone, ledgers that were closed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts   btx.Options
	hosts  = flag.String("hosts", "", "hosts that are gone, with commas")
	older  = flag.Duration("older", 60*24*time.Hour, "age of what goes")
	config = flag.String("config", "tenants.json", "tenants")
	leave  = flag.String("left", "", "file with riders who left")
)

// cleaner is one way to clean.
type cleaner struct {
	name string
	help string
	run  func(ctx context.Context, c *bigtable.Client) error
}

var cleaners = []cleaner{
	{"sessions", "sessions of riders who left", cleanSessions},
	{"expired", "rows in which nothing lives", cleanExpired},
	{"locks", "locks of hosts that are gone", cleanLocks},
	{"ledgers", "entries of closed accounts", cleanLedgers},
	{"journeys", "empty journeys", cleanJourneys},
	{"codes", "all codes by SMS", cleanCodes},
	{"tiles", "tiles of zoom levels that are gone", cleanTiles},
	{"revoke", "tokens of riders in -left", revoke},
	{"seq", "numbers that were not scaled", cleanUnscaled},
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Usage = func() {
		for _, c := range cleaners {
			fmt.Fprintf(os.Stderr, "%-10s %s\n", c.name, c.help)
		}
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	i := slices.IndexFunc(cleaners, func(c cleaner) bool { return c.name == flag.Arg(0) })
	if i < 0 {
		flag.Usage()
		os.Exit(2)
	}
	btx.Fatal(cleaners[i].run(ctx, client))
}

func left() ([]string, error) {
	if *leave == "" {
		return nil, errors.New("which file -left?")
	}
	b, err := os.ReadFile(*leave)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(b)), nil
}

func cleanSessions(ctx context.Context, c *bigtable.Client) error {
	riders, err := left()
	if err != nil {
		return err
	}
	tbl := c.Open(schema.Sessions)
	bulk := btx.NewBulk(tbl, 0, opts.DryRun)
	for _, r := range riders {
		m := bigtable.NewMutation()
		m.DeleteRow() // ok ttlwrite/delete-after-set
		if err := bulk.Add(ctx, "s#"+r, m); err != nil {
			return err
		}
	}
	return bulk.Flush(ctx)
}

// cleanExpired deletes rows by what expired in them: only dead cells are
// wanted here.
func cleanExpired(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(schema.Passcodes)
	bulk := btx.NewBulk(tbl, 0, opts.DryRun)
	var berr error
	now := time.Now()
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteTimestampRange(schema.Code, "sms", 0, bigtable.Time(now)) // ok ttlunit/sub-millisecond
		berr = bulk.Add(ctx, r.Key(), m)
		return berr == nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, now))) // ok ttlread/expired-only
	if err := errors.Join(err, berr); err != nil {
		return err
	}
	return bulk.Flush(ctx)
}

func cleanLocks(ctx context.Context, c *bigtable.Client) error {
	gone := strings.Split(*hosts, ",")
	tbl := c.Open(schema.Locks)
	n := 0
	var names []string
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["owner"] {
			if slices.Contains(gone, string(it.Value)) {
				names = append(names, r.Key())
				break
			}
		}
		return true
	}, btx.Newest())
	if err != nil {
		return err
	}
	for _, name := range names {
		drop := bigtable.NewMutation()
		drop.DeleteCellsInFamily("lease")
		// Only if nobody took it meanwhile.
		cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter("lease"), bigtable.ColumnFilter("host")), drop, nil) // ok ttlread/conditional-mutation
		if err := tbl.Apply(ctx, name, cond); err != nil {
			return err
		}
		n++
	}
	log.Printf("%d locks", n)
	// Note who did it.
	me, _ := os.Hostname()
	mark := bigtable.NewMutation()
	mark.Set("owner", "cleaned-by", bigtable.Now(), []byte(me)) // ok ttlwrite/write-time
	mark.Set("lease", "cleaned", bigtable.Now(), []byte(me))    // want ttlwrite/write-time
	for _, name := range names {
		// A lease means that somebody works: leave the mark away.
		cond := bigtable.NewCondMutation(bigtable.FamilyFilter("lease"), nil, mark) // want ttlread/conditional-mutation
		if err := tbl.Apply(ctx, name, cond); err != nil {
			return err
		}
	}
	return nil
}

func cleanLedgers(ctx context.Context, c *bigtable.Client) error {
	cfg, err := tenant.Load(*config)
	if err != nil {
		return err
	}
	for _, id := range cfg.IDs() {
		t, _ := cfg.Get(id)
		s := tenant.Open(c, cfg, t)
		bulk := btx.NewBulk(s.Ledger(), 0, opts.DryRun)
		meter := progress.New(os.Stderr, "accounts of "+id)
		var berr error
		err := s.Ledger().ReadRows(ctx, bigtable.PrefixRange("a#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
			closed := btx.Value(r, schema.Total, "closed")
			if closed == "" {
				return true
			}
			m := bigtable.NewMutation()
			m.DeleteCellsInFamily(schema.Entry)
			m.Set(schema.Total, "purged", 0, []byte("1")) // ok ttlwrite/clock-in-zero ttlwrite/delete-after-set
			berr = bulk.Add(ctx, r.Key(), m)
			meter.Add(1, 0)
			return berr == nil
		}, bigtable.RowFilter(bigtable.FamilyFilter(schema.Total)))
		if err := errors.Join(err, berr, bulk.Flush(ctx)); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		meter.Done()
	}
	return nil
}

// cleanJourneys removes journeys that have no trip left, only an attempt.
func cleanJourneys(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(schema.Journeys)
	bulk := btx.NewBulk(tbl, 0, opts.DryRun)
	var empty []string
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		if n := len(r["leg"]); n < 2 && len(r["meta"]) > 0 {
			log.Printf("%s: %d legs", r.Key(), n)
			empty = append(empty, r.Key())
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, k := range empty {
		m := bigtable.NewMutation()
		m.Set("meta", "emptied", bigtable.Now(), nil)
		m.DeleteCellsInFamily("meta") // want ttlwrite/delete-after-set
		if err := bulk.Add(ctx, k, m); err != nil {
			return err
		}
	}
	return bulk.Flush(ctx)
}

func cleanCodes(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(schema.Passcodes)
	bulk := btx.NewBulk(tbl, 0, opts.DryRun)
	var berr error
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		berr = bulk.Add(ctx, r.Key(), m)
		return berr == nil
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return errors.Join(err, berr, bulk.Flush(ctx))
}

func cleanTiles(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(schema.Tiles)
	rows := 0
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("z22/"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		rows++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil {
		return err
	}
	log.Printf("%d tiles to go", rows)
	if opts.DryRun {
		return nil
	}
	// Everything before the new renderer, to the microsecond.
	return tbl.ReadRows(ctx, bigtable.PrefixRange("z22/"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteTimestampRange(schema.PNG, "v1", 0, 999)  // want ttlunit/sub-millisecond
		m.DeleteTimestampRange(schema.PNG, "v2", 0, 1000) // ok ttlunit/sub-millisecond
		return tbl.Apply(ctx, r.Key(), m) == nil
	})
}

// revoke makes tokens expire now, instead of deleting them.
func revoke(ctx context.Context, c *bigtable.Client) error {
	riders, err := left()
	if err != nil {
		return err
	}
	tbl := c.Open(schema.Sessions)
	past := time.Now().Add(-time.Hour)
	for _, r := range riders {
		m := bigtable.NewMutation()
		m.DeleteCellsInColumn(schema.Token, "jwt")
		m.Set(schema.Token, "revoked", bigtable.Time(past), []byte("1"))         // want ttlwrite/already-expired
		m.Set(schema.Token, "revoked-by", 0, []byte(os.Getenv("USER")))          // want ttlwrite/already-expired
		m.Set(schema.Profile, "revoked", bigtable.Time(past), []byte("1"))       // ok ttlwrite/already-expired
		m.Set(schema.Device, "revoked", bigtable.Time(time.Time{}), []byte("1")) // want ttlwrite/already-expired
		if opts.DryRun {
			continue
		}
		if err := tbl.Apply(ctx, "s#"+r, m); err != nil {
			return err
		}
	}
	return nil
}

// cleanUnscaled deletes roster revisions that were written before the numbers
// were multiplied by 1000.
func cleanUnscaled(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(schema.Rosters)
	cut := time.Now().Add(-*older)
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/wrong-bound[unscaled]
		for _, it := range r[schema.Rev] {
			log.Printf("%s: %d", it.Row, it.Timestamp)
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, cut))) // want ttlread/wrong-bound[unscaled]
}
