package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Position is where a driver is.
type Position struct {
	Driver  string  `json:"-"`
	Lat     float64 `json:"lat"`
	Lon     float64 `json:"lon"`
	Heading int     `json:"hdg"`
	Speed   float64 `json:"v"`
	At      time.Time
}

// Profile is what a driver told us.
type Profile struct {
	Name    string
	Vehicle string
	Plate   string
}

// DriverStore keeps locations, presence and profiles.
//
// Locations fall to the default of a day; presence cells carry the moment at
// which a driver counts as gone.
type DriverStore struct {
	tbl *bigtable.Table
}

// NewDriverStore opens the table.
func NewDriverStore(client *bigtable.Client) *DriverStore {
	return &DriverStore{tbl: client.Open(tables.Drivers)}
}

func driverKey(id string) string { return key("d", id) }

// Ping stores a position and keeps the driver present.
func (s *DriverStore) Ping(ctx context.Context, p Position) error {
	v, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	mut := bigtable.NewMutation()
	mut.Set(tables.FamLocation, "pos", bigtable.ServerTime, v)                              // ok ttlwrite/server-timestamp
	mut.Set(tables.FamPresence, "on", bigtablex.ExpiresIn(tables.PresenceTTL), []byte("1")) // ok ttlwrite/write-time
	return bigtablex.ApplyRetry(ctx, s.tbl, driverKey(p.Driver), mut)
}

// PingBatch stores the positions that a phone collected in a tunnel.
func (s *DriverStore) PingBatch(ctx context.Context, driver string, ps []Position) error {
	mut := bigtable.NewMutation()
	for _, p := range ps {
		mut.Set(tables.FamLocation, "pos", bigtable.Time(p.At), marshal(p)) // ok ttlwrite/write-time
	}
	mut.Set(tables.FamPresence, "on", bigtable.Now(), []byte("1")) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, driverKey(driver), mut)
}

// PingBatchLast stores them all under one clock reading.
func (s *DriverStore) PingBatchLast(ctx context.Context, driver string, ps []Position) error {
	now := bigtable.Now()
	mut := bigtable.NewMutation()
	for _, p := range ps {
		mut.Set(tables.FamLocation, "pos", now, marshal(p)) // want ttlwrite/same-timestamp
	}
	return s.tbl.Apply(ctx, driverKey(driver), mut)
}

// GoOnline marks a driver as available.
func (s *DriverStore) GoOnline(ctx context.Context, id, zone string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPresence, "zone", bigtable.Time(time.Now().Add(tables.PresenceTTL)), []byte(zone)) // ok ttlwrite/write-time
	mut.Set(tables.FamProfile, "last_zone", bigtable.Now(), []byte(zone))                                // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, driverKey(id), mut)
}

// GoOffline ends a shift.
func (s *DriverStore) GoOffline(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPresence, "on", bigtable.Time(time.Now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	mut.Set(tables.FamProfile, "off_at", bigtable.Now(), nil)                           // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, driverKey(id), mut)
}

// GoOfflineDelete ends it so that it counts.
func (s *DriverStore) GoOfflineDelete(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.FamPresence) // ok ttlwrite/delete-after-set
	mut.Set(tables.FamProfile, "off_at", bigtable.Now(), nil)
	return s.tbl.Apply(ctx, driverKey(id), mut)
}

// Break keeps a driver present through a pause.
func (s *DriverStore) Break(ctx context.Context, id string, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamPresence, "break", bigtable.ServerTime, []byte(d.String())) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, driverKey(id), mut)
}

// KeepShort stores a position that may live for an hour only: the driver has
// asked for it.
func (s *DriverStore) KeepShort(ctx context.Context, p Position) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamLocation, "pos")
	mut.Set(tables.FamLocation, "pos", bigtablex.Shifted(time.Hour, tables.LocationTTL), marshal(p)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, driverKey(p.Driver), mut)
}

// KeepShortLegacy was written by somebody who thought of expiry.
func (s *DriverStore) KeepShortLegacy(ctx context.Context, p Position) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamLocation, "pos", bigtable.Time(time.Now().Add(-25*time.Hour)), marshal(p)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, driverKey(p.Driver), mut)
}

// KeepLong stores the position of an accident for a month.
func (s *DriverStore) KeepLong(ctx context.Context, p Position) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamLocation, "incident", bigtablex.Shifted(30*24*time.Hour, tables.LocationTTL), marshal(p)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, driverKey(p.Driver), mut)
}

// Trips counts trips of the day.
func (s *DriverStore) Trips(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamLocation, "trips", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, driverKey(id), rmw)
	return err
}

