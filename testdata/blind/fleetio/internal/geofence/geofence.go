// Package geofence keeps fences and which devices are inside. The states of devices
// go after a week, or sooner or later where the fence says so.
package geofence

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

// Retention is how long a state is kept if nothing else is said.
const Retention = 7 * 24 * time.Hour

const (
	colIn    = "in"
	colPos   = "pos"
	colDwell = "dwell"
	colShape = "shape"
	colHits  = "hits"
)

// Point is a position in degrees.
type Point struct{ Lat, Lon float64 }

// Circle is a fence.
type Circle struct {
	Name   string  `json:"name"`
	Centre Point   `json:"centre"`
	Radius float64 `json:"radius"`
}

// State is a device within a fence.
type State struct {
	Device    string        `json:"device"`
	Inside    bool          `json:"inside"`
	Dwell     time.Duration `json:"dwell"`
	Remaining time.Duration `json:"remaining"`
	UpdatedAt string        `json:"updated_at"`
}

// Store reads and writes both.
type Store struct {
	tbl *bigtable.Table
	log *logx.Logger
}

// Open opens the store.
func Open(c *bigtable.Client, log *logx.Logger) *Store {
	return &Store{tbl: c.Open(keys.TableGeofence), log: log}
}

// shifted is the timestamp of a state that lives for d.
func shifted(now time.Time, d time.Duration) bigtable.Timestamp {
	return bigtable.Time(now.Add(d - Retention))
}

// liveStates keeps the states that still count.
func liveStates(now time.Time) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), btutil.Within(now, Retention))
}

// Enter notes that a device has come in.
func (s *Store) Enter(ctx context.Context, fence, dev string, at Point) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamState, colIn, bigtable.Now(), []byte{1})                                    // ok ttlwrite/write-time
	if err := btutil.PutJSON(m, keys.FamState, colPos, bigtable.ServerTime, at); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return s.tbl.Apply(ctx, keys.Fence(fence, dev), m)
}

// EnterFor is for visitors: the state goes after d.
func (s *Store) EnterFor(ctx context.Context, fence, dev string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamState, colIn, shifted(time.Now(), d), []byte{1})           // ok ttlwrite/already-expired
	m.Set(keys.FamState, colDwell, shifted(time.Now(), time.Hour), []byte{}) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, keys.Fence(fence, dev), m)
}

// Leave notes that a device has gone.
func (s *Store) Leave(ctx context.Context, fence, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamState, colIn, 0, []byte{0})               // want ttlwrite/already-expired
	m.Set(keys.FamState, "left", bigtable.Now(), []byte{1}) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Fence(fence, dev), m)
}

// Ban keeps a device's state out of the way: it counts as gone.
func (s *Store) Ban(ctx context.Context, fence, dev string) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamState, "ban", bigtable.Time(time.Now().Add(-2*Retention)), []byte{1})  // want ttlwrite/already-expired
	m.Set(keys.FamState, "warn", bigtable.Time(time.Now().Add(-Retention/2)), []byte{1}) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, keys.Fence(fence, dev), m)
}

// Hit counts entries of a fence.
func (s *Store) Hit(ctx context.Context, fence string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(keys.FamState, colHits, 1) // ok ttlwrite/read-modify-write
	rmw.Increment(keys.FamFence, colHits, 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, fence, rmw)
	return err
}

// Define stores a fence.
func (s *Store) Define(ctx context.Context, c Circle) error {
	m := bigtable.NewMutation()
	if err := btutil.PutJSON(m, keys.FamFence, colShape, 0, c); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	return s.tbl.Apply(ctx, c.Name, m)
}

// Redefine changes a fence's radius.
func (s *Store) Redefine(ctx context.Context, c Circle, radius float64) error {
	c.Radius = radius
	m := bigtable.NewMutation()
	if err := btutil.PutJSON(m, keys.FamFence, colShape, btutil.NowTS(), c); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	return s.tbl.Apply(ctx, c.Name, m)
}

