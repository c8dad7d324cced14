// Package adminops is what the admin command does: backfills, purges, inspections.
package adminops

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/charging"
	"github.com/parkwise/parkwise/internal/tariff"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Env is what every operation gets.
type Env struct {
	Client *bigtable.Client
	Region string
	Log    *slog.Logger
	Out    io.Writer
	Dry    bool
	Now    time.Time
}

func (e *Env) open(name string) *bigtable.Table { return e.Client.Open(name) }

// Op is an operation.
type Op struct {
	Name string
	Help string
	Run  func(ctx context.Context, e *Env, id tenant.ID, args []string) error
}

// Ops are all operations.
var Ops = []Op{
	{"purge-sessions", "delete the sessions of a tenant", purgeSessions},
	{"purge-expired", "delete what has expired", purgeExpired},
	{"backfill-tariffs", "write tariff versions from a file", backfillTariffs},
	{"backfill-samples", "write samples from a file", backfillSamples},
	{"backfill-holds", "write holds from a file", backfillHolds},
	{"dump-auth", "print the auth table", dumpAuth},
	{"dump-holds", "print the holds", dumpHolds},
	{"dump-tariffs", "print the tariffs", dumpTariffs},
	{"count", "count rows", countRows},
	{"ages", "print how old things are", ages},
	{"repair-gauges", "write gauges at zero again", repairGauges},
}

// Find finds an operation.
func Find(name string) (Op, error) {
	for _, op := range Ops {
		if op.Name == name {
			return op, nil
		}
	}
	return Op{}, fmt.Errorf("adminops: no operation %q", name)
}

// flusher applies mutations in batches.
type flusher struct {
	tbl  *bigtable.Table
	bulk bt.Bulk
	dry  bool
	n    int
}

func (f *flusher) add(ctx context.Context, key string, mut *bigtable.Mutation) error {
	f.n++
	if f.dry {
		return nil
	}
	f.bulk.Add(key, mut)
	if f.bulk.Len() < 200 {
		return nil
	}
	return f.bulk.Flush(ctx, f.tbl)
}

func (f *flusher) close(ctx context.Context) error { return f.bulk.Flush(ctx, f.tbl) }

func purgeSessions(ctx context.Context, e *Env, id tenant.ID, _ []string) error {
	tbl := e.open(bt.TableAuth)
	fl := &flusher{tbl: tbl, dry: e.Dry}
	var ferr error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(tenant.Key(id, "ses", "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		ferr = fl.add(ctx, row.Key(), mut)
		return ferr == nil
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err = errors.Join(err, ferr); err != nil {
		return err
	}
	e.Log.InfoContext(ctx, "purged", "sessions", fl.n)
	return fl.close(ctx)
}

func purgeExpired(ctx context.Context, e *Env, id tenant.ID, _ []string) error {
	for _, t := range []struct{ table, family string }{
		{bt.TableAuth, bt.FamSession},
		{bt.TableAuth, bt.FamOTP},
		{bt.TableReservations, bt.FamHold},
		{bt.TableIdempotency, bt.FamResp},
	} {
		tbl := e.open(t.table)
		fl := &flusher{tbl: tbl, dry: e.Dry}
		dead := bigtable.ChainFilters(bigtable.FamilyFilter(t.family), bigtable.TimestampRangeFilter(time.Time{}, e.Now))
		var ferr error
		err := tbl.ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // ok ttlread/expired-only
			mut := bigtable.NewMutation()
			for _, it := range row[t.family] {
				mut.DeleteTimestampRange(t.family, bt.Qualifier(it.Column), 0, bigtable.Time(e.Now))
			}
			ferr = fl.add(ctx, row.Key(), mut)
			return ferr == nil
		}, bigtable.RowFilter(dead))
		if err = errors.Join(err, ferr, fl.close(ctx)); err != nil {
			return fmt.Errorf("%s: %w", t.table, err)
		}
		e.Log.InfoContext(ctx, "purged", "table", t.table, "family", t.family, "rows", fl.n)
	}
	return nil
}

// lines decodes a file of JSON lines.
func lines[T any](r io.Reader, f func(n int, v T) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), 4<<20)
	n := 0
	for sc.Scan() {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
		if err := f(n, v); err != nil {
			return err
		}
		n++
	}
	return sc.Err()
}

