// Package snapshot keeps point-in-time copies of vectors for training, a
// table per project.
package snapshot

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Store is a project's snapshot table.
type Store struct {
	tbl     *bigtable.Table
	project string
	gen     int64
	log     *slog.Logger
}

// Open opens a project's table.
func Open(client *bigtable.Client, project string, log *slog.Logger) *Store {
	return &Store{tbl: client.Open(schema.SnapshotTable(project)), project: project, log: log}
}

// Point is one cell of a snapshot.
type Point struct {
	Entity  string
	Feature string
	Value   float64
	At      time.Time
	Stored  time.Time
}

// live is what every read of snapshots starts with.
func live() bigtable.Filter {
	return btx.Family(schema.FamSnap, btx.Within(schema.SnapTTL))
}

// Write stores a vector as of now.
func (s *Store) Write(ctx context.Context, e btx.Entity, fs map[string]float64) error {
	m := bigtable.NewMutation()
	for name, v := range fs {
		m.Set(schema.FamSnap, name, bigtable.ServerTime, btx.EncodeFloat(v)) // ok ttlwrite/server-timestamp
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// WriteFor stores a vector for a number of days.
func (s *Store) WriteFor(ctx context.Context, e btx.Entity, fs map[string]float64, days int) error {
	ts := bigtable.Time(time.Now().Add(time.Duration(days)*24*time.Hour - schema.SnapTTL))
	m := bigtable.NewMutation()
	for name, v := range fs {
		m.Set(schema.FamSnap, name, ts, btx.EncodeFloat(v)) // ok ttlwrite/already-expired
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// WriteAged stores a vector as if it were as old as the snapshot window.
func (s *Store) WriteAged(ctx context.Context, e btx.Entity, fs map[string]float64) error {
	m := bigtable.NewMutation()
	for name, v := range fs {
		m.Set(schema.FamSnap, name, bigtable.Time(time.Now().AddDate(0, 0, -45)), btx.EncodeFloat(v)) // want ttlwrite/already-expired
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// WriteYesterday stores a vector as of yesterday.
func (s *Store) WriteYesterday(ctx context.Context, e btx.Entity, fs map[string]float64) error {
	m := bigtable.NewMutation()
	for name, v := range fs {
		m.Set(schema.FamSnap, name, bigtable.Time(time.Now().AddDate(0, 0, -1)), btx.EncodeFloat(v)) // ok ttlwrite/already-expired
	}
	return s.tbl.Apply(ctx, e.Key(), m)
}

// Begin opens a generation.
func (s *Store) Begin(ctx context.Context, label string) error {
	s.gen++
	m := bigtable.NewMutation()
	m.Set(schema.FamGen, "label", bigtable.Timestamp(s.gen), []byte(label)) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, "generation", m)
}

// BeginAt opens a generation with a number.
func (s *Store) BeginAt(ctx context.Context, n int64, label string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGen, "label", btx.Seq(n), []byte(label))                           // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamGen, "begun", btx.Seq(n), []byte(time.Now().Format(time.Kitchen))) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, "generation", m)
}

// Finish closes a generation.
func (s *Store) Finish(ctx context.Context, rows int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamGen, "rows", bigtable.Now(), btx.EncodeInt(rows)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, "generation", m)
}

// FinishAt closes a generation with a number.
func (s *Store) FinishAt(ctx context.Context, n, rows int64) error {
	return btx.Put(ctx, s.tbl, "generation", schema.FamGen, "rows", btx.Seq(n), btx.EncodeInt(rows)) // ok ttlwrite/clock-in-sequence
}

// Rows counts rows on the server.
func (s *Store) Rows(ctx context.Context) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamGen, "rows", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, "generation", rmw)
	return err
}

// Generation reads the newest generation.
func (s *Store) Generation(ctx context.Context) (string, error) {
	b, err := btx.Value(ctx, s.tbl, "generation", schema.FamGen, "label") // ok ttlread/version-limit
	return string(b), err
}

// Generations reads the generations that there are.
func (s *Store) Generations(ctx context.Context) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, "generation", bigtable.RowFilter(bigtable.ColumnRangeFilter(schema.FamGen, "label", "labem"))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.FamGen] {
		out = append(out, fmt.Sprintf("%d %s", btx.SeqOf(it.Timestamp), it.Value))
	}
	return out, nil
}

// Begun tells when a generation began.
func (s *Store) Begun(ctx context.Context) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, "generation", bigtable.RowFilter(btx.Cell(schema.FamGen, "begun"))) // ok ttlread/version-limit
	if err != nil {
		return time.Time{}, err
	}
	it, ok := btx.First(row, schema.FamGen, "begun")
	if !ok {
		return time.Time{}, btx.ErrNotFound
	}
	s.log.Info("generation", "project", s.project, "created", it.Timestamp.Time()) // want ttlage/not-write-time
	return time.Parse(time.Kitchen, string(it.Value))
}

// Read reads a snapshot.
func (s *Store) Read(ctx context.Context, e btx.Entity) ([]Point, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(live())) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return points(row)
}

func points(row bigtable.Row) ([]Point, error) {
	var out []Point
	for name, it := range btx.Items(row, schema.FamSnap) {
		v, err := btx.DecodeFloat(it.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, Point{Entity: row.Key(), Feature: name, Value: v})
	}
	return out, nil
}

// ReadAll reads all snapshots of a kind.
func (s *Store) ReadAll(ctx context.Context, kind string) ([]Point, error) {
	var out []Point
	for ps, err := range btx.Decode(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), points) { // want ttlread/missing-filter
		if err != nil {
			return out, err
		}
		out = append(out, ps...)
	}
	return out, nil
}

// ReadLive reads those that training may use.
func (s *Store) ReadLive(ctx context.Context, kind string) ([]Point, error) {
	var out []Point
	for ps, err := range btx.Decode(ctx, s.tbl, bigtable.PrefixRange(kind+"#"), points, bigtable.RowFilter(live())) { // ok ttlread/missing-filter
		if err != nil {
			return out, err
		}
		out = append(out, ps...)
	}
	return out, nil
}

// ReadWeek reads with the online store's age.
func (s *Store) ReadWeek(ctx context.Context, e btx.Entity) ([]Point, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamSnap, btx.Within(schema.ValueTTL)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return points(row)
}

// ReadUpToNow reads the last thirty days, up to now.
func (s *Store) ReadUpToNow(ctx context.Context, e btx.Entity) ([]Point, error) {
	now := time.Now()
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamSnap, btx.Between(now.Add(-schema.SnapTTL), now)))) // want ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return points(row)
}

// ReadOld reads what has aged out.
func (s *Store) ReadOld(ctx context.Context, e btx.Entity) ([]Point, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamSnap, btx.Before(time.Now().Add(-schema.SnapTTL))))) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	return points(row)
}

// PurgeOld deletes what has aged out.
func (s *Store) PurgeOld(ctx context.Context) (int, error) {
	n := 0
	var failed error
	old := btx.Family(schema.FamSnap, btx.Before(time.Now().Add(-schema.SnapTTL)))
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(schema.FamSnap)
		failed = s.tbl.Apply(ctx, row.Key(), m)
		n++
		return failed == nil
	}, bigtable.RowFilter(old)) // ok ttlread/expired-only
	if err == nil {
		err = failed
	}
	return n, err
}

// Ages tells how old the points of a snapshot are.
func (s *Store) Ages(ctx context.Context, e btx.Entity) (map[string]time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(live())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	now := time.Now()
	out := map[string]time.Duration{}
	for name, it := range btx.Items(row, schema.FamSnap) {
		out[name] = now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	return out, nil
}
