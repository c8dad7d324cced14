// Package jobs has the departure service's background work.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Jobs copies and cleans.
type Jobs struct {
	set *tables.Set
}

// New makes the jobs.
func New(set *tables.Set) *Jobs { return &Jobs{set} }

type column struct {
	family string
	name   string
	ts     bigtable.Timestamp
}

// Seed writes an empty trip into the tables.
func (j *Jobs) Seed(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	for _, c := range []column{
		{schema.Rev, "trip", 1000}, // ok ttlwrite/unscaled-sequence
		{schema.Rev, "alt", 2000},  // ok ttlwrite/unscaled-sequence
	} {
		m.Set(c.family, c.name, c.ts, nil) // ok ttlwrite/unscaled-sequence
	}
	m.Set(schema.Rev, "seed", 42, nil) // want ttlwrite/unscaled-sequence
	return j.set.Timetable.Apply(ctx, key, m)
}

// Archive copies a line's fixes to the archive.
func (j *Jobs) Archive(ctx context.Context, line string) error {
	b := write.NewBatch(j.set.Archive, 50)
	err := read.Scan(ctx, j.set.Positions, line+"#", func(r bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r[schema.GPS] {
			m.Set(schema.GPS, it.Column[len("gps:"):], it.Timestamp, it.Value) // ok ttlwrite/already-expired
		}
		return b.Add(ctx, r.Key(), m)
	}, read.Opt(bigtable.FamilyFilter(schema.GPS), read.Within(schema.GPSTTL)))
	if err != nil {
		return err
	}
	return b.Flush(ctx)
}

// ArchiveAll copies without a bound.
func (j *Jobs) ArchiveAll(ctx context.Context, line string) error {
	b := write.NewBatch(j.set.Archive, 50)
	err := read.Scan(ctx, j.set.Positions, line+"#", func(r bigtable.Row) error { // want ttlread/missing-filter
		m := bigtable.NewMutation()
		for _, it := range r[schema.GPS] {
			m.Set(schema.GPS, "copy", it.Timestamp, it.Value) // ok ttlwrite/already-expired
		}
		return b.Add(ctx, r.Key(), m)
	})
	if err != nil {
		return err
	}
	return b.Flush(ctx)
}

// Stamp marks vehicles as seen.
func (j *Jobs) Stamp(ctx context.Context, vehicles []string) error {
	day := clock.Shift(24*time.Hour, schema.GPSTTL)
	for _, v := range vehicles {
		m := bigtable.NewMutation()
		m.Set(schema.GPS, "seen", day, nil)                                         // ok ttlwrite/already-expired
		m.Set(schema.GPS, "gone", bigtable.Time(time.Now().AddDate(0, 0, -7)), nil) // want ttlwrite/already-expired
		if err := j.set.Positions.Apply(ctx, v, m); err != nil {
			return err
		}
	}
	return nil
}

// Renumber writes revisions anew.
func (j *Jobs) Renumber(ctx context.Context, trip string, vs [][]byte) error {
	for n := 0; n < len(vs); n++ {
		m := bigtable.NewMutation()
		write.Put(m, schema.Rev, "trip", bigtable.Timestamp(n), vs[n])     // want ttlwrite/unscaled-sequence
		write.Put(m, schema.Rev, "alt", bigtable.Timestamp(1000*n), vs[n]) // ok ttlwrite/unscaled-sequence
		if err := j.set.Timetable.Apply(ctx, trip, m); err != nil {
			return err
		}
	}
	return nil
}

// Counters counts trips.
func (j *Jobs) Counters(ctx context.Context, trip string) error {
	if err := write.Bump(ctx, j.set.Timetable, trip, schema.Rev, "runs", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	if err := write.Bump(ctx, j.set.Stops, trip, schema.Info, "runs", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	if err := write.Bump(ctx, j.set.Archive, trip, schema.GPS, "runs", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	return write.Bump(ctx, j.set.Stops, trip, schema.State, "runs", 1) // want ttlwrite/read-modify-write
}

// Freshness logs how fresh a revision is.
func (j *Jobs) Freshness(ctx context.Context, trip string) error {
	row, err := j.set.Timetable.ReadRow(ctx, trip, read.Opt(read.Latest(1))) // ok ttlread/version-limit
	if err != nil {
		return err
	}
	for _, it := range row[schema.Rev] {
		created := it.Timestamp.Time()        // want ttlage/not-write-time[d1]
		slog.Info("trip", "created", created) // want ttlage/not-write-time[d1]
	}
	old, err := j.set.Archive.ReadRow(ctx, trip) // ok ttlread/missing-filter
	for _, it := range old[schema.GPS] {
		created := it.Timestamp.Time()           // ok ttlage/not-write-time
		slog.Info("archive", "created", created) // ok ttlage/not-write-time
	}
	return err
}

// Query asks in SQL.
func (j *Jobs) Query(ctx context.Context) error {
	for _, region := range []string{"north", "south"} {
		slog.Info("query", "region", region)
	}
	if _, err := j.set.Client().PrepareStatement(ctx, "SELECT _key, gps FROM positions", nil); err != nil { // want ttlread/sql
		return err
	}
	if _, err := j.set.Client().PrepareStatement(ctx, "SELECT _key, meta FROM positions", nil); err != nil { // ok ttlread/sql
		return err
	}
	if _, err := j.set.Client().PrepareStatement(ctx, "SELECT _key, gps FROM archive", nil); err != nil { // ok ttlread/sql
		return err
	}
	return nil
}

// Ensure corrects the policies of a region's journal.
func (j *Jobs) Ensure(ctx context.Context, a *bigtable.AdminClient) error {
	name := fmt.Sprintf("%s-journal", j.set.Region())
	if err := a.SetGCPolicy(ctx, name, schema.Entry, bigtable.MaxVersionsPolicy(3)); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, schema.Stops, schema.State, bigtable.MaxAgePolicy(schema.StateTTL)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := a.SetGCPolicy(ctx, schema.Board, schema.State, bigtable.MaxVersionsPolicy(1)); err != nil { // ok ttlgc/age-on-zero
		return err
	}
	if err := a.SetGCPolicy(ctx, schema.Timetable, schema.Rev, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(365*24*time.Hour))); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := a.SetGCPolicy(ctx, schema.Archive, schema.GPS, bigtable.MaxAgePolicy(86400)); err != nil { // want ttlunit/age-unit
		return err
	}
	return a.SetGCPolicy(ctx, schema.Positions, schema.GPS, bigtable.MaxAgePolicy(72*time.Hour)) // want ttlgc/age-mismatch
}
