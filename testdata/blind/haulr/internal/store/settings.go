package store

import (
	"context"
	"maps"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// SettingsStore keeps what users prefer, and what support set for a while.
type SettingsStore struct {
	tbl *bigtable.Table
}

// NewSettingsStore opens the table.
func NewSettingsStore(client *bigtable.Client) *SettingsStore {
	return &SettingsStore{tbl: client.Open(tables.Settings)}
}

// Put stores preferences.
func (s *SettingsStore) Put(ctx context.Context, user string, prefs map[string]string) error {
	mut := bigtable.NewMutation()
	for k, v := range prefs {
		mut.Set(tables.FamPreference, k, 0, []byte(v)) // ok ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, user, mut)
}

// PutOne stores one preference and when it was changed.
func (s *SettingsStore) PutOne(ctx context.Context, user, k, v string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPreference, k, 0, []byte(v))                                 // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamPreference, "_changed", bigtable.Now(), rfc3339(time.Now())) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, user, mut)
}

// PutLocale comes from the sign-up form.
func (s *SettingsStore) PutLocale(ctx context.Context, user, locale, zone string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPreference, "locale", 0, []byte(locale))
	mut.Set(tables.FamPreference, "locale", 0, []byte(zone)) // want ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, user, mut)
}

// PutTheme does it right.
func (s *SettingsStore) PutTheme(ctx context.Context, user, theme, accent string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPreference, "theme", 0, []byte(theme))
	mut.Set(tables.FamPreference, "accent", 0, []byte(accent)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, user, mut)
}

// Override sets something for a day.
func (s *SettingsStore) Override(ctx context.Context, user, k, v string, d time.Duration) error {
	if d == 0 {
		d = tables.OverrideTTL
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamOverride, k)
	mut.Set(tables.FamOverride, k, bigtable.Time(time.Now().Add(d)), []byte(v)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, user, mut)
}

// OverrideAll sets several things.
func (s *SettingsStore) OverrideAll(ctx context.Context, user string, kv map[string]string) error {
	mut := bigtable.NewMutation()
	for k, v := range kv {
		mut.Set(tables.FamOverride, k, bigtable.Now(), []byte(v)) // want ttlwrite/write-time
	}
	return s.tbl.Apply(ctx, user, mut)
}

// ClearOverride ends an override.
func (s *SettingsStore) ClearOverride(ctx context.Context, user, k string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamOverride, "cleared", bigtablex.ExpiresIn(time.Hour), []byte(k))
	mut.DeleteCellsInColumn(tables.FamOverride, k) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, user, mut)
}

// Effective returns the preferences with the overrides on top.
func (s *SettingsStore) Effective(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(tables.FamPreference),
		bigtablex.LiveFamily(tables.FamOverride),
	)))
	if err != nil {
		return nil, err
	}
	return merge(row), nil
}

// EffectiveFast returns them with one round of filters less.
func (s *SettingsStore) EffectiveFast(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return merge(row), nil
}

func merge(row bigtable.Row) map[string]string {
	out := map[string]string{}
	for _, fam := range []string{tables.FamPreference, tables.FamOverride} {
		for _, it := range row[fam] {
			out[column(it)] = string(it.Value)
		}
	}
	return out
}

// Preferences returns the lasting ones only.
func (s *SettingsStore) Preferences(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, user) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[tables.FamPreference] {
		out[column(it)] = string(it.Value)
	}
	return out, nil
}

// Overrides returns the passing ones, and passes the filter over everything.
func (s *SettingsStore) Overrides(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtablex.LiveOption()) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			out[fam+"/"+column(it)] = string(it.Value)
		}
	}
	return out, nil
}

// Diff says what support changed.
func (s *SettingsStore) Diff(ctx context.Context, user string) (map[string]string, error) {
	prefs, err := s.Preferences(ctx, user)
	if err != nil {
		return nil, err
	}
	eff, err := s.Effective(ctx, user)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(eff, func(k, v string) bool { return prefs[k] == v })
	return eff, nil
}

// OverriddenFor says how long ago support set something.
func (s *SettingsStore) OverriddenFor(ctx context.Context, user, k string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtablex.LiveFamily(tables.FamOverride)))
	if err != nil {
		return 0, err
	}
	if it, ok := bigtablex.Item(row, tables.FamOverride, k); ok {
		return time.Now().Sub(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// OverriddenUntil says how long it will last.
func (s *SettingsStore) OverriddenUntil(ctx context.Context, user, k string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtablex.LiveFamily(tables.FamOverride)))
	if err != nil {
		return 0, err
	}
	if it, ok := bigtablex.Item(row, tables.FamOverride, k); ok {
		return it.Timestamp.Time().Sub(time.Now()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}
