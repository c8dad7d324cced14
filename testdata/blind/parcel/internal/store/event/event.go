// Package event keeps what happened to parcels.
//
// Table "events": "status" has real timestamps here (ninety days), "scan" lives for thirty days unless moved.
package event

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/store/scanlog"
)

const (
	tableName = "events"
	famStatus = "status"
	famScan   = "scan"
	scanTTL   = 30 * 24 * time.Hour
)

// Event is what happened.
type Event struct {
	Parcel    string          `json:"parcel"`
	Kind      string          `json:"kind"`
	CreatedAt time.Time       `json:"created_at"`
	Payload   json.RawMessage `json:"payload"`
}

// Store keeps events.
type Store struct {
	tbl *bigtable.Table
	now func() time.Time
}

// New returns a Store.
func New(c *bigtable.Client) *Store {
	return &Store{tbl: c.Open(tableName), now: time.Now}
}

// Record writes an event.
func (s *Store) Record(ctx context.Context, e Event) error {
	m := bigtable.NewMutation()
	m.Set(famStatus, e.Kind, bigtable.Now(), e.Payload)           // ok ttlwrite/clock-in-sequence
	m.Set(famStatus, "last", bigtable.ServerTime, []byte(e.Kind)) // ok ttlwrite/clock-in-sequence
	m.Set(famScan, e.Kind, bigtable.ServerTime, e.Payload)        // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, e.Parcel, m)
}

// Scan notes that a parcel passed a gate.
func (s *Store) Scan(ctx context.Context, parcel, gate string) error {
	return s.tbl.Apply(ctx, parcel, scanlog.Passed(gate)) // ok ttlwrite/clock-in-sequence
}

// Damage notes that a parcel is damaged.
func (s *Store) Damage(ctx context.Context, parcel, note string) error {
	return s.tbl.Apply(ctx, parcel, scanlog.Damaged(note, s.now())) // ok ttlwrite/clock-in-sequence
}

// Import writes an event of a partner, who sends seconds.
func (s *Store) Import(ctx context.Context, parcel, kind string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(famStatus, kind, bt.Seconds(at), []byte("partner"))                               // the unit is Seconds' fault
	m.Set(famStatus, kind+"/ms", bigtable.Timestamp(at.UnixNano()), []byte("partner"))      // want ttlunit/wrong-unit
	m.Set(famStatus, kind+"/us", bigtable.Timestamp(at.UnixNano()/1000), []byte("partner")) // ok ttlunit/wrong-unit
	m.Set(famStatus, kind+"/s", bigtable.Timestamp(at.Unix()*1e6), []byte("partner"))       // ok ttlunit/wrong-unit
	m.Set(famStatus, kind+"/k", bigtable.Timestamp(at.Unix()*1000), []byte("partner"))      // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, parcel, m)
}

// Count counts the events of a kind.
func (s *Store) Count(ctx context.Context, parcel, kind string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famStatus, kind+"/n", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, parcel, rmw)
	return err
}

// List returns the events of a parcel.
func (s *Store) List(ctx context.Context, parcel string) ([]Event, error) {
	row, err := s.tbl.ReadRow(ctx, parcel, bigtable.RowFilter(bigtable.FamilyFilter(famStatus))) // strict ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Event
	for _, it := range row[famStatus] {
		out = append(out, Event{Parcel: parcel, Kind: it.Column, Payload: it.Value, CreatedAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Between returns the events of a period.
func (s *Store) Between(ctx context.Context, prefix string, from, to time.Time, f func(Event) bool) error {
	rng := bigtable.ChainFilters(bigtable.FamilyFilter(famStatus), bigtable.TimestampRangeFilter(from, to))
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range r[famStatus] {
			if !f(Event{Parcel: r.Key(), Kind: it.Column, CreatedAt: it.Timestamp.Time()}) { // ok ttlage/not-write-time
				return false
			}
		}
		return true
	}, bigtable.RowFilter(rng))
}

// Scans returns the scans of a parcel.
func (s *Store) Scans(ctx context.Context, parcel string) ([]map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, parcel, bigtable.RowFilter(bigtable.FamilyFilter(famScan))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []map[string]string
	for _, it := range row[famScan] {
		out = append(out, map[string]string{"scan": it.Column, "created": it.Timestamp.Time().Format(time.RFC3339)}) // want ttlage/not-write-time
	}
	return out, nil
}

// LiveScans returns the scans of a parcel that are still kept.
func (s *Store) LiveScans(ctx context.Context, parcel string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, parcel, bigtable.RowFilter(bt.WithinFamily(famScan, s.now(), scanTTL))) // ok ttlread/wrong-bound
	return len(row[famScan]), err
}

// NinetyDays returns the scans with the bound of the other family.
func (s *Store) NinetyDays(ctx context.Context, parcel string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, parcel, bigtable.RowFilter(bt.WithinFamily(famScan, s.now(), 90*24*time.Hour))) // want ttlread/wrong-bound
	return len(row[famScan]), err
}

// Since wraps what callers want to read.
func (s *Store) read(ctx context.Context, parcel string, opts ...bigtable.ReadOption) ([]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, parcel, opts...)
	if err != nil {
		return nil, err
	}
	return row[famScan], nil
}

// LastScan returns the last scan.
func (s *Store) LastScan(ctx context.Context, parcel string) (string, error) {
	items, err := s.read(ctx, parcel, bigtable.RowFilter(bt.LatestOf(famScan, 1))) // want ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return "", err
	}
	return items[0].Column, nil
}

// LastLiveScan returns the last scan that is still kept.
func (s *Store) LastLiveScan(ctx context.Context, parcel string) (string, error) {
	items, err := s.read(ctx, parcel, bigtable.RowFilter(bt.WithinFamily(famScan, s.now(), scanTTL))) // ok ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return "", err
	}
	return items[0].Column, nil
}

// AnyScan returns any scan.
func (s *Store) AnyScan(ctx context.Context, parcel string) (string, error) {
	items, err := s.read(ctx, parcel) // want ttlread/missing-filter
	if err != nil || len(items) == 0 {
		return "", err
	}
	return items[0].Column, nil
}
