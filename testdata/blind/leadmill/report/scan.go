package report

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
)

// The scans from before SQL. Each one is a CSV for somebody who has left.

// scan is one report.
type scan struct {
	name   string
	table  string
	filter func(now time.Time, w Window) bigtable.Filter
	header []string
	line   func(r bigtable.Row) [][]string
}

func items(r bigtable.Row, fam string) [][]string {
	var out [][]string
	for _, it := range r[fam] {
		out = append(out, []string{r.Key(), it.Column, string(it.Value)})
	}
	return out
}

// SegmentSizes counts visitors per segment.
func (r *Runner) SegmentSizes(ctx context.Context, w io.Writer, prefix string, includeEnded bool) error {
	tbl := r.c.Open("visitors")
	sizes := map[string]int{}
	count := func(row bigtable.Row) bool {
		for _, it := range row["seg"] {
			sizes[it.Column]++
		}
		return true
	}
	var err error
	if includeEnded {
		err = tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), count, bigtable.RowFilter(bigtable.FamilyFilter("seg"))) // want ttlread/missing-filter
	} else {
		err = tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), count, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("seg"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})))) // ok ttlread/missing-filter
	}
	if err != nil {
		return err
	}
	names := make([]string, 0, len(sizes))
	for n := range sizes {
		names = append(names, n)
	}
	sort.Strings(names)
	bw := bufio.NewWriter(w)
	for _, n := range names {
		fmt.Fprintf(bw, "%s,%d\n", n, sizes[n])
	}
	return bw.Flush()
}

// Leads writes yesterday's changes of leads; that family is real time.
func (r *Runner) Leads(ctx context.Context, w io.Writer, win Window) error {
	cw := csv.NewWriter(w)
	err := r.c.Open("leads").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["rev"] {
			cw.Write([]string{row.Key(), it.Column, string(it.Value), "modified " + it.Timestamp.Time().Format(time.RFC3339)}) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.TimestampRangeFilter(win.From, win.To)))) // ok ttlread/wrong-bound
	cw.Flush()
	if err == nil {
		err = cw.Error()
	}
	return err
}

// ContactChanges is the copy for contacts. The family has the same name.
func (r *Runner) ContactChanges(ctx context.Context, w io.Writer) error {
	cw := csv.NewWriter(w)
	to := time.Now().Truncate(24 * time.Hour)
	err := r.c.Open("contacts").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["rev"] {
			cw.Write([]string{row.Key(), it.Column, string(it.Value), "modified " + it.Timestamp.Time().Format(time.RFC3339)}) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("rev"), bigtable.TimestampRangeFilter(to.Add(-24*time.Hour), to)))) // want ttlread/wrong-bound
	cw.Flush()
	if err == nil {
		err = cw.Error()
	}
	return err
}

// Spend writes the state of all budgets.
func (r *Runner) SpendCSV(ctx context.Context, w io.Writer, hist bool) error {
	cw := csv.NewWriter(w)
	defer cw.Flush()
	return r.c.Open("budgets").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row["cur"] {
			cw.Write([]string{row.Key(), it.Column, strconv.Itoa(len(it.Value))})
		}
		if hist {
			for _, it := range row["audit"] {
				cw.Write([]string{row.Key(), it.Column, it.Timestamp.Time().Format(time.RFC3339)})
			}
		}
		return true
	})
}

// scans are the reports that differ in little.
var scans = []scan{
	{
		name:  "tokens",
		table: "sessions",
		filter: func(now time.Time, _ Window) bigtable.Filter {
			return bigtable.ChainFilters(bigtable.FamilyFilter("tok"), bigtable.TimestampRangeFilter(now, time.Time{}))
		},
		header: []string{"session", "column", "value"},
		line:   func(r bigtable.Row) [][]string { return items(r, "tok") },
	},
	{
		name:  "audit",
		table: "budgets",
		filter: func(_ time.Time, w Window) bigtable.Filter {
			return bigtable.ChainFilters(bigtable.FamilyFilter("audit"), bigtable.TimestampRangeFilter(w.From, w.To))
		},
		header: []string{"campaign", "column", "by"},
		line:   func(r bigtable.Row) [][]string { return items(r, "audit") },
	},
}

// Run runs a report by name.
func (r *Runner) Run(ctx context.Context, name string, w io.Writer) error {
	now := time.Now()
	for _, s := range scans {
		if s.name != name {
			continue
		}
		cw := csv.NewWriter(w)
		cw.Write(s.header)
		err := r.c.Open(s.table).ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			for _, l := range s.line(row) {
				cw.Write(l)
			}
			return true
		}, bigtable.RowFilter(s.filter(now, Yesterday(now)))) // ok ttlread/wrong-bound
		cw.Flush()
		return err
	}
	return fmt.Errorf("report: no report %q", name)
}
