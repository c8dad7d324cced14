// Command backfill replays files into the tables.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/audience"
	"adcap.example/platform/internal/bt"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
)

type record struct {
	Key     string    `json:"key"`
	Column  string    `json:"column"`
	Value   string    `json:"value"`
	Number  int64     `json:"number"`
	Expires time.Time `json:"expires"`
	Written time.Time `json:"written"`
}

type target struct {
	table  string
	family string
	stamp  func(record) bigtable.Timestamp
}

var targets = map[string]target{
	"caps": {schema.TableFreqCap, schema.FamCap, func(r record) bigtable.Timestamp { return bigtable.Time(r.Expires) }}, // ok ttlwrite/write-time
	"revs": {schema.TableConsent, schema.FamRev, func(r record) bigtable.Timestamp { return mutate.Seq(r.Number) }},     // ok ttlwrite/clock-in-sequence
}

func main() {
	kind := flag.String("kind", "caps", "caps or revs")
	flag.Parse()
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, os.Getenv("ADCAP_PROJECT"), "adcap")
	if err != nil {
		log.Fatal(err)
	}
	t, ok := targets[*kind]
	if !ok {
		log.Fatalf("unknown kind %q", *kind)
	}
	if err := replay(ctx, c, t, os.Stdin); err != nil {
		log.Fatal(err)
	}
	if err := report(ctx, c); err != nil {
		log.Fatal(err)
	}
}

func replay(ctx context.Context, c *bigtable.Client, t target, in io.Reader) error {
	b := bt.NewBatcher(ctx, c.Open(t.table), 500, time.Second)
	sc := bufio.NewScanner(in)
	for sc.Scan() {
		var r record
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(t.family, r.Column, t.stamp(r), []byte(r.Value)) // ok ttlwrite/write-time ttlwrite/clock-in-sequence
		b.Add(r.Key, m)
	}
	return b.Close()
}

func report(ctx context.Context, c *bigtable.Client) error {
	old := audience.NewLegacyMembers(c) // want ttlread/wrong-bound[legacymembers]
	ms, err := old.Read(ctx, "sample")  // want ttlread/wrong-bound[legacymembers]
	if err != nil {
		return err
	}
	fmt.Println(len(ms), "memberships in the sample")
	return nil
}

// replayRevisions numbers the lines of a file.
func replayRevisions(ctx context.Context, c *bigtable.Client, user string, in io.Reader) error {
	tbl := c.Open(schema.TableConsent)
	m := bigtable.NewMutation()
	line := 0
	for sc := bufio.NewScanner(in); sc.Scan(); {
		line++
		m.Set(schema.FamRev, "state", bigtable.Timestamp(line), sc.Bytes())     // want ttlwrite/unscaled-sequence
		m.Set(schema.FamRev, "copy", bigtable.Timestamp(line)*1000, sc.Bytes()) // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamMeta, "line", bigtable.Now(), []byte(fmt.Sprint(line))) // ok ttlwrite/clock-in-sequence
	}
	return tbl.Apply(ctx, user, m)
}

// replayHolds restores holds after an outage.
func replayHolds(ctx context.Context, c *bigtable.Client, market string, rs []record) error {
	tbl := c.Open(market + schema.BudgetSuffix)
	for i := range rs {
		r := &rs[i]
		m := bigtable.NewMutation()
		m.Set(schema.FamHold, r.Column, bigtable.Timestamp(r.Expires.Unix()), []byte(r.Value))   // want ttlunit/wrong-unit
		m.Set(schema.FamHold, r.Column+"/u", bigtable.Timestamp(r.Expires.Unix()*1000000), nil)  // ok ttlunit/wrong-unit
		m.Set(schema.FamEntry, r.Column, bigtable.Time(r.Written), []byte(r.Value))              // want ttlwrite/clock-in-sequence
		m.Set(schema.FamEntry, r.Column+"/n", bigtable.Time(time.UnixMicro(r.Number*1000)), nil) // ok ttlwrite/clock-in-sequence
		if err := tbl.Apply(ctx, r.Key, m); err != nil {
			return err
		}
	}
	return nil
}

var _ = replayRevisions
var _ = replayHolds
