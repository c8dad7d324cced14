// Package export copies data into the analytics table, from where the warehouse takes it.
package export

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/tariff"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Exporter writes copies. The families of the analytics table have ordinary timestamps, whatever the
// families of the same name have elsewhere.
type Exporter struct {
	dst   *bigtable.Table
	src   *bigtable.Table
	rates *bigtable.Table
	log   *slog.Logger
	now   func() time.Time
}

// New makes an Exporter.
func New(client *bigtable.Client, log *slog.Logger) *Exporter {
	return &Exporter{
		dst:   client.Open(bt.TableAnalytics),
		src:   client.Open(bt.TableCharging),
		rates: client.Open(bt.TableTariffs),
		log:   log,
		now:   time.Now,
	}
}

// Samples copies samples.
func (e *Exporter) Samples(ctx context.Context, id tenant.ID, sid string, samples []charging.Sample) error {
	mut := bigtable.NewMutation()
	old := bigtable.Time(e.now().Add(-60 * 24 * time.Hour))
	for _, sm := range samples {
		raw, err := json.Marshal(sm)
		if err != nil {
			return err
		}
		mut.Set(bt.FamSample, sm.At.Format(time.RFC3339), old, raw) // ok ttlwrite/already-expired
	}
	mut.Set(bt.FamState, "copied", bigtable.Now(), nil)                   // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamOTP, "copied", bigtable.ServerTime, []byte("no codes")) // ok ttlwrite/server-timestamp
	return e.dst.Apply(ctx, tenant.Key(id, sid), mut)
}

// Rate copies a rate with the time of its publication.
func (e *Exporter) Rate(ctx context.Context, id tenant.ID, name string, r tariff.Rate) error {
	return bt.Build().PutJSON(bt.FamRate, "r", bigtable.Now(), r).Apply(ctx, e.dst, tenant.Key(id, name)) // ok ttlwrite/clock-in-sequence
}

// Usage counts what was exported.
func (e *Exporter) Usage(ctx context.Context, id tenant.ID, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamHold, "exported", n) // ok ttlwrite/read-modify-write
	rmw.Increment(bt.FamRate, "exported", n) // ok ttlwrite/read-modify-write
	_, err := e.dst.ApplyReadModifyWrite(ctx, tenant.Key(id, "usage"), rmw)
	return err
}

// Copied reads what was copied.
func (e *Exporter) Copied(ctx context.Context, id tenant.ID, sid string) ([]charging.Sample, error) {
	row, err := e.dst.ReadRow(ctx, tenant.Key(id, sid)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []charging.Sample
	for _, it := range row[bt.FamSample] {
		var sm charging.Sample
		if json.Unmarshal(it.Value, &sm) == nil {
			out = append(out, sm)
		}
	}
	return out, nil
}

// CopiedAge tells how old a copy is.
func (e *Exporter) CopiedAge(ctx context.Context, id tenant.ID, name string) (time.Duration, error) {
	row, err := e.dst.ReadRow(ctx, tenant.Key(id, name), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamRate, "r")
	if !ok {
		return 0, bt.ErrNotFound
	}
	return e.now().Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// Table copies all rows of the charging table.
func (e *Exporter) Table(ctx context.Context, prefix string) (int, error) {
	var bulk bt.Bulk
	n := 0
	var ferr error
	err := e.src.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter[exptable]
		mut := bigtable.NewMutation()
		for fam, items := range row {
			for _, it := range items {
				mut.Set(fam, bt.Qualifier(it.Column), it.Timestamp, it.Value)
			}
		}
		bulk.Add(row.Key(), mut)
		n++
		if bulk.Len() >= 100 {
			ferr = bulk.Flush(ctx, e.dst)
		}
		return ferr == nil
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[exptable]
	if err != nil {
		return n, err
	}
	if ferr != nil {
		return n, ferr
	}
	return n, bulk.Flush(ctx, e.dst)
}

// Week copies the samples of the last week.
func (e *Exporter) Week(ctx context.Context, prefix string) (int, error) {
	var bulk bt.Bulk
	n := 0
	f := bt.In(bt.FamSample, bt.Within(e.now(), bt.SampleRetention))
	err := e.src.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		mut := bigtable.NewMutation()
		for _, it := range row[bt.FamSample] {
			mut.Set(bt.FamSample, bt.Qualifier(it.Column), it.Timestamp, it.Value)
		}
		bulk.Add(row.Key(), mut)
		n++
		return true
	}, bigtable.RowFilter(f))
	if err != nil {
		return n, err
	}
	return n, bulk.Flush(ctx, e.dst)
}

// CSV writes the rates of a tenant.
func (e *Exporter) CSV(ctx context.Context, id tenant.ID, w io.Writer) error {
	cw := csv.NewWriter(w)
	if err := cw.Write([]string{"tariff", "version", "written_at", "author"}); err != nil {
		return err
	}
	prefix := tenant.Key(id, "tar", "")
	var werr error
	err := e.rates.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/version-limit
		it, ok := bt.First(row, bt.FamRate, "r")
		if !ok {
			return true
		}
		written := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		author := ""
		if a, ok := bt.First(row, bt.FamInfo, "author"); ok {
			author = string(a.Value)
		}
		werr = cw.Write([]string{row.Key()[len(prefix):], strconv.FormatInt(int64(it.Timestamp)/1000, 10), written, author})
		return werr == nil
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	if werr != nil {
		return fmt.Errorf("export: csv: %w", werr)
	}
	cw.Flush()
	return cw.Error()
}

// Both copies a session's samples into a sandbox and into the live table again, for load tests.
func (e *Exporter) Both(ctx context.Context, client *bigtable.Client, id tenant.ID, raw []byte) error {
	sandbox := client.Open(bt.TableSandbox)
	auth := client.Open(bt.TableAuth)
	if err := bt.Build().Put(bt.FamSession, "load", raw).Apply(ctx, sandbox, tenant.Key(id, "load")); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	if err := bt.Build().Put(bt.FamSession, "load", raw).Apply(ctx, e.src, tenant.Key(id, "load")); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return bt.Build().Put(bt.FamSession, "load", raw).Apply(ctx, auth, tenant.Key(id, "load")) // want ttlwrite/server-timestamp
}
