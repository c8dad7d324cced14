// Package reports answers the questions of the hospital's management.
package reports

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"log/slog"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

// Queries, by the name of the report.
const (
	heldBeds = "SELECT _key, hold['patient'] FROM `ward-beds`"                                                                                                  // want ttlread/sql[q1]
	heldLive = "SELECT _key, hold['patient'] FROM `ward-beds`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())"                                     // ok ttlread/sql
	bedState = "SELECT _key, bed['state'] FROM `ward-beds`"                                                                                                     // ok ttlread/sql
	entries  = "SELECT _key, entry FROM `icu-audit`(with_history => TRUE)"                                                                                      // want ttlread/sql[q2]
	entries5 = "SELECT _key, entry FROM `icu-audit`(with_history => TRUE, latest_n => 5)"                                                                       // ok ttlread/sql
	newest   = "SELECT _key, entry['log'] FROM `icu-audit`"                                                                                                     // ok ttlread/sql
	journal  = "SELECT _key, entry['text'] FROM `ward-journal`(with_history => TRUE)"                                                                           // ok ttlread/sql
	asOfNow  = "SELECT _key, session['card'] FROM `kiosk-logins`(as_of => CURRENT_TIMESTAMP())"                                                                 // want ttlread/sql[q3]
	shifts   = "SELECT _key, session['user'] FROM `ward-devices`(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 12 HOUR))" // ok ttlread/sql
	billing  = "SELECT _key, hold['patient'] FROM `billing-archive`"                                                                                            // ok ttlread/sql
	states   = "SELECT _key, last['v'] FROM `ward-state`"                                                                                                       // ok ttlread/sql
)

// Runner runs reports.
type Runner struct {
	client *bigtable.Client
	clk    clock.Clock
	log    *slog.Logger
}

// New returns a Runner.
func New(client *bigtable.Client, clk clock.Clock, log *slog.Logger) *Runner {
	return &Runner{client: client, clk: clk, log: log}
}

func (r *Runner) query(ctx context.Context, q string, row func(bigtable.ResultRow) bool) error {
	ps, err := r.client.PrepareStatement(ctx, q, nil)
	if err != nil {
		return fmt.Errorf("prepare %q: %w", q, err)
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return fmt.Errorf("bind %q: %w", q, err)
	}
	return bs.Execute(ctx, row)
}

func (r *Runner) count(ctx context.Context, q string) (int, error) {
	n := 0
	start := time.Now()
	err := r.query(ctx, q, func(bigtable.ResultRow) bool { n++; return true })
	r.log.Info("report", "rows", n, "took", time.Since(start)) // ok ttlage/not-write-time
	return n, err
}

// HeldBeds counts held beds.
func (r *Runner) HeldBeds(ctx context.Context) (int, error) {
	return r.count(ctx, heldBeds) // want ttlread/sql[q1]
}

// HeldBedsLive counts held beds.
func (r *Runner) HeldBedsLive(ctx context.Context) (int, error) {
	return r.count(ctx, heldLive) // ok ttlread/sql
}

// BedStates counts beds.
func (r *Runner) BedStates(ctx context.Context) (int, error) {
	return r.count(ctx, bedState) // ok ttlread/sql
}

// Entries counts audit entries of the ICU.
func (r *Runner) Entries(ctx context.Context) (int, error) {
	all, err := r.count(ctx, entries) // want ttlread/sql[q2]
	if err != nil {
		return 0, err
	}
	five, err := r.count(ctx, entries5) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	one, err := r.count(ctx, newest) // ok ttlread/sql
	return all - five - one, err
}

// Sundry counts the rest.
func (r *Runner) Sundry(ctx context.Context) (map[string]int, error) {
	out := make(map[string]int)
	n, err := r.count(ctx, asOfNow) // want ttlread/sql[q3]
	if err != nil {
		return nil, err
	}
	out["kiosks"] = n
	if n, err = r.count(ctx, journal); err != nil { // ok ttlread/sql
		return nil, err
	}
	out["journal"] = n
	if n, err = r.count(ctx, shifts); err != nil { // ok ttlread/sql
		return nil, err
	}
	out["shifts"] = n
	if n, err = r.count(ctx, billing); err != nil { // ok ttlread/sql
		return nil, err
	}
	out["billing"] = n
	if n, err = r.count(ctx, states); err != nil { // ok ttlread/sql
		return nil, err
	}
	out["states"] = n
	return out, nil
}

