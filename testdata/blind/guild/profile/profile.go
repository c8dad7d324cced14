// Package profile keeps players' profiles: the current one at timestamp zero,
// and the last revisions by their number.
package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// KeepRevisions is how many revisions of a profile are kept.
const KeepRevisions = 5

// Profile is what others see of a player.
type Profile struct {
	Player string            `json:"player"`
	Name   string            `json:"name"`
	Title  string            `json:"title"`
	Badges []string          `json:"badges,omitempty"`
	Links  map[string]string `json:"links,omitempty"`
	Rev    int64             `json:"rev"`
}

// Tables gives a store its tables. *bigtable.Client is one.
type Tables interface {
	Open(name string) *bigtable.Table
}

// Store reads and writes profiles.
type Store struct {
	tbl     *bigtable.Table
	current *kit.Repo[string, Profile]
	names   *kit.Repo[string, string]
	edits   int64
}

// New returns the store of the profiles table.
func New(tables Tables) *Store {
	tbl := tables.Open(schema.Profiles)
	return &Store{
		tbl: tbl,
		current: kit.NewRepo(tbl, kit.RepoConfig[string, Profile]{
			Family: schema.FamCur, Column: "profile", Key: rowKey, Codec: kit.JSON[Profile]{},
			Stamp: kit.Pinned(),     // ok ttlwrite/clock-in-zero ttlwrite/already-expired
			View:  kit.Everything(), // ok ttlread/missing-filter
		}),
		names: kit.NewRepo(tbl, kit.RepoConfig[string, string]{ // want ttlwrite/clock-in-zero[names]
			Family: schema.FamCur, Column: "name", Key: rowKey, Codec: kit.Text{},
			Stamp: kit.Written(), // want ttlwrite/clock-in-zero[names]
			View:  kit.Newest(1), // ok ttlread/missing-filter
		}),
	}
}

// rowKey returns the row key of a player.
func rowKey(player string) string { return "pl#" + player }

// Get returns a player's profile.
func (s *Store) Get(ctx context.Context, player string) kit.Result[Profile] {
	return kit.Of(s.current.Get(ctx, player))
}

// Rename changes a player's name.
func (s *Store) Rename(ctx context.Context, player, name string) error {
	old, err := s.names.Get(ctx, player)
	if err == nil && old == name {
		return nil
	}
	return s.names.Put(ctx, player, name)
}

// Update stores a profile and its revision.
func (s *Store) Update(ctx context.Context, p Profile) (Profile, error) {
	p.Rev++
	b, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamCur, "profile", 0, b)                         // ok ttlwrite/clock-in-zero
	m.Set(schema.FamRev, "profile", bigtable.Timestamp(p.Rev), b) // want ttlwrite/unscaled-sequence
	if err := s.tbl.Apply(ctx, rowKey(p.Player), m); err != nil {
		return p, fmt.Errorf("update profile of %s: %w", p.Player, err)
	}
	return p, nil
}

// Save is Update with revisions that Bigtable keeps apart.
func (s *Store) Save(ctx context.Context, p Profile) (Profile, error) {
	p.Rev++
	b, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamCur, "profile", bigtable.Timestamp(0), b)          // ok ttlwrite/clock-in-zero ttlwrite/already-expired
	m.Set(schema.FamRev, "profile", bigtable.Timestamp(p.Rev*1000), b) // ok ttlwrite/unscaled-sequence
	return p, s.tbl.Apply(ctx, rowKey(p.Player), m)
}

// Touch stores a revision without changing the profile.
func (s *Store) Touch(ctx context.Context, p Profile) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	s.edits++
	m := bigtable.NewMutation()
	m.Set(schema.FamRev, "touch", bigtable.Timestamp(time.Now().UnixMicro()), b) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamRev, "edits", bigtable.Timestamp(s.edits), b)                // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRev, "from", bigtable.Time(time.UnixMilli(p.Rev)), b)        // ok ttlwrite/clock-in-sequence ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, rowKey(p.Player), m)
}

