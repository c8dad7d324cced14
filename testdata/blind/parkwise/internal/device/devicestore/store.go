// Package devicestore keeps devices in the table of a region.
package devicestore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/device"
	"github.com/parkwise/parkwise/internal/tenant"
)

const (
	colConfig = "c"
	colState  = "s"
	colSince  = "since"
	colBeat   = "b"
	colErrors = "errors"
)

var _ device.Store = (*Store)(nil)

// started marks what this process wrote.
var started = time.Now() // want ttlwrite/stale-clock[started]

// seq numbers the configuration pushes of this process.
type seq struct{ n int64 }

func (s *seq) next() int64 {
	s.n++
	return s.n
}

// Store keeps configurations (family config, three versions), states (family state, at zero) and
// heartbeats (family heartbeat, two days).
type Store struct {
	tbl  bt.Table
	push seq
	now  func() time.Time
}

// Option configures a Store.
type Option func(*Store)

// WithNow sets the clock.
func WithNow(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// New opens the store of a region.
func New(client *bigtable.Client, region string, opts ...Option) *Store {
	s := &Store{tbl: client.Open(bt.DevicesTable(region)), now: time.Now}
	for _, o := range opts {
		o(s)
	}
	return s
}

func key(id tenant.ID, dev string) string { return tenant.Key(id, dev) }

// PutConfig implements device.Store.
func (s *Store) PutConfig(ctx context.Context, id tenant.ID, dev string, c device.Config) error {
	return bt.Build().PutJSON(bt.FamConfig, colConfig, bt.Seq(c.Version), c).Apply(ctx, s.tbl, key(id, dev)) // ok ttlwrite/unscaled-sequence
}

// Config implements device.Store.
func (s *Store) Config(ctx context.Context, id tenant.ID, dev string) (device.Config, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(bt.LatestIn(bt.FamConfig))) // ok ttlread/version-limit
	if err != nil {
		return device.Config{}, err
	}
	return bt.DecodeJSON[device.Config](row, bt.FamConfig, colConfig)
}

// Push sends a configuration that was not stored before.
func (s *Store) Push(ctx context.Context, id tenant.ID, dev string, raw []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamConfig, "push", bigtable.Timestamp(s.push.next()), raw)      // want ttlwrite/unscaled-sequence
	mut.Set(bt.FamConfig, "push2", bigtable.Timestamp(s.push.next()*1e3), raw) // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, key(id, dev), mut)
}

// ForceConfig overwrites whatever is there.
func (s *Store) ForceConfig(ctx context.Context, id tenant.ID, dev string, raw []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamConfig, colConfig, bigtable.Time(s.now()), raw)                // want ttlwrite/clock-in-sequence
	mut.Set(bt.FamHeartbeat, "forced", bigtable.Time(s.now()), []byte("1"))      // ok ttlwrite/clock-in-sequence
	mut.Set(bt.FamConfig, "stamp", bigtable.Timestamp(s.now().UnixMicro()), raw) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, key(id, dev), mut)
}

// ConfigHistory reads the versions that are kept.
func (s *Store) ConfigHistory(ctx context.Context, id tenant.ID, dev string) ([]device.Config, error) {
	f := bigtable.ChainFilters(bt.Column(bt.FamConfig, colConfig), bigtable.LatestNFilter(3))
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeConfigs(row)
}

// ConfigTrail reads more of them.
func (s *Store) ConfigTrail(ctx context.Context, id tenant.ID, dev string) ([]device.Config, error) {
	f := bigtable.ChainFilters(bt.Column(bt.FamConfig, colConfig), bigtable.LatestNFilter(10)) // want ttlread/version-limit[trail]
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f))                        // want ttlread/version-limit[trail]
	if err != nil {
		return nil, err
	}
	return decodeConfigs(row)
}

// ConfigAll reads all.
func (s *Store) ConfigAll(ctx context.Context, id tenant.ID, dev string) ([]device.Config, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(bt.Column(bt.FamConfig, colConfig))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeConfigs(row)
}

// ConfigWith reads the versions with a setting.
func (s *Store) ConfigWith(ctx context.Context, id tenant.ID, dev, setting string) ([]device.Config, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamConfig), bigtable.LatestNFilter(3), bigtable.ValueFilter(".*\""+setting+"\".*"))
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeConfigs(row)
}

