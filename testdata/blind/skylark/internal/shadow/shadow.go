// Package shadow keeps the desired and the reported state of devices. Cells of
// the family shadow live for thirty days after the last write unless the
// timestamp says otherwise.
package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/skylark/internal/bt"
	"example.com/skylark/internal/pipeline"
	"example.com/skylark/internal/queue"
)

// Delta is a change of the desired state.
type Delta struct {
	Key    string            `json:"key"`
	Set    map[string]string `json:"set"`
	Unset  []string          `json:"unset"`
	Source string            `json:"source"`
	Trial  bool              `json:"trial"`
}

// State is a device's state as the API shows it.
type State struct {
	Desired     map[string]string `json:"desired"`
	Reported    map[string]string `json:"reported"`
	LastWritten string            `json:"last_written,omitempty"`
	DropsAt     string            `json:"drops_at,omitempty"`
}

// ErrUnknown means that there is no such device.
var ErrUnknown = errors.New("unknown device")

// Store reads and writes shadows.
type Store struct {
	devices bigtable.TableAPI
	archive bigtable.TableAPI
	log     *slog.Logger
	deltas  chan Delta
	retry   pipeline.Backoff
}

// NewStore returns a store.
func NewStore(s *bt.Stores, log *slog.Logger) *Store {
	return &Store{
		devices: s.Devices,
		archive: s.Archive,
		log:     log,
		deltas:  make(chan Delta, 256),
		retry:   pipeline.Backoff{Attempts: 4, Base: 25 * time.Millisecond, Cap: time.Second},
	}
}

