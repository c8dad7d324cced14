package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/fleet"
)

// Commands implements fleet.Commander over the tables "commands" and "trips".
// Both have a family "state": in "commands" it is what the vehicle reports,
// kept for a day; in "trips" it is an ordinary family.
type Commands struct {
	cmds  *bigtable.Table
	trips *bigtable.Table
	clock dal.Clock
	next  int64
}

var _ fleet.Commander = (*Commands)(nil)

// NewCommands opens both tables.
func NewCommands(c *bigtable.Client, clock dal.Clock) *Commands {
	return &Commands{cmds: c.Open(dal.TableCommands), trips: c.Open(dal.TableTrips), clock: clock}
}

// Send stores a command; there is one at a time.
func (s *Commands) Send(ctx context.Context, vehicle string, c fleet.Command) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(dal.FamCmd, "c", dal.Seq(c.No), b)                           // ok ttlwrite/clock-in-sequence
	m.Set(dal.FamCmd, "sent", dal.NowTS(s.clock), []byte(c.Verb))      // want ttlwrite/clock-in-sequence
	m.Set(dal.FamState, "sent", dal.NowTS(s.clock), []byte(c.Verb))    // ok ttlwrite/write-time
	m.Set(dal.FamCmd, "verb", bigtable.Timestamp(c.No), []byte(c.Arg)) // ok ttlwrite/unscaled-sequence
	return s.cmds.Apply(ctx, vehicle, m)
}

// SendNext numbers by itself.
func (s *Commands) SendNext(ctx context.Context, vehicle string, c fleet.Command) error {
	s.next++
	c.No = s.next
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	ts := bigtable.Timestamp(s.next)   // want ttlwrite/unscaled-sequence[sendnext]
	m.Set(dal.FamCmd, "c", ts, b)      // want ttlwrite/unscaled-sequence[sendnext]
	m.Set(dal.FamCmd, "k", ts*1000, b) // ok ttlwrite/unscaled-sequence
	return s.cmds.Apply(ctx, vehicle, m)
}

// Pending reads the command.
func (s *Commands) Pending(ctx context.Context, vehicle string) (c fleet.Command, err error) {
	row, err := s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Family(dal.FamCmd, dal.Latest(dal.CommandVersions)))) // ok ttlread/version-limit
	if err != nil {
		return c, err
	}
	for _, it := range row[dal.FamCmd] {
		return c, json.Unmarshal(it.Value, &c)
	}
	return c, dal.ErrNotFound
}

// PendingThree reads three where one is kept.
func (s *Commands) PendingThree(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Family(dal.FamCmd, dal.Latest(3)))) // want ttlread/version-limit
	return row[dal.FamCmd], err
}

// PendingNow asks the clock.
func (s *Commands) PendingNow(ctx context.Context, vehicle string) ([]bigtable.ReadItem, error) {
	row, err := s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Family(dal.FamCmd, dal.Live(s.clock)))) // want ttlread/wrong-bound
	return row[dal.FamCmd], err
}

// Report stores what a vehicle says.
func (s *Commands) Report(ctx context.Context, vehicle string, st fleet.State) error {
	b, err := json.Marshal(st)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(dal.FamState, "s", bigtable.ServerTime, b) // ok ttlwrite/server-timestamp
	return s.cmds.Apply(ctx, vehicle, m)
}

// ReportTwice stores the state in both tables.
func (s *Commands) ReportTwice(ctx context.Context, vehicle string, st fleet.State) error {
	b, err := json.Marshal(st)
	if err != nil {
		return err
	}
	day := bigtable.Time(s.clock.Now().Add(-dal.StateTTL))
	mc, mt := bigtable.NewMutation(), bigtable.NewMutation()
	mc.Set(dal.FamState, "s", day, b) // want ttlwrite/already-expired
	mt.Set(dal.FamState, "s", day, b) // ok ttlwrite/already-expired
	return errors.Join(s.cmds.Apply(ctx, vehicle, mc), s.trips.Apply(ctx, vehicle, mt))
}

// State reads what the vehicle says.
func (s *Commands) State(ctx context.Context, vehicle string) (st fleet.State, err error) {
	row, err := s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Family(dal.FamState, dal.Younger(s.clock, dal.StateTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return st, err
	}
	return decodeState(row[dal.FamState])
}

// StateAny reads without a bound.
func (s *Commands) StateAny(ctx context.Context, vehicle string) (st fleet.State, err error) {
	row, err := s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Family(dal.FamState, dal.Latest(1)))) // want ttlread/missing-filter
	if err != nil {
		return st, err
	}
	return decodeState(row[dal.FamState])
}

// TripState reads the ordinary family of the same name.
func (s *Commands) TripState(ctx context.Context, trip string) (st fleet.State, err error) {
	row, err := s.trips.ReadRow(ctx, trip, bigtable.RowFilter(dal.Family(dal.FamState, dal.Latest(1)))) // ok ttlread/missing-filter
	if err != nil {
		return st, err
	}
	return decodeState(row[dal.FamState])
}

// TripAge is an age, since the family is an ordinary one.
func (s *Commands) TripAge(ctx context.Context, trip string) (time.Duration, error) {
	row, err := s.trips.ReadRow(ctx, trip) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[dal.FamState] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, dal.ErrNotFound
}

// StateAge is none.
func (s *Commands) StateAge(ctx context.Context, vehicle string) (time.Duration, error) {
	row, err := s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Family(dal.FamState, dal.Younger(s.clock, dal.StateTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[dal.FamState] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, dal.ErrNotFound
}

func decodeState(items []bigtable.ReadItem) (st fleet.State, err error) {
	if len(items) == 0 {
		return st, dal.ErrNotFound
	}
	err = json.Unmarshal(items[0].Value, &st)
	return st, err
}

// Full reads the whole row of a vehicle: one branch each.
func (s *Commands) Full(ctx context.Context, vehicle string) (bigtable.Row, error) {
	return s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Either( // ok ttlread/unfiltered-branch
		dal.Family(dal.FamCmd, dal.Latest(1)),
		dal.Family(dal.FamState, dal.Younger(s.clock, dal.StateTTL)))))
}

// FullLoose forgets the bound of one branch.
func (s *Commands) FullLoose(ctx context.Context, vehicle string) (bigtable.Row, error) {
	return s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(dal.Either( // want ttlread/unfiltered-branch[full]
		dal.Family(dal.FamCmd, dal.Latest(1)),
		dal.Family(dal.FamState)))) // want ttlread/unfiltered-branch[full]
}

// Alive asks in the predicate, and returns everything.
func (s *Commands) Alive(ctx context.Context, vehicle string) (bigtable.Row, error) {
	f := bigtable.ConditionFilter(dal.Family(dal.FamState, dal.Younger(s.clock, dal.StateTTL)), dal.Family(dal.FamState), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[alive]
	return s.cmds.ReadRow(ctx, vehicle, bigtable.RowFilter(f))                                                                                       // want ttlread/unfiltered-branch[alive]
}

// Bump counts boots.
func (s *Commands) Bump(ctx context.Context, vehicle string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(dal.FamCmd, "boots", 1) // want ttlwrite/read-modify-write
	_, err := s.cmds.ApplyReadModifyWrite(ctx, vehicle, rmw)
	return err
}

// BumpState counts doors; the family keeps real times as well.
func (s *Commands) BumpState(ctx context.Context, vehicle string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(dal.FamState, "doors", 1) // ok ttlwrite/read-modify-write
	_, err := s.cmds.ApplyReadModifyWrite(ctx, vehicle, rmw)
	return err
}
