package commerce

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"sort"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/names"
)

// Scan is a scan of a bag tag.
type Scan struct {
	Tag   string
	Belt  string
	At    time.Time
	Agent string
}

// Record writes scans with the time the scanner gives.
func (d *Desk) Record(ctx context.Context, scans []Scan) error {
	keys := make([]string, 0, len(scans))
	muts := make([]*bigtable.Mutation, 0, len(scans))
	for _, sc := range scans {
		m := bigtable.NewMutation()
		m.Set(names.FamScan, "belt", bigtable.Time(sc.At), []byte(sc.Belt)) // ok ttlwrite/clock-in-sequence
		m.Set(names.FamScan, "agent", bigtable.Now(), []byte(sc.Agent))     // ok ttlwrite/write-time
		keys = append(keys, sc.Tag)
		muts = append(muts, m)
	}
	errs, err := d.bags.ApplyBulk(ctx, keys, muts)
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return err
}

// RecordCounted also keeps the tally.
func (d *Desk) RecordCounted(ctx context.Context, flight string, scans []Scan) error {
	m := bigtable.NewMutation()
	n := 0
	for _, sc := range scans {
		n++
		m.Set(names.FamTally, sc.Belt, bigtable.Timestamp(n), []byte(sc.Tag))     // want ttlwrite/unscaled-sequence
		m.Set(names.FamTally, "last", bigtable.Timestamp(n*1000), []byte(sc.Tag)) // ok ttlwrite/unscaled-sequence
	}
	m.Set(names.FamTally, "at", bigtable.Now(), nil) // want ttlwrite/clock-in-sequence
	m.Set(names.FamScan, "at", bigtable.Now(), nil)  // ok ttlwrite/clock-in-sequence
	return d.bags.Apply(ctx, flight, m)
}

// Customs holds a bag for customs.
func (d *Desk) Customs(ctx context.Context, tag, officer string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamHold, "officer", bigtable.Now(), []byte(officer)) // ok ttlwrite/write-time
	if err := d.bags.Apply(ctx, tag, m); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamHold, "times", 1) // ok ttlwrite/read-modify-write
	_, err := d.bags.ApplyReadModifyWrite(ctx, tag, rmw)
	return err
}

// CustomsSince says how long customs has had a bag.
func (d *Desk) CustomsSince(ctx context.Context, tag string) (time.Duration, error) {
	row, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(bigtable.FamilyFilter(names.FamHold))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamHold] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Trace reads all scans of a bag, by time.
func (d *Desk) Trace(ctx context.Context, tag string, from, to time.Time) ([]Scan, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamScan), bigtable.TimestampRangeFilter(from, to))
	row, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(f)) // ok ttlread/upper-bound ttlread/expired-only
	if err != nil {
		return nil, err
	}
	var out []Scan
	for _, it := range row[names.FamScan] {
		out = append(out, Scan{Tag: tag, Belt: string(it.Value), At: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	sort.Slice(out, func(i, j int) bool { return out[i].At.Before(out[j].At) })
	return out, nil
}

// Everything reads a bag's row whole.
func (d *Desk) Everything(ctx context.Context, tag string) (bigtable.Row, error) {
	return d.bags.ReadRow(ctx, tag) // want ttlread/missing-filter
}

// EverythingOnce reads it with one version each.
func (d *Desk) EverythingOnce(ctx context.Context, tag string) (bigtable.Row, error) {
	return d.bags.ReadRow(ctx, tag, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter ttlread/version-limit
}

// Purge drops the scans of a bag before a time.
func (d *Desk) Purge(ctx context.Context, tag string, before time.Time) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange(names.FamScan, "belt", 0, bigtable.Time(before)) // ok ttlunit/sub-millisecond
	m.DeleteTimestampRange(names.FamTally, "last", 0, 500)                  // want ttlunit/sub-millisecond
	return d.bags.Apply(ctx, tag, m)
}

// Early reads the cells that the 2020 importer wrote with tiny timestamps.
func (d *Desk) Early(ctx context.Context, tag string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamScan), bigtable.TimestampRangeFilterMicros(0, 999)) // want ttlunit/sub-millisecond[early]
	row, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(f))                                                   // want ttlunit/sub-millisecond[early]
	return len(row[names.FamScan]), err
}

// EarlyMillis reads the first second.
func (d *Desk) EarlyMillis(ctx context.Context, tag string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamScan), bigtable.TimestampRangeFilterMicros(0, 1_000_000)) // ok ttlunit/sub-millisecond ttlunit/empty-range
	row, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(f))
	return len(row[names.FamScan]), err
}

// Old shows the scans of 2020.
func (d *Desk) Old(ctx context.Context, tag string) (int, error) {
	from := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	to := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamScan), bigtable.TimestampRangeFilter(from, to)) // want ttlunit/empty-range[old]
	row, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(f))                                               // want ttlunit/empty-range[old]
	return len(row[names.FamScan]), err
}

