// Command backfill loads CSV exports of the old system.
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
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/availbt"
	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/guestsbt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/gen/ledgerbt"
	"example.com/hotelbook/gen/ratesbt"
	"example.com/hotelbook/gen/reviewsbt"
	"example.com/hotelbook/internal/btx"
	"example.com/hotelbook/internal/config"
)

var (
	kind  = flag.String("kind", "holds", "what the file has")
	hotel = flag.String("hotel", "", "hotel of a ledger")
	dry   = flag.Bool("n", false, "write nothing")
)

// loader writes one record.
type loader func(ctx context.Context, n int, rec []string) error

func holdLoader(c *bigtable.Client) loader {
	tbl := holdsbt.Open(c)
	return func(ctx context.Context, n int, rec []string) error {
		ts := bigtable.Now()
		if end, err := time.Parse(time.RFC3339, rec[len(rec)-1]); err == nil {
			ts = bigtable.Time(end)
		}
		mut := bigtable.NewMutation()
		holdsbt.SetHoldRoom(mut, ts, rec[1]) // want ttlwrite/write-time
		return tbl.Apply(ctx, rec[0], mut)
	}
}

func endedHoldLoader(c *bigtable.Client) loader {
	tbl := holdsbt.Open(c)
	return func(ctx context.Context, n int, rec []string) error {
		end, err := time.Parse(time.RFC3339, rec[3])
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		holdsbt.SetHoldRoom(mut, bigtable.Time(end), rec[1])              // ok ttlwrite/write-time
		holdsbt.SetHoldGuest(mut, bigtable.Timestamp(end.Unix()), rec[2]) // want ttlunit/wrong-unit
		holdsbt.SetHoldNote(mut, bigtable.ServerTime, "backfill")         // want ttlwrite/server-timestamp
		return tbl.Apply(ctx, rec[0], mut)
	}
}

func guestLoader(c *bigtable.Client) loader {
	tbl := guestsbt.Open(c)
	return func(ctx context.Context, n int, rec []string) error {
		changed, err := time.Parse(time.DateOnly, rec[2])
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		guestsbt.SetProfileName(mut, 0, rec[1])                                            // ok ttlwrite/clock-in-zero
		guestsbt.SetProfileEmail(mut, 1000, rec[3])                                        // want ttlwrite/clock-in-zero
		guestsbt.SetPrefRoomType(mut, bigtable.Time(changed), rec[4])                      // ok ttlwrite/clock-in-zero
		guestsbt.SetPrefNewsletter(mut, bigtable.Timestamp(changed.UnixMilli()), n%2 == 0) // want ttlunit/wrong-unit
		guestsbt.SetSessionToken(mut, bigtable.ServerTime, "none")                         // want ttlwrite/server-timestamp
		return tbl.Apply(ctx, rec[0], mut)
	}
}

func sessionLoader(c *bigtable.Client) loader {
	tbl := guestsbt.Open(c)
	return func(ctx context.Context, n int, rec []string) error {
		row := &guestsbt.Row{Key: rec[0], Session: &guestsbt.Session{Token: rec[1]}}
		if n%1000 == 0 {
			return tbl.PutAt(ctx, row, bigtable.ServerTime) // want ttlwrite/server-timestamp
		}
		mut := bigtable.NewMutation()
		row.Session.MarshalBigtable(mut, btx.ExpireIn(30*time.Minute)) // ok ttlwrite/server-timestamp
		return tbl.Apply(ctx, row.Key, mut)
	}
}

