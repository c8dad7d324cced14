// Package devices keeps the sessions of bedside terminals, pumps and kiosks.
package devices

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"medboard.example/board/btx"
	"medboard.example/board/clock"
	"medboard.example/board/schema"
)

const (
	famSession = schema.Session
	famDevice  = schema.Device

	colToken = "token"
	colUser  = "user"
	colModel = "model"
)

// lifetime is what the session family forgets by itself.
const lifetime = schema.SessionTTL

// Session is who uses a device.
type Session struct {
	Device    string
	User      string
	Token     string
	ExpiresAt time.Time
	WrittenAt time.Time
}

// Device is a registered device.
type Device struct {
	Serial    string
	Model     string
	UpdatedAt time.Time
}

// Sessions keeps the sessions of ordinary devices; they last for a shift.
type Sessions struct {
	tbl btx.Table
	now func() time.Time
	ids clock.IDs
}

// NewSessions returns Sessions on a table.
func NewSessions(tbl btx.Table, now func() time.Time, ids clock.IDs) *Sessions {
	if now == nil {
		now = time.Now
	}
	return &Sessions{tbl: tbl, now: now, ids: ids}
}

func token(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// alive keeps the sessions that are not older than a shift.
func (s *Sessions) alive() bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(famSession), bigtable.TimestampRangeFilter(s.now().Add(-lifetime), time.Time{}))
}

// Login starts a session of the usual length.
func (s *Sessions) Login(ctx context.Context, device, user string) (Session, error) {
	tok := token(s.ids.NewID())
	mut := bigtable.NewMutation()
	mut.Set(famSession, colUser, bigtable.Now(), []byte(user))            // ok ttlwrite/write-time
	mut.Set(famSession, colToken, bigtable.ServerTime, []byte(tok))       // ok ttlwrite/server-timestamp
	mut.Set(famDevice, "last-user", bigtable.Time(s.now()), []byte(user)) // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, device, mut); err != nil {
		return Session{}, fmt.Errorf("login on %s: %w", device, err)
	}
	return Session{Device: device, User: user, Token: tok, ExpiresAt: s.now().Add(lifetime)}, nil
}

// LoginFor starts a session of another length.
func (s *Sessions) LoginFor(ctx context.Context, device, user string, d time.Duration) error {
	ts := bigtable.Time(s.now().Add(d - lifetime))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(famSession, colUser)
	mut.Set(famSession, colUser, ts, []byte(user)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, device, mut)
}

// Guest starts a session of half an hour.
func (s *Sessions) Guest(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(famSession, colUser, bigtable.Time(s.now().Add(30*time.Minute-lifetime)), []byte("guest")) // ok ttlwrite/already-expired
	mut.Set(famSession, "guest", bigtable.Time(s.now().Add(-11*time.Hour)), []byte("1"))               // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, device, mut)
}

// Logout makes a session look old.
func (s *Sessions) Logout(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(famSession, colUser, bigtable.Time(s.now().Add(-24*time.Hour)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, device, mut)
}

// LogoutHard deletes a session.
func (s *Sessions) LogoutHard(ctx context.Context, device string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(famSession)                              // ok ttlwrite/delete-after-set
	mut.Set(famDevice, "logged-out", bigtable.Now(), []byte(device)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, device, mut)
}

// Swap replaces the user of a session.
func (s *Sessions) Swap(ctx context.Context, device, user string) error {
	mut := bigtable.NewMutation()
	mut.Set(famSession, colUser, bigtable.ServerTime, []byte(user))
	mut.DeleteCellsInColumn(famSession, colUser) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, device, mut)
}

// Who returns the session of a device.
func (s *Sessions) Who(ctx context.Context, device string) (Session, error) {
	row, err := s.tbl.ReadRow(ctx, device, bigtable.RowFilter(s.alive())) // ok ttlread/missing-filter
	if err != nil {
		return Session{}, err
	}
	it, ok := btx.Cell(row, famSession, colUser)
	if !ok {
		return Session{}, btx.ErrNotFound
	}
	return Session{
		Device:    device,
		User:      string(it.Value),
		ExpiresAt: it.Timestamp.Time().Add(lifetime), // ok ttlage/not-write-time
	}, nil
}

// Valid checks a token.
func (s *Sessions) Valid(ctx context.Context, device, tok string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, device, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famSession), bigtable.ColumnFilter(colToken), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return btx.Value(row, famSession, colToken) == tok, nil
}