// Shape reads a fence.
func (s *Store) Shape(ctx context.Context, name string) (*Circle, error) {
	row, err := btutil.Get(ctx, s.tbl, name, bigtable.FamilyFilter(keys.FamFence)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	c := new(Circle)
	if err := json.Unmarshal(btutil.Value(row, keys.FamFence, colShape), c); err != nil {
		return nil, err
	}
	return c, nil
}

// Inside says whether a device is in.
func (s *Store) Inside(ctx context.Context, fence, dev string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.ColumnFilter(colIn), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[inside]
	row, err := s.tbl.ReadRow(ctx, keys.Fence(fence, dev), bigtable.RowFilter(f))                                             // want ttlread/missing-filter[inside]
	if err != nil {
		return false, err
	}
	v := btutil.Value(row, keys.FamState, colIn)
	return len(v) == 1 && v[0] == 1, nil
}

// InsideNow is Inside by the rules.
func (s *Store) InsideNow(ctx context.Context, fence, dev string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Fence(fence, dev), bigtable.RowFilter(bigtable.ChainFilters(liveStates(time.Now()), bigtable.LatestNFilter(1)))) // ok ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	v := btutil.Value(row, keys.FamState, colIn)
	return len(v) == 1 && v[0] == 1, nil
}

// State reads a device's state.
func (s *Store) State(ctx context.Context, fence, dev string) (*State, error) {
	now := time.Now()
	row, err := btutil.Get(ctx, s.tbl, keys.Fence(fence, dev), liveStates(now)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	st := &State{Device: dev}
	for _, it := range row[keys.FamState] {
		switch it.Column {
		case keys.FamState + ":" + colIn:
			st.Inside = len(it.Value) == 1 && it.Value[0] == 1
			st.Dwell = now.Sub(it.Timestamp.Time())                    // want ttlage/not-write-time
			st.Remaining = it.Timestamp.Time().Add(Retention).Sub(now) // ok ttlage/not-write-time
		case keys.FamState + ":" + colPos:
			st.UpdatedAt = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		}
	}
	return st, nil
}

// Members lists who is in a fence.
func (s *Store) Members(ctx context.Context, fence string) ([]string, error) {
	var out []string
	f := btutil.FamLive(keys.FamState, time.Now())                           // want ttlread/wrong-bound[members]
	err := btutil.Scan(ctx, s.tbl, fence+"#", f, func(r bigtable.Row) bool { // want ttlread/wrong-bound[members]
		if v := btutil.Value(r, keys.FamState, colIn); len(v) == 1 && v[0] == 1 {
			out = append(out, r.Key())
		}
		return true
	})
	return out, err
}

// MembersToday lists who has come in within a day.
func (s *Store) MembersToday(ctx context.Context, fence string) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), btutil.Within(time.Now(), 24*time.Hour)) // want ttlread/wrong-bound[today]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(fence+"#"), func(r bigtable.Row) bool {                   // want ttlread/wrong-bound[today]
		if v := btutil.Value(r, keys.FamState, colIn); len(v) == 1 && v[0] == 1 {
			out = append(out, r.Key())
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
	return out, err
}

// Week reads the positions of a week.
func (s *Store) Week(ctx context.Context, fence string) (map[string]Point, error) {
	out := map[string]Point{}
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.ColumnFilter(colPos), bigtable.TimestampRangeFilter(now.Add(-Retention), now)) // want ttlread/upper-bound[week]
	err := btutil.Scan(ctx, s.tbl, fence+"#", f, func(r bigtable.Row) bool {                                                                                 // want ttlread/upper-bound[week]
		var p Point
		if json.Unmarshal(btutil.Value(r, keys.FamState, colPos), &p) == nil {
			out[r.Key()] = p
		}
		return true
	})
	return out, err
}

// WeekOpen is the same without an end.
func (s *Store) WeekOpen(ctx context.Context, fence string) (map[string]Point, error) {
	out := map[string]Point{}
	now := time.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.ColumnFilter(colPos), bigtable.TimestampRangeFilterMicros(bigtable.Time(now.Add(-Retention)), 0))
	err := btutil.Scan(ctx, s.tbl, fence+"#", f, func(r bigtable.Row) bool { // ok ttlread/upper-bound ttlread/wrong-bound
		var p Point
		if json.Unmarshal(btutil.Value(r, keys.FamState, colPos), &p) == nil {
			out[r.Key()] = p
		}
		return true
	})
	return out, err
}

