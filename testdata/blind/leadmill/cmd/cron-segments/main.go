// Command cron-segments computes segments every night. It is a loop around a very long function.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/attrib"
	"example.com/leadmill/core"
)

type job struct {
	visitor string
	segs    []string
	exp     time.Time
	now     bool
}

// started is the start of the run. The run takes four hours.
var started = time.Now() // want ttlwrite/stale-clock[started]

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "")
	instance := flag.String("instance", "leadmill-prod", "")
	tenant := flag.String("tenant", "default", "")
	workers := flag.Int("workers", 8, "")
	prefix := flag.String("prefix", "", "only these visitors")
	mode := flag.String("mode", "full", "full or incr")
	flag.Parse()
	ctx := context.Background()
	if err := core.Init(ctx, *project, *instance, *tenant); err != nil {
		log.Fatal(err)
	}
	defer core.Shutdown()
	vis := core.Client().Open("visitors")
	store := attrib.Open(core.Client(), *tenant)

	jobs := make(chan job, 100)
	muts := make(chan *bigtable.Mutation, 100)
	var wg sync.WaitGroup
	for range *workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				if err := write(ctx, vis, j); err != nil {
					log.Printf("cron-segments: %s: %v", j.visitor, err)
				}
			}
		}()
	}
	go func() {
		n := 0
		for range muts {
			n++
		}
		log.Printf("cron-segments: %d", n)
	}()

	now := time.Now()
	err := store.Each(ctx, *prefix, func(e attrib.Event) error {
		j := job{visitor: e.Visitor}
		switch e.Kind {
		case attrib.Click:
			j.segs = []string{"clicker", "c_" + strings.ToLower(e.Campaign)}
			j.exp = now.Add(48 * time.Hour)
		case attrib.View:
			j.segs = []string{"viewer"}
			j.exp = now.Add(24 * time.Hour)
		case attrib.Lead:
			j.segs = []string{"lead"}
			j.exp = now.Add(7 * 24 * time.Hour)
			j.now = *mode == "incr"
		}
		jobs <- j
		return nil
	})
	close(jobs)
	wg.Wait()
	close(muts)
	if err != nil {
		log.Fatal(err)
	}
	if err := finish(ctx, vis, *mode); err != nil {
		log.Fatal(err)
	}
}

func write(ctx context.Context, vis *bigtable.Table, j job) error {
	m := bigtable.NewMutation()
	for _, s := range j.segs {
		m.Set("seg", s, bigtable.Time(j.exp), []byte("cron")) // ok ttlwrite/write-time
	}
	m.Set("seg", "_run", bigtable.Time(started.Add(26*time.Hour)), []byte("cron")) // want ttlwrite/stale-clock[started]
	m.Set("attr", "_run", bigtable.Time(started), []byte("cron"))                  // ok ttlwrite/stale-clock
	if j.now {
		m.Set("seg", "_now", bigtable.Time(time.Now()), []byte("cron")) // want ttlwrite/write-time
	}
	return vis.Apply(ctx, j.visitor, m)
}

// finish leaves a marker, and removes visitors without anything.
func finish(ctx context.Context, vis *bigtable.Table, mode string) error {
	m := bigtable.NewMutation()
	m.Set("seg", "done", bigtable.ServerTime, []byte(mode))   // want ttlwrite/server-timestamp
	m.Set("attr", "done", bigtable.ServerTime, []byte(mode))  // ok ttlwrite/server-timestamp
	m.Set("idmap", "done", bigtable.ServerTime, []byte(mode)) // ok ttlwrite/server-timestamp
	if err := vis.Apply(ctx, "~cron-segments", m); err != nil {
		return err
	}
	row, err := vis.ReadRow(ctx, "~cron-segments", bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("seg|attr"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // maybe ttlread/hides-other-families
	if err != nil {
		return err
	}
	for fam, items := range row {
		log.Printf("cron-segments: %s: %d cells", fam, len(items))
	}
	return nil
}