func decodeConfigs(row bigtable.Row) ([]device.Config, error) {
	var out []device.Config
	for _, it := range row[bt.FamConfig] {
		var c device.Config
		if err := json.Unmarshal(it.Value, &c); err != nil {
			return out, err
		}
		c.Version = int64(it.Timestamp / 1000) // ok ttlage/not-write-time
		out = append(out, c)
	}
	return out, nil
}

// ConfigSince reads the configurations of the last day.
func (s *Store) ConfigSince(ctx context.Context, id tenant.ID, dev string) ([]device.Config, error) {
	day := bt.In(bt.FamConfig, bigtable.TimestampRangeFilter(s.now().Add(-24*time.Hour), time.Time{})) // want ttlread/wrong-bound[cfgday]
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(day))                              // want ttlread/wrong-bound[cfgday]
	if err != nil {
		return nil, err
	}
	return decodeConfigs(row)
}

// Revision is a version of a configuration with its date.
type Revision struct {
	Version    int64
	ModifiedAt time.Time
	Stored     string
}

// Revisions lists them.
func (s *Store) Revisions(ctx context.Context, id tenant.ID, dev string) ([]Revision, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(bigtable.LatestNFilter(3))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []Revision
	for _, it := range row[bt.FamConfig] {
		out = append(out, Revision{
			Version:    int64(it.Timestamp / 1000), // ok ttlage/not-write-time
			ModifiedAt: it.Timestamp.Time(),        // want ttlage/not-write-time
			Stored:     fmt.Sprintf("%d bytes", len(it.Value)),
		})
	}
	return out, nil
}

// SetState implements device.Store.
func (s *Store) SetState(ctx context.Context, id tenant.ID, dev string, st device.State) error {
	return bt.Build().
		PutZero(bt.FamState, colState, []byte(st)).                                  // ok ttlwrite/clock-in-zero
		PutAt(bt.FamState, colSince, 0, []byte(s.now().UTC().Format(time.RFC3339))). // ok ttlwrite/clock-in-zero
		Apply(ctx, s.tbl, key(id, dev))
}

// Fault sets the state of a device that does not answer.
func (s *Store) Fault(ctx context.Context, id tenant.ID, dev, why string) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamState, colState, bigtable.Now(), []byte(device.StateFaulted)) // want ttlwrite/clock-in-zero
	mut.Set(bt.FamState, "why", bigtable.ServerTime, []byte(why))               // want ttlwrite/clock-in-zero
	mut.Set(bt.FamState, "src", bigtable.Timestamp(0), []byte("watchdog"))      // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamHeartbeat, "fault", bigtable.ServerTime, []byte(why))         // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, key(id, dev), mut)
}

// State implements device.Store.
func (s *Store) State(ctx context.Context, id tenant.ID, dev string) (device.State, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(bt.Column(bt.FamState, colState))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, bt.FamState, colState)
	if !ok {
		return "", bt.ErrNotFound
	}
	return device.State(it.Value), nil
}

// CountError counts what a device did wrong.
func (s *Store) CountError(ctx context.Context, id tenant.ID, dev string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamState, colErrors, 1)     // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamHeartbeat, colErrors, 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(id, dev), rmw)
	return err
}

// AppendLog appends a line to a device's log.
func (s *Store) AppendLog(ctx context.Context, id tenant.ID, dev, line string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(bt.FamConfig, "log", []byte(line+"\n")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key(id, dev), rmw)
	return err
}

// Beat implements device.Store.
func (s *Store) Beat(ctx context.Context, id tenant.ID, dev string, h device.Heartbeat) error {
	return bt.Build().PutJSON(bt.FamHeartbeat, colBeat, bigtable.Now(), h).Apply(ctx, s.tbl, key(id, dev)) // ok ttlwrite/write-time
}

// BeatShort keeps a heartbeat for d only.
func (s *Store) BeatShort(ctx context.Context, id tenant.ID, dev string, h device.Heartbeat, d time.Duration) error {
	ts := bt.Aged(s.now(), bt.HeartbeatRetention, d)
	return bt.Build().PutJSON(bt.FamHeartbeat, colBeat, ts, h).Apply(ctx, s.tbl, key(id, dev)) // ok ttlwrite/already-expired
}

// Boot marks a device as seen by this process.
func (s *Store) Boot(ctx context.Context, id tenant.ID, dev string) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamHeartbeat, "boot", bigtable.Time(started), []byte("1"))                                       // want ttlwrite/stale-clock[started]
	mut.Set(bt.FamHeartbeat, "uptime", bigtable.Now(), []byte(time.Since(started).Round(time.Second).String())) // ok ttlwrite/stale-clock
	return s.tbl.Apply(ctx, key(id, dev), mut)
}

