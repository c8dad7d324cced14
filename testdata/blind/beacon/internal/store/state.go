package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/clock"
	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

// ErrHeld is returned where somebody else holds a lease.
var ErrHeld = errors.New("lease is held")

// StateStore keeps cursors and leases of one tenant's consumers.
type StateStore struct {
	tbl bigtable.TableAPI
	lay layout.State

	flushes atomic.Int64
	epoch   int64
}

// NewStateStore returns a store on the tenant's table.
func NewStateStore(tbl bigtable.TableAPI, lay layout.State) *StateStore {
	return &StateStore{tbl: tbl, lay: lay}
}

// Commit moves a consumer's cursor; the offset is the version.
func (s *StateStore) Commit(ctx context.Context, group string, partition int, offset int64) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Cursor, "offset", clock.Seq(offset), num(offset)) // ok ttlwrite/unscaled-sequence
	mut.Set(s.lay.Meta, "committed", bigtable.Now(), num(offset))   // ok ttlwrite/clock-in-sequence
	mut.Set(s.lay.Lease, "alive", clock.In(s.lay.Hold), nil)        // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Consumer(group, partition), mut)
}

// CommitAll moves many cursors at once.
func (s *StateStore) CommitAll(ctx context.Context, group string, offsets map[int]int64) error {
	var rows []string
	var muts []*bigtable.Mutation
	for p, off := range offsets {
		mut := bigtable.NewMutation()
		mut.Set(s.lay.Cursor, "offset", bigtable.Now(), num(off))                   // want ttlwrite/clock-in-sequence
		mut.Set(s.lay.Cursor, "next", bigtable.Timestamp((off+1)*1000), num(off+1)) // ok ttlwrite/unscaled-sequence
		rows = append(rows, keys.Consumer(group, p))
		muts = append(muts, mut)
	}
	_, err := s.tbl.ApplyBulk(ctx, rows, muts)
	return err
}

// Flush writes how often this process flushed.
func (s *StateStore) Flush(ctx context.Context, group string, partition int) error {
	n := s.flushes.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Cursor, "flush", bigtable.Timestamp(n), num(n)) // want ttlwrite/unscaled-sequence
	mut.Set(s.lay.Cursor, "flush-no", clock.Seq(n), num(n))       // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, keys.Consumer(group, partition), mut)
}

// NextEpoch fences off older owners.
func (s *StateStore) NextEpoch(ctx context.Context, group string) error {
	s.epoch++
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Cursor, "epoch", bigtable.Timestamp(s.epoch), num(s.epoch)) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, keys.Consumer(group, 0), mut)
}

// Reset puts cursors back to their beginning.
func (s *StateStore) Reset(ctx context.Context, group string, partitions int) error {
	for p := 0; p < partitions; p++ {
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(s.lay.Cursor, "offset")
		mut.Set(s.lay.Cursor, "offset", 0, num(0))                          // ok ttlwrite/unscaled-sequence ttlwrite/delete-after-set
		mut.Set(s.lay.Cursor, "rank", bigtable.Timestamp(p), num(int64(p))) // want ttlwrite/unscaled-sequence
		if err := s.tbl.Apply(ctx, keys.Consumer(group, p), mut); err != nil {
			return err
		}
	}
	return nil
}

// Bootstrap writes the first version.
func (s *StateStore) Bootstrap(ctx context.Context, group string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Cursor, "schema", bigtable.Timestamp(1500), num(1)) // want ttlwrite/unscaled-sequence
	mut.Set(s.lay.Cursor, "format", bigtable.Timestamp(2000), num(1)) // ok ttlwrite/unscaled-sequence
	mut.Set(s.lay.Pref, "format", 0, num(2))                          // ok ttlwrite/clock-in-zero
	mut.Set(s.lay.Cursor, "boot", bigtable.ServerTime, num(1))        // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, keys.Consumer(group, 0), mut)
}

// Cursor reads a consumer's cursor.
func (s *StateStore) Cursor(ctx context.Context, group string, partition int) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Cursor), bigtable.ColumnFilter("offset"), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[s.lay.Cursor] {
		return clock.FromSeq(it.Timestamp), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// CursorOf reads a cursor with everything that the column still has.
func (s *StateStore) CursorOf(ctx context.Context, group string, partition int) (int64, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Cursor), bigtable.ColumnFilter("offset")))) // want ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[s.lay.Cursor] {
		return clock.FromSeq(it.Timestamp), nil
	}
	return 0, ErrNotFound
}

// History reads the last three positions, of which the table keeps one.
func (s *StateStore) History(ctx context.Context, group string, partition int) ([]int64, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Cursor), bigtable.LatestNFilter(3)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[s.lay.Cursor] {
		out = append(out, clock.FromSeq(it.Timestamp))
	}
	return out, nil
}