func backfillTariffs(ctx context.Context, e *Env, id tenant.ID, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: backfill-tariffs NAME JSON-LINES")
	}
	fl := &flusher{tbl: e.open(bt.TableTariffs), dry: e.Dry}
	version := int64(0)
	err := lines(strings.NewReader(args[1]), func(n int, r tariff.Rate) error {
		version++
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamRate, "r", bt.Seq(version), raw)                                     // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamRate, "draft", bigtable.Timestamp(version), raw)                     // want ttlwrite/unscaled-sequence
		mut.Set(bt.FamRate, "backfill", bigtable.Time(e.Now), nil)                         // want ttlwrite/clock-in-sequence
		mut.Set(bt.FamInfo, "backfill", bigtable.Time(e.Now), []byte(fmt.Sprint(version))) // ok ttlwrite/clock-in-sequence
		return fl.add(ctx, tenant.Key(id, append([]string{"tar"}, args...)...), mut)
	})
	return errors.Join(err, fl.close(ctx))
}

func backfillSamples(ctx context.Context, e *Env, id tenant.ID, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: backfill-samples SESSION JSON-LINES")
	}
	fl := &flusher{tbl: e.open(bt.TableCharging), dry: e.Dry}
	err := lines(strings.NewReader(args[1]), func(_ int, s charging.Sample) error {
		raw, err := json.Marshal(s)
		if err != nil {
			return err
		}
		mut := bigtable.NewMutation()
		mut.Set(bt.FamSample, s.At.Format(time.RFC3339), bigtable.Time(s.At), raw) // ok ttlwrite/already-expired
		mut.Set(bt.FamSample, "secs", bigtable.Timestamp(s.At.Unix()*1000), raw)   // want ttlunit/wrong-unit
		mut.Set(bt.FamSample, "micros", bigtable.Timestamp(s.At.Unix()*1e6), raw)  // ok ttlunit/wrong-unit
		mut.Set(bt.FamSample, "zero", 0, raw)                                      // want ttlwrite/already-expired
		return fl.add(ctx, tenant.Key(id, "chg", args[0]), mut)
	})
	return errors.Join(err, fl.close(ctx))
}

type oldHold struct {
	Bay     string `json:"bay"`
	Driver  string `json:"driver"`
	Minutes int    `json:"minutes"`
	Until   int64  `json:"until"` // seconds since 1970
}

func backfillHolds(ctx context.Context, e *Env, id tenant.ID, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: backfill-holds JSON-LINES")
	}
	fl := &flusher{tbl: e.open(bt.TableReservations), dry: e.Dry}
	err := lines(strings.NewReader(args[0]), func(n int, h oldHold) error {
		mut := bigtable.NewMutation()
		until := time.Unix(h.Until, 0)
		mut.Set(bt.FamHold, "h", bigtable.Time(until), []byte(h.Driver))                                // ok ttlunit/wrong-unit
		mut.Set(bt.FamHold, "nanos", bigtable.Timestamp(until.UnixNano()), []byte(h.Driver))            // want ttlunit/wrong-unit
		mut.Set(bt.FamHold, "left", bigtable.Timestamp(time.Duration(h.Minutes)*time.Minute), nil)      // want ttlunit/wrong-unit
		mut.Set(bt.FamHold, "rel", bigtable.Time(e.Now.Add(time.Duration(h.Minutes)*time.Minute)), nil) // ok ttlunit/wrong-unit
		mut.Set(bt.FamDetail, "line", bigtable.Time(time.Now()), fmt.Append(nil, n))                    // ok ttlwrite/write-time
		mut.Set(bt.FamHold, "line", bigtable.Time(time.Now()), fmt.Append(nil, n))                      // want ttlwrite/write-time
		return fl.add(ctx, tenant.Key(id, "bay", h.Bay), mut)
	})
	return errors.Join(err, fl.close(ctx))
}

func dumpAuth(ctx context.Context, e *Env, id tenant.ID, _ []string) error {
	tw := tabwriter.NewWriter(e.Out, 0, 4, 2, ' ', 0)
	defer tw.Flush()
	return e.open(bt.TableAuth).ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for fam, items := range row {
			for _, it := range items {
				fmt.Fprintf(tw, "%s\t%s\t%s\t%d\n", row.Key(), fam, bt.Qualifier(it.Column), len(it.Value))
			}
		}
		return true
	})
}

