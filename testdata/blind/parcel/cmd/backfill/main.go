// Backfill writes from CSV what the old system had.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/config"
)

func main() {
	kind := flag.String("kind", "tokens", "tokens, stops or prices")
	flag.Parse()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, cfg.Project, cfg.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	recs, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	switch *kind {
	case "tokens":
		err = tokens(ctx, c, recs)
	case "stops":
		err = stops(ctx, c, recs)
	case "prices":
		err = prices(ctx, c, recs)
	default:
		err = errors.New("what kind?")
	}
	if err != nil {
		log.Fatal(err)
	}
}

func read(r io.Reader) ([][]string, error) {
	cr := csv.NewReader(r)
	cr.FieldsPerRecord = 3
	return cr.ReadAll()
}

func tokens(ctx context.Context, c *bigtable.Client, recs [][]string) error {
	b := bt.NewBulk(1000)
	ts := bigtable.Now()
	for _, rec := range recs {
		m := bigtable.NewMutation()
		m.Set("token", "jwt", ts, []byte(rec[1]))                                   // want ttlwrite/write-time
		m.Set("token", "refresh", bigtable.ServerTime, []byte(rec[2]))              // want ttlwrite/server-timestamp
		m.Set("device", "model", ts, []byte(rec[2]))                                // ok ttlwrite/write-time
		m.Set("token", "imported", bigtable.Time(time.Now().AddDate(0, 0, 7)), nil) // ok ttlwrite/write-time
		b.Add(rec[0], m)
	}
	return b.Flush(ctx, c.Open("sessions"))
}

func stops(ctx context.Context, c *bigtable.Client, recs [][]string) error {
	tbl := c.Open("manifests")
	for i, rec := range recs {
		m := bigtable.NewMutation()
		m.Set("stop", rec[1], bigtable.Timestamp(i), []byte(rec[2]))                  // want ttlwrite/unscaled-sequence
		m.Set("stop", rec[1]+"/b", bigtable.Timestamp(int64(i)*1000), []byte(rec[2])) // ok ttlwrite/unscaled-sequence
		m.Set("stop", rec[1]+"/c", bigtable.Timestamp(time.Now().UnixMicro()), nil)   // want ttlwrite/clock-in-sequence
		m.Set("doc", "imported", bigtable.Timestamp(time.Now().UnixMicro()), nil)     // ok ttlunit/wrong-unit
		if n, err := strconv.ParseInt(rec[1], 10, 64); err == nil {
			m.Set("stop", "n", bigtable.Timestamp(n), []byte(rec[2])) // ok ttlwrite/unscaled-sequence
		}
		if err := tbl.Apply(ctx, rec[0], m); err != nil {
			return err
		}
	}
	return nil
}

func prices(ctx context.Context, c *bigtable.Client, recs [][]string) error {
	rates := c.Open("rates")
	for _, rec := range recs {
		m := bigtable.NewMutation()
		m.Set("price", rec[1], bigtable.Time(time.Now().Add(-48*time.Hour)), []byte(rec[2])) // want ttlwrite/already-expired
		m.Set("price", rec[1]+"/n", bigtable.Now(), []byte(rec[2]))                          // ok ttlwrite/already-expired
		m.Set("tariff", rec[1], bigtable.ServerTime, []byte(rec[2]))                         // want ttlwrite/clock-in-zero
		if err := rates.Apply(ctx, rec[0], m); err != nil {
			return err
		}
	}
	return nil
}
