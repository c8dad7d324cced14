// backfill-journeys rebuilds riders' trips from the archive of gate events.
//
// One file a day, CSV: rider,journey,gate,time(RFC3339),cents
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
	"github.com/tramway/btops/internal/schema"
)

const (
	legFamily  = "leg"
	metaFamily = "meta"
	keepFor    = 30 * 24 * time.Hour
)

// families by what they hold; the index is older than the names.
var families = []string{"leg", "meta"}

var (
	opts     btx.Options
	dir      = flag.String("dir", ".", "directory with YYYY-MM-DD.csv")
	from     = flag.String("from", "", "first day")
	upto     = flag.String("to", "", "last day")
	workers  = flag.Int("workers", 4, "days at the same time")
	original = flag.Bool("original-time", true, "keep the time of the trip")
)

type event struct {
	Rider, Journey, Gate string
	At                   time.Time
	Cents                int64
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	tbl := client.Open(schema.Journeys)
	days, err := files(*dir, *from, *upto)
	btx.Fatal(err)
	if len(days) == 0 {
		btx.Fatal(errors.New("no days"))
	}
	type result struct {
		day string
		n   int64
		err error
	}
	results := make(chan result)
	tokens := make(chan struct{}, *workers)
	for _, day := range days {
		go func() {
			tokens <- struct{}{}
			defer func() { <-tokens }()
			n, err := backfill(ctx, tbl, day)
			results <- result{day, n, err}
		}()
	}
	failed := 0
	for range days {
		r := <-results
		if r.err != nil {
			failed++
			log.Printf("%s: %v", r.day, r.err)
			continue
		}
		log.Printf("%s: %d", r.day, r.n)
	}
	if failed > 0 {
		btx.Fatal(fmt.Errorf("%d of %d days failed", failed, len(days)))
	}
	btx.Fatal(gaps(ctx, tbl))
	btx.Fatal(summary(ctx, tbl))
}

// files lists the days from first to last.
func files(dir, first, last string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "????-??-??.csv"))
	if err != nil {
		return nil, err
	}
	var days []string
	for _, n := range names {
		day := filepath.Base(n)[:10]
		if first != "" && day < first || last != "" && day > last {
			continue
		}
		days = append(days, n)
	}
	sort.Strings(days)
	return days, nil
}

func parse(rec []string) (event, error) {
	if len(rec) != 5 {
		return event{}, fmt.Errorf("%d fields", len(rec))
	}
	at, err := time.Parse(time.RFC3339, rec[3])
	if err != nil {
		return event{}, err
	}
	cents, err := strconv.ParseInt(rec[4], 10, 64)
	if err != nil {
		return event{}, err
	}
	return event{rec[0], rec[1], rec[2], at, cents}, nil
}

func backfill(ctx context.Context, tbl *bigtable.Table, file string) (int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	meter := progress.New(os.Stderr, "events of "+filepath.Base(file))
	bulk := btx.NewBulk(tbl, 1000, opts.DryRun)
	for line := 1; ; line++ {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		ev, err := parse(rec)
		if err != nil {
			return 0, fmt.Errorf("line %d: %w", line, err)
		}
		if err := bulk.Add(ctx, key(ev), build(ev)); err != nil {
			return 0, err
		}
		meter.Add(1, 0)
	}
	return meter.Done(), bulk.Flush(ctx)
}

func key(ev event) string { return ev.Rider + "#" + ev.Journey }

// build is the mutation of one event. A trip keeps the time when it was made,
// so that it is deleted thirty days after it.
func build(ev event) *bigtable.Mutation {
	m := bigtable.NewMutation()
	when := time.Now()
	if *original {
		when = ev.At
	}
	m.Set(legFamily, ev.Gate, bigtable.Time(when), []byte(ev.At.Format(time.RFC3339))) // ok ttlwrite/write-time
	m.Set(families[0], "cents", bigtable.ServerTime, btx.Int(ev.Cents))                // ok ttlwrite/server-timestamp
	m.Set(families[1], "source", bigtable.ServerTime, []byte("backfill"))              // ok ttlwrite/server-timestamp
	m.Set(metaFamily, "imported", bigtable.Now(), nil)                                 // ok ttlwrite/write-time
	if ev.Cents < 0 {
		// A refund: gone at once.
		gone := bigtable.Time(time.Now().Add(-keepFor))
		m.Set(legFamily, "refund", gone, btx.Int(ev.Cents)) // want ttlwrite/already-expired
	}
	if ev.Cents == 0 {
		// Free rides are kept for a day: 29 days earlier than now.
		m.Set(legFamily, "free", bigtable.Time(time.Now().Add(24*time.Hour-keepFor)), nil) // ok ttlwrite/already-expired
		m.Set(legFamily, "free-note", btx.Shifted(keepFor, 24*time.Hour), nil)             // ok ttlwrite/already-expired
	}
	return m
}

// gaps prints riders whose trips have no fare.
func gaps(ctx context.Context, tbl *bigtable.Table) error {
	live := bigtable.TimestampRangeFilter(time.Now().Add(-keepFor), time.Time{})
	filter := bigtable.ChainFilters(bigtable.FamilyFilter(legFamily), live, bigtable.LatestNFilter(1))
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		fare := false
		for _, it := range r[legFamily] {
			if it.Column == "leg:cents" {
				fare = true
			}
		}
		if !fare {
			fmt.Println("no fare:", r.Key())
		}
		return true
	}, bigtable.RowFilter(filter)) // ok ttlread/wrong-bound
}

// summary counts trips by day and age.
func summary(ctx context.Context, tbl *bigtable.Table) error {
	byDay := map[string]int{}
	byWeek := map[int]int{}
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/missing-filter[summary]
		for _, it := range r[legFamily] {
			t, err := time.Parse(time.RFC3339, string(it.Value))
			if err != nil {
				continue
			}
			byDay[t.Format(time.DateOnly)]++
			age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
			byWeek[int(age.Hours()/168)]++
		}
		return true
	}, btx.Newest()) // want ttlread/missing-filter[summary]
	if err != nil {
		return err
	}
	// What the app shows: the last week.
	shown := 0
	week := bigtable.TimestampRangeFilter(time.Now().Add(-7*24*time.Hour), time.Time{}) // want ttlread/wrong-bound[week]
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {     // want ttlread/wrong-bound[week]
		shown += len(r[legFamily])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(legFamily), week))) // want ttlread/wrong-bound[week]
	if err != nil {
		return err
	}
	// And what is there, up to this minute.
	upToNow := 0
	now := time.Now()
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/upper-bound[uptonow]
		upToNow += len(r[legFamily])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/upper-bound[uptonow]
		bigtable.FamilyFilter(legFamily),
		bigtable.TimestampRangeFilter(now.Add(-schema.LegTTL), now), // want ttlread/upper-bound[uptonow]
	))) // want ttlread/upper-bound[uptonow]
	for day, n := range byDay {
		fmt.Println(day, n)
	}
	fmt.Println("weeks", byWeek, "shown", shown, "now", upToNow)
	return err
}
