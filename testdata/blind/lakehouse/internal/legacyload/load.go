// Package legacyload is the loader that everything began with. It still loads
// the files of two suppliers. Do not extend; see package pipeline.
package legacyload

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Families by index, as the file format numbers them.
var fams = []string{"ev", "sess", "meta"}

// Tables, opened by Init.
var (
	clicks *bigtable.Table
	dedup  *bigtable.Table
	feats  *bigtable.Table
	aggs   *bigtable.Table
	marks  bigtable.TableAPI
)

// Debug prints more.
var Debug bool

// Init opens the tables.
func Init(c *bigtable.Client) {
	clicks = c.Open("clickstream")
	dedup = c.Open("dedup")
	feats = c.Open("features")
	aggs = c.Open("aggregates")
	marks = c.Open("offsets")
}

// Load reads lines "kind|key|field|value" and writes them. flags: d dry run,
// r replace, x extra marks, z totals too.
func Load(ctx context.Context, r io.Reader, flags string) (n int, err error) {
	var (
		dry     = strings.Contains(flags, "d")
		replace = strings.Contains(flags, "r")
		extra   = strings.Contains(flags, "x")
		totals  = strings.Contains(flags, "z")
		line    int
		counts  = map[string]int64{}
		t0      = time.Now()
	)
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line++
		f := strings.SplitN(sc.Text(), "|", 4)
		if len(f) != 4 {
			return n, fmt.Errorf("line %d: %d fields", line, len(f))
		}
		kind, key, field, value := f[0], f[1], f[2], f[3]
		m := bigtable.NewMutation()
		set := func(fam, col string, ts bigtable.Timestamp, v string) {
			if Debug {
				log.Printf("%s %s:%s @%d", key, fam, col, ts)
			}
			m.Set(fam, col, ts, []byte(v))
		}
		t := clicks
		switch kind {
		case "E":
			if replace {
				m.DeleteCellsInColumn(fams[0], field)
			}
			set(fams[0], field, bigtable.ServerTime, value)          // ok ttlwrite/server-timestamp
			set(fams[2], "line", bigtable.Now(), strconv.Itoa(line)) // ok ttlwrite/write-time
			counts["E"]++
		case "S":
			ts := bigtable.Time(t0.Add(30 * time.Minute))
			set(fams[1], field, ts, value)                                // ok ttlwrite/write-time
			set(fams[1], "line", bigtable.ServerTime, strconv.Itoa(line)) // want ttlwrite/server-timestamp
			set(fams[2], "line", bigtable.ServerTime, strconv.Itoa(line)) // ok ttlwrite/server-timestamp
			counts["S"]++
		case "D":
			t = dedup
			fam, ts := "seen", bigtable.Time(time.Now().Add(24*time.Hour))
			if extra {
				set(fam, "extra", bigtable.Time(t0), value) // want ttlwrite/write-time
			}
			set(fam, "id", ts, value) // ok ttlwrite/write-time
		case "F":
			t = feats
			fam, ts := "entity", bigtable.Now()
			if strings.HasPrefix(field, "rt_") {
				fam, ts = "online", bigtable.Time(time.Now().Add(6*time.Hour))
			}
			set(fam, field, ts, value) // ok ttlwrite/write-time
		case "T":
			if !totals {
				continue
			}
			t = aggs
			set("agg", field, 0, value)                       // ok ttlwrite/clock-in-zero
			set("agg", "loaded", bigtable.Now(), t0.String()) // want ttlwrite/clock-in-zero
		default:
			return n, fmt.Errorf("line %d: kind %q", line, kind)
		}
		if dry {
			continue
		}
		if err := t.Apply(ctx, key, m); err != nil {
			return n, err
		}
		n++
	}
	if err := sc.Err(); err != nil {
		return n, err
	}
	w := bigtable.NewMutation()
	w.Set("wm", "lines", bigtable.Timestamp(line), []byte(strconv.Itoa(n)))         // want ttlwrite/unscaled-sequence
	w.Set("wm", "lines_k", bigtable.Timestamp(line*1000), []byte(strconv.Itoa(n)))  // ok ttlwrite/unscaled-sequence
	w.Set("wm", "events", bigtable.Timestamp(counts["E"]), []byte(strconv.Itoa(n))) // want ttlwrite/unscaled-sequence
	w.Set("audit", "lines", bigtable.Now(), []byte(strconv.Itoa(n)))                // ok ttlwrite/clock-in-sequence
	return n, marks.Apply(ctx, "legacyload", w)
}

// Fetch reads back what Load wrote. what: E, S, D or F.
func Fetch(ctx context.Context, what, key string) (map[string]string, error) {
	var (
		row bigtable.Row
		err error
		fam string
	)
	now := time.Now()
	switch what {
	case "E":
		fam = fams[0]
		row, err = clicks.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(now.AddDate(0, 0, -30), time.Time{})))) // ok ttlread/wrong-bound
	case "S":
		fam = fams[1]
		row, err = clicks.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(fam))) // want ttlread/missing-filter
	case "D":
		fam = "seen"
		row, err = dedup.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Time(now), 0))) // ok ttlread/missing-filter
	case "F":
		fam = "online"
		row, err = feats.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))))) // want ttlread/upper-bound
	default:
		return nil, errors.New("what?")
	}
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[fam] {
		out[strings.TrimPrefix(it.Column, fam+":")] = string(it.Value)
	}
	return out, nil
}

// Tail prints the newest events of a prefix; the filter is put together by
// hand from flags: l newest only, a all of them.
func Tail(ctx context.Context, prefix, flags string, out io.Writer) error {
	filter := bigtable.ChainFilters(bigtable.FamilyFilter("ev"), bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))
	if strings.Contains(flags, "l") {
		filter = bigtable.ChainFilters(filter, bigtable.LatestNFilter(1))
	}
	return clicks.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["ev"] {
			fmt.Fprintln(out, it.Row, it.Column, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(filter))
}

// Watch polls the login marks and says who came.
func Watch(ctx context.Context, out io.Writer) error {
	live := bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	known := map[string]bool{}
	for ctx.Err() == nil {
		err := dedup.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // maybe ttlread/stale-bound
			if len(row["seen"]) > 0 && !known[row.Key()] {
				known[row.Key()] = true
				fmt.Fprintln(out, row.Key())
			}
			return true
		}, live) // maybe ttlread/stale-bound
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
	}
	return ctx.Err()
}
