// Package online serves feature values: the newest value of every feature of
// an entity, with a default age, and the streaming windows beside them.
package online

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Stats counts what the store did.
type Stats struct {
	Reads, Misses, Writes, Errors atomic.Int64
}

// Feature is one value of an entity.
type Feature struct {
	Name    string    `json:"name"`
	Value   float64   `json:"value"`
	Expires time.Time `json:"expires,omitzero"`
}

// Vector is what a model asks for.
type Vector struct {
	Entity   string    `json:"entity"`
	Features []Feature `json:"features"`
	Owner    string    `json:"owner,omitempty"`
}

// Get returns the vector's feature of a name.
func (v *Vector) Get(name string) (float64, bool) {
	i := sort.Search(len(v.Features), func(i int) bool { return v.Features[i].Name >= name })
	if i < len(v.Features) && v.Features[i].Name == name {
		return v.Features[i].Value, true
	}
	return 0, false
}

// Store is the online table.
type Store struct {
	tbl   *bigtable.Table
	log   *slog.Logger
	Stats Stats
}

// New opens the online table.
func New(client *bigtable.Client, log *slog.Logger) *Store {
	return &Store{tbl: client.Open(schema.Online), log: log}
}

// Table is the table, for writers that bring their own batching.
func (s *Store) Table() *bigtable.Table { return s.tbl }

func (s *Store) count(err error) error {
	if err != nil {
		s.Stats.Errors.Add(1)
	}
	return err
}

// valueFilter passes the live newest values.
func valueFilter() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamValue),
		bigtable.TimestampRangeFilter(time.Now().Add(-schema.ValueTTL), time.Time{}),
		bigtable.LatestNFilter(1),
	)
}

// decodeFeatures turns a row's value cells into features.
func decodeFeatures(row bigtable.Row) ([]Feature, error) {
	var out []Feature
	for name, it := range btx.Items(row, schema.FamValue) {
		f, err := btx.DecodeFloat(it.Value)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", it.Row, name, err)
		}
		out = append(out, Feature{Name: name, Value: f})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// Vector reads all live features of an entity.
func (s *Store) Vector(ctx context.Context, e btx.Entity) (*Vector, error) {
	s.Stats.Reads.Add(1)
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(valueFilter())) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return nil, s.count(fmt.Errorf("read %s: %w", e.Key(), err))
	}
	fs, err := decodeFeatures(row)
	if err != nil {
		return nil, s.count(err)
	}
	if len(fs) == 0 {
		s.Stats.Misses.Add(1)
		return nil, btx.ErrNotFound
	}
	return &Vector{Entity: e.Key(), Features: fs}, nil
}

// One reads one feature.
func (s *Store) One(ctx context.Context, e btx.Entity, name string) (float64, error) {
	s.Stats.Reads.Add(1)
	v, err := btx.Value(ctx, s.tbl, e.Key(), schema.FamValue, name) // want ttlread/missing-filter
	if err != nil {
		return 0, s.count(err)
	}
	return btx.DecodeFloat(v)
}

// Owner reads who owns an entity.
func (s *Store) Owner(ctx context.Context, e btx.Entity) (string, error) {
	v, err := btx.Value(ctx, s.tbl, e.Key(), schema.FamMeta, schema.ColOwner) // ok ttlread/missing-filter
	if errors.Is(err, btx.ErrNotFound) {
		return "", nil
	}
	return string(v), err
}

// Many reads the live features of several entities.
func (s *Store) Many(ctx context.Context, es []btx.Entity) (map[string][]Feature, error) {
	keys := make(bigtable.RowList, len(es))
	for i, e := range es {
		keys[i] = e.Key()
	}
	s.Stats.Reads.Add(int64(len(es)))
	out := make(map[string][]Feature, len(es))
	var bad error
	err := s.tbl.ReadRows(ctx, keys, func(row bigtable.Row) bool { // want ttlread/missing-filter[many]
		var fs []Feature
		if fs, bad = decodeFeatures(row); bad != nil {
			return false
		}
		out[row.Key()] = fs
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[many]
	return out, s.count(errors.Join(err, bad))
}

// Stale reads the features that are about to end: they are in the last day of
// their week.
func (s *Store) Stale(ctx context.Context, kind string) ([]string, error) {
	now := time.Now()
	window := btx.Between(now.Add(-schema.ValueTTL), now.Add(-schema.ValueTTL+24*time.Hour))
	var keys []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(kind+"#"), func(row bigtable.Row) bool { // maybe ttlread/upper-bound ttlread/wrong-bound ttlread/expired-only
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(btx.Family(schema.FamValue, window))) // maybe ttlread/upper-bound ttlread/wrong-bound ttlread/expired-only
	return keys, s.count(err)
}

// WithOwner reads features and owner in one go.
func (s *Store) WithOwner(ctx context.Context, e btx.Entity) (*Vector, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamValue), btx.Within(schema.ValueTTL), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamMeta), bigtable.LatestNFilter(1)),
	)
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch ttlread/missing-filter
	if err != nil {
		return nil, s.count(err)
	}
	fs, err := decodeFeatures(row)
	if err != nil {
		return nil, s.count(err)
	}
	v := &Vector{Entity: e.Key(), Features: fs}
	if it, ok := btx.First(row, schema.FamMeta, schema.ColOwner); ok {
		v.Owner = string(it.Value)
	}
	return v, nil
}