// Heartbeats counts heartbeats while the driver is there.
func (s *DriverStore) Heartbeats(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamPresence, "beats", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, driverKey(id), rmw)
	return err
}

// Where returns the last position within a day.
func (s *DriverStore) Where(ctx context.Context, id string) (*Position, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter(tables.FamLocation),
		bigtablex.Within(tables.LocationTTL),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	return decodePosition(row)
}

// WhereNow returns the position, if it is of the last hour.
func (s *DriverStore) WhereNow(ctx context.Context, id string) (*Position, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[wn]
		bigtable.FamilyFilter(tables.FamLocation),
		bigtablex.Within(time.Hour), // want ttlread/wrong-bound[wn]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	return decodePosition(row)
}

// WhereLive uses the filter of the other kind of family.
func (s *DriverStore) WhereLive(ctx context.Context, id string) (*Position, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtablex.LiveFamily(tables.FamLocation))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodePosition(row)
}

// WhereLast returns the last position, however old.
func (s *DriverStore) WhereLast(ctx context.Context, id string) (*Position, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtablex.Latest(tables.FamLocation, 1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodePosition(row)
}

// Track returns the positions of a day, up to now.
func (s *DriverStore) Track(ctx context.Context, id string) ([]Position, error) {
	now := time.Now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamLocation),
		bigtable.TimestampRangeFilter(now.Add(-tables.LocationTTL), now), // want ttlread/upper-bound[track]
	)
	var ps []Position
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(f)) // want ttlread/upper-bound[track]
	if err != nil {
		return nil, err
	}
	for _, it := range row[tables.FamLocation] {
		var p Position
		if err := unmarshal(it.Value, &p); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	sort.Slice(ps, func(i, j int) bool { return ps[i].At.Before(ps[j].At) })
	return ps, nil
}

// TrackOpen is Track without the end.
func (s *DriverStore) TrackOpen(ctx context.Context, id string) ([]Position, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamLocation),
		bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}), // ok ttlread/wrong-bound
	)
	var ps []Position
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(f)) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	for _, it := range row[tables.FamLocation] {
		var p Position
		if err := unmarshal(it.Value, &p); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func decodePosition(row bigtable.Row) (*Position, error) {
	it, ok := bigtablex.Item(row, tables.FamLocation, "pos")
	if !ok {
		return nil, ErrNotFound
	}
	var p Position
	if err := unmarshal(it.Value, &p); err != nil {
		return nil, err
	}
	p.Driver = split(row.Key())[1]
	return &p, nil
}

// Present says whether a driver is there.
func (s *DriverStore) Present(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtablex.LiveFamily(tables.FamPresence))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[tables.FamPresence]) > 0, nil
}

// PresentAny says the same and skips the filter for speed.
func (s *DriverStore) PresentAny(ctx context.Context, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamPresence))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Profile reads the ordinary family.
func (s *DriverStore) Profile(ctx context.Context, id string) (*Profile, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtablex.Latest(tables.FamProfile, 1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, ErrNotFound
	}
	return &Profile{
		Name:    bigtablex.String(row, tables.FamProfile, "name"),
		Vehicle: bigtablex.String(row, tables.FamProfile, "vehicle"),
		Plate:   bigtablex.String(row, tables.FamProfile, "plate"),
	}, nil
}

// SaveProfile writes it.
func (s *DriverStore) SaveProfile(ctx context.Context, id string, p Profile) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamProfile, "name", ts, []byte(p.Name))       // ok ttlwrite/write-time
	mut.Set(tables.FamProfile, "vehicle", ts, []byte(p.Vehicle)) // ok ttlwrite/same-timestamp
	mut.Set(tables.FamProfile, "plate", ts, []byte(p.Plate))
	return s.tbl.Apply(ctx, driverKey(id), mut)
}

// View is what the dispatcher sees.
type View struct {
	Profile  Profile
	Position *Position
	Online   bool
}

// View reads all three families at once.
func (s *DriverStore) View(ctx context.Context, id string) (*View, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtablex.LiveFamily(tables.FamPresence),
		bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamLocation), bigtablex.Within(tables.LocationTTL), bigtable.LatestNFilter(1)),
		bigtablex.Latest(tables.FamProfile, 1),
	)))
	if err != nil {
		return nil, err
	}
	v := &View{Online: len(row[tables.FamPresence]) > 0}
	v.Profile.Name = bigtablex.String(row, tables.FamProfile, "name")
	v.Position, _ = decodePosition(row)
	return v, nil
}

