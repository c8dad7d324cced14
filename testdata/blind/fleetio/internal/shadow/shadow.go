// Package shadow keeps the desired and the reported state of devices.
package shadow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

// Columns of the family shadow.
const (
	colDesired  = "desired"
	colReported = "reported"
	colDelta    = "delta"
	colDoc      = "doc"
)

// ErrConflict says that somebody else was faster.
var ErrConflict = errors.New("shadow: version conflict")

// Doc is a shadow.
type Doc struct {
	Version  int64          `json:"version"`
	Desired  map[string]any `json:"desired,omitempty"`
	Reported map[string]any `json:"reported,omitempty"`
}

// Info describes a shadow without its contents.
type Info struct {
	Version    int64     `json:"version"`
	Size       int       `json:"size"`
	UpdatedAt  time.Time `json:"updated_at"`
	ModifiedAt string    `json:"modified_at"`
}

// Store reads and writes shadows.
type Store struct {
	tbl  *bigtable.Table
	log  *logx.Logger
	next atomic.Int64
	seen int64
}

// Open opens the store.
func Open(c *bigtable.Client, log *logx.Logger) *Store {
	return &Store{tbl: c.Open(keys.TableDeviceState), log: log}
}

// SetDesired replaces what a device should be.
func (s *Store) SetDesired(ctx context.Context, site, dev string, doc map[string]any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(keys.FamShadow, colDesired, 0, b)                      // ok ttlwrite/clock-in-zero
	m.Set(keys.FamMeta, "desired_at", bigtable.Now(), []byte{1}) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// SetReported replaces what a device says it is.
func (s *Store) SetReported(ctx context.Context, site, dev string, doc map[string]any) error {
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(keys.FamShadow, colReported, bigtable.Now(), b)         // want ttlwrite/clock-in-zero
	m.Set(keys.FamMeta, "reported_at", bigtable.Now(), []byte{1}) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// SetDelta stores what is still to be done.
func (s *Store) SetDelta(ctx context.Context, site, dev string, delta []byte) error {
	m := bigtable.NewMutation()
	if len(delta) == 0 {
		m.DeleteCellsInColumn(keys.FamShadow, colDelta)
	} else {
		m.Set(keys.FamShadow, colDelta, bigtable.ServerTime, delta) // want ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Replace deletes and writes in one mutation.
func (s *Store) Replace(ctx context.Context, site, dev string, doc []byte) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(keys.FamShadow)
	m.Set(keys.FamShadow, colDoc, bigtable.Timestamp(0), doc) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Reset was meant to do the same.
func (s *Store) Reset(ctx context.Context, site, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamShadow, colDoc, 0, []byte("{}")) // want ttlwrite/delete-after-set[reset]
	m.DeleteCellsInFamily(keys.FamShadow)          // want ttlwrite/delete-after-set[reset]
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Both writes the two halves.
func (s *Store) Both(ctx context.Context, site, dev string, desired, reported []byte) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamShadow, colDesired, 0, desired)
	m.Set(keys.FamShadow, colReported, 0, reported) // ok ttlwrite/same-timestamp
	m.Set(keys.FamShadow, colDoc, 0, desired)
	m.Set(keys.FamShadow, colDoc, 0, reported) // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Commit writes a numbered version of the document.
func (s *Store) Commit(ctx context.Context, site, dev string, d Doc) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(keys.FamVer, colDoc, btutil.Seq(d.Version), b)                                      // ok ttlwrite/unscaled-sequence
	m.Set(keys.FamVer, "size", bigtable.Timestamp(d.Version*1000), btutil.Int(int64(len(b)))) // ok ttlwrite/unscaled-sequence
	m.Set(keys.FamShadow, colDoc, 0, b)                                                       // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// CommitNow is for documents without a version.
func (s *Store) CommitNow(ctx context.Context, site, dev string, b []byte) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamVer, colDoc, bigtable.Now(), b) // want ttlwrite/clock-in-sequence
	m.Set(keys.FamShadow, colDoc, 0, b)           // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// CommitNext numbers documents by itself.
func (s *Store) CommitNext(ctx context.Context, site, dev string, b []byte) (int64, error) {
	n := s.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(keys.FamVer, colDoc, bigtable.Timestamp(n), b)     // want ttlwrite/unscaled-sequence
	m.Set(keys.FamVer, "n", bigtable.Timestamp(n*1000), nil) // ok ttlwrite/unscaled-sequence
	return n, s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// History writes several versions at once, oldest first.
func (s *Store) History(ctx context.Context, site, dev string, docs [][]byte) error {
	m := bigtable.NewMutation()
	for i, b := range docs {
		m.Set(keys.FamVer, colDoc, bigtable.Timestamp(i+1), b) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// HistoryFrom does the same after version base.
func (s *Store) HistoryFrom(ctx context.Context, site, dev string, base int64, docs [][]byte) error {
	m := bigtable.NewMutation()
	for i, b := range docs {
		m.Set(keys.FamVer, colDoc, btutil.Seq(base+int64(i)), b) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Touch makes a version of its own for keep-alives.
func (s *Store) Touch(ctx context.Context, site, dev string) error {
	s.seen++
	m := bigtable.NewMutation()
	btutil.PutInt(m, keys.FamVer, "touch", btutil.SeqRaw(s.seen), s.seen) // want ttlwrite/unscaled-sequence
	btutil.PutInt(m, keys.FamVer, "touched", btutil.Seq(s.seen), s.seen)  // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, keys.Device(site, dev), m)
}

// Get reads a shadow.
func (s *Store) Get(ctx context.Context, site, dev string) (*Doc, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(bigtable.FamilyFilter(keys.FamShadow))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	d := new(Doc)
	for _, it := range row[keys.FamShadow] {
		var err error
		switch it.Column {
		case keys.FamShadow + ":" + colDesired:
			err = json.Unmarshal(it.Value, &d.Desired)
		case keys.FamShadow + ":" + colReported:
			err = json.Unmarshal(it.Value, &d.Reported)
		case keys.FamShadow + ":" + colDoc:
			err = json.Unmarshal(it.Value, d)
		}
		if err != nil {
			return nil, fmt.Errorf("shadow %s: %w", dev, err)
		}
	}
	return d, nil
}

// Version reads the number of the newest version.
func (s *Store) Version(ctx context.Context, site, dev string) (int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamVer), bigtable.ColumnFilter(colDoc), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[keys.FamVer] {
		return btutil.SeqOf(it.Timestamp), nil // ok ttlage/not-write-time
	}
	return 0, nil
}

// Versions lists what is kept.
func (s *Store) Versions(ctx context.Context, site, dev string) ([]Info, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamVer), bigtable.ColumnFilter(colDoc)) // want ttlread/version-limit[versions]
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f))                 // want ttlread/version-limit[versions]
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, it := range row[keys.FamVer] {
		out = append(out, Info{
			Version:   int64(it.Timestamp) / 1000,
			Size:      len(it.Value),
			UpdatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
		})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Version > out[j].Version })
	return out, nil
}

// Kept is Versions as it should be.
func (s *Store) Kept(ctx context.Context, site, dev string) ([]Info, error) {
	row, err := btutil.Get(ctx, s.tbl, keys.Device(site, dev), btutil.FamLatest(keys.FamVer, 10)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Info
	for _, it := range row[keys.FamVer] {
		out = append(out, Info{Version: btutil.SeqOf(it.Timestamp), Size: len(it.Value)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Since lists the versions of the last hour.
func (s *Store) Since(ctx context.Context, site, dev string) ([][]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamVer), bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})) // want ttlread/wrong-bound[since]
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f))                                                          // want ttlread/wrong-bound[since]
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, it := range row[keys.FamVer] {
		out = append(out, it.Value)
	}
	return out, nil
}