func ledgerLoader(c *bigtable.Client, hotel string) loader {
	tbl := ledgerbt.Open(c, hotel)
	return func(ctx context.Context, n int, rec []string) error {
		cents, err := strconv.ParseInt(rec[1], 10, 64)
		if err != nil {
			return err
		}
		seq, err := strconv.ParseInt(rec[2], 10, 64)
		if err != nil {
			return err
		}
		e := &ledgerbt.Entry{AmountCents: cents, Kind: rec[3], Ref: strconv.Itoa(n)}
		if rec[3] == "tip" {
			return tbl.PutAt(ctx, &ledgerbt.Row{Key: rec[0], Entry: e}, bigtable.ServerTime) // want ttlwrite/clock-in-sequence
		}
		return tbl.PutAt(ctx, &ledgerbt.Row{Key: rec[0], Entry: e}, btx.Seq(seq)) // ok ttlwrite/clock-in-sequence
	}
}

func deltaLoader(c *bigtable.Client) loader {
	tbl := availbt.Open(c)
	count := 0
	return func(ctx context.Context, n int, rec []string) error {
		count++
		mut := bigtable.NewMutation()
		availbt.SetDeltaReason(mut, bigtable.Timestamp(count), rec[1]) // want ttlwrite/unscaled-sequence
		availbt.SetDeltaChange(mut, bigtable.Timestamp(count*1000), 0) // ok ttlwrite/unscaled-sequence
		return tbl.Apply(ctx, rec[0], mut)
	}
}

func reviewLoader(c *bigtable.Client) loader {
	tbl := reviewsbt.Open(c)
	return func(ctx context.Context, n int, rec []string) error {
		at, err := time.Parse(time.RFC3339, rec[2])
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		reviewsbt.SetEntryText(mut, bigtable.Timestamp(at.UnixNano()), rec[1]) // want ttlunit/wrong-unit
		reviewsbt.SetEntryStars(mut, bigtable.Timestamp(at.UnixMicro()), 5)    // ok ttlunit/wrong-unit
		reviewsbt.SetEntryHelpful(mut, bigtable.ServerTime, int64(n%3))        // ok ttlwrite/clock-in-sequence
		return tbl.Apply(ctx, rec[0], mut)
	}
}

// quoteLoader writes raw cells, since partners name columns of their own.
func quoteLoader(c *bigtable.Client) loader {
	tbl := ratesbt.Open(c).Raw()
	return func(ctx context.Context, n int, rec []string) error {
		mut := bigtable.NewMutation()
		for i, v := range rec[1:] {
			mut.Set(ratesbt.FamilyQuote, "partner"+strconv.Itoa(i), bigtable.Now(), []byte(v)) // ok ttlwrite/write-time
		}
		mut.Set(ratesbt.FamilyQuote, ratesbt.ColQuoteCurrency, bigtable.Timestamp(-5000), []byte("EUR")) // want ttlwrite/already-expired|ttlunit/out-of-range
		return tbl.Apply(ctx, rec[0], mut)
	}
}

func run(ctx context.Context, file io.Reader, load loader) (int, error) {
	r := csv.NewReader(file)
	r.FieldsPerRecord = -1
	n := 0
	var errs []error
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return n, errors.Join(errs...)
		}
		if err != nil {
			return n, err
		}
		if len(rec) < 2 || *dry {
			continue
		}
		if err := load(ctx, n, rec); err != nil {
			errs = append(errs, fmt.Errorf("record %d: %w", n, err))
			if len(errs) > 20 {
				return n, errors.Join(errs...)
			}
		}
		n++
	}
}

func main() {
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
	loaders := map[string]loader{
		"holds":    holdLoader(c),
		"ended":    endedHoldLoader(c),
		"guests":   guestLoader(c),
		"sessions": sessionLoader(c),
		"ledger":   ledgerLoader(c, *hotel),
		"deltas":   deltaLoader(c),
		"reviews":  reviewLoader(c),
		"quotes":   quoteLoader(c),
	}
	load, ok := loaders[*kind]
	if !ok {
		log.Fatalf("unknown kind %q", *kind)
	}
	n, err := run(ctx, os.Stdin, load)
	log.Printf("%d records", n)
	if err != nil && !errors.Is(err, btrt.ErrNotFound) {
		log.Fatal(err)
	}
}