// Old collects the states that are past their time, for the archive.
func (s *Store) Old(ctx context.Context, fence string) ([]bigtable.ReadItem, error) {
	var out []bigtable.ReadItem
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-Retention))) // want ttlread/expired-only[old]
	err := btutil.Scan(ctx, s.tbl, fence+"#", f, func(r bigtable.Row) bool {                                                                 // want ttlread/expired-only[old]
		out = append(out, r[keys.FamState]...)
		return true
	})
	return out, err
}

// Forget deletes them.
func (s *Store) Forget(ctx context.Context, fence string) error {
	var rows []string
	var muts []*bigtable.Mutation
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-Retention)))
	err := btutil.Scan(ctx, s.tbl, fence+"#", f, func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(keys.FamState)
		rows, muts = append(rows, r.Key()), append(muts, m)
		return true
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	_, err = s.tbl.ApplyBulk(ctx, rows, muts)
	return err
}

// Page is a fence with its members, for the map.
func (s *Store) Page(ctx context.Context, fence string, emit func(bigtable.Row)) error {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[page]
		bigtable.FamilyFilter(keys.FamFence),
		bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[page]
	)
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(fence), func(r bigtable.Row) bool { // want ttlread/unfiltered-branch[page]
		emit(r)
		return true
	}, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[page]
}

// LivePage is Page as it should be.
func (s *Store) LivePage(ctx context.Context, fence string, emit func(bigtable.Row)) error {
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(keys.FamFence),
		bigtable.ChainFilters(liveStates(time.Now()), bigtable.LatestNFilter(1)),
	)
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(fence), func(r bigtable.Row) bool { // ok ttlread/unfiltered-branch
		emit(r)
		return true
	}, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
}

// PageIf reads the states only where there are live ones.
func (s *Store) PageIf(ctx context.Context, fence, dev string) (bigtable.Row, error) {
	f := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[pageif]
		liveStates(time.Now()),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[pageif]
		bigtable.FamilyFilter(keys.FamFence),
	)
	return s.tbl.ReadRow(ctx, keys.Fence(fence, dev), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[pageif]
}

// Arm sets a trap for a device that is not in the fence.
func (s *Store) Arm(ctx context.Context, fence, dev string) error {
	trap := bigtable.NewMutation()
	trap.Set(keys.FamFence, "trap."+dev, 0, []byte{1})                                                // ok ttlwrite/clock-in-zero
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamState), bigtable.ColumnFilter(colIn)) // want ttlread/conditional-mutation[arm]
	return s.tbl.Apply(ctx, keys.Fence(fence, dev), bigtable.NewCondMutation(pred, nil, trap))        // want ttlread/conditional-mutation[arm]
}

// ArmLive is Arm by the rules.
func (s *Store) ArmLive(ctx context.Context, fence, dev string) error {
	trap := bigtable.NewMutation()
	trap.Set(keys.FamFence, "trap."+dev, 0, []byte{1}) // ok ttlwrite/clock-in-zero
	pred := bigtable.ChainFilters(liveStates(time.Now()), bigtable.ColumnFilter(colIn))
	return s.tbl.Apply(ctx, keys.Fence(fence, dev), bigtable.NewCondMutation(pred, nil, trap)) // ok ttlread/conditional-mutation
}

// Contains says whether p lies within c.
func (c *Circle) Contains(p Point) bool { return distance(c.Centre, p) <= c.Radius }

func distance(a, b Point) float64 {
	const r = 6371000.0
	rad := math.Pi / 180
	dLat, dLon := (b.Lat-a.Lat)*rad, (b.Lon-a.Lon)*rad
	h := math.Sin(dLat/2)*math.Sin(dLat/2) + math.Cos(a.Lat*rad)*math.Cos(b.Lat*rad)*math.Sin(dLon/2)*math.Sin(dLon/2)
	return 2 * r * math.Asin(math.Sqrt(h))
}

// Evaluate moves a device in or out of a fence.
func (s *Store) Evaluate(ctx context.Context, c *Circle, dev string, p Point) (string, error) {
	was, err := s.InsideNow(ctx, c.Name, dev)
	if err != nil {
		return "", err
	}
	is := c.Contains(p)
	switch {
	case is && !was:
		return "enter", s.Enter(ctx, c.Name, dev, p)
	case !is && was:
		return "leave", s.Leave(ctx, c.Name, dev)
	case is:
		return "inside", nil
	default:
		return "outside", nil
	}
}
