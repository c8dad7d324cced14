package worker

import (
	"context"
	"encoding/csv"
	"io"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Exporter writes tables as CSV for the auditors.
type Exporter struct {
	base
	tables Tables
	open   func(name string) (io.WriteCloser, error)
}

// NewExporter makes an Exporter.
func NewExporter(t Tables, log *slog.Logger, open func(string) (io.WriteCloser, error)) *Exporter {
	return &Exporter{base: base{name: "exporter", every: 24 * time.Hour, log: log}, tables: t, open: open}
}

// export is one file.
type export struct {
	file   string
	table  bt.Table
	family string
	filter bigtable.Filter
	stamp  bool
}

// Do writes all files.
func (e *Exporter) Do(ctx context.Context) error {
	now := time.Now()
	for _, x := range []export{
		{"grants.csv", e.tables.Grants, schema.FamGrant, bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamGrant), bigtable.LatestNFilter(1)), false},                      // ok ttlread/version-limit
		{"grants-all.csv", e.tables.Grants, schema.FamGrant, bigtable.FamilyFilter(schema.FamGrant), false},                                                                    // want ttlread/version-limit[xall]
		{"tokens.csv", e.tables.Tokens, string(schema.Access), bigtable.ChainFilters(bigtable.FamilyFilter("access"), bigtable.TimestampRangeFilter(now, time.Time{})), false}, // ok ttlread/missing-filter
		{"refresh.csv", e.tables.Tokens, string(schema.Refresh), bigtable.ChainFilters(bigtable.FamilyFilter("refresh"), bigtable.LatestNFilter(1)), false},                    // want ttlread/missing-filter[xref]
		{"audit.csv", e.tables.Tokens, string(schema.Audit), bigtable.FamilyFilter("audit"), true},                                                                             // ok ttlread/missing-filter
		{"devices.csv", e.tables.Prefs, schema.FamDevice, bt.In(schema.FamDevice, bt.Younger(schema.DeviceTTL)), false},                                                        // ok ttlread/wrong-bound
		{"prefs.csv", e.tables.Prefs, schema.FamPref, bt.In(schema.FamPref), false},                                                                                            // ok ttlread/missing-filter
	} {
		if err := e.write(ctx, x); err != nil { // want ttlread/version-limit[xall] ttlread/missing-filter[xref]
			return err
		}
	}
	return nil
}

func (e *Exporter) write(ctx context.Context, x export) error {
	f, err := e.open(x.file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	err = x.table.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/version-limit[xall] ttlread/missing-filter[xref]
		for _, it := range r[x.family] {
			rec := []string{r.Key(), it.Column, string(it.Value)}
			if x.stamp {
				rec = append(rec, it.Timestamp.Time().Format(time.RFC3339)) // maybe ttlage/not-write-time
			}
			if w.Write(rec) != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(x.filter))
	w.Flush()
	return err
}

// Ages writes how old everything is, by family.
func (e *Exporter) Ages(ctx context.Context, out io.Writer) error {
	w := csv.NewWriter(out)
	defer w.Flush()
	now := time.Now()
	live := bigtable.InterleaveFilters(
		bt.In(schema.Access, bt.LiveAt(now)),  // ok ttlread/unfiltered-branch
		bt.In(schema.Refresh, bt.LiveAt(now)), // ok ttlread/unfiltered-branch
		bt.In(schema.Audit),                   // ok ttlread/unfiltered-branch
	)
	for row, err := range bt.Rows(ctx, e.tables.Tokens, bigtable.InfiniteRange(""), bigtable.RowFilter(live)) { // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		for it := range bt.Cells(row, schema.Audit) {
			age := now.Sub(it.Timestamp.Time()) // ok ttlage/not-write-time
			_ = w.Write([]string{row.Key(), "audit", age.String()})
		}
		for it := range bt.Cells(row, schema.Access) {
			age := now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			_ = w.Write([]string{row.Key(), "access", age.String()})
		}
		for it := range bt.Cells(row, schema.Refresh) {
			left := it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
			_ = w.Write([]string{row.Key(), "refresh", strconv.Itoa(int(left.Hours()))})
		}
	}
	return nil
}