// Sessions counts the sessions of the last hour.
func (r *Runner) Sessions(ctx context.Context) (n int, err error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, session['user'] FROM `ward-devices`(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR))", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	bs, err := ps.Bind(nil)
	if err != nil {
		return 0, err
	}
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// RawRead is the read of all tickets as a message, for the replication tool.
func RawRead(instance string) *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{ // want ttlread/missing-filter[raw]
		TableName: "projects/hospital/instances/wards/tables/ward-calls", // want ttlread/missing-filter[raw]
		RowsLimit: 1000,
	}
}

// RawReadRooms reads rooms only.
func RawReadRooms() *bigtablepb.ReadRowsRequest {
	return &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: "projects/hospital/instances/wards/tables/ward-calls",
		Filter:    &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "room"}},
	}
}

// Line is a row of an export.
type Line struct {
	Key, What, Who string
	CreatedAt      time.Time
	Expires        time.Time
}

// Occupancy is who holds which bed, for the front desk.
func (r *Runner) Occupancy(ctx context.Context) ([]Line, error) {
	tbl := r.client.Open(schema.Beds)
	var out []Line
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[occ]
		for fam, items := range row {
			for _, it := range items {
				out = append(out, Line{Key: row.Key(), What: fam, Who: string(it.Value)})
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[occ]
	return out, err
}

// OccupancyLive is Occupancy for those who need to be sure.
func (r *Runner) OccupancyLive(ctx context.Context) ([]Line, error) {
	tbl := r.client.Open(schema.Beds)
	var out []Line
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.Hold), bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{}), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.Bed), bigtable.LatestNFilter(1)),
	)
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/unfiltered-branch
		for fam, items := range row {
			for _, it := range items {
				out = append(out, Line{Key: row.Key(), What: fam, Who: string(it.Value)})
			}
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// OccupancyMixed has one branch too many.
func (r *Runner) OccupancyMixed(ctx context.Context) ([]Line, error) {
	tbl := r.client.Open(schema.Beds)
	var out []Line
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[mixed]
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.Hold), bigtable.TimestampRangeFilter(r.clk.Now(), time.Time{})),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[mixed]
	)
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[mixed]
		for fam, items := range row {
			for _, it := range items {
				out = append(out, Line{Key: row.Key(), What: fam, Who: string(it.Value)})
			}
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[mixed]
	return out, err
}

// OccupancyIf reads beds that have a live hold.
func (r *Runner) OccupancyIf(ctx context.Context) (n int, err error) {
	tbl := r.client.Open(schema.Beds)
	live := btx.Family(schema.Hold, btx.Live(r.clk.Now()))
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[iff]
		n += len(row[schema.Hold])
		return true
	}, bigtable.RowFilter(bigtable.ConditionFilter(live, bigtable.PassAllFilter(), nil))) // want ttlread/unfiltered-branch[iff]
	return n, err
}

// OccupancyIfBed reads what is known of beds that have a live hold.
func (r *Runner) OccupancyIfBed(ctx context.Context) (n int, err error) {
	tbl := r.client.Open(schema.Beds)
	live := btx.Family(schema.Hold, btx.Live(r.clk.Now()))
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/unfiltered-branch
		n += len(row[schema.Bed])
		return true
	}, bigtable.RowFilter(bigtable.ConditionFilter(live, bigtable.FamilyFilter(schema.Bed), nil)))
	return n, err
}

// Waiting is the open calls with their rooms.
func (r *Runner) Waiting(ctx context.Context, ward string) ([]Line, error) {
	tbl := r.client.Open(schema.Calls)
	var out []Line
	f := btx.Within(r.clk.Now(), time.Second)                                              // want ttlread/hides-other-families[wait]
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // want ttlread/hides-other-families[wait]
		out = append(out, Line{Key: row.Key(), What: btx.Value(row, schema.Ticket, "kind"), Who: btx.Value(row, schema.Room, "opened")})
		return true
	}, bigtable.RowFilter(f)) // want ttlread/hides-other-families[wait]
	return out, err
}

// WaitingKinds is the kinds of the open calls.
func (r *Runner) WaitingKinds(ctx context.Context, ward string) (map[string]int, error) {
	tbl := r.client.Open(schema.Calls)
	out := make(map[string]int)
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // ok ttlread/hides-other-families
		out[btx.Value(row, schema.Ticket, "kind")]++
		return true
	}, bigtable.RowFilter(btx.Live(r.clk.Now())))
	return out, err
}

