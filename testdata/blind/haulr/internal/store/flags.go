package store

import (
	"context"
	"sort"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Flag is a feature flag.
type Flag struct {
	Name    string
	Percent int
	Enabled bool
	Owner   string
}

// FlagStore keeps one value per flag, at timestamp zero, and a history.
type FlagStore struct {
	tbl *bigtable.Table

	mu     sync.RWMutex
	cache  map[string]Flag
	loaded time.Time
}

// NewFlagStore opens the table.
func NewFlagStore(client *bigtable.Client) *FlagStore {
	return &FlagStore{tbl: client.Open(tables.Flags), cache: map[string]Flag{}}
}

// Save stores a flag.
func (s *FlagStore) Save(ctx context.Context, f Flag, by string) error {
	v := marshal(f)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFlagValue, "json", 0, v)                            // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamFlagHistory, "json", bigtable.Now(), v)             // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamFlagHistory, "by", bigtable.ServerTime, []byte(by)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, f.Name, mut)
}

// Enable switches a flag on for everybody.
func (s *FlagStore) Enable(ctx context.Context, name, by string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFlagValue, "enabled", bigtable.Now(), []byte("1"))  // want ttlwrite/clock-in-zero
	mut.Set(tables.FamFlagHistory, "enabled", bigtable.Now(), []byte(by)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, name, mut)
}

// Disable switches it off.
func (s *FlagStore) Disable(ctx context.Context, name, by string) error {
	const at bigtable.Timestamp = 0
	mut := bigtable.NewMutation()
	mut.Set(tables.FamFlagValue, "enabled", at, []byte("0")) // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamFlagHistory, "enabled", bigtable.Now(), []byte(by))
	return s.tbl.Apply(ctx, name, mut)
}

// SetPercent changes the share of users.
func (s *FlagStore) SetPercent(ctx context.Context, name string, percent string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "percent", bigtable.ServerTime, []byte(percent)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, name, mut)
}

// SetOwner changes who is asked about it.
func (s *FlagStore) SetOwner(ctx context.Context, name, owner string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "owner", bigtable.Time(time.Unix(0, 0)), []byte(owner)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, name, mut)
}

// Bump counts evaluations.
func (s *FlagStore) Bump(ctx context.Context, name string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamFlagValue, "evals", n) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, name, rmw)
	return err
}

// Note appends to the flag's changelog.
func (s *FlagStore) Note(ctx context.Context, name, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(tables.FamFlagHistory, "log", []byte(text+"\n")) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, name, rmw)
	return err
}

// Get reads one flag. There is one version at zero, so no filter is needed.
func (s *FlagStore) Get(ctx context.Context, name string) (Flag, error) {
	row, err := s.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamFlagValue))) // ok ttlread/missing-filter
	if err != nil {
		return Flag{}, err
	}
	return decodeFlag(row)
}

// All reads all flags.
func (s *FlagStore) All(ctx context.Context) ([]Flag, error) {
	s.mu.RLock()
	if time.Since(s.loaded) < 10*time.Second { // ok ttlage/not-write-time
		out := make([]Flag, 0, len(s.cache))
		for _, f := range s.cache {
			out = append(out, f)
		}
		s.mu.RUnlock()
		sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
		return out, nil
	}
	s.mu.RUnlock()
	var out []Flag
	var derr error
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		f, err := decodeFlag(row)
		if err != nil {
			derr = err
			return false
		}
		out = append(out, f)
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err == nil {
		err = derr
	}
	if err == nil {
		s.mu.Lock()
		for _, f := range out {
			s.cache[f.Name] = f
		}
		s.loaded = time.Now()
		s.mu.Unlock()
	}
	return out, err
}

// Changed says when a flag was changed last, by its value.
func (s *FlagStore) Changed(ctx context.Context, name string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamFlagValue)))
	if err != nil {
		return time.Time{}, err
	}
	var updatedAt time.Time
	if it, ok := bigtablex.Item(row, tables.FamFlagValue, "json"); ok {
		updatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return updatedAt, nil
}

// ChangedAt asks the history, which knows.
func (s *FlagStore) ChangedAt(ctx context.Context, name string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, name, bigtable.RowFilter(bigtablex.Latest(tables.FamFlagHistory, 1)))
	if err != nil {
		return time.Time{}, err
	}
	var updatedAt time.Time
	for _, it := range row[tables.FamFlagHistory] {
		updatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return updatedAt, nil
}

func decodeFlag(row bigtable.Row) (Flag, error) {
	if row == nil {
		return Flag{}, ErrNotFound
	}
	f := Flag{Name: row.Key()}
	if v, ok := bigtablex.Value(row, tables.FamFlagValue, "json"); ok {
		if err := unmarshal(v, &f); err != nil {
			return f, err
		}
	}
	switch bigtablex.String(row, tables.FamFlagValue, "enabled") {
	case "1":
		f.Enabled = true
	case "0":
		f.Enabled = false
	}
	f.Owner = strings.ToLower(f.Owner)
	return f, nil
}