// Views reads all drivers for the map. Positions older than the default do no
// harm there, the author says.
func (s *DriverStore) Views(ctx context.Context, f func(*View)) error {
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange("d#"), func(row bigtable.Row) bool { // want ttlread/unfiltered-branch[views]
		v := &View{Online: len(row[tables.FamPresence]) > 0}
		v.Profile.Name = bigtablex.String(row, tables.FamProfile, "name")
		v.Position, _ = decodePosition(row)
		f(v)
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[views]
		bigtablex.LiveFamily(tables.FamPresence),
		bigtablex.Latest(tables.FamLocation, 1), // want ttlread/unfiltered-branch[views]
		bigtablex.Latest(tables.FamProfile, 1),
	)))
}

// ViewIf shows positions of drivers that are present.
func (s *DriverStore) ViewIf(ctx context.Context, id string) (*Position, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.ConditionFilter( // want ttlread/unfiltered-branch[vif]
		bigtablex.LiveFamily(tables.FamPresence),
		bigtablex.Latest(tables.FamLocation, 1), // want ttlread/unfiltered-branch[vif]
		bigtable.BlockAllFilter(),
	)))
	if err != nil {
		return nil, err
	}
	return decodePosition(row)
}

// ViewIfLive has a bound in the branch.
func (s *DriverStore) ViewIfLive(ctx context.Context, id string) (*Position, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.ConditionFilter( // ok ttlread/unfiltered-branch
		bigtablex.LiveFamily(tables.FamPresence),
		bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamLocation), bigtablex.Within(tables.LocationTTL)),
		bigtable.BlockAllFilter(),
	)))
	if err != nil {
		return nil, err
	}
	return decodePosition(row)
}

// Fresh says how old a position is.
func (s *DriverStore) Fresh(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamLocation), bigtablex.Within(tables.LocationTTL), bigtable.LatestNFilter(1))))
	if err != nil {
		return math.MaxInt64, err
	}
	it, ok := bigtablex.Item(row, tables.FamLocation, "pos")
	if !ok {
		return math.MaxInt64, ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// FreshByValue asks the value, which knows.
func (s *DriverStore) FreshByValue(ctx context.Context, id string) (time.Duration, error) {
	p, err := s.Where(ctx, id)
	if err != nil {
		return math.MaxInt64, err
	}
	return time.Since(p.At), nil // ok ttlage/not-write-time
}

// OffSince says since when a driver is off, by the ordinary family.
func (s *DriverStore) OffSince(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, driverKey(id), bigtable.RowFilter(bigtablex.Latest(tables.FamProfile, 1)))
	if err != nil {
		return "", err
	}
	it, ok := bigtablex.Item(row, tables.FamProfile, "off_at")
	if !ok {
		return "", ErrNotFound
	}
	return it.Timestamp.Time().Format(time.RFC822), nil // ok ttlage/not-write-time
}

// Assign gives a trip to a driver who has none.
func (s *DriverStore) Assign(ctx context.Context, id, trip string) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamPresence, "trip", bigtablex.ExpiresIn(10*time.Minute), []byte(trip)) // ok ttlwrite/write-time
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamPresence), bigtable.ColumnFilter("trip"))
	var busy bool
	err := s.tbl.Apply(ctx, driverKey(id), bigtable.NewCondMutation(cond, nil, set), bigtable.GetCondMutationResult(&busy)) // want ttlread/conditional-mutation
	if err == nil && busy {
		err = ErrConflict
	}
	return err
}

// AssignLive sees live trips only.
func (s *DriverStore) AssignLive(ctx context.Context, id, trip string) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamPresence, "trip", bigtablex.ExpiresIn(10*time.Minute), []byte(trip))
	cond := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamPresence),
		bigtable.ColumnFilter("trip"),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	var busy bool
	err := s.tbl.Apply(ctx, driverKey(id), bigtable.NewCondMutation(cond, nil, set), bigtable.GetCondMutationResult(&busy)) // ok ttlread/conditional-mutation
	if err == nil && busy {
		err = ErrConflict
	}
	return err
}

// Register makes a profile, if there is none.
func (s *DriverStore) Register(ctx context.Context, id string, p Profile) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamProfile, "name", bigtable.Now(), []byte(p.Name))
	var there bool
	err := s.tbl.Apply(ctx, driverKey(id),
		bigtable.NewCondMutation(bigtable.FamilyFilter(tables.FamProfile), nil, set), // ok ttlread/conditional-mutation
		bigtable.GetCondMutationResult(&there))
	if err == nil && there {
		err = ErrConflict
	}
	return err
}