// Unset writes a scan without a time.
func (d *Desk) Unset(ctx context.Context, tag string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamScan, "lost", bigtable.Time(time.Time{}), nil)      // want ttlunit/out-of-range
	m.Set(names.FamScan, "found", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	return d.bags.Apply(ctx, tag, m)
}

// Top reads the newest scans of a belt; nobody knows what zero was to mean.
func (d *Desk) Top(ctx context.Context, tag string) (int, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamScan), bigtable.LatestNFilter(0)) // want ttlunit/invalid-filter[top]
	row, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(f))                                 // want ttlunit/invalid-filter[top]
	if err != nil {
		return 0, err
	}
	one := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamScan)) // want ttlunit/invalid-filter[onechain]
	again, err := d.bags.ReadRow(ctx, tag, bigtable.RowFilter(one))    // want ttlunit/invalid-filter[onechain]
	return len(row[names.FamScan]) + len(again[names.FamScan]), err
}

// Weight adds up the weight of a flight's bags in an aggregate family.
func (d *Desk) Weight(ctx context.Context, flight string, kg int64) error {
	day := time.Now().Truncate(24 * time.Hour)
	m := bigtable.NewMutation()
	m.AddIntToCell("weights", "kg", bigtable.ServerTime, kg) // want ttlwrite/aggregate-server-time
	m.AddIntToCell("weights", "day", bigtable.Time(day), kg) // ok ttlwrite/aggregate-server-time
	return d.bags.Apply(ctx, flight, m)
}

// --- the nightly report

type line struct {
	tag  string
	seen time.Time
	n    int
}

// Report streams scans of yesterday to w, over several workers.
func (d *Desk) Report(ctx context.Context, w io.Writer, prefixes []string) error {
	var wg sync.WaitGroup
	lines := make(chan line, 64)
	fails := make(chan error, len(prefixes))
	for _, p := range prefixes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			err := d.bags.ReadRows(ctx, bigtable.PrefixRange(p), func(r bigtable.Row) bool { // ok ttlread/missing-filter
				l := line{tag: r.Key()}
				for _, it := range r[names.FamScan] {
					l.n++
					if t := it.Timestamp.Time(); t.After(l.seen) {
						l.seen = t
					}
				}
				lines <- l
				return true
			}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamScan)))
			if err != nil {
				fails <- err
			}
		}()
	}
	go func() { wg.Wait(); close(lines); close(fails) }()
	cw := csv.NewWriter(w)
	for l := range lines {
		if err := cw.Write([]string{l.tag, l.seen.Format(time.RFC3339), fmt.Sprint(l.n)}); err != nil {
			return err
		}
	}
	cw.Flush()
	for err := range fails {
		return err
	}
	return cw.Error()
}

// ReportTallies streams the tallies the same way.
func (d *Desk) ReportTallies(ctx context.Context, w io.Writer, prefix string) error {
	return d.bags.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[names.FamTally] {
			fmt.Fprintf(w, "%s %s %s\n", r.Key(), it.Column, it.Value)
		}
		return true
	})
}

// ReportQuotes streams the quotes of a prefix.
func (d *Desk) ReportQuotes(ctx context.Context, w io.Writer, prefix string) error {
	opts := []bigtable.ReadOption{bigtable.LimitRows(10000)}
	return d.rawQuotes.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, it := range r[names.FamPrice] {
			fmt.Fprintf(w, "%s %s %s\n", r.Key(), it.Column, it.Value)
		}
		return true
	}, opts...)
}

// ReportLive streams only those that live.
func (d *Desk) ReportLive(ctx context.Context, w io.Writer, prefix string) error {
	opts := []bigtable.ReadOption{bigtable.LimitRows(10000)}
	opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(names.FamPrice), bt.YoungerThan(names.QuoteFor))))
	return d.rawQuotes.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamPrice] {
			fmt.Fprintf(w, "%s %s %s\n", r.Key(), it.Column, it.Value)
		}
		return true
	}, opts...)
}

// ServeTrace serves a bag's trace.
func (d *Desk) ServeTrace(w http.ResponseWriter, r *http.Request) {
	to := time.Now()
	scans, err := d.Trace(r.Context(), r.PathValue("tag"), to.Add(-48*time.Hour), to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for _, s := range scans {
		fmt.Fprintf(w, "%s %s %s\n", s.At.Format(time.RFC3339), s.Belt, s.Agent)
	}
}

// ServeQuote serves a quote.
func (d *Desk) ServeQuote(w http.ResponseWriter, r *http.Request) {
	q, err := d.Price(r.Context(), r.PathValue("key"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if q.Total == "" {
		http.Error(w, ErrNoQuote.Error(), http.StatusGone)
		return
	}
	fmt.Fprintf(w, "%s %s until %s\n", q.Total, q.Currency, q.ValidTill.Format(time.Kitchen))
}
