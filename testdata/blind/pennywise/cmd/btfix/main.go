// Command btfix is the drawer with the scripts: things that were run once, or
// are run when somebody is woken up at night.
//
//	btfix [-table T] [-dry] NAME [ARGS]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
)

var (
	flagTable  = flag.String("table", "", "table, for scripts that work on any")
	flagDry    = flag.Bool("dry", false, "only say what would be done")
	flagPrefix = flag.String("prefix", "", "row key prefix")
	flagTTL    = flag.Duration("ttl", 12*time.Hour, "for extend")
)

// never is for the sessions of the kiosks.
var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// longAway is never, since Bigtable refused never.
var longAway = time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)

var scripts = map[string]func(context.Context, []string) error{
	"extend":       extend,
	"kiosk":        kiosk,
	"kiosk2":       kiosk2,
	"ticks":        ticks,
	"ticks-file":   ticksFile,
	"flags":        flags,
	"flags-zero":   flagsZero,
	"copy":         copyRow,
	"any":          anyTable,
	"stats":        stats,
	"beats":        beats,
	"age":          age,
	"dead":         dead,
	"drop-old":     dropOld,
	"notify-renum": notifyRenumber,
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	f, ok := scripts[flag.Arg(0)]
	if !ok {
		flag.Usage()
		os.Exit(2)
	}
	ctx := context.Background()
	if err := bt.Init(ctx); err != nil {
		log.Fatal(err)
	}
	defer bt.Close()
	if err := f(ctx, flag.Args()[1:]); err != nil {
		log.Fatal(err)
	}
}

// apply applies, unless it is a dry run.
func apply(ctx context.Context, tbl *bigtable.Table, key string, mut *bigtable.Mutation) error {
	if *flagDry {
		log.Printf("would write %s", key)
		return nil
	}
	return tbl.Apply(ctx, key, mut)
}

// extend gives open sessions more time, for the day on which the mail server
// was down.
func extend(ctx context.Context, _ []string) error {
	until := clock.In(*flagTTL)
	n := 0
	var failed error
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep+*flagPrefix), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row[bt.FamSess] {
			mut.Set(bt.FamSess, strings.TrimPrefix(it.Column, "sess:"), until, it.Value) // ok ttlwrite/write-time
		}
		mut.Set(bt.FamSess, "extended", clock.In(*flagTTL), []byte("1")) // ok ttlwrite/write-time
		mut.Set(bt.FamSess, "by", clock.TS(), []byte(os.Getenv("USER"))) // want ttlwrite/write-time
		n++
		failed = apply(ctx, bt.Login, row.Key(), mut)
		return failed == nil
	}, bigtable.RowFilter(bt.LiveIn(bt.FamSess))) // ok ttlread/missing-filter
	log.Printf("%d sessions", n)
	return errors.Join(err, failed)
}

// kiosk opens a session that never ends.
func kiosk(ctx context.Context, args []string) error {
	for _, name := range args {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamSess, "user", bigtable.Time(never), []byte("kiosk-"+name)) // want ttlunit/out-of-range
		if err := apply(ctx, bt.Login, keys.Session(name), mut); err != nil {
			return err
		}
	}
	return nil
}

// kiosk2 opens a session that ends later than we do.
func kiosk2(ctx context.Context, args []string) error {
	for _, name := range args {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamSess, "user", bigtable.Time(longAway), []byte("kiosk-"+name)) // ok ttlunit/out-of-range
		mut.Set(bt.FamWho, "since", bigtable.Time(time.Time{}), nil)                // want ttlunit/out-of-range
		if err := apply(ctx, bt.Login, keys.Session(name), mut); err != nil {
			return err
		}
	}
	return nil
}

