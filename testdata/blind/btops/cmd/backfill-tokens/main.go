// backfill-tokens brings riders' sign-in state from the old identity system
// into Bigtable. The input is one JSON object a line.
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
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/progress"
	"github.com/tramway/btops/internal/schema"
)

var (
	opts       btx.Options
	input      = flag.String("in", "-", "file with one JSON object a line, - for standard input")
	checkpoint = flag.String("checkpoint", "", "file that remembers how far we are")
	batch      = flag.Int("batch", 500, "mutations in one request")
	keepOld    = flag.Bool("keep-old", false, "import tokens that have expired, as such")
	serverTS   = flag.Bool("server-ts", false, "let the server set timestamps")
	jitter     = flag.Duration("jitter", 0, "spread the expiry of devices")
)

// record is a line of the old system's dump.
type record struct {
	Rider    string   `json:"rider"`
	JWT      string   `json:"jwt"`
	Refresh  string   `json:"refresh"`
	Expires  int64    `json:"exp"`  // seconds
	Issued   int64    `json:"iat"`  // seconds
	Seen     int64    `json:"seen"` // milliseconds
	Devices  []device `json:"devices"`
	Language string   `json:"lang"`
	Name     string   `json:"name"`
}

type device struct {
	ID    string `json:"id"`
	Model string `json:"model"`
	Until string `json:"until"` // RFC 3339
	Days  int    `json:"days"`
}

func (r *record) check() error {
	switch {
	case r.Rider == "":
		return errors.New("no rider")
	case strings.ContainsAny(r.Rider, "#\n"):
		return fmt.Errorf("rider %q", r.Rider)
	case r.Issued > r.Expires:
		return fmt.Errorf("rider %s: issued after it expired", r.Rider)
	}
	return nil
}

func main() {
	log.SetFlags(0)
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	in := io.Reader(os.Stdin)
	if *input != "-" {
		f, err := os.Open(*input)
		btx.Fatal(err)
		defer f.Close()
		in = f
	}
	btx.Fatal(run(ctx, client.Open(schema.Sessions), in))
	log.Printf("done after %s", btx.Elapsed())
}

func run(ctx context.Context, tbl *bigtable.Table, in io.Reader) error {
	cp, err := progress.Load(*checkpoint)
	if err != nil {
		return err
	}
	meter := progress.New(os.Stderr, "riders")
	bulk := btx.NewBulk(tbl, *batch, opts.DryRun)
	sc := bufio.NewScanner(in)
	sc.Buffer(make([]byte, 1<<20), 1<<24)
	var n, skipped int64
	for sc.Scan() {
		n++
		if n <= cp.Rows {
			continue
		}
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := r.check(); err != nil {
			skipped++
			log.Printf("line %d: %v", n, err)
			continue
		}
		if exp := time.Unix(r.Expires, 0); exp.Before(time.Now()) && !*keepOld {
			skipped++
			continue
		}
		if err := bulk.Add(ctx, "s#"+r.Rider, mutation(&r)); err != nil {
			return err
		}
		meter.Add(1, len(sc.Bytes()))
		if n%10000 == 0 {
			if err := bulk.Flush(ctx); err != nil {
				return err
			}
			if err := cp.Save(r.Rider, n-cp.Rows); err != nil {
				return err
			}
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	if err := bulk.Flush(ctx); err != nil {
		return err
	}
	log.Printf("%d riders, %d skipped, %d failed", meter.Done(), skipped, bulk.Failed())
	return verify(ctx, tbl)
}

// mutation is one rider's row.
func mutation(r *record) *bigtable.Mutation {
	m := bigtable.NewMutation()
	exp := time.Unix(r.Expires, 0)
	m.Set("token", "jwt", bigtable.Time(exp), []byte(r.JWT)) // ok ttlwrite/write-time ttlwrite/already-expired

	// The old system kept refresh tokens for as long as the rider was active.
	ts := bigtable.Time(time.Now().Add(schema.TokenTTL))
	if *serverTS {
		ts = bigtable.ServerTime
	}
	m.Set("token", "refresh", ts, []byte(r.Refresh)) // want ttlwrite/server-timestamp

	// Seconds, as they come.
	m.Set("token", "legacy", bigtable.Timestamp(exp.Unix()), []byte(r.JWT))       // want ttlunit/wrong-unit
	m.Set("token", "legacy2", bigtable.Timestamp(exp.UnixMicro()), []byte(r.JWT)) // ok ttlunit/wrong-unit
	m.Set("token", "seen", bigtable.Timestamp(r.Seen*1000), nil)                  // ok ttlunit/wrong-unit

	for _, d := range r.Devices {
		until, err := time.Parse(time.RFC3339, d.Until)
		if err != nil {
			until = time.Now().AddDate(0, 0, d.Days)
		}
		if *jitter > 0 {
			until = until.Add(time.Duration(rand.Int64N(int64(*jitter))))
		}
		m.Set("device", d.ID, bigtable.Time(until), []byte(d.Model)) // ok ttlwrite/write-time
	}
	if len(r.Devices) == 0 {
		// So that the app does not ask again.
		m.Set("device", "none", bigtable.Now(), nil) // want ttlwrite/write-time
	}
	// One moment for the whole import.
	m.Set("token", "grace", bigtable.Time(btx.Started.Add(schema.TokenTTL)), nil) // want ttlwrite/stale-clock[started]
	m.Set("profile", "import", bigtable.Time(btx.Started), nil)                   // ok ttlwrite/stale-clock
	btx.PutNow(m, "profile", "name", r.Name)                                      // ok ttlwrite/write-time
	btx.PutNow(m, "profile", "lang", r.Language)                                  // ok ttlwrite/write-time
	btx.PutNow(m, "token", "imported", "1")                                       // want ttlwrite/write-time
	m.Set("profile", "seen", bigtable.Time(time.UnixMilli(r.Seen)), nil)          // ok ttlwrite/write-time
	m.Set("profile", "issued", bigtable.ServerTime, btx.Int(r.Issued))            // ok ttlwrite/server-timestamp
	m.Set("profile", "issued-at", bigtable.Timestamp(r.Issued*1000000), nil)      // ok ttlunit/wrong-unit
	return m
}

// verify reads some rows back.
func verify(ctx context.Context, tbl *bigtable.Table) error {
	rows, tokens := 0, 0
	err := tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[verifytokens]
		rows++
		for _, it := range r["token"] {
			if it.Column == "token:jwt" && len(it.Value) > 0 {
				tokens++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.RowSampleFilter(0.01)), bigtable.LimitRows(1000)) // want ttlread/missing-filter[verifytokens]
	if err != nil {
		return err
	}
	live := 0
	err = tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		live++
		return true
	}, btx.LiveOnly("token"), bigtable.LimitRows(1000)) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	profiles := 0
	err = tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		profiles += len(r["profile"])
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("profile")), bigtable.LimitRows(1000))
	log.Printf("sample: %d rows, %d tokens; first thousand: %d live, %d with profile", rows, tokens, live, profiles)
	return err
}