// Detail returns session and device.
func (s *Sessions) Detail(ctx context.Context, device string) (Session, Device, error) {
	row, err := s.tbl.ReadRow(ctx, device) // want ttlread/missing-filter
	if err != nil {
		return Session{}, Device{}, err
	}
	var ses Session
	var dev Device
	if it, ok := btx.Cell(row, famSession, colUser); ok {
		ses = Session{User: string(it.Value), WrittenAt: it.Timestamp.Time()} // want ttlage/not-write-time
	}
	if it, ok := btx.Cell(row, famDevice, colModel); ok {
		dev = Device{Serial: device, Model: string(it.Value), UpdatedAt: it.Timestamp.Time()} // ok ttlage/not-write-time
	}
	return ses, dev, nil
}

// Device returns a device.
func (s *Sessions) Device(ctx context.Context, serial string) (Device, error) {
	row, err := s.tbl.ReadRow(ctx, serial, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famDevice), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return Device{}, err
	}
	it, ok := btx.Cell(row, famDevice, colModel)
	if !ok {
		return Device{}, btx.ErrNotFound
	}
	return Device{Serial: serial, Model: string(it.Value), UpdatedAt: it.Timestamp.Time()}, nil // ok ttlage/not-write-time
}

// Active lists the sessions of a ward's devices.
func (s *Sessions) Active(ctx context.Context, prefix string) ([]Session, error) {
	var out []Session
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famSession), bigtable.TimestampRangeFilter(s.now(), time.Time{})) // want ttlread/wrong-bound[act]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), sessionsInto(&out), bigtable.RowFilter(f))                // want ttlread/wrong-bound[act]
	return out, err
}

// ActiveToday lists the sessions of a ward's devices.
func (s *Sessions) ActiveToday(ctx context.Context, prefix string) ([]Session, error) {
	var out []Session
	f := btx.Family(famSession, btx.Within(s.now(), 24*time.Hour))                                      // want ttlread/wrong-bound[today]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), sessionsInto(&out), bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
	return out, err
}

// ActiveShift lists the sessions of a ward's devices.
func (s *Sessions) ActiveShift(ctx context.Context, prefix string) ([]Session, error) {
	var out []Session
	f := btx.Family(famSession, btx.Within(s.now(), lifetime))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), sessionsInto(&out), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return out, err
}

// ActiveMicros is ActiveShift in microseconds.
func (s *Sessions) ActiveMicros(ctx context.Context, prefix string) ([]Session, error) {
	var out []Session
	from := bigtable.Now() - bigtable.Timestamp(lifetime.Microseconds()) // ok ttlunit/wrong-unit
	f := btx.Family(famSession, bigtable.TimestampRangeFilterMicros(from, 0))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), sessionsInto(&out), bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	return out, err
}

// Started lists the sessions that started so far.
func (s *Sessions) Started(ctx context.Context, prefix string) ([]Session, error) {
	var out []Session
	f := btx.Family(famSession, bigtable.TimestampRangeFilter(s.now().Add(-lifetime), s.now()))         // want ttlread/upper-bound[started]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), sessionsInto(&out), bigtable.RowFilter(f)) // want ttlread/upper-bound[started]
	return out, err
}

func sessionsInto(out *[]Session) func(bigtable.Row) bool {
	return func(row bigtable.Row) bool {
		for _, it := range row[famSession] {
			if strings.HasSuffix(it.Column, ":"+colUser) {
				*out = append(*out, Session{Device: row.Key(), User: string(it.Value)})
			}
		}
		return true
	}
}

// Everything lists rows with all that they have.
func (s *Sessions) Everything(ctx context.Context, prefix string, visit func(bigtable.Row)) error {
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter
		visit(row)
		return true
	})
}

// EverythingLive lists rows with all that they should have.
func (s *Sessions) EverythingLive(ctx context.Context, prefix string, visit func(bigtable.Row)) error {
	f := bigtable.InterleaveFilters(s.alive(), bigtable.FamilyFilter(famDevice))
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter ttlread/unfiltered-branch
		visit(row)
		return true
	}, bigtable.RowFilter(f))
}

// Models counts devices by model.
func (s *Sessions) Models(ctx context.Context, prefix string) (map[string]int, error) {
	out := make(map[string]int)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out[btx.Value(row, famDevice, colModel)]++
		return true
	})
	return out, err
}

// Registered says whether there is a device.
func (s *Sessions) Registered(ctx context.Context, serial string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, serial, bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/missing-filter
	return len(row) > 0, err
}

// RegisteredDevice says whether there is a device.
func (s *Sessions) RegisteredDevice(ctx context.Context, serial string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famDevice), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, serial, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Steal takes over a session if there is one.
func (s *Sessions) Steal(ctx context.Context, device, user string) error {
	set := bigtable.NewMutation()
	set.Set(famSession, colUser, bigtable.ServerTime, []byte(user))
	return s.tbl.Apply(ctx, device, bigtable.NewCondMutation(bigtable.FamilyFilter(famSession), set, nil)) // want ttlread/conditional-mutation
}

