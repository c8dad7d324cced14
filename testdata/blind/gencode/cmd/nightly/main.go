// Command nightly writes the report of the night audit.
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/availbt"
	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/guestsbt"
	"example.com/hotelbook/gen/holdsbt"
	"example.com/hotelbook/gen/ledgerbt"
	"example.com/hotelbook/gen/offersbt"
	"example.com/hotelbook/gen/ratesbt"
	"example.com/hotelbook/internal/btx"
	"example.com/hotelbook/internal/config"
)

// section writes one part of the report.
type section func(ctx context.Context, c *bigtable.Client, w *csv.Writer) error

// holdRecord is one line about a hold.
type holdRecord struct {
	Room      string
	CreatedAt time.Time
	ExpiresAt time.Time
}

func holdSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	tbl := holdsbt.Open(c).Raw()
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[holdsbt.FamilyHold] {
			rec := holdRecord{
				Room:      string(it.Value),
				CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
				ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
			}
			_ = w.Write([]string{"hold", rec.Room, rec.CreatedAt.String(), rec.ExpiresAt.String()})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(holdsbt.ColHoldRoom), btx.Live())))
}

func holdTotals(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	rows, err := btrt.Collect[holdsbt.Row](ctx, holdsbt.Open(c).Raw(), bigtable.InfiniteRange("")) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	var cents int64
	for _, r := range rows {
		if r.Hold != nil {
			cents += r.Hold.PriceCents
		}
	}
	return w.Write([]string{"holds", fmt.Sprint(cents)})
}

func sessionSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	tbl := guestsbt.Open(c)
	devices := map[string]int{}
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r *guestsbt.Row) bool { // want ttlread/missing-filter[sessions]
		if r.Session != nil {
			devices[r.Session.Device]++
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(guestsbt.FamilySession))) // want ttlread/missing-filter[sessions]
	if err != nil {
		return err
	}
	return w.Write([]string{"sessions", fmt.Sprint(devices)})
}

func liveSessionSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	tbl := guestsbt.Open(c)
	devices := map[string]int{}
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r *guestsbt.Row) bool { // ok ttlread/missing-filter
		if r.Session != nil {
			devices[r.Session.Device]++
		}
		return true
	}, bigtable.RowFilter(btx.In(guestsbt.FamilySession, btx.Live())))
	if err != nil {
		return err
	}
	return w.Write([]string{"live sessions", fmt.Sprint(devices)})
}

// expired says whether a cell is over.
func expired(it bigtable.ReadItem, now time.Time) bool {
	return it.Timestamp.Time().Before(now)
}

func checkedSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	now := time.Now()
	tbl := guestsbt.Open(c).Raw()
	n := 0
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[guestsbt.FamilySession] {
			if !expired(it, now) {
				n++
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	return w.Write([]string{"checked sessions", fmt.Sprint(n)})
}

func quoteSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	tbl := ratesbt.Open(c).Raw()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(ratesbt.FamilyQuote), btx.Within(time.Hour)) // want ttlread/wrong-bound[hour]
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {              // want ttlread/wrong-bound[hour]
		for _, it := range r[ratesbt.FamilyQuote] {
			updated := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
			_ = w.Write([]string{"quote", r.Key(), updated})
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[hour]
}

func planSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	tbl := ratesbt.Open(c).Raw()
	f := bigtable.FamilyFilter(ratesbt.FamilyPlan)
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[ratesbt.FamilyPlan] {
			updated := it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
			_ = w.Write([]string{"plan", r.Key(), updated})
		}
		return true
	}, bigtable.RowFilter(f))
}

func deltaSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	rows, err := btrt.Collect[availbt.Row](ctx, availbt.Open(c).Raw(), bigtable.InfiniteRange(""), bigtable.RowFilter(btx.Within(24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Delta != nil {
			_ = w.Write([]string{"delta", r.Key, fmt.Sprint(r.Delta.Change)})
		}
	}
	return nil
}

func deltaNewest(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	rows, err := btrt.Collect[availbt.Row](ctx, availbt.Open(c).Raw(), bigtable.InfiniteRange(""), btx.Newest(1)) // ok ttlread/wrong-bound
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Delta != nil {
			_ = w.Write([]string{"newest delta", r.Key, fmt.Sprint(r.Delta.Change)})
		}
	}
	return nil
}

func offerSection(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
	tbl := offersbt.Open(c)
	day := btx.Within(24 * time.Hour)
	for _, q := range []struct {
		name   string
		filter bigtable.Filter
	}{
		{"current", day},                      // ok ttlread/wrong-bound
		{"recent", btx.Within(2 * time.Hour)}, // want ttlread/wrong-bound[offers]
	} {
		n := 0
		err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r *offersbt.Row) bool { // want ttlread/wrong-bound[offers]
			n++
			return r.Offer != nil
		}, bigtable.RowFilter(q.filter)) // want ttlread/wrong-bound[offers]
		if err != nil {
			return err
		}
		_ = w.Write([]string{"offers", q.name, fmt.Sprint(n)})
	}
	return nil
}

// total adds up the entries of a ledger.
func total(rows []ledgerbt.Row) (cents int64) {
	for _, r := range rows {
		if r.Entry != nil {
			cents += r.Entry.AmountCents
		}
	}
	return cents
}

// ledgerSection takes the hotels from the configuration.
func ledgerSection(hotels []string) section {
	return func(ctx context.Context, c *bigtable.Client, w *csv.Writer) error {
		for _, h := range hotels {
			rows, err := btrt.Collect[ledgerbt.Row](ctx, ledgerbt.Open(c, h).Raw(), bigtable.InfiniteRange("")) // want ttlread/missing-filter
			if err != nil {
				return err
			}
			_ = w.Write([]string{"ledger", h, fmt.Sprint(total(rows))})
			rows, err = btrt.Collect[ledgerbt.Row](ctx, ledgerbt.Open(c, h).Raw(), bigtable.InfiniteRange(""), btx.Newest(3)) // ok ttlread/missing-filter
			if err != nil {
				return err
			}
			_ = w.Write([]string{"newest ledger", h, fmt.Sprint(total(rows))})
		}
		return nil
	}
}

func main() {
	out := flag.String("o", "", "file to write")
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
	file := os.Stdout
	if *out != "" {
		if file, err = os.Create(*out); err != nil {
			log.Fatal(err)
		}
		defer file.Close()
	}
	w := csv.NewWriter(file)
	for _, s := range []section{
		holdSection, holdTotals, sessionSection, liveSessionSection, checkedSection,
		quoteSection, planSection, deltaSection, deltaNewest, offerSection, ledgerSection(cfg.Hotels),
	} {
		if err := s(ctx, c, w); err != nil {
			log.Print(err)
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		log.Fatal(err)
	}
}
