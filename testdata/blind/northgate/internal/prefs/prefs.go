// Package prefs keeps users' preferences and their devices.
package prefs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/northgate/identity/internal/platform/bt"
	"github.com/northgate/identity/internal/schema"
)

// Prefs are a user's preferences.
type Prefs map[string]string

// Device is a device that a user trusts.
type Device struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Trusted  time.Time `json:"trusted"`
	LastSeen time.Time `json:"-"`
	Updated  time.Time `json:"-"`
}

// Service keeps preferences.
type Service struct {
	tbl   bt.Table
	now   bt.Clock
	theme *bt.Repository[Theme]
	lang  *bt.Repository[string]
	trust *bt.Repository[Device]
}

// Theme is how the console looks to a user.
type Theme struct {
	Dark   bool   `json:"dark"`
	Accent string `json:"accent"`
}

func zero[T any](T) bigtable.Timestamp { return 0 }

// New makes a Service.
func New(tbl bt.Table, now bt.Clock) *Service {
	s := &Service{tbl: tbl, now: cmpClock(now)}
	s.theme = bt.NewRepository(tbl, schema.FamPref, "theme", bt.Stamped(zero[Theme]))                                                               // ok ttlwrite/clock-in-zero
	s.lang = bt.NewRepository[string](tbl, schema.FamPref, "lang")                                                                                  // want ttlwrite/clock-in-zero
	s.trust = bt.NewRepository(tbl, schema.FamDevice, "trust", bt.Filtered[Device](func() bigtable.Filter { return bt.Younger(schema.DeviceTTL) })) // ok ttlread/missing-filter
	return s
}

func cmpClock(c bt.Clock) bt.Clock {
	if c == nil {
		return bt.System
	}
	return c
}

// Set stores preferences. Each is overwritten in place.
func (s *Service) Set(ctx context.Context, user string, p Prefs) error {
	m := bigtable.NewMutation()
	for _, k := range slices.Sorted(maps.Keys(p)) {
		m.Set(schema.FamPref, k, 0, []byte(p[k])) // ok ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, user, m)
}

// SetDefault stores a preference unless the user has one.
func (s *Service) SetDefault(ctx context.Context, user, key, value string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamPref, key, bigtable.ServerTime, []byte(value)) // want ttlwrite/clock-in-zero
	have := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamPref), bigtable.ColumnFilter(key))
	return s.tbl.Apply(ctx, user, bigtable.NewCondMutation(have, nil, m)) // ok ttlread/conditional-mutation
}

// Get reads all preferences of a user.
func (s *Service) Get(ctx context.Context, user string) (Prefs, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamPref))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	p := Prefs{}
	for it := range bt.Cells(row, schema.FamPref) {
		p[strings.TrimPrefix(it.Column, schema.FamPref+":")] = string(it.Value)
	}
	return p, nil
}

// Merge takes over the preferences of an account that is closed.
func (s *Service) Merge(ctx context.Context, from, into string) error {
	row, err := s.tbl.ReadRow(ctx, from, bigtable.RowFilter(bt.In(schema.FamPref))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for it := range bt.Cells(row, schema.FamPref) {
		m.Set(schema.FamPref, strings.TrimPrefix(it.Column, "pref:"), it.Timestamp, it.Value) // ok ttlwrite/clock-in-zero
	}
	m.Set(schema.FamPref, "merged", s.now.TS(), []byte(from))    // want ttlwrite/clock-in-zero
	m.Set(schema.FamPref, "merged_from", bt.Epoch, []byte(from)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, into, m)
}

// Toggle switches a boolean preference.
func (s *Service) Toggle(ctx context.Context, user, key string) error {
	on := bt.In(schema.FamPref, bigtable.ColumnFilter(key), bigtable.ValueFilter("true"))
	set := func(v string) *bigtable.Mutation {
		return bt.Mutate(bt.SetCell(schema.FamPref, key, 0, []byte(v))) // ok ttlwrite/clock-in-zero
	}
	return s.tbl.Apply(ctx, user, bigtable.NewCondMutation(on, set("false"), set("true"))) // ok ttlread/conditional-mutation
}

// Visits counts how often a user has opened the preferences.
func (s *Service) Visits(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamPref, "visits", 1)   // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamDevice, "visits", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	return err
}

// Trust notes a device. It is forgotten after the default time unless the user
// chose another one.
func (s *Service) Trust(ctx context.Context, user string, d Device, remember time.Duration) error {
	b, err := json.Marshal(d)
	if err != nil {
		return err
	}
	ts := bigtable.Now()
	if remember > 0 {
		ts = bt.Shifted(remember, schema.DeviceTTL)
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamDevice, d.ID, ts, b)                               // ok ttlwrite/write-time
	m.Set(schema.FamDevice, "last", bigtable.ServerTime, []byte(d.ID)) // ok ttlwrite/server-timestamp
	m.Set(schema.FamPref, "device", 0, []byte(d.ID))                   // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, user, m)
}

