// Command cron-budget runs at the end of a month and every hour, which are two very different things.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/core"
)

var (
	client *bigtable.Client
	tbl    *bigtable.Table
	runSeq int64
	fams   = [...]string{"led", "cur", "audit"}
)

func setup(ctx context.Context, project, instance string) {
	var err error
	client, err = bigtable.NewClient(ctx, project, instance)
	if err != nil {
		log.Fatal(err)
	}
	tbl = client.Open("budgets")
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "")
	instance := flag.String("instance", "leadmill-prod", "")
	mode := flag.String("mode", "hourly", "hourly, month-end, verify or replay")
	file := flag.String("f", "", "file with campaign,amount lines")
	dry := flag.Bool("n", false, "only say what would be done")
	full := flag.Bool("full", false, "reset the numbering too")
	flag.Parse()
	ctx := context.Background()
	setup(ctx, *project, *instance)
	defer client.Close()
	if err := core.Init(ctx, *project, *instance, ""); err != nil {
		log.Fatal(err)
	}
	var err error
	switch *mode {
	case "hourly":
		err = hourly(ctx, *dry)
	case "month-end":
		err = monthEnd(ctx, *file, *full, *dry)
	case "verify":
		err = verify(ctx)
	case "replay":
		err = replay(ctx, *file)
	default:
		err = fmt.Errorf("mode %q", *mode)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// hourly closes the hour of every campaign.
func hourly(ctx context.Context, dry bool) error {
	hour := time.Now().UTC().Truncate(time.Hour)
	var keys []string
	var muts []*bigtable.Mutation
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		var spent int64
		for _, it := range r["led"] {
			if strings.HasSuffix(it.Column, ":spend") && len(it.Value) == 8 {
				spent += int64(binary.BigEndian.Uint64(it.Value))
			}
		}
		runSeq++
		m := bigtable.NewMutation()
		m.Set("led", "hour", bigtable.Time(hour), []byte(strconv.FormatInt(spent, 10)))             // want ttlwrite/clock-in-sequence
		m.Set("led", "run", bigtable.Timestamp(runSeq), []byte(strconv.FormatInt(spent, 10)))       // want ttlwrite/unscaled-sequence
		m.Set("led", "run2", bigtable.Timestamp(runSeq*1000), []byte(strconv.FormatInt(spent, 10))) // ok ttlwrite/unscaled-sequence
		m.Set("cur", "hour", 0, []byte(strconv.FormatInt(spent, 10)))                               // ok ttlwrite/clock-in-zero
		m.Set(fams[2], "hour", bigtable.Time(hour), nil)                                            // ok ttlwrite/clock-in-sequence
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("led"), bigtable.LatestNFilter(3)))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	if dry {
		log.Printf("cron-budget: would close %d campaigns", len(keys))
		return nil
	}
	for len(keys) > 0 {
		n := min(len(keys), 500)
		errs, err := tbl.ApplyBulk(ctx, keys[:n], muts[:n])
		if err := errors.Join(append(errs, err)...); err != nil {
			return err
		}
		keys, muts = keys[n:], muts[n:]
	}
	return nil
}

// monthEnd resets budgets.
func monthEnd(ctx context.Context, file string, full, dry bool) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	line := 0
	for sc.Scan() {
		line++
		name, amount, ok := strings.Cut(sc.Text(), ",")
		if !ok {
			return fmt.Errorf("%s:%d: no amount", file, line)
		}
		n, err := strconv.ParseInt(amount, 10, 64)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
		if err := core.ResetBudget(ctx, name, n*1e6, full, dry); err != nil {
			return err
		}
		if dry {
			continue
		}
		m := bigtable.NewMutation()
		m.Set(fams[0], "line", bigtable.Timestamp(line), []byte(file)) // want ttlwrite/unscaled-sequence
		m.Set(fams[1], "line", bigtable.ServerTime, []byte(file))      // want ttlwrite/clock-in-zero
		m.Set(fams[2], "line", bigtable.ServerTime, []byte(file))      // ok ttlwrite/clock-in-zero
		if err := tbl.Apply(ctx, name, m); err != nil {
			return err
		}
	}
	return sc.Err()
}

// verify compares the ledger with the state.
func verify(ctx context.Context) error {
	bad := 0
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		var led, cur int64
		for _, it := range r["led"] {
			if it.Column == "led:spend" {
				led += int64(binary.BigEndian.Uint64(it.Value))
			}
		}
		for _, it := range r["cur"] {
			if it.Column == "cur:spend" {
				cur = int64(binary.BigEndian.Uint64(it.Value))
			}
		}
		if led < cur {
			bad++
			log.Printf("cron-budget: %s: ledger %d, state %d", r.Key(), led, cur)
		}
		return true
	})
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d campaigns differ", bad)
	}
	return nil
}

// replay writes lines of campaign,seq,amount again.
func replay(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for i, l := range strings.Split(string(data), "\n") {
		p := strings.Split(l, ",")
		if len(p) != 3 {
			continue
		}
		seq, err := strconv.ParseInt(p[1], 10, 64)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		m := bigtable.NewMutation()
		m.Set("led", "spend", bigtable.Timestamp(seq*1000), []byte(p[2]))              // ok ttlwrite/unscaled-sequence
		m.Set("led", "src", bigtable.Timestamp(int64(i)*1000), []byte(file))           // ok ttlwrite/unscaled-sequence
		m.Set("led", "at", bigtable.Timestamp(time.Now().Unix()), []byte(file))        // want ttlwrite/clock-in-sequence|ttlunit/wrong-unit
		m.Set("audit", "at", bigtable.Timestamp(time.Now().UnixMicro()), []byte(file)) // ok ttlunit/wrong-unit
		if err := tbl.Apply(ctx, p[0], m); err != nil {
			return err
		}
	}
	return nil
}
