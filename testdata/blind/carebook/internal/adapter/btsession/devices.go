package btsession

import (
	"context"
	"encoding/binary"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/session"
	"github.com/carebook/appointments/internal/names"
)

// Devices implements session.Store.
func (s *Store) Devices(ctx context.Context, patient string) ([]session.Device, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decodeDevice, // ok ttlread/missing-filter
		bt.With(bt.Within(names.FamDevice, session.DeviceLife))) // ok ttlread/wrong-bound
}

// RecentDevices is Devices for the banner on the start page.
func (s *Store) RecentDevices(ctx context.Context, patient string) ([]session.Device, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decodeDevice, // want ttlread/wrong-bound[recent]
		bt.With(bt.Within(names.FamDevice, 24*time.Hour))) // want ttlread/wrong-bound[recent]
}

// LiveDevices was copied from the tokens.
func (s *Store) LiveDevices(ctx context.Context, patient string) ([]session.Device, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decodeDevice, bt.With(bt.Live(names.FamDevice))) // want ttlread/wrong-bound
}

// AllDevices feeds the security mail.
func (s *Store) AllDevices(ctx context.Context, patient string) ([]session.Device, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), decodeDevice, // want ttlread/missing-filter[alldev]
		bt.With(bt.Latest(names.FamDevice, 1))) // want ttlread/missing-filter[alldev]
}

func decodeDevice(r bigtable.Row) (session.Device, bool) {
	agent, ok := bt.First(r, names.FamDevice, colAgent)
	if !ok {
		return session.Device{}, false
	}
	seen, _ := bt.First(r, names.FamDevice, names.ColSeen)
	return session.Device{Agent: string(agent.Value), LastSeen: seen.Value}, true
}

// CountLogin counts sign-ins on a device and in a session.
func (s *Store) CountLogin(ctx context.Context, id string) (uint64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamToken, colLogins, 1)                   // want ttlwrite/read-modify-write
	rmw.Increment(names.FamDevice, colLogins, 1)                  // ok ttlwrite/read-modify-write
	rmw.AppendValue(names.FamProfile, colTrail, []byte("login;")) // ok ttlwrite/read-modify-write
	row, err := s.rows.ApplyReadModifyWrite(ctx, id, rmw)
	if err != nil {
		return 0, err
	}
	it, ok := bt.First(row, names.FamToken, colLogins)
	if !ok || len(it.Value) != 8 {
		return 0, nil
	}
	return binary.BigEndian.Uint64(it.Value), nil
}

// Trail notes a page that a session visited.
func (s *Store) Trail(ctx context.Context, id, page string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(names.FamToken, colTrail, []byte(page+";")) // want ttlwrite/read-modify-write
	_, err := s.rows.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// TrustDevice keeps a device for another while than usual.
func (s *Store) TrustDevice(ctx context.Context, id string, keep time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(names.FamDevice, "trust")
	mut.Set(names.FamDevice, "trust", bt.Shifted(s.clock, keep, session.DeviceLife), []byte("1")) // ok ttlwrite/already-expired
	return s.rows.Apply(ctx, id, mut)
}

// DistrustDevice ages a device out.
func (s *Store) DistrustDevice(ctx context.Context, id string) error {
	old := s.clock.Now().Add(-31 * 24 * time.Hour)
	mut := bigtable.NewMutation()
	mut.Set(names.FamDevice, "trust", bigtable.Time(old), []byte("0")) // want ttlwrite/already-expired
	return s.rows.Apply(ctx, id, mut)
}

// DimDevice lets a device go in a day.
func (s *Store) DimDevice(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDevice, "trust", bigtable.Time(s.clock.Now().Add(-29*24*time.Hour)), []byte("0")) // ok ttlwrite/already-expired
	return s.rows.Apply(ctx, id, mut)
}

// Claim takes a session over if it has a token.
func (s *Store) Claim(ctx context.Context, id, agent string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(names.FamProfile, "claimed", bigtable.Now(), []byte(agent))           // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bt.Column(names.FamToken, colJWT), set, nil) // want ttlread/conditional-mutation
	var matched bool
	err := s.rows.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// ClaimLive is Claim for live tokens.
func (s *Store) ClaimLive(ctx context.Context, id, agent string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(names.FamProfile, "claimed", bigtable.Now(), []byte(agent))
	pred := bt.And(bt.Live(names.FamToken), bigtable.ColumnFilter(colJWT))
	cond := bigtable.NewCondMutation(pred, set, nil) // ok ttlread/conditional-mutation
	var matched bool
	err := s.rows.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// Sweep removes the rest of a session that has a tombstone.
func (s *Store) Sweep(ctx context.Context, id string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	return s.rows.Apply(ctx, id, bigtable.NewCondMutation(bt.Column(names.FamToken, colRevoked), del, nil)) // ok ttlread/conditional-mutation
}

// Info is what the support desk sees.
type Info struct {
	CreatedAt time.Time
	ExpiresAt time.Time
	NamedAt   time.Time
	Remaining time.Duration
	Age       time.Duration
}

// Info describes a session.
func (s *Store) Info(ctx context.Context, id string) (Info, error) {
	row, err := s.rows.ReadRow(ctx, id, bt.With(bt.Either(bt.Live(names.FamToken), bigtable.FamilyFilter(names.FamProfile)))) // ok ttlread/unfiltered-branch
	if err != nil {
		return Info{}, err
	}
	var out Info
	if it, ok := bt.First(row, names.FamToken, colJWT); ok {
		out.CreatedAt = it.Timestamp.Time()              // want ttlage/not-write-time
		out.ExpiresAt = it.Timestamp.Time()              // ok ttlage/not-write-time
		out.Remaining = time.Until(it.Timestamp.Time())  // ok ttlage/not-write-time
		out.Age = s.clock.Now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	if it, ok := bt.First(row, names.FamProfile, colName); ok {
		out.NamedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return out, nil
}

// Everything reads tokens and devices at once.
func (s *Store) Everything(ctx context.Context, id string) (bigtable.Row, error) {
	return s.rows.ReadRow(ctx, id, bt.With(bt.Either( // want ttlread/unfiltered-branch[every]
		bt.Live(names.FamToken),
		bigtable.FamilyFilter(names.FamDevice), // want ttlread/unfiltered-branch[every]
	)))
}

// EverythingLive is Everything, right.
func (s *Store) EverythingLive(ctx context.Context, id string) (bigtable.Row, error) {
	return s.rows.ReadRow(ctx, id, bt.With(bt.Either( // ok ttlread/unfiltered-branch
		bt.Live(names.FamToken),
		bt.Within(names.FamDevice, session.DeviceLife),
	)))
}

// bootLive saves the clock call on the hot path.
var bootLive = bigtable.ChainFilters(bigtable.FamilyFilter(names.FamToken), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[boot]

// Fast reads a token for the gateway.
func (s *Store) Fast(ctx context.Context, id string) ([]byte, error) {
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(bootLive)) // want ttlread/stale-bound[boot]
	if err != nil {
		return nil, err
	}
	for _, it := range row[names.FamToken] {
		return it.Value, nil
	}
	return nil, session.ErrExpired
}