// ticks writes prices by hand: market, then sku=price.
func ticks(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New("ticks MARKET SKU=PRICE...")
	}
	for i, a := range args[1:] {
		sku, price, ok := strings.Cut(a, "=")
		if !ok {
			return fmt.Errorf("%s: want SKU=PRICE", a)
		}
		key := keys.Price(args[0], sku)
		row, err := bt.Prices.ReadRow(ctx, key) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		var last bigtable.Timestamp
		for _, it := range row[bt.FamTick] {
			last = max(last, it.Timestamp)
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamTick, "p", last+1, []byte(price))                            // maybe ttlwrite/unscaled-sequence
		mut.Set(bt.FamTick, "hand", last+1000, []byte(price))                      // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamTick, "line", bigtable.Timestamp(1000*(i+1)), []byte(price)) // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamSrc, "hand", bigtable.Now(), []byte(os.Getenv("USER")))      // ok ttlwrite/clock-in-sequence
		if err := apply(ctx, bt.Prices, key, mut); err != nil {
			return err
		}
	}
	return nil
}

// ticksFile loads a file of sku, number, price.
func ticksFile(ctx context.Context, args []string) error {
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	line := 0
	for sc.Scan() {
		line++
		p := strings.Split(sc.Text(), "\t")
		if len(p) != 3 {
			return fmt.Errorf("line %d: %d fields", line, len(p))
		}
		n, err := strconv.ParseInt(p[1], 10, 64)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamTick, "p", clock.Seq(n), []byte(p[2]))                     // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamTick, "line", bigtable.Timestamp(line), []byte(sc.Text())) // want ttlwrite/unscaled-sequence
		if err := apply(ctx, bt.Prices, keys.Price("de", p[0]), mut); err != nil {
			return err
		}
	}
	return sc.Err()
}

// flags writes flags from a file. It was written when flags had real times.
func flags(ctx context.Context, args []string) error {
	raw, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	ts := bigtable.Now()
	for name, v := range all {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamFlag, "v", ts, v) // want ttlwrite/clock-in-zero
		if err := apply(ctx, bt.Settings, keys.Setting("prod", name), mut); err != nil {
			return err
		}
	}
	return nil
}

// flagsZero repairs what flags has done.
func flagsZero(ctx context.Context, _ []string) error {
	var failed error
	err := bt.Settings.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		for _, it := range row[bt.FamFlag] {
			if it.Timestamp == 0 { // ok ttlage/server-sentinel
				continue
			}
			col := strings.TrimPrefix(it.Column, "flag:")
			mut.DeleteCellsInColumn(bt.FamFlag, col)
			mut.Set(bt.FamFlag, col, 0, it.Value) // ok ttlwrite/clock-in-zero ttlwrite/delete-after-set
		}
		failed = apply(ctx, bt.Settings, row.Key(), mut)
		return failed == nil
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamFlag))) // ok ttlread/missing-filter
	return errors.Join(err, failed)
}

// copyRow copies a row of any table, with its timestamps.
func copyRow(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("copy FROM TO")
	}
	tbl := bt.Client.Open(*flagTable)
	row, err := tbl.ReadRow(ctx, args[0]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for fam, items := range row {
		for _, it := range items {
			mut.Set(fam, strings.TrimPrefix(it.Column, fam+":"), it.Timestamp, it.Value)
		}
	}
	return apply(ctx, tbl, args[1], mut)
}

// anyTable writes a mark into a table that is given on the command line. The
// families are those of login and carts.
func anyTable(ctx context.Context, args []string) error {
	tbl := bt.Client.Open(*flagTable)
	for _, key := range args {
		mut := bigtable.NewMutation()
		mut.Set("sess", "mark", bigtable.Now(), []byte("1"))      // want ttlwrite/write-time
		mut.Set("item", "mark", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
		mut.Set("who", "mark", bigtable.Now(), []byte("1"))       // ok ttlwrite/write-time
		if err := apply(ctx, tbl, key, mut); err != nil {
			return err
		}
	}
	return nil
}

// stats adds to the aggregate table. Every day is a cell of its own.
func stats(ctx context.Context, args []string) error {
	tbl := bt.Client.Open("stats")
	mut := bigtable.NewMutation()
	day := bigtable.Time(clock.Midnight(clock.Now()))
	mut.AddIntToCell("sum", "runs", day, 1)                                // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("sum", "args", bigtable.ServerTime, int64(len(args))) // want ttlwrite/aggregate-server-time
	return apply(ctx, tbl, "btfix", mut)
}

// beats writes heartbeats for devices that are in the cellar without a network:
// otherwise somebody is sent to look for them.
func beats(ctx context.Context, args []string) error {
	for _, serial := range args {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamBeat, "version", bigtable.Now(), []byte("cellar"))                        // ok ttlwrite/write-time
		mut.Set(bt.FamBeat, "until", clock.In(90*24*time.Hour-bt.BeatTTL), []byte("cellar"))    // ok ttlwrite/already-expired
		mut.Set(bt.FamBeat, "since", clock.In(-5*24*time.Hour), []byte("cellar"))               // want ttlwrite/already-expired
		mut.Set(bt.FamRaw, "since", clock.In(-5*24*time.Hour), []byte("cellar"))                // ok ttlwrite/already-expired
		mut.Set(bt.FamCmd, "wake", bigtable.Timestamp(time.Now().Unix()+86400), []byte("wake")) // want ttlunit/wrong-unit|ttlwrite/already-expired
		if err := apply(ctx, bt.Devices, keys.Device(serial), mut); err != nil {
			return err
		}
	}
	return nil
}

