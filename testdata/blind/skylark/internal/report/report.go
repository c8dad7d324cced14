// Package report answers the questions of support and of the business.
package report

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/scan"
)

// Reports runs reports.
type Reports struct {
	c   *bigtable.Client
	s   *bt.Stores
	log *slog.Logger
}

// New returns the reports.
func New(c *bigtable.Client, s *bt.Stores, log *slog.Logger) *Reports {
	return &Reports{c: c, s: s, log: log}
}

const (
	ownersSQL = "SELECT _key, owner['user'] AS user FROM tokens WHERE _key LIKE 'u%'"
	jobsSQL   = "SELECT _key, job['channel'] AS channel FROM outbox" // want ttlread/sql[jobs]
)

func (r *Reports) query(ctx context.Context, w io.Writer, ps *bigtable.PreparedStatement) error {
	bs, err := ps.Bind(nil)
	if err != nil {
		return err
	}
	return bs.Execute(ctx, func(row bigtable.ResultRow) bool {
		_, err := fmt.Fprintln(w, row)
		return err == nil
	})
}

// Owners lists who owns tokens.
func (r *Reports) Owners(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, ownersSQL, nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// Jobs lists the queue.
func (r *Reports) Jobs(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, jobsSQL, nil) // want ttlread/sql[jobs]
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// LiveJobs lists the queue without what is over.
func (r *Reports) LiveJobs(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, job FROM outbox(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// Tokens lists push tokens.
func (r *Reports) Tokens(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, push FROM tokens", nil) // want ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// Raw lists raw samples.
func (r *Reports) Raw(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, raw['temp'] FROM samples", nil) // want ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// Rolled lists rolled up samples.
func (r *Reports) Rolled(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, rollup['1h/temp'] FROM samples", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// Commits lists offsets; the newest version is what SQL returns.
func (r *Reports) Commits(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, commit['position'] FROM offsets", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

// Archive lists the data team's copy.
func (r *Reports) Archive(ctx context.Context, w io.Writer) error {
	ps, err := r.c.PrepareStatement(ctx, "SELECT _key, live, shadow FROM archive", nil) // ok ttlread/sql
	if err != nil {
		return err
	}
	return r.query(ctx, w, ps)
}

type line struct {
	Key, Text string
}

// Presence lists devices and their gateways.
func (r *Reports) Presence(ctx context.Context, tenant string) ([]line, error) {
	return scan.All(ctx, r.s.Devices, tenant, func(row bigtable.Row) (line, error) { // want ttlread/missing-filter
		it, _ := bt.First(row, bt.FamLive, "gateway")
		return line{row.Key(), string(it.Value)}, nil
	})
}

// PresenceNow is Presence of what is online.
func (r *Reports) PresenceNow(ctx context.Context, tenant string) ([]line, error) {
	return scan.All(ctx, r.s.Devices, tenant, func(row bigtable.Row) (line, error) { // ok ttlread/missing-filter
		it, _ := bt.First(row, bt.FamLive, "gateway")
		return line{row.Key(), string(it.Value)}, nil
	}, bigtable.RowFilter(bt.Live(bt.FamLive)))
}

// Firmwares lists what devices run.
func (r *Reports) Firmwares(ctx context.Context, tenant string) ([]line, error) {
	return scan.All(ctx, r.s.Devices, tenant, func(row bigtable.Row) (line, error) { // ok ttlread/missing-filter
		it, _ := bt.First(row, bt.FamInfo, "firmware")
		return line{row.Key(), string(it.Value)}, nil
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamInfo)))
}

// Receipts lists what was sent.
func (r *Reports) Receipts(ctx context.Context) ([]line, error) {
	f := bt.Live(bt.FamReceipt)                                                 // want ttlread/wrong-bound[rreceipts]
	return scan.All(ctx, r.s.Outbox, "", func(row bigtable.Row) (line, error) { // want ttlread/wrong-bound[rreceipts]
		it, _ := bt.First(row, bt.FamReceipt, "status")
		return line{row.Key(), string(it.Value)}, nil
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[rreceipts]
}

// Dump writes all of the outbox that is live.
func (r *Reports) Dump(ctx context.Context, w io.Writer) error {
	rows, errc := scan.Stream(ctx, r.s.Outbox, "", bt.Live(bt.FamJob)) // ok ttlread/missing-filter
	for row := range rows {
		for _, it := range row[bt.FamJob] {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%q\n", row.Key(), it.Column, it.Value); err != nil {
				return err
			}
		}
	}
	return <-errc
}

// DumpTokens writes all of the tokens.
func (r *Reports) DumpTokens(ctx context.Context, w io.Writer) error {
	rows, errc := scan.Stream(ctx, r.s.Tokens, "", bigtable.LatestNFilter(1)) // want ttlread/missing-filter
	for row := range rows {
		for fam, items := range row {
			for _, it := range items {
				if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%q\n", row.Key(), fam, it.Column, it.Value); err != nil {
					return err
				}
			}
		}
	}
	return <-errc
}

// Quiet lists the devices of a tenant that have not been heard of for a day.
func (r *Reports) Quiet(ctx context.Context, tenant string) ([]string, error) {
	var quiet []string
	now := time.Now()
	rows, errc := scan.Stream(ctx, r.s.Devices, tenant, bt.Since(bt.FamShadow, bt.ShadowTTL)) // ok ttlread/wrong-bound
	for row := range rows {
		for _, it := range row[bt.FamShadow] {
			if strings.HasPrefix(it.Column, bt.FamShadow+":r/") && now.Sub(it.Timestamp.Time()) > 24*time.Hour { // want ttlage/not-write-time
				quiet = append(quiet, row.Key())
				break
			}
		}
	}
	return quiet, <-errc
}

// Counters adds to the day's counters, which are aggregates.
func (r *Reports) Counters(ctx context.Context, name string, n int64) error {
	m := bigtable.NewMutation()
	day := bigtable.Time(time.Now().Truncate(24 * time.Hour))
	m.AddIntToCell("daily", name, day, n)                  // ok ttlwrite/aggregate-server-time
	m.AddIntToCell("daily", "all", bigtable.ServerTime, n) // want ttlwrite/aggregate-server-time
	return r.c.Open("counters").Apply(ctx, "today", m)
}

// Sketch merges a sketch of distinct devices.
func (r *Reports) Sketch(ctx context.Context, name string, sketch []byte) error {
	m := bigtable.NewMutation()
	m.MergeBytesToCell("distinct", name, bigtable.ServerTime, sketch) // want ttlwrite/aggregate-server-time
	m.MergeBytesToCell("distinct", "all", 0, sketch)                  // ok ttlwrite/aggregate-server-time
	return r.c.Open("counters").Apply(ctx, "today", m)
}

// Counter reads a counter of the last days.
func (r *Reports) Counter(ctx context.Context, name string, days int) (bigtable.Row, error) {
	t := r.c.Open("counters")
	if days == 0 {
		return t.ReadRow(ctx, "today", bigtable.RowFilter(bigtable.ColumnFilter(name)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
	}
	if days < 0 {
		return t.ReadRow(ctx, "today", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(name), bigtable.LatestNFilter(0)))) // want ttlunit/invalid-filter
	}
	return t.ReadRow(ctx, "today", bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter(name), bigtable.LatestNFilter(days)))) // ok ttlunit/invalid-filter
}

// Epochs reads the counters of the first days of the platform.
func (r *Reports) Epochs(ctx context.Context) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(1_700_000_000_000_000, 1_600_000_000_000_000) // want ttlunit/empty-range
	return r.c.Open("counters").ReadRow(ctx, "epochs", bigtable.RowFilter(f))
}

// EpochsOrdered is Epochs.
func (r *Reports) EpochsOrdered(ctx context.Context) (bigtable.Row, error) {
	f := bigtable.TimestampRangeFilterMicros(1_600_000_000_000_000, 1_700_000_000_000_000) // ok ttlunit/empty-range
	return r.c.Open("counters").ReadRow(ctx, "epochs", bigtable.RowFilter(f))
}

// Unset drops the counters without a day.
func (r *Reports) Unset(ctx context.Context, name string) error {
	m := bigtable.NewMutation()
	m.DeleteTimestampRange("daily", name, 0, 1)           // want ttlunit/sub-millisecond
	m.DeleteTimestampRange("daily", name+"/old", 0, 1000) // ok ttlunit/sub-millisecond
	m.Set("meta", "cleaned", 1_700_000_000_000_500, nil)  // want ttlunit/sub-millisecond
	m.Set("meta", "started", 1_700_000_000_000_000, nil)  // ok ttlunit/sub-millisecond
	return r.c.Open("counters").Apply(ctx, "today", m)
}

// Only reads one column of the counters.
func (r *Reports) Only(ctx context.Context, name string) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter(name)) // want ttlunit/invalid-filter
	return r.c.Open("counters").ReadRow(ctx, "today", bigtable.RowFilter(f))
}
