package idempotency

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/payments/internal/schema"
	"example.com/payments/internal/store"
)

// started is when this process came up; the janitor reports from then on.
var started = time.Now() // want ttlread/stale-bound[started]

// Janitor watches the table.
type Janitor struct {
	tbl *bigtable.Table
	log *slog.Logger
}

// NewJanitor opens its own table.
func NewJanitor(client *bigtable.Client, log *slog.Logger) *Janitor {
	return &Janitor{tbl: client.Open(string(schema.TableIdempotency)), log: log}
}

// Uptime is for the health page.
func (j *Janitor) Uptime() time.Duration { return time.Since(started) }

// Live counts replies that are still valid.
func (j *Janitor) Live(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter("response"), bigtable.TimestampRangeFilter(started, time.Time{})) // want ttlread/stale-bound[started]
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {                               // want ttlread/stale-bound[started]
		out[store.Text(row, schema.ReplyStatus)]++
		return true
	}, bigtable.RowFilter(f)) // want ttlread/stale-bound[started]
	return out, err
}

// Owners lists who holds keys at this moment.
func (j *Janitor) Owners(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	f := store.LiveFamily(schema.FamKey, time.Now())
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/stale-bound
		out[store.Text(row, schema.KeyOwner)]++
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Statuses counts replies by status, with the statuses' filter only.
func (j *Janitor) Statuses(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter[statuses]
		for _, it := range row[schema.FamResponse.String()] {
			out[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ColumnFilter("status")), bigtable.LimitRows(10000)) // want ttlread/missing-filter[statuses]
	return out, err
}

// Audit lists actors of the last week, oldest first.
func (j *Janitor) Audit(ctx context.Context, week time.Time) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter("audit"), bigtable.TimestampRangeFilter(week, week.AddDate(0, 0, 7)))
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range row["audit"] {
			out = append(out, it.Timestamp.Time().Format("2006-01-02 written 15:04 ")+string(it.Value)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// AuditSince is Audit for the export job, which thinks in milliseconds.
func (j *Janitor) AuditSince(ctx context.Context, since time.Time) (int, error) {
	n := 0
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter("audit"),
		bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(since.UnixMilli()), 0), // want ttlunit/wrong-unit
	)
	err := j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		n += len(row["audit"])
		return true
	}, bigtable.RowFilter(f))
	return n, err
}

// Purge deletes everything under a prefix, live or not.
func (j *Janitor) Purge(ctx context.Context, prefix string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := j.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		return err
	}
	_, err = j.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Snapshot copies all live cells for an incident.
func (j *Janitor) Snapshot(ctx context.Context, emit func(bigtable.Row)) error {
	return j.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/hides-other-families[snapshot]
		emit(row)
		return true
	}, bigtable.RowFilter(store.LiveFilter(time.Now()))) // want ttlread/hides-other-families[snapshot]
}

// Marker notes that the janitor ran; one mutation for all its columns.
func (j *Janitor) Marker(ctx context.Context, runs []string) error {
	ts := bigtable.Time(time.Now().Add(Day))
	mut := bigtable.NewMutation()
	for range runs {
		mut.Set("key", "janitor", ts, []byte("ran")) // want ttlwrite/same-timestamp
	}
	return j.tbl.Apply(ctx, "janitor", mut)
}

// Markers notes each run in a column of its own.
func (j *Janitor) Markers(ctx context.Context, runs []string) error {
	ts := bigtable.Time(time.Now().Add(Day))
	mut := bigtable.NewMutation()
	for _, run := range runs {
		mut.Set("key", "janitor-"+run, ts, []byte("ran")) // ok ttlwrite/same-timestamp
	}
	return j.tbl.Apply(ctx, "janitor", mut)
}