// At reads one version by its number.
func (s *Store) At(ctx context.Context, site, dev string, n int64) ([]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamVer), bigtable.ColumnFilter(colDoc),
		bigtable.TimestampRangeFilterMicros(btutil.Seq(n), btutil.Seq(n+1)), bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, keys.Device(site, dev), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return btutil.Value(row, keys.FamVer, colDoc), nil
}

// Info describes a shadow.
func (s *Store) Info(ctx context.Context, site, dev string) (*Info, error) {
	row, err := btutil.Get(ctx, s.tbl, keys.Device(site, dev), bigtable.FamilyFilter(keys.FamShadow)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	it, ok := btutil.Find(row, keys.FamShadow, colDoc)
	if !ok {
		return nil, nil
	}
	return &Info{
		Size:       len(it.Value),
		ModifiedAt: it.Timestamp.Time().Format(time.RFC3339), // want ttlage/not-write-time
	}, nil
}

// UpdateIf writes only if the document is still the old one.
func (s *Store) UpdateIf(ctx context.Context, site, dev string, old, doc []byte) error {
	set := bigtable.NewMutation()
	set.Set(keys.FamShadow, colDoc, 0, doc) // ok ttlwrite/clock-in-zero
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(keys.FamShadow),
		bigtable.ColumnFilter(colDoc),
		bigtable.ValueRangeFilter(old, append(bytes.Clone(old), 0)),
	)
	var hit bool
	err := s.tbl.Apply(ctx, keys.Device(site, dev), bigtable.NewCondMutation(pred, set, nil), bigtable.GetCondMutationResult(&hit)) // ok ttlread/conditional-mutation
	if err == nil && !hit {
		err = ErrConflict
	}
	return err
}

// CreateVersion writes the first version of a document.
func (s *Store) CreateVersion(ctx context.Context, site, dev string, doc []byte) error {
	set := bigtable.NewMutation()
	set.Set(keys.FamVer, colDoc, 1000, doc) // ok ttlwrite/unscaled-sequence
	set.Set(keys.FamVer, "init", 1, nil)    // want ttlwrite/unscaled-sequence
	var hit bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(keys.FamVer), nil, set) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, keys.Device(site, dev), cond, bigtable.GetCondMutationResult(&hit)); err != nil {
		return err
	}
	if hit {
		return ErrConflict
	}
	return nil
}

// CountWrites counts how often a shadow has been written.
func (s *Store) CountWrites(ctx context.Context, site, dev string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamShadow, "writes", 1) // want ttlwrite/read-modify-write
	rmw.Increment(keys.FamMeta, "writes", 1)   // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, keys.Device(site, dev), rmw)
	return err
}

// NextVersion lets the table number the versions.
func (s *Store) NextVersion(ctx context.Context, site, dev string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamVer, "counter", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, keys.Device(site, dev), rmw)
	if err != nil {
		return 0, err
	}
	return btutil.IntOf(btutil.Value(row, keys.FamVer, "counter")), nil
}
