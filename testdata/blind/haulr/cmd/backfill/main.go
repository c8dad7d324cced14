// Command backfill moves data from the old systems. Each step was run once, and
// may be run again.
package main

import (
	"bufio"
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

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// step is one import. family and stamp belong together.
type step struct {
	name, table, family string
	stamp               func(rec []string, n int) (bigtable.Timestamp, error)
}

func zero([]string, int) (bigtable.Timestamp, error) { return 0, nil }

func byLine(_ []string, n int) (bigtable.Timestamp, error) { return bigtablex.Seq(int64(n)), nil }

func clocked([]string, int) (bigtable.Timestamp, error) { return bigtable.Now(), nil }

func fromMillis(rec []string, _ int) (bigtable.Timestamp, error) {
	ms, err := strconv.ParseInt(rec[2], 10, 64)
	return bigtablex.EpochMillis(ms), err
}

var steps = []step{
	{"settings", tables.Settings, tables.FamPreference, zero}, // ok ttlwrite/clock-in-zero
	{"messages", tables.Inbox, tables.FamMessage, byLine},     // ok ttlwrite/unscaled-sequence
	{"profiles", tables.Drivers, tables.FamProfile, clocked},  // ok ttlwrite/write-time
	{"notices", tables.Inbox, tables.FamMessage, clocked},     // want ttlwrite/clock-in-sequence[bf]
	{"carts", tables.Carts, tables.FamItem, fromMillis},       // ok ttlwrite/already-expired
	{"events", tables.Events, tables.FamMessage, fromMillis},  // ok ttlwrite/clock-in-sequence
}

func main() {
	project := flag.String("project", os.Getenv("GOOGLE_CLOUD_PROJECT"), "Google Cloud project")
	instance := flag.String("instance", "prod", "Bigtable instance")
	name := flag.String("step", "", "what to import")
	flag.Parse()
	ctx := context.Background()
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	switch *name {
	case "tokens":
		err = tokens(ctx, client, os.Stdin)
	case "orders":
		err = orders(ctx, client, os.Stdin)
	case "prefs":
		err = prefs(ctx, client, os.Stdin)
	case "trusts":
		err = trusts(ctx, client, os.Stdin)
	case "locations":
		err = locations(ctx, client, os.Stdin)
	case "tiles":
		err = tiles(ctx, client, os.Stdin)
	default:
		err = errors.New("no such step")
		for _, s := range steps {
			if s.name == *name {
				err = s.run(ctx, client, os.Stdin)
			}
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

func (s step) run(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	w := bigtablex.NewBulkWriter(client.Open(s.table), 1000)
	n := 0
	err := records(in, func(rec []string) error {
		n++
		ts, err := s.stamp(rec, n)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(s.family, rec[1], ts, []byte(rec[len(rec)-1])) // want ttlwrite/clock-in-sequence[bf]
		return w.Add(ctx, rec[0], mut)
	})
	return errors.Join(err, w.Flush(ctx))
}

func records(in io.Reader, f func([]string) error) error {
	r := csv.NewReader(bufio.NewReader(in))
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil && len(rec) < 3 {
			err = fmt.Errorf("%d fields", len(rec))
		}
		if err == nil {
			err = f(rec)
		}
		if err != nil {
			return err
		}
	}
}

func tokens(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	tbl := client.Open("sessions")
	w := bigtablex.NewBulkWriter(tbl, 500)
	now := time.Now()
	err := records(in, func(rec []string) error {
		sec, err := strconv.ParseInt(rec[2], 10, 64)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set("tok", "jwt", bigtable.Time(time.Unix(sec, 0)), []byte(rec[1])) // ok ttlunit/wrong-unit
		mut.Set("tok", "src", bigtable.Time(now), []byte("redis"))              // want ttlwrite/write-time
		mut.Set("meta", "src", bigtable.Time(now), []byte("redis"))             // ok ttlwrite/write-time
		return w.Add(ctx, rec[0], mut)
	})
	return errors.Join(err, w.Flush(ctx))
}

func orders(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	tbl := client.Open(tables.OrderBook)
	i := 0
	return records(in, func(rec []string) error {
		i++
		mut := bigtable.NewMutation()
		mut.Set("ev", "import", bigtable.Timestamp(i), []byte(rec[1]))        // want ttlwrite/unscaled-sequence
		mut.Set("snap", "import", bigtable.Timestamp(i)*1000, []byte(rec[1])) // ok ttlwrite/unscaled-sequence
		mut.Set("info", "import", bigtable.Now(), nil)                        // ok ttlwrite/clock-in-sequence
		return tbl.Apply(ctx, rec[0], mut)
	})
}

func prefs(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	tbl := client.Open(tables.Settings)
	started := bigtable.Now()
	return records(in, func(rec []string) error {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamPreference, rec[1], started, []byte(rec[2])) // want ttlwrite/clock-in-zero
		return tbl.Apply(ctx, rec[0], mut)
	})
}

func trusts(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	tbl := client.Open(tables.Devices)
	return records(in, func(rec []string) error {
		at, err := time.Parse(time.RFC3339, rec[2])
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(tables.FamTrust, rec[1], bigtable.Timestamp(at.Add(tables.TrustTTL).UnixNano()), []byte("1")) // want ttlunit/wrong-unit
		mut.Set(tables.FamPush, rec[1], bigtable.Timestamp(at.UnixNano()/1e3), []byte("1"))                   // ok ttlunit/wrong-unit
		return tbl.Apply(ctx, rec[0], mut)
	})
}

func locations(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	tbl := client.Open(tables.Drivers)
	return records(in, func(rec []string) error {
		sec, err := strconv.ParseInt(rec[2], 10, 64)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(tables.FamLocation, "pos", bigtablex.FromUnix(sec), []byte(rec[1]))           // ok ttlunit/wrong-unit
		mut.Set(tables.FamLocation, "import", bigtable.Time(time.Time{}), []byte(rec[1]))     // want ttlwrite/already-expired|ttlunit/out-of-range
		mut.Set(tables.FamProfile, "import", bigtable.Timestamp(1_600_000_000_000_000), nil)  // ok ttlwrite/already-expired
		mut.Set(tables.FamPresence, "import", bigtable.Timestamp(1_600_000_000_000_000), nil) // want ttlwrite/already-expired
		return tbl.Apply(ctx, "d#"+rec[0], mut)
	})
}

func tiles(ctx context.Context, client *bigtable.Client, in io.Reader) error {
	tbl := client.Open(tables.GeoCache)
	f := bigtable.LatestNFilter(0) // want ttlunit/invalid-filter[tiles]
	return records(in, func(rec []string) error {
		row, err := tbl.ReadRow(ctx, rec[0], bigtable.RowFilter(bigtable.ChainFilters(bigtablex.Within(tables.TileTTL), f))) // want ttlunit/invalid-filter[tiles]
		if err != nil || len(row) > 0 {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(tables.FamTile, "png", bigtable.ServerTime, []byte(rec[1])) // ok ttlwrite/server-timestamp
		return tbl.Apply(ctx, rec[0], mut)
	})
}