// Forget drops a device, or lets it fade, so that its name can still be shown.
func (s *Service) Forget(ctx context.Context, user, id string, fade bool) error {
	m := bigtable.NewMutation()
	if !fade {
		m.DeleteCellsInColumn(schema.FamDevice, id)
		return s.tbl.Apply(ctx, user, m)
	}
	gone := s.now().Add(-schema.DeviceTTL)
	fading := s.now().Add(-schema.DeviceTTL + 24*time.Hour)
	m.Set(schema.FamDevice, id, bigtable.Time(fading), []byte("fading")) // ok ttlwrite/already-expired
	m.Set(schema.FamDevice, "forgot", bigtable.Time(gone), []byte(id))   // want ttlwrite/already-expired
	m.Set(schema.FamDevice, "epoch", 0, []byte(id))                      // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, user, m)
}

// remembered passes the devices that are remembered.
func (s *Service) remembered() bigtable.Filter {
	return bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamDevice),
		bigtable.TimestampRangeFilter(s.now().Add(-schema.DeviceTTL), time.Time{}),
		bt.Newest(),
	)
}

// Devices lists the devices of a user.
func (s *Service) Devices(ctx context.Context, user string) iter.Seq2[Device, error] {
	return func(yield func(Device, error) bool) {
		row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(s.remembered())) // ok ttlread/wrong-bound
		if err != nil {
			yield(Device{}, err)
			return
		}
		for it := range bt.Cells(row, schema.FamDevice) {
			var d Device
			err := json.Unmarshal(it.Value, &d)
			d.Updated = it.Timestamp.Time() // want ttlage/not-write-time
			if !yield(d, err) {
				return
			}
		}
	}
}

// Known tells whether a device is trusted.
func (s *Service) Known(ctx context.Context, user, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.In(schema.FamDevice, bigtable.ColumnFilter(id), bt.LiveAt(s.now())))) // want ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	return len(row[schema.FamDevice]) > 0, nil
}

// monthly is how the mail about devices is sent.
const monthly = 30 * 24 * time.Hour

// Mail lists devices for the monthly mail.
func (s *Service) Mail(ctx context.Context, user string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamDevice), bt.Younger(monthly)))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for it := range bt.Cells(row, schema.FamDevice) {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Export reads all that there is about a user.
func (s *Service) Export(ctx context.Context, user string) (map[string][]bigtable.ReadItem, error) {
	row, err := s.tbl.ReadRow(ctx, user) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return row, nil
}

// ExportLive is Export without what is gone.
func (s *Service) ExportLive(ctx context.Context, user string) (map[string][]bigtable.ReadItem, error) {
	both := bigtable.InterleaveFilters(s.remembered(), bigtable.FamilyFilter(schema.FamPref)) // ok ttlread/unfiltered-branch
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(both))                            // ok ttlread/missing-filter
	return row, err
}

// ExportAll is what the first version of ExportLive did.
func (s *Service) ExportAll(ctx context.Context, user string) (map[string][]bigtable.ReadItem, error) {
	both := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[exportall]
		s.remembered(),
		bigtable.LatestNFilter(1), // want ttlread/unfiltered-branch[exportall]
	)
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(both)) // want ttlread/unfiltered-branch[exportall]
	return row, err
}

// Recent reads preferences and devices in one go.
func (s *Service) Recent(ctx context.Context, user string) (Prefs, []Device, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.TimestampRangeFilter(s.now().Add(-schema.DeviceTTL), time.Time{}))) // want ttlread/hides-other-families
	if err != nil {
		return nil, nil, err
	}
	p, ds := Prefs{}, []Device(nil)
	for it := range bt.Cells(row, schema.FamPref) {
		p[it.Column] = string(it.Value)
	}
	for it := range bt.Cells(row, schema.FamDevice) {
		var d Device
		if err := json.Unmarshal(it.Value, &d); err != nil {
			return nil, nil, errors.Join(err, fmt.Errorf("device %s", it.Column))
		}
		ds = append(ds, d)
	}
	slices.SortFunc(ds, func(a, b Device) int { return cmp.Compare(a.ID, b.ID) })
	return p, ds, nil
}

// RecentDevices is Recent for callers that only want the devices.
func (s *Service) RecentDevices(ctx context.Context, user string) (n int, err error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bt.Younger(schema.DeviceTTL))) // ok ttlread/hides-other-families
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamDevice]), nil
}

// Stage writes preferences of an import into the scratch table, with the time
// of the import; the table is nobody's.
func Stage(ctx context.Context, o bt.Opener, user string, p Prefs) error {
	m := bigtable.NewMutation()
	for k, v := range p {
		m.Set(schema.FamPref, k, bigtable.Now(), []byte(v)) // ok ttlwrite/clock-in-zero
	}
	m.Set(string(schema.Access), "imported", bigtable.ServerTime, []byte(user)) // ok ttlwrite/server-timestamp
	return o.Open(schema.ImportScratch.String()).Apply(ctx, user, m)
}

// Staged reads what Stage has written.
func Staged(ctx context.Context, o bt.Opener, user string) (Prefs, error) {
	row, err := o.Open(schema.ImportScratch.String()).ReadRow(ctx, user) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	p := Prefs{}
	for it := range bt.Cells(row, schema.FamPref) {
		p[it.Column] = it.Timestamp.Time().Format(time.RFC3339) + string(it.Value) // ok ttlage/not-write-time
	}
	for it := range bt.Cells(row, schema.Access) {
		p[it.Column] = string(it.Value)
	}
	return p, nil
}
