// Package export writes tenants' data into files and keeps the activity log.
package export

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
)

// Event is a line of the activity log.
type Event struct {
	Tenant    string    `json:"tenant"`
	Actor     string    `json:"actor"`
	Action    string    `json:"action"`
	CreatedAt time.Time `json:"created_at"`
}

// Activity is the log of all tenants, with ordinary timestamps.
type Activity struct {
	tbl *bigtable.Table
	rev string
}

// OpenActivity opens the log.
func OpenActivity(client *bigtable.Client) *Activity {
	return &Activity{tbl: client.Open(schema.ActivityTable), rev: schema.FamRev}
}

func (a *Activity) Log(ctx context.Context, e Event) error {
	now := time.Now()
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "actor", bigtable.Time(now), []byte(e.Actor))    // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamEvent, "action", bigtable.ServerTime, []byte(e.Action)) // ok ttlwrite/server-timestamp
	m.Set(a.rev, "agent", bigtable.Now(), []byte("platform/3"))             // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamRev, "schema", bigtable.Timestamp(0), []byte("3"))      // ok ttlwrite/unscaled-sequence
	return a.tbl.Apply(ctx, schema.ReverseKey(e.Tenant, now), m)
}

func (a *Activity) Imported(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamEvent, "actor", bigtable.Timestamp(e.CreatedAt.UnixMilli()), []byte(e.Actor))        // want ttlunit/wrong-unit
	m.Set(schema.FamEvent, "action", bigtable.Timestamp(e.CreatedAt.UnixMilli()*1000), []byte(e.Action)) // ok ttlunit/wrong-unit
	m.Set(schema.FamEvent, "tenant", bigtable.Timestamp(e.CreatedAt.UnixNano()), []byte(e.Tenant))       // want ttlunit/wrong-unit
	m.Set(schema.FamEvent, "nanos", bigtable.Timestamp(e.CreatedAt.UnixNano()/1000), nil)                // ok ttlunit/wrong-unit
	m.Set(schema.FamEvent, "zero", bigtable.Time(time.Time{}), nil)                                      // want ttlunit/out-of-range
	m.Set(schema.FamEvent, "epoch", bigtable.Time(time.Unix(0, 0)), nil)                                 // ok ttlunit/out-of-range
	return a.tbl.Apply(ctx, schema.ReverseKey(e.Tenant, e.CreatedAt), m)
}

func (a *Activity) Count(ctx context.Context, tenant, action string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamEvent, "n_"+action, 1)       // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamRev, "trail", []byte{'.'}) // ok ttlwrite/read-modify-write
	_, err := a.tbl.ApplyReadModifyWrite(ctx, schema.Key(tenant, "counts"), rmw)
	return err
}

func (a *Activity) Tail(ctx context.Context, tenant string, n int64) ([]Event, error) {
	var out []Event
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		e := Event{Tenant: tenant}
		for _, it := range row[schema.FamEvent] {
			switch it.Column {
			case schema.FamEvent + ":actor":
				e.Actor = string(it.Value)
				e.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
			case schema.FamEvent + ":action":
				e.Action = string(it.Value)
			}
		}
		out = append(out, e)
		return true
	}, bigtable.LimitRows(n))
	return out, err
}

func (a *Activity) Between(ctx context.Context, tenant string, from, to time.Time) (int, error) {
	n := 0
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		n += len(row[schema.FamEvent])
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamEvent), bigtable.TimestampRangeFilter(from, to)))) // ok ttlread/upper-bound
	return n, err
}

func (a *Activity) Actions(ctx context.Context, tenant, action string) (int, error) {
	n := 0
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // want ttlread/overridden-filter[actions]
		n++
		return len(row) > 0
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamEvent)), bigtable.RowFilter(bigtable.ValueFilter(action))) // want ttlread/overridden-filter[actions]
	return n, err
}

func (a *Activity) Ages(ctx context.Context, tenant string) ([]time.Duration, error) {
	var out []time.Duration
	err := a.tbl.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamEvent] {
			out = append(out, time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
			if it.Timestamp == bigtable.ServerTime {           // want ttlage/server-sentinel
				slog.Warn("event without a time", "row", row.Key())
			}
		}
		return true
	})
	return out, err
}

