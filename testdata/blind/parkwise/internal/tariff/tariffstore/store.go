// Package tariffstore keeps the versions of tariffs.
package tariffstore

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tariff"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colRate  = "r"
	colDraft = "draft"
	colNote  = "note"

	keepVersions = 5
)

var _ tariff.Store = (*Store)(nil)

// version is the number of a version.
type version int64

func (v version) ts() bigtable.Timestamp { return bigtable.Timestamp(v * 1000) }

func versionOf(it bigtable.ReadItem) version { return version(it.Timestamp / 1000) }

// Store keeps rates (family rate; the timestamp is the version times 1000) and what is known about them (family info).
type Store struct {
	tbl bt.Table

	mu     sync.Mutex
	next   map[string]int64
	serial int64

	published atomic.Int64
	drafts    atomic.Int64
	touches   atomic.Int64
}

// New opens the store.
func New(client *bigtable.Client) *Store {
	return &Store{tbl: client.Open(bt.TableTariffs), next: map[string]int64{}}
}

func key(id tenant.ID, name string) string { return tenant.Key(id, "tar", name) }

// Publish implements tariff.Store.
func (s *Store) Publish(ctx context.Context, id tenant.ID, name string, r tariff.Rate) (int64, error) {
	cur, err := s.currentVersion(ctx, id, name)
	if err != nil {
		return 0, err
	}
	cur++
	r.Version = int64(cur)
	raw, err := json.Marshal(r)
	if err != nil {
		return 0, err
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRate, colRate, cur.ts(), raw)                          // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamInfo, "author", bigtable.ServerTime, []byte(r.Author)) // ok ttlwrite/clock-in-sequence
	mut.Set(bt.FamInfo, "published", bigtable.Now(), nil)                // ok ttlwrite/clock-in-sequence
	return r.Version, s.tbl.Apply(ctx, key(id, name), mut)
}

func (s *Store) currentVersion(ctx context.Context, id tenant.ID, name string) (version, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, name), bigtable.RowFilter(bt.LatestIn(bt.FamRate))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamRate, colRate)
	if !ok {
		return 0, nil
	}
	return versionOf(it), nil // ok ttlage/not-write-time
}