// Lag says how long ago a consumer moved, or so its author thought.
func (s *StateStore) Lag(ctx context.Context, group string, partition int) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Cursor), bigtable.LatestNFilter(1)))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[s.lay.Cursor] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// CommittedAgo asks the right family.
func (s *StateStore) CommittedAgo(ctx context.Context, group string, partition int) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Meta), bigtable.ColumnFilter("committed"), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[s.lay.Meta] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// Moved lists the consumers that moved in the last hour; cursors have no time.
func (s *StateStore) Moved(ctx context.Context, group string) ([]string, error) {
	var out []string
	since := time.Now().Add(-time.Hour)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(group+"#"), func(r bigtable.Row) bool { // want ttlread/wrong-bound[moved]
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Cursor), bigtable.TimestampRangeFilter(since, time.Time{})))) // want ttlread/wrong-bound[moved]
	return out, err
}

// Between looks positions up by their number.
func (s *StateStore) Between(ctx context.Context, group string, partition int, from, to int64) ([]int64, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Cursor), bigtable.TimestampRangeFilterMicros(clock.Seq(from), clock.Seq(to)), bigtable.LatestNFilter(1)))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, it := range row[s.lay.Cursor] {
		out = append(out, clock.FromSeq(it.Timestamp))
	}
	return out, nil
}

// Acquire takes a lease that nobody holds.
func (s *StateStore) Acquire(ctx context.Context, name, owner string) error {
	take := bigtable.NewMutation()
	take.Set(s.lay.Lease, "owner", clock.In(s.lay.Hold), []byte(owner)) // ok ttlwrite/write-time
	held := bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Lease),
		bigtable.ColumnFilter("owner"),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	var matched bool
	if err := s.tbl.Apply(ctx, "lease#"+name, bigtable.NewCondMutation(held, nil, take), bigtable.GetCondMutationResult(&matched)); err != nil { // ok ttlread/conditional-mutation
		return err
	}
	if matched {
		return ErrHeld
	}
	return nil
}

// Steal takes a lease for good, whoever holds it.
func (s *StateStore) Steal(ctx context.Context, name, owner string) error {
	take := bigtable.NewMutation()
	take.Set(s.lay.Lease, "owner", bigtable.Now(), []byte(owner)) // want ttlwrite/write-time
	held := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Lease), bigtable.ColumnFilter("owner"), bigtable.LatestNFilter(1))
	return s.tbl.Apply(ctx, "lease#"+name, bigtable.NewCondMutation(held, take, take)) // want ttlread/conditional-mutation
}

// Release gives a lease back if it is the owner's.
func (s *StateStore) Release(ctx context.Context, name, owner string) error {
	gone := bigtable.NewMutation()
	gone.DeleteCellsInColumn(s.lay.Lease, "owner")
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Lease), bigtable.ValueFilter(owner))
	return s.tbl.Apply(ctx, "lease#"+name, bigtable.NewCondMutation(mine, gone, nil)) // ok ttlread/conditional-mutation
}

// Owner says who holds a lease.
func (s *StateStore) Owner(ctx context.Context, name string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, "lease#"+name, liveFamily(s.lay.Lease)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[s.lay.Lease] {
		return string(it.Value), nil
	}
	return "", ErrNotFound
}

// Owners lists who holds what.
func (s *StateStore) Owners(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("lease#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[owners]
		for _, it := range r[s.lay.Lease] {
			out[r.Key()] = string(it.Value)
		}
		return true
	}, latestOf(s.lay.Lease)) // want ttlread/missing-filter[owners]
	return out, err
}

// Prefs reads the tenant's preferences.
func (s *StateStore) Prefs(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	row, err := s.tbl.ReadRow(ctx, "prefs") // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[s.lay.Pref] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// SetPref writes a preference.
func (s *StateStore) SetPref(ctx context.Context, name, value string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Pref, name, bigtable.Timestamp(0), []byte(value)) // ok ttlwrite/clock-in-zero
	mut.Set(s.lay.Meta, "pref:"+name, bigtable.Now(), nil)          // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, "prefs", mut)
}

// SetPrefs writes several preferences.
func (s *StateStore) SetPrefs(ctx context.Context, prefs map[string]string) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	for k, v := range prefs {
		mut.Set(s.lay.Pref, k, ts, []byte(v)) // want ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, "prefs", mut)
}

// Dump shows all there is of a consumer.
func (s *StateStore) Dump(ctx context.Context, group string, partition int) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Consumer(group, partition)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return fmt.Sprint(row), nil
}

func num(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// liveFamily reads a family of one-second expiration.
func liveFamily(family string, more ...bigtable.Filter) bigtable.ReadOption {
	f := append([]bigtable.Filter{
		bigtable.FamilyFilter(family),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	}, more...)
	return bigtable.RowFilter(bigtable.ChainFilters(f...))
}

// latestOf reads the newest cell of each column of a family.
func latestOf(family string) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(family), bigtable.LatestNFilter(1)))
}