// Restore writes old revisions of a profile, the newest first.
func (s *Store) Restore(ctx context.Context, player string, revs []Profile) error {
	m := bigtable.NewMutation()
	for i, p := range revs {
		b, err := json.Marshal(p)
		if err != nil {
			return err
		}
		n := len(revs) - i
		m.Set(schema.FamRev, "profile", bigtable.Timestamp(n), b)       // want ttlwrite/unscaled-sequence
		m.Set(schema.FamRev, "restored", bigtable.Timestamp(n)*1000, b) // ok ttlwrite/unscaled-sequence ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Award adds badges to the current profile, one cell each.
func (s *Store) Award(ctx context.Context, player string, badges ...string) error {
	m := bigtable.NewMutation()
	for _, b := range badges {
		m.Set(schema.FamCur, "badge:"+b, 0, []byte("1")) // ok ttlwrite/same-timestamp ttlwrite/clock-in-zero
		m.Set(schema.FamCur, "badge", 0, []byte(b))      // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Like counts the likes of a profile.
func (s *Store) Like(ctx context.Context, player string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamCur, "likes", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
	return err
}

// Reset clears a profile.
func (s *Store) Reset(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(schema.FamCur)
	m.Set(schema.FamCur, "profile", 0, []byte("{}")) // ok ttlwrite/delete-after-set ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Wipe clears a profile and its revisions.
func (s *Store) Wipe(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamCur, "profile", 0, []byte("{}"))
	m.DeleteCellsInFamily(schema.FamRev) // ok ttlwrite/delete-after-set
	m.DeleteCellsInFamily(schema.FamCur) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Revisions returns the revisions of a profile that are kept.
func (s *Store) Revisions(ctx context.Context, player string) ([]Profile, error) {
	f := kit.OfFamily(schema.FamRev, bigtable.ColumnFilter("profile"), bigtable.LatestNFilter(KeepRevisions))
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/version-limit ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeAll(row[schema.FamRev])
}

// Timeline returns the revisions and the current profile.
func (s *Store) Timeline(ctx context.Context, player string) ([]Profile, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeAll(append(row[schema.FamCur], row[schema.FamRev]...))
}

// Badges returns the badges of a player.
func (s *Store) Badges(ctx context.Context, player string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player)) // ok ttlread/missing-filter
	return len(row[schema.FamCur]), err
}

// Edited returns the revisions of a player within a window of time.
func (s *Store) Edited(ctx context.Context, player string, d time.Duration) ([]Profile, error) {
	now := time.Now()
	f := kit.OfFamily(schema.FamRev, bigtable.TimestampRangeFilter(now.Add(-d), now), bigtable.LatestNFilter(KeepRevisions)) // want ttlread/wrong-bound[edited]
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f))                                                    // want ttlread/wrong-bound[edited]
	if err != nil {
		return nil, err
	}
	return decodeAll(row[schema.FamRev])
}

// Between returns the revisions from one number to another.
func (s *Store) Between(ctx context.Context, player string, from, to int64) ([]Profile, error) {
	f := kit.OfFamily(schema.FamRev,
		bigtable.TimestampRangeFilterMicros(kit.Sequence(from), kit.Sequence(to+1)), // ok ttlread/wrong-bound ttlunit/empty-range
		bigtable.LatestNFilter(KeepRevisions))
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/wrong-bound ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return decodeAll(row[schema.FamRev])
}

// Page returns what the profile page shows. The limit keeps players with
// thousands of badges from filling it.
func (s *Store) Page(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCur), bigtable.CellsPerRowLimitFilter(100)), // ok ttlread/limit-before-filter
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.LatestNFilter(1)),            // ok ttlread/version-limit
	)))
}

// Card returns what others see when they point at a player: the profile if he
// shows it, else its revisions.
func (s *Store) Card(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.ConditionFilter( // want ttlread/unfiltered-branch[card]
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.LatestNFilter(1), bigtable.ValueFilter("hidden")),
		bigtable.BlockAllFilter(),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[card]
	)))
}

// CardLatest is Card with bounds in both branches.
func (s *Store) CardLatest(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.ConditionFilter( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRev), bigtable.LatestNFilter(1), bigtable.ValueFilter("hidden")),
		bigtable.BlockAllFilter(),
		bigtable.LatestNFilter(1), // ok ttlread/unfiltered-branch ttlread/version-limit
	)))
}

// Known says whether a player has revisions.
func (s *Store) Known(ctx context.Context, player string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamRev))) // ok ttlread/missing-filter ttlread/version-limit
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Stale says whether a player's newest revision is older than d.
func (s *Store) Stale(ctx context.Context, player string, d time.Duration) (bool, error) {
	f := kit.OfFamily(schema.FamRev, bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil || len(row[schema.FamRev]) == 0 {
		return false, err
	}
	ts := row[schema.FamRev][0].Timestamp
	return time.Since(ts.Time()) > d, nil // want ttlage/not-write-time
}

// Behind says by how many revisions a copy is behind.
func (s *Store) Behind(ctx context.Context, player string, copied int64) (int64, error) {
	f := kit.OfFamily(schema.FamRev, bigtable.LatestNFilter(1))
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil || len(row[schema.FamRev]) == 0 {
		return 0, err
	}
	ts := row[schema.FamRev][0].Timestamp
	return int64(ts)/1000 - copied, nil // ok ttlage/not-write-time
}

// decodeAll decodes profiles.
func decodeAll(items []bigtable.ReadItem) ([]Profile, error) {
	var out []Profile
	for _, item := range items {
		var p Profile
		if err := json.Unmarshal(item.Value, &p); err != nil {
			return nil, fmt.Errorf("profile in %s: %w", item.Row, err)
		}
		out = append(out, p)
	}
	return out, nil
}