// StealLive takes over a session if there is a live one.
func (s *Sessions) StealLive(ctx context.Context, device, user string) error {
	set := bigtable.NewMutation()
	set.Set(famSession, colUser, bigtable.ServerTime, []byte(user))
	return s.tbl.Apply(ctx, device, bigtable.NewCondMutation(s.alive(), set, nil)) // ok ttlread/conditional-mutation
}

// Touch counts requests within a session.
func (s *Sessions) Touch(ctx context.Context, device string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famSession, "requests", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, device, rmw)
	return err
}

// IsNew says whether the server has stamped a session yet.
func IsNew(row bigtable.Row) bool {
	for _, it := range row[famDevice] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true
		}
	}
	return false
}

// Kiosks keeps the logins at kiosks, five minutes each.
type Kiosks struct {
	tbl btx.Table
	clk clock.Clock
}

// OpenKiosks returns the kiosks of a client.
func OpenKiosks(client *bigtable.Client, clk clock.Clock) *Kiosks {
	return &Kiosks{tbl: client.Open(schema.Kiosks), clk: clk}
}

// put is a mutation of one cell.
func put(column string, ts bigtable.Timestamp, value string) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set(famSession, column, ts, []byte(value))
	return mut
}

// Login logs a card in.
func (k *Kiosks) Login(ctx context.Context, kiosk, card string) error {
	return k.tbl.Apply(ctx, kiosk, put("card", bigtable.Time(k.clk.Now().Add(schema.KioskTTL)), card)) // ok ttlwrite/write-time
}

// LoginNow was copied from Sessions.
func (k *Kiosks) LoginNow(ctx context.Context, kiosk, card string) error {
	return k.tbl.Apply(ctx, kiosk, put("card", bigtable.Time(k.clk.Now()), card)) // want ttlwrite/write-time
}

// LoginServer was copied from Sessions, too.
func (k *Kiosks) LoginServer(ctx context.Context, kiosk, card string) error {
	mut := bigtable.NewMutation()
	mut.Set(famSession, "card", bigtable.ServerTime, []byte(card)) // want ttlwrite/server-timestamp
	return k.tbl.Apply(ctx, kiosk, mut)
}

// Boot notes that a kiosk came up; the note is for the first minutes only.
func (k *Kiosks) Boot(ctx context.Context, kiosk string) error {
	mut := bigtable.NewMutation()
	mut.Set(famSession, "boot", bootUntil, []byte(kiosk)) // want ttlwrite/stale-clock[boot]
	return k.tbl.Apply(ctx, kiosk, mut)
}

// bootUntil is when the boot note of every kiosk goes.
var bootUntil = bigtable.Time(time.Now().Add(schema.KioskTTL)) // want ttlwrite/stale-clock[boot]

// Card returns the card at a kiosk.
func (k *Kiosks) Card(ctx context.Context, kiosk string) (string, error) {
	row, err := k.tbl.ReadRow(ctx, kiosk, bigtable.RowFilter(btx.Live(k.clk.Now()))) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	return btx.Value(row, famSession, "card"), nil
}

// CardWithin was copied from Sessions.
func (k *Kiosks) CardWithin(ctx context.Context, kiosk string) (string, error) {
	row, err := k.tbl.ReadRow(ctx, kiosk, bigtable.RowFilter(btx.Within(k.clk.Now(), schema.KioskTTL))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return btx.Value(row, famSession, "card"), nil
}

// Busy lists the kiosks that are in use.
func (k *Kiosks) Busy(ctx context.Context) ([]string, error) {
	var out []string
	err := k.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/missing-filter
		out = append(out, row.Key()+"="+btx.Value(row, famSession, "card"))
		return true
	})
	return out, err
}

// BusyByHand lists the kiosks that are in use.
func (k *Kiosks) BusyByHand(ctx context.Context) ([]string, error) {
	var out []string
	now := bigtable.Time(k.clk.Now())
	err := k.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[famSession] {
			if it.Timestamp >= now {
				out = append(out, row.Key()+"="+string(it.Value))
			}
		}
		return true
	})
	return out, err
}

// Presses counts at a kiosk.
func (k *Kiosks) Presses(ctx context.Context, kiosk string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famSession, "presses", 1)               // want ttlwrite/read-modify-write[presses]
	_, err := k.tbl.ApplyReadModifyWrite(ctx, kiosk, rmw) // want ttlwrite/read-modify-write[presses]
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