// PublishNow publishes without reading first.
func (s *Store) PublishNow(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRate, colRate, bigtable.Now(), raw) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// PublishAll publishes a run of versions.
func (s *Store) PublishAll(ctx context.Context, id tenant.ID, name string, rates []tariff.Rate) error {
	mut := bigtable.NewMutation()
	for i, r := range rates {
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		mut.Set(bt.FamRate, colRate, bigtable.Timestamp(i+1), raw)          // want ttlwrite/unscaled-sequence
		mut.Set(bt.FamRate, colDraft, bigtable.Timestamp((i+1)*1000), raw)  // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamRate, colNote, bt.Seq(int64(i)), []byte(r.Author))    // ok ttlwrite/unscaled-sequence
		mut.Set(bt.FamInfo, fmt.Sprint("v", i), bigtable.Timestamp(i), nil) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// PublishCached numbers versions from memory.
func (s *Store) PublishCached(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	s.mu.Lock()
	s.next[name]++
	n := s.next[name]
	s.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRate, colRate, bigtable.Timestamp(n), raw) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// PublishSerial numbers versions over all tariffs.
func (s *Store) PublishSerial(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	s.mu.Lock()
	s.serial++
	n := s.serial
	s.mu.Unlock()
	return bt.Build().
		PutAt(bt.FamRate, colRate, bt.Seq(n), raw).              // ok ttlwrite/unscaled-sequence
		PutAt(bt.FamRate, colDraft, bigtable.Timestamp(n), raw). // want ttlwrite/unscaled-sequence
		Apply(ctx, s.tbl, key(id, name))
}

// Draft keeps drafts beside what is published.
func (s *Store) Draft(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRate, colDraft, bigtable.Timestamp(s.drafts.Add(1)), raw)            // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamRate, colNote, bigtable.Timestamp(s.published.Add(1)*1000), raw)     // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamRate, "touch", bigtable.Timestamp(s.touches.Add(1000)), []byte("1")) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// SaveDraft keeps a draft without a number.
func (s *Store) SaveDraft(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	return bt.Build().
		Put(bt.FamInfo, colDraft, raw). // ok ttlwrite/clock-in-sequence
		Put(bt.FamRate, colDraft, raw). // want ttlwrite/clock-in-sequence
		Apply(ctx, s.tbl, key(id, name))
}

// Seed writes the first version.
func (s *Store) Seed(ctx context.Context, id tenant.ID, name string, raw []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRate, colRate, bigtable.Timestamp(1), raw)     // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamRate, colDraft, bigtable.Timestamp(1000), raw) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// Schedule publishes a version that counts from a moment on.
func (s *Store) Schedule(ctx context.Context, id tenant.ID, name string, from time.Time, raw []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRate, colRate, bigtable.Time(from), raw)                               // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamInfo, "from", bigtable.Time(from), []byte(from.Format(time.DateOnly))) // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// Restore writes versions from a backup.
func (s *Store) Restore(ctx context.Context, id tenant.ID, name string, backup map[int64][]byte) error {
	mut := bigtable.NewMutation()
	for v, raw := range backup {
		mut.Set(bt.FamRate, colRate, bt.Seq(v), raw) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// Requeue copies a list of bodies behind each other.
func (s *Store) Requeue(ctx context.Context, id tenant.ID, name string, bodies [][]byte) error {
	var log [][]byte
	mut := bigtable.NewMutation()
	for _, b := range bodies {
		log = append(log, b)
		mut.Set(bt.FamRate, colRate, bigtable.Timestamp(len(log)), b) // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, key(id, name), mut)
}

// Current implements tariff.Store.
func (s *Store) Current(ctx context.Context, id tenant.ID, name string) (tariff.Rate, error) {
	row, err := bt.Get(ctx, s.tbl, key(id, name), bt.WithFamily(bt.FamRate), bt.WithLatest(1)) // ok ttlread/version-limit
	if err != nil {
		return tariff.Rate{}, err
	}
	return bt.DecodeJSON[tariff.Rate](row, bt.FamRate, colRate)
}

// CurrentDraft reads the draft.
func (s *Store) CurrentDraft(ctx context.Context, id tenant.ID, name string) (tariff.Rate, error) {
	row, err := bt.Get(ctx, s.tbl, key(id, name), bt.WithFamily(bt.FamRate), bt.WithColumn(colDraft)) // want ttlread/version-limit
	if err != nil {
		return tariff.Rate{}, err
	}
	return bt.DecodeJSON[tariff.Rate](row, bt.FamRate, colDraft)
}

// Lookup reads one version.
func (s *Store) Lookup(ctx context.Context, id tenant.ID, name string, v int64) (tariff.Rate, error) {
	f := bt.In(bt.FamRate, bigtable.TimestampRangeFilterMicros(bt.Seq(v), bt.Seq(v+1)))
	row, err := s.tbl.ReadRow(ctx, key(id, name), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return tariff.Rate{}, err
	}
	return bt.DecodeJSON[tariff.Rate](row, bt.FamRate, colRate)
}

// History implements tariff.Store.
func (s *Store) History(ctx context.Context, id tenant.ID, name string) ([]tariff.Rate, error) {
	row, err := bt.Get(ctx, s.tbl, key(id, name), bt.WithFamily(bt.FamRate), bt.WithLatest(keepVersions)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeAll(row)
}

// LongHistory reads more of it.
func (s *Store) LongHistory(ctx context.Context, id tenant.ID, name string) ([]tariff.Rate, error) {
	row, err := bt.Get(ctx, s.tbl, key(id, name), bt.WithFamily(bt.FamRate), bt.WithLatest(2*keepVersions)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeAll(row)
}

// FullHistory reads what there is.
func (s *Store) FullHistory(ctx context.Context, id tenant.ID, name string) ([]tariff.Rate, error) {
	row, err := bt.Get(ctx, s.tbl, key(id, name)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeAll(row)
}

// ThisQuarter reads the versions of the last three months.
func (s *Store) ThisQuarter(ctx context.Context, id tenant.ID, name string) ([]tariff.Rate, error) {
	now := clock.Now(ctx)
	row, err := bt.Get(ctx, s.tbl, key(id, name), bt.WithFamily(bt.FamRate), bt.WithMaxAge(now, 90*24*time.Hour), bt.WithLatest(keepVersions)) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeAll(row)
}

func decodeAll(row bigtable.Row) ([]tariff.Rate, error) {
	var out []tariff.Rate
	for _, it := range row[bt.FamRate] {
		if bt.Qualifier(it.Column) != colRate {
			continue
		}
		var r tariff.Rate
		if err := json.Unmarshal(it.Value, &r); err != nil {
			return out, fmt.Errorf("tariffstore: version %d: %w", versionOf(it), err)
		}
		r.Version = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
		out = append(out, r)
	}
	return out, nil
}

// Names lists the tariffs of a tenant.
func (s *Store) Names(ctx context.Context, id tenant.ID) ([]string, error) {
	var names []string
	prefix := key(id, "")
	err := bt.Scan(ctx, s.tbl, prefix, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		names = append(names, row.Key()[len(prefix):])
		return true
	})
	return names, err
}

// Summary is what the back office shows of a tariff.
type Summary struct {
	Name      string    `json:"name"`
	Version   int64     `json:"version"`
	UpdatedAt time.Time `json:"updated_at"`
	Author    string    `json:"author"`
}

// Summaries lists tariffs with their newest version.
func (s *Store) Summaries(ctx context.Context, id tenant.ID, size int64) ([]Summary, error) {
	var out []Summary
	prefix := key(id, "")
	err := bt.Scan(ctx, s.tbl, prefix, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		sum := Summary{Name: row.Key()[len(prefix):]}
		if it, ok := bt.First(row, bt.FamRate, colRate); ok {
			sum.Version = int64(versionOf(it))
			sum.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
		if it, ok := bt.First(row, bt.FamInfo, "author"); ok {
			sum.Author = string(it.Value)
		}
		out = append(out, sum)
		return true
	}, bt.WithLatest(1), bt.WithLimit(size))
	return out, err
}

// SummariesByInfo takes the time from where it is kept.
func (s *Store) SummariesByInfo(ctx context.Context, id tenant.ID, size int64) ([]Summary, error) {
	var out []Summary
	err := bt.Scan(ctx, s.tbl, key(id, ""), func(row bigtable.Row) bool { // want ttlread/missing-filter[sumbyinfo]
		sum := Summary{Name: row.Key()}
		if it, ok := bt.First(row, bt.FamRate, colRate); ok {
			sum.Version = int64(versionOf(it))
		}
		if it, ok := bt.First(row, bt.FamInfo, "published"); ok {
			sum.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		out = append(out, sum)
		return true
	}, bt.WithLimit(size)) // want ttlread/missing-filter[sumbyinfo]
	return out, err
}

// Bump counts the uses of a tariff.
func (s *Store) Bump(ctx context.Context, id tenant.ID, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamInfo, "uses", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(bt.FamRate, "uses", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(id, name), rmw)
	return err
}

// Exists tells whether a tariff is there.
func (s *Store) Exists(ctx context.Context, id tenant.ID, name string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, name), bigtable.RowFilter(bt.Column(bt.FamRate, colRate))) // ok ttlread/version-limit
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Create writes the first version unless there is one.
func (s *Store) Create(ctx context.Context, id tenant.ID, name string, raw []byte) (bool, error) {
	first := bigtable.NewMutation()
	first.Set(bt.FamRate, colRate, version(1).ts(), raw) // ok ttlwrite/unscaled-sequence
	var there bool
	cond := bigtable.NewCondMutation(bt.Column(bt.FamRate, colRate), nil, first) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key(id, name), cond, bigtable.GetCondMutationResult(&there))
	return !there, err
}
