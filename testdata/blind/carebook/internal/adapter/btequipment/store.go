// Package btequipment keeps the equipment of the practices: what devices last said about themselves,
// and leases of devices that patients take home.
package btequipment

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/names"
)

// LeaseFor is how long a device is kept at the counter.
const LeaseFor = 2 * time.Minute

// table lets this package take the real client and a decorated one.
type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

// Store knows the equipment.
type Store struct {
	table
}

// New returns a store on the client's own table.
func New(client *bigtable.Client) *Store { return &Store{client.OpenTable(names.Equipment)} }

// Report stores what a device said; its states carry the time of the report.
func (s *Store) Report(ctx context.Context, device, state string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, bigtable.Now(), []byte(state))  // ok ttlwrite/clock-in-sequence
	mut.Set(names.FamState, names.ColSeen, bigtable.ServerTime, []byte("1")) // ok ttlwrite/clock-in-sequence
	return s.Apply(ctx, device, mut)
}

// ReportAt stores what a gateway forwards, with the gateway's seconds.
func (s *Store) ReportAt(ctx context.Context, device, state string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamState, names.ColStatus, bigtable.Timestamp(at.UnixNano()), []byte(state)) // want ttlunit/wrong-unit
	mut.Set(names.FamState, "gateway", bigtable.Time(at), []byte("1"))                         // ok ttlunit/wrong-unit
	return s.Apply(ctx, device, mut)
}

// State returns what a device said last.
func (s *Store) State(ctx context.Context, device string) (string, time.Time, error) {
	row, err := s.ReadRow(ctx, device, bigtable.RowFilter(bt.Column(names.FamState, names.ColStatus))) // ok ttlread/version-limit
	if err != nil {
		return "", time.Time{}, err
	}
	it, _ := bt.First(row, names.FamState, names.ColStatus)
	updated := it.Timestamp.Time() // ok ttlage/not-write-time
	return string(it.Value), updated, nil
}

// Silent lists devices that have said nothing for a day.
func (s *Store) Silent(ctx context.Context, practice string) (out []string, err error) {
	err = s.ReadRows(ctx, bigtable.PrefixRange(practice+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if it, ok := bt.First(r, names.FamState, names.ColStatus); ok && time.Since(it.Timestamp.Time()) > 24*time.Hour { // ok ttlage/not-write-time
			out = append(out, r.Key())
		}
		return true
	})
	return out, err
}

// Day returns the states of a day.
func (s *Store) Day(ctx context.Context, device string, day time.Time) (bigtable.Row, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamState), bigtable.TimestampRangeFilter(day, day.AddDate(0, 0, 1))) // ok ttlread/wrong-bound
	return s.ReadRow(ctx, device, bigtable.RowFilter(f))                                                                        // ok ttlread/upper-bound
}

// Lease gives a device to a patient.
func (s *Store) Lease(ctx context.Context, device, patient string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, names.ColOwner, bigtable.Time(time.Now().Add(LeaseFor)), []byte(patient)) // ok ttlwrite/write-time
	mut.Set(names.FamLease, "since", bigtable.Time(time.Now()), []byte(patient))                      // want ttlwrite/write-time
	return s.Apply(ctx, device, mut)
}

// LeaseLong gives a device for the weekend.
func (s *Store) LeaseLong(ctx context.Context, device, patient string) error {
	until := bigtable.Time(time.Now()) + bigtable.Timestamp(48*time.Hour) // want ttlunit/wrong-unit[weekend]
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, names.ColOwner, until, []byte(patient)) // want ttlunit/wrong-unit[weekend]
	return s.Apply(ctx, device, mut)
}

// LeaseWeek scales the duration.
func (s *Store) LeaseWeek(ctx context.Context, device, patient string) error {
	until := bigtable.Now() + bigtable.Timestamp((7*24*time.Hour)/time.Microsecond) // ok ttlunit/wrong-unit
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, names.ColOwner, until, []byte(patient)) // ok ttlwrite/write-time
	return s.Apply(ctx, device, mut)
}

// Return gives a device back.
func (s *Store) Return(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamLease, names.ColOwner, 0, nil) // want ttlwrite/already-expired
	return s.Apply(ctx, device, mut)
}

// Lessee returns who has a device.
func (s *Store) Lessee(ctx context.Context, device string) (string, error) {
	row, err := s.ReadRow(ctx, device, bigtable.RowFilter(bigtable.FamilyFilter(names.FamLease))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, _ := bt.First(row, names.FamLease, names.ColOwner)
	return string(it.Value), nil
}

// LesseeLive returns who has a device now.
func (s *Store) LesseeLive(ctx context.Context, device string) (string, error) {
	row, err := s.ReadRow(ctx, device, bigtable.RowFilter(bt.Live(names.FamLease))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, _ := bt.First(row, names.FamLease, names.ColOwner)
	return string(it.Value), nil
}

// LesseeGrace asks two minutes into the past, as the filter of default-expiration families does.
func (s *Store) LesseeGrace(ctx context.Context, device string) (string, error) {
	row, err := s.ReadRow(ctx, device, bigtable.RowFilter(bt.Within(names.FamLease, LeaseFor))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	it, _ := bt.First(row, names.FamLease, names.ColOwner)
	return string(it.Value), nil
}

// Sheet is the row for the printed sheet.
func (s *Store) Sheet(ctx context.Context, device string) (bigtable.Row, error) {
	return s.ReadRow(ctx, device, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want ttlread/hides-other-families
}

// SheetWhole is Sheet with the states.
func (s *Store) SheetWhole(ctx context.Context, device string) (bigtable.Row, error) {
	return s.ReadRow(ctx, device, bigtable.RowFilter(bt.Either(bt.Live(names.FamLease), bigtable.FamilyFilter(names.FamState)))) // ok ttlread/hides-other-families
}

// Due lists devices whose lease ends in the next minute.
func (s *Store) Due(ctx context.Context, practice string) (out []string, err error) {
	now := time.Now()
	err = s.ReadRows(ctx, bigtable.PrefixRange(practice+"#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[due]
		for _, it := range r[names.FamLease] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/upper-bound[due]
		bigtable.FamilyFilter(names.FamLease),
		bigtable.TimestampRangeFilterMicros(bigtable.Time(now), bigtable.Time(now.Add(time.Minute))), // want ttlread/upper-bound[due]
	)))
	return out, err
}

// LeaseAge is for the dunning letters.
func (s *Store) LeaseAge(ctx context.Context, device string) (age time.Duration, err error) {
	row, err := s.ReadRow(ctx, device, bigtable.RowFilter(bt.Live(names.FamLease)))
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamLease] {
		age = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	for _, it := range row[names.FamLease] {
		if left := time.Until(it.Timestamp.Time()); left < time.Minute { // ok ttlage/not-write-time
			age = LeaseFor - left
		}
	}
	return age, nil
}