// Card is what the catalogue's entity page shows.
func (s *Store) Card(ctx context.Context, e btx.Entity) (*Vector, error) {
	week := time.Now().Add(-schema.ValueTTL)
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.TimestampRangeFilter(week, time.Time{}))) // want ttlread/hides-other-families
	if err != nil {
		return nil, s.count(err)
	}
	fs, err := decodeFeatures(row)
	if err != nil {
		return nil, err
	}
	v := &Vector{Entity: e.Key(), Features: fs}
	for _, it := range row[schema.FamMeta] {
		if it.Column == schema.FamMeta+":"+schema.ColOwner {
			v.Owner = string(it.Value)
		}
	}
	return v, nil
}

// Latest reads all live features without asking for other families.
func (s *Store) Latest(ctx context.Context, e btx.Entity) ([]Feature, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.ChainFilters(btx.Within(schema.ValueTTL), bigtable.LatestNFilter(1)))) // ok ttlread/hides-other-families ttlread/missing-filter
	if err != nil {
		return nil, s.count(err)
	}
	return decodeFeatures(row)
}

// Fresh reads the features that are not older than a day.
func (s *Store) Fresh(ctx context.Context, e btx.Entity) ([]Feature, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamValue), btx.Within(24*time.Hour), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound[fresh]
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(f))                                                          // want ttlread/wrong-bound[fresh]
	if err != nil {
		return nil, s.count(err)
	}
	return decodeFeatures(row)
}

// Pinned reads the features that outlive the present: written with a longer
// life than usual.
func (s *Store) Pinned(ctx context.Context, e btx.Entity) ([]Feature, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(btx.Family(schema.FamValue, btx.Live()))) // want ttlread/wrong-bound
	if err != nil {
		return nil, s.count(err)
	}
	return decodeFeatures(row)
}

// Exists tells whether an entity has any features.
func (s *Store) Exists(ctx context.Context, e btx.Entity) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamValue), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) > 0, s.count(err)
}

// ExistsLive is Exists for what is still served.
func (s *Store) ExistsLive(ctx context.Context, e btx.Entity) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamValue), btx.Within(schema.ValueTTL), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter ttlread/limit-before-filter
	return len(row) > 0, s.count(err)
}

// Count counts the entities of a kind, for the dashboard.
func (s *Store) Count(ctx context.Context, kind string) (int, error) {
	keys, err := btx.Keys(ctx, s.tbl, bigtable.PrefixRange(kind+"#")) // ok ttlread/missing-filter
	return len(keys), s.count(err)
}

// Any returns the first live feature of a row, whatever it is.
func (s *Store) Any(ctx context.Context, e btx.Entity) (*Feature, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamValue), bigtable.CellsPerRowLimitFilter(1), btx.Within(schema.ValueTTL)))) // want ttlread/limit-before-filter
	if err != nil {
		return nil, s.count(err)
	}
	fs, err := decodeFeatures(row)
	if err != nil || len(fs) == 0 {
		return nil, errors.Join(err, btx.ErrNotFound)
	}
	return &fs[0], nil
}