// CSV writes the calls of a ward with times.
func (r *Runner) CSV(ctx context.Context, ward string, w io.Writer) error {
	tbl := r.client.Open(schema.Calls)
	cw := csv.NewWriter(w)
	f := bigtable.InterleaveFilters(btx.Family(schema.Ticket, btx.Live(r.clk.Now())), btx.Family(schema.Room))
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(ward+"/"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		var l Line
		if it, ok := btx.Cell(row, schema.Ticket, "kind"); ok {
			l.What = string(it.Value)
			l.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
			l.Expires = it.Timestamp.Time()   // ok ttlage/not-write-time
		}
		if it, ok := btx.Cell(row, schema.Room, "opened"); ok {
			l.Who = string(it.Value)
			l.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		_ = cw.Write([]string{row.Key(), l.What, l.Who, l.CreatedAt.Format(time.RFC3339), l.Expires.Format(time.RFC3339)})
		return true
	}, bigtable.RowFilter(f))
	cw.Flush()
	if err == nil {
		err = cw.Error()
	}
	return err
}

// Terminals is the devices in use with how long they have been.
func (r *Runner) Terminals(ctx context.Context) (map[string]time.Duration, error) {
	tbl := r.client.OpenTable(schema.Devices)
	out := make(map[string]time.Duration)
	now := r.clk.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Session), bigtable.TimestampRangeFilter(now.Add(-schema.SessionTTL), time.Time{}))
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		for _, it := range row[schema.Session] {
			out[row.Key()] = now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Kiosk is who uses a kiosk and how long they may.
func (r *Runner) Kiosk(ctx context.Context, kiosk string) (who string, left, used time.Duration, err error) {
	tbl := r.client.OpenTable(schema.Kiosks)
	now := r.clk.Now()
	row, err := tbl.ReadRow(ctx, kiosk, bigtable.RowFilter(bigtable.TimestampRangeFilter(now, time.Time{}))) // ok ttlread/missing-filter
	if err != nil {
		return "", 0, 0, err
	}
	it, ok := btx.Cell(row, schema.Session, "card")
	if !ok {
		return "", 0, 0, btx.ErrNotFound
	}
	left = it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
	used = now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	return string(it.Value), left, used, nil
}

// Counts is the number of rows and cells in a table, whatever it has.
func (r *Runner) Counts(ctx context.Context, table string) (rows int, err error) {
	err = r.client.Open(table).ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		rows++
		return true
	})
	return rows, err
}

// Archive copies the holds of the day into the archive of the billing department.
func (r *Runner) Archive(ctx context.Context) (int, error) {
	src, dst := r.client.Open(schema.Beds), r.client.Open(schema.Billing)
	now := r.clk.Now()
	n := 0
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.Hold] {
			mut := bigtable.NewMutation()
			mut.Set(schema.Hold, "patient", bigtable.Time(now), it.Value) // ok ttlwrite/write-time
			mut.Set(schema.Entry, "log", bigtable.ServerTime, it.Value)   // ok ttlwrite/clock-in-sequence
			if failed = dst.Apply(ctx, row.Key()+"#"+strconv.Itoa(n), mut); failed != nil {
				return false
			}
			n++
		}
		return true
	}, bigtable.RowFilter(btx.Family(schema.Hold, btx.Live(now))))
	if err == nil {
		err = failed
	}
	return n, err
}

// Restore copies holds back from the archive.
func (r *Runner) Restore(ctx context.Context) error {
	src, dst := r.client.Open(schema.Billing), r.client.Open(schema.Beds)
	var failed error
	err := src.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.Hold] {
			mut := bigtable.NewMutation()
			mut.Set(schema.Hold, "patient", bigtable.Now(), it.Value)       // want ttlwrite/write-time
			mut.Set(schema.Hold, "source", it.Timestamp, []byte("billing")) // ok ttlwrite/write-time
			mut.Set(schema.Bed, "restored", bigtable.Now(), it.Value)       // ok ttlwrite/write-time
			if failed = dst.Apply(ctx, row.Key(), mut); failed != nil {
				return false
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return err
}

// Top returns the wards with most of something.
func Top(counts map[string]int, n int) []string {
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if counts[keys[i]] != counts[keys[j]] {
			return counts[keys[i]] > counts[keys[j]]
		}
		return keys[i] < keys[j]
	})
	return keys[:min(n, len(keys))]
}
