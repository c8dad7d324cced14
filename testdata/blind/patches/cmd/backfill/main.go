// Command backfill repairs what other backfills broke.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

var (
	project  = flag.String("project", "brightpost-prod", "")
	instance = flag.String("instance", "main", "")
	table    = flag.String("table", "", "for -what copy")
	what     = flag.String("what", "", "caps, revs, opens, tokens, revenue, copy")
	apply    = flag.Bool("apply", false, "really do it")
	total    int
)

func main() {
	flag.Parse()
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	sc := bufio.NewScanner(os.Stdin)
	impr := c.Open("impressions")
	camps := c.Open("campaigns")
	subs := c.Open("subscribers")
	clicks := c.Open("clicks")
	rev := 0
	for sc.Scan() {
		f := strings.Split(sc.Text(), "\t")
		if len(f) < 3 {
			continue
		}
		total++
		m := bigtable.NewMutation()
		var tbl *bigtable.Table
		switch *what {
		case "caps":
			tbl = impr
			m.Set("cap", f[1], bigtable.Now(), []byte(f[2]))                                   // want ttlwrite/write-time
			m.Set("cap", f[1]+"#x", bigtable.Time(time.Now().Add(24*time.Hour)), []byte(f[2])) // ok ttlwrite/write-time
			m.Set("meta", "backfill", bigtable.Now(), []byte(f[2]))                            // ok ttlwrite/write-time
		case "revs":
			tbl = camps
			rev++
			m.Set("rev", "body", bigtable.Timestamp(rev), []byte(f[2]))      // want ttlwrite/unscaled-sequence
			m.Set("rev", "copy", bigtable.Timestamp(rev)*1000, []byte(f[2])) // ok ttlwrite/unscaled-sequence
			m.Set("rev", "line", bigtable.Timestamp(total), []byte(f[2]))    // want ttlwrite/unscaled-sequence
			m.Set("state", "backfill", bigtable.Now(), []byte(f[2]))         // want ttlwrite/clock-in-zero
			m.Set("state", "backfill2", 0, []byte(f[2]))                     // ok ttlwrite/clock-in-zero
		case "opens":
			tbl = subs
			m.Set("opens", f[1], bigtable.ServerTime, []byte(f[2])) // ok ttlwrite/server-timestamp
			m.Set("profile", f[1], bigtable.ServerTime, nil)        // ok ttlwrite/server-timestamp
			m.Set("confirm", f[1], bigtable.ServerTime, nil)        // want ttlwrite/server-timestamp
		case "tokens":
			tbl = subs
			sec, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				log.Fatal(err)
			}
			m.Set("confirm", "token", bigtable.Time(time.Unix(sec, 0)), []byte(f[2]))         // ok ttlwrite/write-time
			m.Set("profile", "unix", bigtable.Timestamp(time.Unix(sec, 0).Unix()), nil)       // want ttlunit/wrong-unit
			m.Set("profile", "micro", bigtable.Timestamp(time.Unix(sec, 0).UnixMicro()), nil) // ok ttlunit/wrong-unit
		case "revenue":
			tbl = clicks
			m.Set("rev", "price", bigtable.Now(), []byte(f[2])) // ok ttlwrite/clock-in-sequence
			m.Set("raw", "click", bigtable.Now(), []byte(f[2])) // ok ttlwrite/write-time
		case "copy":
			tbl = c.Open(*table)
			m.Set("data", f[1], bigtable.Now(), []byte(f[2])) // ok ttlwrite/write-time
		default:
			log.Fatalf("backfill: what is %q?", *what)
		}
		if !*apply {
			fmt.Println("would write", f[0])
			continue
		}
		if err := tbl.Apply(ctx, f[0], m); err != nil {
			log.Fatal(err)
		}
	}
	if err := verify(ctx, subs, impr); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d lines", total)
}

func verify(ctx context.Context, subs, impr *bigtable.Table) error {
	n := 0
	err := subs.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r["confirm"] {
			if len(it.Value) == 0 {
				n++
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	err = impr.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["meta"] {
			if len(it.Value) == 0 {
				n++
			}
		}
		return true
	})
	log.Printf("verify: %d empty", n)
	return err
}
