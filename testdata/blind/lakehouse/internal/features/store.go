// Package features is the feature store: online features expire at their
// timestamp, statistics a week after it, entities never.
package features

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/conf"
	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Vector is the features of an entity.
type Vector struct {
	Entity    string             `json:"entity"`
	Values    map[string]float64 `json:"values"`
	UpdatedAt time.Time          `json:"updated_at"`
	ValidTo   time.Time          `json:"valid_to"`
}

// Table is what the store needs of Bigtable.
type Table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, keys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// Store reads and writes features.
type Store struct {
	tbl      Table
	ttl      time.Duration
	perGroup map[string]time.Duration
	clock    etl.Clock

	mu    sync.Mutex
	stale map[string]int
}

// Open opens the features table.
func Open(client *bigtable.Client, cfg conf.Features) *Store {
	return NewStore(client.Open(schema.TableFeatures), cfg, etl.SystemClock{})
}

// NewStore is for tests.
func NewStore(tbl Table, cfg conf.Features, clock etl.Clock) *Store {
	return &Store{tbl: tbl, ttl: cfg.OnlineTTL, perGroup: cfg.PerGroup, clock: clock, stale: map[string]int{}}
}

func encode(v float64) []byte {
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
}

func decode(b []byte) (float64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("features: %d bytes are no float", len(b))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

// lifetime is the group's or the default.
func (s *Store) lifetime(group string) time.Duration {
	if d, ok := s.perGroup[group]; ok {
		return d
	}
	return s.ttl
}

// expiry is the timestamp of a feature of the group written now.
func (s *Store) expiry(group string) bigtable.Timestamp {
	return bigtable.Time(s.clock.Now().Add(s.lifetime(group)))
}

// Put writes the online features of one entity.
func (s *Store) Put(ctx context.Context, group, entity string, values map[string]float64) error {
	ts := s.expiry(group)
	m := bigtable.NewMutation()
	for name, v := range values {
		m.Set(schema.FamOnline, name, ts, encode(v)) // ok ttlwrite/write-time
	}
	m.Set(schema.FamEntity, "group", bigtable.Now(), []byte(group))                                     // ok ttlwrite/write-time
	m.Set(schema.FamEntity, "written", bigtable.ServerTime, []byte(s.clock.Now().Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, entity, m)
}

// PutOne writes one feature of the default group.
func (s *Store) PutOne(ctx context.Context, entity, name string, v float64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, name, bigtable.Now(), encode(v)) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, entity, m)
}

// PutFor writes one with a lifetime of its own; an older value that lives
// longer must go first.
func (s *Store) PutFor(ctx context.Context, entity, name string, v float64, life time.Duration) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamOnline, name)
	m.Set(schema.FamOnline, name, bigtable.Time(s.clock.Now().Add(life)), encode(v)) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, entity, m)
}

// PutDefault has a branch that forgets the lifetime.
func (s *Store) PutDefault(ctx context.Context, group, entity, name string, v float64) error {
	ts := etl.Stamp()
	if d, ok := s.perGroup[group]; ok {
		ts = etl.ExpiresIn(d)
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamOnline, name, ts, encode(v)) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, entity, m)
}

// PutBulk writes many entities.
func (s *Store) PutBulk(ctx context.Context, group string, vs []Vector) error {
	keys := make([]string, 0, len(vs))
	muts := make([]*bigtable.Mutation, 0, len(vs))
	for _, v := range vs {
		m := bigtable.NewMutation()
		for name, x := range v.Values {
			m.Set(schema.FamOnline, name, s.expiry(group), encode(x)) // ok ttlwrite/write-time
		}
		m.Set(schema.FamOnline, "_batch", etl.Stamp(), []byte(group)) // want ttlwrite/write-time
		m.Set(schema.FamEntity, "_batch", etl.Stamp(), []byte(group)) // ok ttlwrite/write-time
		keys = append(keys, v.Entity)
		muts = append(muts, m)
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// online is the filter of reads for serving.
func (s *Store) online() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamOnline),
		etl.LiveAt(s.clock),
		bigtable.LatestNFilter(1),
	)
}

// Get reads the live online features.
func (s *Store) Get(ctx context.Context, entity string) (*Vector, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(s.online())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return vector(entity, row)
}

func vector(entity string, row bigtable.Row) (*Vector, error) {
	v := &Vector{Entity: entity, Values: map[string]float64{}}
	for _, it := range row[schema.FamOnline] {
		f, err := decode(it.Value)
		if err != nil {
			return nil, err
		}
		v.Values[etl.Column(it)] = f
		if t := it.Timestamp.Time(); v.ValidTo.IsZero() || t.Before(v.ValidTo) {
			v.ValidTo = t // ok ttlage/not-write-time
		}
	}
	return v, nil
}

// GetMany reads many entities.
func (s *Store) GetMany(ctx context.Context, entities []string) ([]*Vector, error) {
	var out []*Vector
	var failed error
	err := s.tbl.ReadRows(ctx, bigtable.RowList(entities), func(row bigtable.Row) bool { // want ttlread/missing-filter[m10]
		var v *Vector
		if v, failed = vector(row.Key(), row); failed != nil {
			return false
		}
		out = append(out, v)
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamOnline))) // want ttlread/missing-filter[m10]
	return out, errors.Join(err, failed)
}