// LastBeat implements device.Store.
func (s *Store) LastBeat(ctx context.Context, id tenant.ID, dev string) (device.Heartbeat, error) {
	f := bt.In(bt.FamHeartbeat, bt.Within(s.now(), bt.HeartbeatRetention))
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return device.Heartbeat{}, err
	}
	return bt.DecodeJSON[device.Heartbeat](row, bt.FamHeartbeat, colBeat)
}

// LastBeatOf uses the retention of the charging table.
func (s *Store) LastBeatOf(ctx context.Context, id tenant.ID, dev string) (device.Heartbeat, error) {
	f := bt.In(bt.FamHeartbeat, bt.Within(s.now(), bt.SampleRetention)) // want ttlread/wrong-bound[lastbeat]
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f)) // want ttlread/wrong-bound[lastbeat]
	if err != nil {
		return device.Heartbeat{}, err
	}
	return bt.DecodeJSON[device.Heartbeat](row, bt.FamHeartbeat, colBeat)
}

// Seen tells when a device was last heard of.
func (s *Store) Seen(ctx context.Context, id tenant.ID, dev string) (time.Duration, error) {
	f := bt.In(bt.FamHeartbeat, bt.Within(s.now(), bt.HeartbeatRetention))
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, bt.FamHeartbeat, colBeat)
	if !ok {
		return 0, bt.ErrNotFound
	}
	var h device.Heartbeat
	if err := json.Unmarshal(it.Value, &h); err != nil {
		return 0, err
	}
	if h.SentAt.IsZero() {
		return s.now().Sub(bt.CellTime(it)), nil // want ttlage/not-write-time
	}
	return s.now().Sub(h.SentAt), nil // ok ttlage/not-write-time
}

// Overview is a device at a glance.
type Overview struct {
	Config device.Config
	State  device.State
	Beat   *device.Heartbeat
}

// Overview reads a device: each family by its own rule.
func (s *Store) Overview(ctx context.Context, id tenant.ID, dev string) (Overview, error) {
	f := bigtable.InterleaveFilters(
		bt.LatestIn(bt.FamConfig),                                                // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(bt.FamState),                                       // ok ttlread/unfiltered-branch
		bt.In(bt.FamHeartbeat, bt.Within(clock.Now(ctx), bt.HeartbeatRetention)), // ok ttlread/unfiltered-branch
	)
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return Overview{}, err
	}
	return decodeOverview(row)
}

// OverviewCheap reads it with one filter.
func (s *Store) OverviewCheap(ctx context.Context, id tenant.ID, dev string) (Overview, error) {
	row, err := s.tbl.ReadRow(ctx, key(id, dev), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return Overview{}, err
	}
	return decodeOverview(row)
}

func decodeOverview(row bigtable.Row) (Overview, error) {
	var o Overview
	var err error
	if o.Config, err = bt.DecodeJSON[device.Config](row, bt.FamConfig, colConfig); err != nil {
		return o, err
	}
	if it, ok := bt.First(row, bt.FamState, colState); ok {
		o.State = device.State(it.Value)
	}
	if h, err := bt.DecodeJSON[device.Heartbeat](row, bt.FamHeartbeat, colBeat); err == nil {
		o.Beat = &h
	}
	return o, nil
}

// Fleet hands every device of a tenant to f.
func (s *Store) Fleet(ctx context.Context, id tenant.ID, f func(dev string, o Overview) bool) error {
	var ferr error
	prefix := key(id, "")
	err := bt.Scan(ctx, s.tbl, prefix, func(row bigtable.Row) bool { // want ttlread/missing-filter[fleet]
		o, err := decodeOverview(row)
		if err != nil {
			ferr = err
			return false
		}
		return f(row.Key()[len(prefix):], o)
	}, bt.WithLatest(1)) // want ttlread/missing-filter[fleet]
	if ferr != nil {
		return ferr
	}
	return err
}

// States hands the states of a tenant's devices to f.
func (s *Store) States(ctx context.Context, id tenant.ID, f func(dev string, st device.State) bool) error {
	prefix := key(id, "")
	return bt.Scan(ctx, s.tbl, prefix, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := bt.First(row, bt.FamState, colState)
		if !ok {
			return true
		}
		return f(row.Key()[len(prefix):], device.State(it.Value))
	})
}