// Exporter writes one tenant's documents.
type Exporter struct {
	Tenant *registry.Tenant
	Out    io.Writer
	Limit  int64

	rows int
}

func (x *Exporter) CSV(ctx context.Context) error {
	w := csv.NewWriter(x.Out)
	if err := w.Write([]string{"doc", "number", "author", "bytes", "written_at"}); err != nil {
		return err
	}
	var werr error
	err := x.Tenant.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		it, ok := btx.Item(row, schema.FamRev, "body")
		if !ok {
			return true
		}
		written := it.Timestamp.Time() // want ttlage/not-write-time[csv]
		rec := []string{
			row.Key(),
			strconv.FormatInt(btx.Number(it.Timestamp), 10), // ok ttlage/not-write-time
			string(btx.Cell(row, schema.FamRev, "author")),
			strconv.Itoa(len(it.Value)),
			written.Format(time.RFC3339), // want ttlage/not-write-time[csv]
		}
		if werr = w.Write(rec); werr != nil {
			return false
		}
		x.rows++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.LatestNFilter(1))))
	w.Flush()
	return errors.Join(err, werr, w.Error())
}

func (x *Exporter) JSON(ctx context.Context) error {
	enc := json.NewEncoder(x.Out)
	var eerr error
	err := x.Tenant.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		x.rows++
		eerr = enc.Encode(row)
		return eerr == nil
	}, bigtable.LimitRows(x.Limit))
	return errors.Join(err, eerr)
}

func (x *Exporter) Bodies(ctx context.Context, f func(doc string, body []byte) error) error {
	var ferr error
	opts := []bigtable.ReadOption{btx.Newest(1)}
	if x.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(x.Limit))
	}
	err := x.Tenant.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // ok ttlread/version-limit
		ferr = f(row.Key(), btx.Cell(row, schema.FamRev, "body"))
		return ferr == nil
	}, opts...)
	return errors.Join(err, ferr)
}

func (x *Exporter) Zip(ctx context.Context) error {
	zw := zip.NewWriter(x.Out)
	err := x.Bodies(ctx, func(doc string, body []byte) error {
		f, err := zw.CreateHeader(&zip.FileHeader{Name: strings.ReplaceAll(doc, "#", "/"), Modified: time.Now()})
		if err != nil {
			return err
		}
		_, err = f.Write(body)
		return err
	})
	if err != nil {
		return err
	}
	var ferr error
	err = x.Tenant.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[zip]
		for _, it := range row[schema.FamDraft] {
			h := &zip.FileHeader{Name: "drafts/" + row.Key() + "/" + it.Column}
			h.Modified = it.Timestamp.Time() // want ttlage/not-write-time
			f, err := zw.CreateHeader(h)
			if err != nil {
				ferr = err
				return false
			}
			_, ferr = f.Write(it.Value)
		}
		return ferr == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamDraft), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[zip]
	return errors.Join(err, ferr, zw.Close())
}

func (x *Exporter) Quotas(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := x.Tenant.Limits.ReadRows(ctx, bigtable.PrefixRange("q#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		out[row.Key()] = btx.ParseInt(btx.Cell(row, schema.FamQuota, "used"))
		return true
	})
	return out, err
}

func (x *Exporter) QuotasNewest(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := x.Tenant.Limits.ReadRows(ctx, bigtable.PrefixRange("q#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out[row.Key()] = btx.ParseInt(btx.Cell(row, schema.FamQuota, "used"))
		return true
	}, btx.Newest(1))
	return out, err
}

func (x *Exporter) CachedAt(ctx context.Context, key string) (string, error) {
	row, err := x.Tenant.Cache.ReadRow(ctx, key, bigtable.RowFilter(btx.Of(schema.FamPage, btx.Younger(schema.PageTTL)))) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	it, ok := btx.Item(row, schema.FamPage, "html")
	if !ok {
		return "never", nil
	}
	return "cached " + time.Since(it.Timestamp.Time()).Round(time.Second).String() + " ago", nil // want ttlage/not-write-time
}