// GetAged returns features with the time at which they were updated; or so the
// training team believed for a year.
func (s *Store) GetAged(ctx context.Context, entity string) (*Vector, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(s.online()))
	if err != nil {
		return nil, err
	}
	v, err := vector(entity, row)
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamOnline] {
		v.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return v, nil
}

// Entity reads the ordinary family.
func (s *Store) Entity(ctx context.Context, entity string) (map[string]string, time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(etl.InFamily(schema.FamEntity, etl.Newest()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, time.Time{}, err
	}
	out := map[string]string{}
	var updated time.Time
	for _, it := range row[schema.FamEntity] {
		out[etl.Column(it)] = string(it.Value)
		if t := it.Timestamp.Time(); t.After(updated) {
			updated = t // ok ttlage/not-write-time
		}
	}
	return out, updated, nil
}

// Fresh says whether the online features of entity are younger than max.
func (s *Store) Fresh(ctx context.Context, entity string, max time.Duration) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(s.online()))
	if err != nil {
		return false, err
	}
	for _, it := range row[schema.FamOnline] {
		age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		if age > max {
			s.mu.Lock()
			s.stale[entity]++
			s.mu.Unlock()
			return false, nil
		}
	}
	return true, nil
}

// Expiring lists entities whose features end within d, for the refresher.
func (s *Store) Expiring(ctx context.Context, d time.Duration) ([]string, error) {
	var out []string
	limit := s.clock.Now().Add(d)
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamOnline] {
			if it.Timestamp.Time().Before(limit) {
				out = append(out, row.Key())
				break
			}
		}
		return true
	}, bigtable.RowFilter(s.online())) // ok ttlread/missing-filter
	sort.Strings(out)
	return out, err
}

// Snapshot reads an entity with everything, each family as it needs.
func (s *Store) Snapshot(ctx context.Context, entity string) ([]byte, error) {
	f := bigtable.InterleaveFilters(
		etl.InFamily(schema.FamOnline, etl.LiveAt(s.clock)),
		etl.InFamily(schema.FamStats, etl.Within(schema.StatsRetention)),
		etl.InFamily(schema.FamEntity, etl.Newest()),
	)
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return dump(row)
}

// SnapshotV1 has no live filter for statistics.
func (s *Store) SnapshotV1(ctx context.Context, entity string) ([]byte, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[snap]
		etl.InFamily(schema.FamOnline, etl.LiveAt(s.clock)),
		etl.InFamily(schema.FamStats, etl.Newest()), // want ttlread/unfiltered-branch[snap]
		etl.InFamily(schema.FamEntity, etl.Newest()),
	)
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[snap]
	if err != nil {
		return nil, err
	}
	return dump(row)
}

// Debug dumps what is stored, dead or alive. It is behind /debug, but the
// notebook uses it too.
func (s *Store) Debug(ctx context.Context, entity string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, entity) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return dump(row)
}

func dump(row bigtable.Row) ([]byte, error) {
	out := map[string]map[string]string{}
	for fam, items := range row {
		cols := map[string]string{}
		for _, it := range items {
			cols[etl.Column(it)] = fmt.Sprintf("%x", it.Value)
		}
		out[fam] = cols
	}
	return json.Marshal(out)
}

// Touch prolongs the features of an entity without changing them.
func (s *Store) Touch(ctx context.Context, group, entity string) error {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(s.online()))
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[schema.FamOnline] {
		m.Set(schema.FamOnline, etl.Column(it), s.expiry(group), it.Value) // ok ttlwrite/write-time
	}
	return s.tbl.Apply(ctx, entity, m)
}

// Bump counts requests per entity beside its features.
func (s *Store) Bump(ctx context.Context, entity string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamEntity, "requests", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamOnline, "requests", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, entity, rmw)
	return err
}

// Invalidate ends the features of an entity.
func (s *Store) Invalidate(ctx context.Context, entity string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamOnline)
	m.Set(schema.FamEntity, "invalidated", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, entity, m)
}

// GetWithEntity reads features and the entity in one go; a live filter for
// the whole row also drops the entity's own cells.
func (s *Store) GetWithEntity(ctx context.Context, entity string) (*Vector, map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(etl.LiveAt(s.clock))) // want ttlread/hides-other-families
	if err != nil {
		return nil, nil, err
	}
	v, err := vector(entity, row)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]string{}
	for _, it := range row[schema.FamEntity] {
		names[etl.Column(it)] = string(it.Value)
	}
	return v, names, nil
}

// GetBare wants the features only.
func (s *Store) GetBare(ctx context.Context, entity string) (*Vector, error) {
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(etl.LiveAt(s.clock))) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return vector(entity, row)
}

// GetIfLive was to return the features of entities that have a live one. The
// live filter stands in the predicate, where it filters nothing.
func (s *Store) GetIfLive(ctx context.Context, entity string) (*Vector, error) {
	f := bigtable.ConditionFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamOnline), etl.LiveAt(s.clock)), bigtable.FamilyFilter(schema.FamOnline), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[iflive]
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f))                                                                                                                          // want ttlread/unfiltered-branch[iflive]
	if err != nil {
		return nil, err
	}
	return vector(entity, row)
}

// GetIfKnown has the filter where it belongs.
func (s *Store) GetIfKnown(ctx context.Context, entity string) (*Vector, error) {
	f := bigtable.ConditionFilter(bigtable.FamilyFilter(schema.FamEntity), s.online(), bigtable.BlockAllFilter())
	row, err := s.tbl.ReadRow(ctx, entity, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return vector(entity, row)
}