func dumpHolds(ctx context.Context, e *Env, id tenant.ID, args []string) error {
	live := bt.Live(e.Now)
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), live))}
	if len(args) == 1 {
		opts = append(opts, bigtable.LimitRows(int64(len(args[0]))))
	}
	return e.open(bt.TableReservations).ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamHold] {
			created := it.Timestamp.Time()                                                               // want ttlage/not-write-time[dumped]
			fmt.Fprintf(e.Out, "%s created %s: %s\n", row.Key(), created.Format(time.RFC3339), it.Value) // want ttlage/not-write-time[dumped]
		}
		return true
	}, opts...)
}

func dumpTariffs(ctx context.Context, e *Env, id tenant.ID, args []string) error {
	show := func(row bigtable.Row) bool {
		for fam, items := range row {
			for _, it := range items {
				fmt.Fprintf(e.Out, "%s %s %s %d %s\n", row.Key(), fam, it.Column, it.Timestamp/1000, it.Value)
			}
		}
		return true
	}
	rng := bigtable.PrefixRange(tenant.Key(id, append([]string{"tar"}, args...)...))
	if e.Dry {
		return e.open(bt.TableTariffs).ReadRows(ctx, rng, show, bigtable.RowFilter(bt.LatestIn(bt.FamInfo))) // ok ttlread/version-limit
	}
	return e.open(bt.TableTariffs).ReadRows(ctx, rng, show, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamRate))) // want ttlread/version-limit
}

func countRows(ctx context.Context, e *Env, id tenant.ID, args []string) error {
	counts := map[string]int{}
	for _, name := range []string{bt.TableAuth, bt.TableReservations, bt.TableCharging, bt.DevicesTable(e.Region)} {
		err := e.open(name).ReadRows(ctx, bigtable.PrefixRange(string(id)), func(bigtable.Row) bool { // ok ttlread/missing-filter
			counts[name]++
			return true
		}, bigtable.RowFilter(bigtable.StripValueFilter()))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return json.NewEncoder(e.Out).Encode(counts)
}

func ages(ctx context.Context, e *Env, id tenant.ID, _ []string) error {
	out := map[string]any{}
	charge := e.open(bt.TableCharging)
	week := bt.In(bt.FamSample, bt.Within(e.Now, bt.SampleRetention))
	err := charge.ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range row[bt.FamSample] {
			out[row.Key()] = map[string]any{
				"updated_at": it.Timestamp.Time(), // want ttlage/not-write-time
				"bytes":      len(it.Value),
			}
		}
		return true
	}, bigtable.RowFilter(week))
	if err != nil {
		return err
	}
	err = e.open(bt.TableAudit).ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamEvent] {
			out[row.Key()] = map[string]any{
				"created_at": it.Timestamp.Time(),                     // ok ttlage/not-write-time
				"age":        e.Now.Sub(it.Timestamp.Time()).String(), // ok ttlage/not-write-time
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	err = e.open(bt.TableCounters).ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamGauge] {
			out[row.Key()] = map[string]any{"age": time.Since(it.Timestamp.Time()).String()} // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamGauge)))
	if err != nil {
		return err
	}
	return json.NewEncoder(e.Out).Encode(out)
}

func repairGauges(ctx context.Context, e *Env, id tenant.ID, _ []string) error {
	tbl := e.open(bt.TableCounters)
	fl := &flusher{tbl: tbl, dry: e.Dry}
	var ferr error
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(string(id)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		for _, it := range row[bt.FamGauge] {
			col := bt.Qualifier(it.Column)
			if it.Timestamp == 0 {
				continue
			}
			mut.DeleteCellsInColumn(bt.FamGauge, col) // ok ttlwrite/delete-after-set
			mut.Set(bt.FamGauge, col, 0, it.Value)    // ok ttlwrite/clock-in-zero
		}
		mut.Set(bt.FamGauge, "repaired", bigtable.Time(e.Now), []byte("1")) // want ttlwrite/clock-in-zero
		ferr = fl.add(ctx, row.Key(), mut)
		return ferr == nil
	}, bigtable.RowFilter(bt.LatestIn(bt.FamGauge)))
	return errors.Join(err, ferr, fl.close(ctx))
}