// Recent checks the age of every cell by hand, since callers bring their own
// lifetimes.
func (s *Store) Recent(ctx context.Context, e btx.Entity, life time.Duration) ([]Feature, error) {
	row, err := s.tbl.ReadRow(ctx, e.Key(), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, s.count(err)
	}
	limit := bigtable.Time(time.Now().Add(-min(life, schema.ValueTTL)))
	var out []Feature
	for _, it := range row[schema.FamValue] {
		if it.Timestamp < limit {
			continue
		}
		f, err := btx.DecodeFloat(it.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, Feature{Name: it.Column[len(schema.FamValue)+1:], Value: f, Expires: it.Timestamp.Time().Add(schema.ValueTTL)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Put writes a feature for the usual week.
func (s *Store) Put(ctx context.Context, e btx.Entity, name string, v float64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamValue, name, bigtable.ServerTime, btx.EncodeFloat(v)) // ok ttlwrite/server-timestamp
	return s.apply(ctx, e, m)
}

// PutAll writes several features at one moment.
func (s *Store) PutAll(ctx context.Context, e btx.Entity, fs []Feature) error {
	m := bigtable.NewMutation()
	ts := bigtable.Now()
	for _, f := range fs {
		m.Set(schema.FamValue, f.Name, ts, btx.EncodeFloat(f.Value)) // ok ttlwrite/write-time ttlwrite/same-timestamp
	}
	return s.apply(ctx, e, m)
}

// PutFor writes a feature with a lifetime of its own.
func (s *Store) PutFor(ctx context.Context, e btx.Entity, name string, v float64, life time.Duration) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamValue, name)                                         // ok ttlwrite/delete-after-set
	m.Set(schema.FamValue, name, btx.Shifted(life, schema.ValueTTL), btx.EncodeFloat(v)) // ok ttlwrite/already-expired
	return s.apply(ctx, e, m)
}

// PutHour is for features that go stale within the hour.
func (s *Store) PutHour(ctx context.Context, e btx.Entity, name string, v float64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamValue, name, btx.Shifted(time.Hour, schema.ValueTTL), btx.EncodeFloat(v)) // ok ttlwrite/already-expired
	return s.apply(ctx, e, m)
}

// Retire takes a feature out of service by letting it age.
func (s *Store) Retire(ctx context.Context, e btx.Entity, name string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamValue, name, btx.Ago(schema.ValueTTL), nil) // want ttlwrite/already-expired
	return s.apply(ctx, e, m)
}

// Default writes the value that a feature has until the first real one comes;
// the real one, whenever it was made, has to win.
func (s *Store) Default(ctx context.Context, e btx.Entity, name string, v float64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamValue, name, 0, btx.EncodeFloat(v)) // want ttlwrite/already-expired
	return s.apply(ctx, e, m)
}

// Reset takes away an entity's features and writes new ones.
func (s *Store) Reset(ctx context.Context, e btx.Entity, fs []Feature) error {
	m := bigtable.NewMutation()
	for _, f := range fs {
		m.Set(schema.FamValue, f.Name, bigtable.ServerTime, btx.EncodeFloat(f.Value))
	}
	m.DeleteCellsInFamily(schema.FamValue) // want ttlwrite/delete-after-set
	return s.apply(ctx, e, m)
}

// Replace is Reset with an owner.
func (s *Store) Replace(ctx context.Context, e btx.Entity, owner string, fs []Feature) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamValue) // ok ttlwrite/delete-after-set
	for _, f := range fs {
		m.Set(schema.FamValue, f.Name, bigtable.ServerTime, btx.EncodeFloat(f.Value)) // ok ttlwrite/server-timestamp
	}
	m.DeleteCellsInColumn(schema.FamMeta, "previous_owner")               // ok ttlwrite/delete-after-set
	m.Set(schema.FamMeta, schema.ColOwner, bigtable.Now(), []byte(owner)) // ok ttlwrite/write-time
	return s.apply(ctx, e, m)
}

func (s *Store) apply(ctx context.Context, e btx.Entity, m *bigtable.Mutation) error {
	if err := s.tbl.Apply(ctx, e.Key(), m); err != nil {
		return s.count(fmt.Errorf("write %s: %w", e.Key(), err))
	}
	s.Stats.Writes.Add(1)
	return nil
}

// Forget deletes an entity.
func (s *Store) Forget(ctx context.Context, e btx.Entity) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	return s.apply(ctx, e, m)
}

// ForgetKind deletes all entities of a kind.
func (s *Store) ForgetKind(ctx context.Context, kind string) (int, error) {
	n, err := btx.DeleteAll(ctx, s.tbl, bigtable.PrefixRange(kind+"#")) // ok ttlread/missing-filter
	return n, s.count(err)
}