// Consume handles messages of the topic shadow.
func (s *Store) Consume(ctx context.Context, m *queue.Message) error {
	var d Delta
	if err := m.Decode(&d); err != nil {
		return nil
	}
	select {
	case s.deltas <- d:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run applies deltas, in batches by key.
func (s *Store) Run(ctx context.Context) error {
	batches := pipeline.Batch(ctx, s.deltas, 50, 100*time.Millisecond)
	return pipeline.Drain(ctx, batches, func(ctx context.Context, ds []Delta) error {
		byKey := map[string]*bigtable.Mutation{}
		for _, d := range ds {
			m := byKey[d.Key]
			if m == nil {
				m = bigtable.NewMutation()
				byKey[d.Key] = m
			}
			s.desire(m, d)
		}
		for key, m := range byKey {
			if err := s.apply(ctx, key, m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) apply(ctx context.Context, key string, m *bigtable.Mutation) error {
	return pipeline.Retry(ctx, s.retry, func(ctx context.Context) error {
		return s.devices.Apply(ctx, key, m)
	})
}

func (s *Store) desire(m *bigtable.Mutation, d Delta) {
	ts := bigtable.Now()
	if d.Trial {
		ts = bt.Lasting(time.Hour, bt.ShadowTTL)
	}
	for k, v := range d.Set {
		m.DeleteCellsInColumn(bt.FamShadow, "d/"+k) // ok ttlwrite/delete-after-set
		m.Set(bt.FamShadow, "d/"+k, ts, []byte(v))  // ok ttlwrite/server-timestamp
	}
	for _, k := range d.Unset {
		m.DeleteCellsInColumn(bt.FamShadow, "d/"+k) // ok ttlwrite/delete-after-set
	}
	m.Set(bt.FamInfo, "source", bigtable.ServerTime, []byte(d.Source)) // ok ttlwrite/server-timestamp
}

// Report stores what a device says about itself.
func (s *Store) Report(ctx context.Context, key string, values map[string]string) error {
	m := bigtable.NewMutation()
	for k, v := range values {
		m.Set(bt.FamShadow, "r/"+k, bigtable.ServerTime, []byte(v)) // ok ttlwrite/server-timestamp
	}
	return s.apply(ctx, key, m)
}

// Forget has a device's shadow expire.
func (s *Store) Forget(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamShadow, "forgotten", bigtable.Time(time.Now().Add(-bt.ShadowTTL)), []byte("1")) // want ttlwrite/already-expired
	return s.devices.Apply(ctx, key, m)
}

// Shorten leaves a device's shadow an hour.
func (s *Store) Shorten(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(bt.FamShadow, "closing", bigtable.Time(time.Now().Add(time.Hour-bt.ShadowTTL)), []byte("1")) // ok ttlwrite/already-expired
	return s.devices.Apply(ctx, key, m)
}

// Factory resets a device to the factory's settings.
func (s *Store) Factory(ctx context.Context, key string, defaults map[string]string) error {
	m := bigtable.NewMutation()
	for k, v := range defaults {
		m.Set(bt.FamShadow, "d/"+k, bigtable.Now(), []byte(v)) // ok ttlwrite/write-time
	}
	m.DeleteCellsInFamily(bt.FamShadow)                // want ttlwrite/delete-after-set
	m.Set(bt.FamShadow, "reset", 0, []byte("factory")) // want ttlwrite/already-expired
	return s.apply(ctx, key, m)
}

// Load reads a device's shadow.
func (s *Store) Load(ctx context.Context, key string) (*State, error) {
	row, err := s.devices.ReadRow(ctx, key, bigtable.RowFilter(bt.Since(bt.FamShadow, bt.ShadowTTL))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrUnknown
	}
	st := &State{Desired: map[string]string{}, Reported: map[string]string{}}
	for _, it := range row[bt.FamShadow] {
		name := strings.TrimPrefix(it.Column, bt.FamShadow+":")
		if k, ok := strings.CutPrefix(name, "d/"); ok {
			st.Desired[k] = string(it.Value)
		}
		if k, ok := strings.CutPrefix(name, "r/"); ok {
			st.Reported[k] = string(it.Value)
		}
		st.DropsAt = it.Timestamp.Time().Add(bt.ShadowTTL).Format(time.RFC3339) // ok ttlage/not-write-time
		st.LastWritten = it.Timestamp.Time().Format(time.RFC3339)               // want ttlage/not-write-time
	}
	return st, nil
}

// Desired reads the desired state only.
func (s *Store) Desired(ctx context.Context, key string) (map[string]string, error) {
	out := map[string]string{}
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamShadow), bigtable.ColumnFilter("d/.*"), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[desired]
	row, err := s.devices.ReadRow(ctx, key, bigtable.RowFilter(f))                                                            // want ttlread/missing-filter[desired]
	if err != nil {
		return nil, err
	}
	for _, it := range row[bt.FamShadow] {
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// Reported reads the reported state only.
func (s *Store) Reported(ctx context.Context, key string) (map[string]string, error) {
	out := map[string]string{}
	row, err := bt.Get(ctx, s.devices, key, bt.Live(bt.FamShadow)) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row[bt.FamShadow] {
		if strings.HasPrefix(it.Column, bt.FamShadow+":r/") {
			out[it.Column] = string(it.Value)
		}
	}
	return out, nil
}

// Pending lists the deltas of the last day that the device has not reported.
func (s *Store) Pending(ctx context.Context, key string) (map[string]string, error) {
	row, err := bt.Get(ctx, s.devices, key, bt.Since(bt.FamShadow, 24*time.Hour)) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	want, have := map[string]string{}, map[string]string{}
	for _, it := range row[bt.FamShadow] {
		name := strings.TrimPrefix(it.Column, bt.FamShadow+":")
		if k, ok := strings.CutPrefix(name, "d/"); ok {
			want[k] = string(it.Value)
		} else if k, ok := strings.CutPrefix(name, "r/"); ok {
			have[k] = string(it.Value)
		}
	}
	maps.DeleteFunc(want, func(k, v string) bool { return have[k] == v })
	return want, nil
}

// History reads every version that a device still has.
func (s *Store) History(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	now := time.Now()
	f := bigtable.ChainFilters( // want ttlread/upper-bound[shadowhistory]
		bigtable.FamilyFilter(bt.FamShadow),
		bigtable.TimestampRangeFilter(now.Add(-bt.ShadowTTL), now), // want ttlread/upper-bound[shadowhistory]
	)
	row, err := s.devices.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/upper-bound[shadowhistory]
	if err != nil {
		return nil, err
	}
	return row[bt.FamShadow], nil
}

// Archived reads the copy that the data team keeps.
func (s *Store) Archived(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.archive.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return row[bt.FamShadow], nil
}

// CopyToArchive gives the data team a shadow.
func (s *Store) CopyToArchive(ctx context.Context, key string, st *State) error {
	m := bigtable.NewMutation()
	for k, v := range st.Desired {
		m.Set(bt.FamShadow, k, 0, []byte(v)) // ok ttlwrite/already-expired
	}
	m.Set(bt.FamLive, "seen", bigtable.Now(), nil) // ok ttlwrite/write-time
	return s.archive.Apply(ctx, key, m)
}

// ServeHTTP shows a device's shadow.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.PathValue("tenant") + "#" + r.PathValue("device")
	st, err := s.Load(r.Context(), key)
	switch {
	case errors.Is(err, ErrUnknown):
		http.Error(w, "not found", http.StatusNotFound)
		return
	case err != nil:
		s.log.Error("shadow", "key", key, "err", err)
		http.Error(w, "try again", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(st); err != nil {
		s.log.Warn("shadow", "err", err)
	}
}

// Diff compares the live shadow with the archive's.
func (s *Store) Diff(ctx context.Context, key string) ([]string, error) {
	cur, err := bt.Fetch(ctx, s.devices, key, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamShadow))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	old, err := bt.Fetch(ctx, s.archive, key) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, it := range old[bt.FamShadow] {
		seen[it.Column] = string(it.Value)
	}
	var out []string
	for _, it := range cur[bt.FamShadow] {
		if v, ok := seen[it.Column]; !ok || v != string(it.Value) {
			out = append(out, fmt.Sprintf("%s: %q", it.Column, it.Value))
		}
	}
	return out, nil
}

// Age says how old the newest desired value is.
func (s *Store) Age(ctx context.Context, key string) (time.Duration, error) {
	row, err := bt.Get(ctx, s.devices, key, bt.Since(bt.FamShadow, bt.ShadowTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	var newest time.Time
	for _, it := range row[bt.FamShadow] {
		if ts := it.Timestamp.Time(); ts.After(newest) {
			newest = ts
		}
	}
	now := time.Now()
	return now.Sub(newest), nil // want ttlage/not-write-time
}