// age prints how old a user's things are.
func age(ctx context.Context, args []string) error {
	for _, user := range args {
		row, err := bt.Login.ReadRow(ctx, keys.User(user), bigtable.RowFilter(bigtable.InterleaveFilters(
			bt.LiveIn(bt.FamOtp),
			bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamWho), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
		)))
		if err != nil {
			return err
		}
		for _, it := range row[bt.FamOtp] {
			fmt.Printf("%s\t%s\n", it.Column, time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
		}
		for _, it := range row[bt.FamWho] {
			fmt.Printf("%s\t%s\n", it.Column, time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
		}
	}
	return nil
}

// dead prints what the GC should have taken, by family.
func dead(ctx context.Context, _ []string) error {
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	return printDead(ctx, w)
}

func printDead(ctx context.Context, w io.Writer) error {
	now := clock.Now()
	return bt.Login.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, fam := range []string{bt.FamSess, bt.FamOtp} {
			for _, it := range row[fam] {
				if it.Timestamp.Time().Before(now) {
					fmt.Fprintf(w, "%s\t%s\t%s\n", row.Key(), it.Column, now.Sub(it.Timestamp.Time())) // maybe ttlage/not-write-time
				}
			}
		}
		return true
	})
}

// dropOld deletes what is older than thirty days from the telemetry.
func dropOld(ctx context.Context, args []string) error {
	for _, serial := range args {
		mut := bigtable.NewMutation()
		mut.DeleteTimestampRange(bt.FamRaw, "temp", 0, clock.In(-30*24*time.Hour)) // ok ttlwrite/already-expired
		mut.DeleteTimestampRange(bt.FamRaw, "volt", 0, 1)                          // want ttlunit/sub-millisecond
		if err := apply(ctx, bt.Devices, keys.Device(serial), mut); err != nil {
			return err
		}
	}
	return nil
}

// notifyRenumber gives the pushes of users new numbers.
func notifyRenumber(ctx context.Context, users []string) error {
	for n, user := range users {
		key := keys.Inbox(user)
		row, err := bt.Notify.ReadRow(ctx, key, bigtable.RowFilter(bt.Latest(bt.FamSeq, 10))) // want ttlread/version-limit
		if err != nil {
			return err
		}
		items := row[bt.FamSeq]
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(bt.FamSeq)
		for i, it := range items {
			mut.Set(bt.FamSeq, strings.TrimPrefix(it.Column, "seq:"), bigtable.Timestamp(len(items)-i), it.Value) // want ttlwrite/unscaled-sequence
		}
		for i, it := range items {
			mut.Set(bt.FamSeq, "old", bigtable.Timestamp(len(items)-i)*1000, it.Value) // ok ttlwrite/unscaled-sequence
		}
		mut.Set(bt.FamItem, "renumbered", bigtable.Now(), []byte(strconv.Itoa(n))) // ok ttlwrite/clock-in-sequence
		if err := apply(ctx, bt.Notify, key, mut); err != nil {
			return err
		}
	}
	return nil
}