func (x *Exporter) MarkExported(ctx context.Context, doc string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamMeta, "exported", btx.Stamp(), []byte(time.Now().Format(time.RFC3339))) // want ttlwrite/clock-in-zero
	m.Set(schema.FamMeta, "export_rows", 0, []byte(strconv.Itoa(x.rows)))                   // ok ttlwrite/clock-in-zero
	return x.Tenant.Docs.Apply(ctx, doc, m)
}

// Checkpoint remembers where an export stopped, in a table without rules.
func Checkpoint(ctx context.Context, client *bigtable.Client, tenant, key string) error {
	tbl := client.Open(schema.ScratchTable)
	m := bigtable.NewMutation()
	m.Set(schema.FamSession, "key", bigtable.ServerTime, []byte(key)) // ok ttlwrite/server-timestamp
	m.Set(schema.FamRev, "key", bigtable.Now(), []byte(key))          // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamFlag, "done", bigtable.Timestamp(1500), nil)      // want ttlunit/sub-millisecond
	m.Set(schema.FamFlag, "open", bigtable.Timestamp(2000), nil)      // ok ttlunit/sub-millisecond
	return tbl.Apply(ctx, tenant, m)
}

// LastCheckpoint reads it back.
func LastCheckpoint(ctx context.Context, client *bigtable.Client, tenant string) (string, time.Time, error) {
	row, err := client.Open(schema.ScratchTable).ReadRow(ctx, tenant) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	it, ok := btx.Item(row, schema.FamSession, "key")
	if !ok {
		return "", time.Time{}, nil
	}
	updatedAt := it.Timestamp.Time() // ok ttlage/not-write-time
	return string(it.Value), updatedAt, nil
}

// Ledger books an export; the ledger has a quota family that is an ordinary one.
func Ledger(ctx context.Context, client *bigtable.Client, tenant string, bytes int64) error {
	tbl := client.Open(schema.LedgerTable)
	m := bigtable.NewMutation()
	m.Set(schema.FamQuota, "bytes", bigtable.Now(), btx.Int(bytes)) // ok ttlwrite/clock-in-sequence
	if err := tbl.Apply(ctx, tenant, m); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamQuota, "exports", 1) // ok ttlwrite/read-modify-write
	_, err := tbl.ApplyReadModifyWrite(ctx, tenant, rmw)
	return err
}

// FromEnv reads a table that the environment names.
func FromEnv(ctx context.Context, client *bigtable.Client, f func(bigtable.Row) error) error {
	tbl := client.Open(os.Getenv("EXPORT_TABLE"))
	var ferr error
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		ferr = f(row)
		return ferr == nil
	})
	return errors.Join(err, ferr)
}

// ToEnv copies revisions into it; nobody knows what "rev" means there.
func ToEnv(ctx context.Context, client *bigtable.Client, key string, body []byte) error {
	tbl := client.Open(os.Getenv("EXPORT_TABLE"))
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "body", bigtable.Now(), body)   // ok ttlwrite/clock-in-sequence
	m.Set(schema.FamMeta, "source", bigtable.Now(), nil) // ok ttlwrite/clock-in-zero
	return tbl.Apply(ctx, key, m)
}

// Report holds what a monthly report needs.
type Report struct {
	Tenant   string         `json:"tenant"`
	Docs     int            `json:"docs"`
	Sessions int            `json:"sessions"`
	Events   map[string]int `json:"events"`
}

// Summary counts for a report.
func Summary(ctx context.Context, t *registry.Tenant, a *Activity) (Report, error) {
	r := Report{Tenant: t.ID, Events: map[string]int{}}
	err := t.Docs.ReadRows(ctx, bigtable.PrefixRange("doc#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		r.Docs++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil {
		return r, fmt.Errorf("docs: %w", err)
	}
	events, err := a.Tail(ctx, t.ID, 10000)
	if err != nil {
		return r, fmt.Errorf("events: %w", err)
	}
	for _, e := range events {
		r.Events[e.Action]++
	}
	return r, nil
}
