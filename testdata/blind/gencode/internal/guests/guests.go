// Package guests keeps profiles and browser sessions of guests.
package guests

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/hotelbook/gen/btrt"
	"example.com/hotelbook/gen/guestsbt"
	"example.com/hotelbook/internal/btx"
)

const sessionTTL = 30 * time.Minute

// Store reads and writes guests.
type Store struct {
	client *bigtable.Client
	tbl    *guestsbt.Table
	log    *slog.Logger
}

// NewStore opens the table.
func NewStore(c *bigtable.Client, log *slog.Logger) *Store {
	return &Store{client: c, tbl: guestsbt.Open(c), log: log}
}

// allLive reads every family by its strategy.
func allLive() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.InterleaveFilters(
		btx.In(guestsbt.FamilySession, btx.Live()),
		bigtable.FamilyFilter(guestsbt.FamilyProfile+"|"+guestsbt.FamilyPref),
	))
}

// Login starts a session.
func (s *Store) Login(ctx context.Context, guest string, sess *guestsbt.Session) error {
	mut := bigtable.NewMutation()
	sess.MarshalBigtable(mut, btx.ExpireIn(sessionTTL))   // ok ttlwrite/write-time
	guestsbt.SetPrefNewsletter(mut, bigtable.Now(), true) // ok ttlwrite/write-time
	guestsbt.SetProfileName(mut, 0, guest)                // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, guest, mut)
}

// LoginApp starts a session of the phone application.
func (s *Store) LoginApp(ctx context.Context, guest, token, device string) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	guestsbt.SetSessionToken(mut, ts, token)                    // want ttlwrite/write-time
	guestsbt.SetSessionDevice(mut, bigtable.ServerTime, device) // want ttlwrite/server-timestamp
	guestsbt.SetPrefRoomType(mut, bigtable.ServerTime, "any")   // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, guest, mut)
}

// Refresh prolongs a session.
func (s *Store) Refresh(ctx context.Context, guest string, sess *guestsbt.Session) error {
	row := &guestsbt.Row{Key: guest, Session: sess}
	return s.tbl.PutAt(ctx, row, btx.ExpireIn(sessionTTL)) // ok ttlwrite/write-time
}

// Keep prolongs a session by nothing at all.
func (s *Store) Keep(ctx context.Context, guest string, sess *guestsbt.Session) error {
	row := &guestsbt.Row{Key: guest, Session: sess}
	return s.tbl.PutAt(ctx, row, btx.ExpireIn(0)) // want ttlwrite/write-time
}

// Logout ends a session.
func (s *Store) Logout(ctx context.Context, guest string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(guestsbt.FamilySession) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, guest, mut)
}

// Rotate replaces the token of a session.
func (s *Store) Rotate(ctx context.Context, guest, token string) error {
	mut := bigtable.NewMutation()
	guestsbt.SetSessionToken(mut, btx.ExpireIn(sessionTTL), token) // ok ttlwrite/write-time
	mut.DeleteCellsInFamily(guestsbt.FamilySession)                // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, guest, mut)
}

// Revoke makes a token useless.
func (s *Store) Revoke(ctx context.Context, guest string) error {
	mut := bigtable.NewMutation()
	guestsbt.SetSessionToken(mut, bigtable.Time(time.Now().Add(-sessionTTL)), "revoked") // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, guest, mut)
}

// Hit counts a page view of a session.
func (s *Store) Hit(ctx context.Context, guest string) error {
	_, err := s.tbl.IncrSessionHits(ctx, guest, 1) // ok ttlwrite/read-modify-write
	return err
}

// AppendDevice adds a device to a session.
func (s *Store) AppendDevice(ctx context.Context, guest, device string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(guestsbt.FamilySession, guestsbt.ColSessionDevice, []byte(","+device)) // want ttlwrite/read-modify-write
	_, err := s.tbl.Raw().ApplyReadModifyWrite(ctx, guest, rmw)
	return err
}

// AppendRoomType adds a preference.
func (s *Store) AppendRoomType(ctx context.Context, guest, typ string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(guestsbt.FamilyPref, guestsbt.ColPrefRoomType, []byte(","+typ)) // ok ttlwrite/read-modify-write
	_, err := s.tbl.Raw().ApplyReadModifyWrite(ctx, guest, rmw)
	return err
}

// SaveProfile replaces the profile.
func (s *Store) SaveProfile(ctx context.Context, guest string, p *guestsbt.Profile) error {
	return s.tbl.PutAt(ctx, &guestsbt.Row{Key: guest, Profile: p}, 0) // ok ttlwrite/clock-in-zero
}

// SaveEmail replaces the address.
func (s *Store) SaveEmail(ctx context.Context, guest, email string) error {
	mut := bigtable.NewMutation()
	guestsbt.SetProfileEmail(mut, btx.NowTS(), email) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, guest, mut)
}

// SaveName replaces the name.
func (s *Store) SaveName(ctx context.Context, guest, name string) error {
	mut := bigtable.NewMutation()
	guestsbt.SetProfileName(mut, bigtable.ServerTime, name) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, guest, mut)
}

// SavePref replaces the preferences.
func (s *Store) SavePref(ctx context.Context, guest string, p *guestsbt.Pref) error {
	return s.tbl.PutAt(ctx, &guestsbt.Row{Key: guest, Pref: p}, bigtable.Now()) // ok ttlwrite/clock-in-zero
}

// Get returns the whole guest.
func (s *Store) Get(ctx context.Context, guest string) (*guestsbt.Row, error) {
	return s.tbl.ReadRow(ctx, guest, allLive()) // ok ttlread/missing-filter
}

// Dump returns the whole guest for support.
func (s *Store) Dump(ctx context.Context, guest string) (*guestsbt.Row, error) {
	return s.tbl.ReadRow(ctx, guest) // want ttlread/missing-filter
}

// Active returns the guest if there is a session.
func (s *Store) Active(ctx context.Context, guest string) (*guestsbt.Row, error) {
	return s.tbl.ReadRow(ctx, guest, bigtable.RowFilter(btx.Live())) // want ttlread/hides-other-families
}

// ActiveSession returns the session.
func (s *Store) ActiveSession(ctx context.Context, guest string) (*guestsbt.Session, error) {
	sess := new(guestsbt.Session)
	f := btx.In(guestsbt.FamilySession, btx.Live())
	err := btrt.ReadInto(ctx, s.tbl.Raw(), guest, sess, bigtable.RowFilter(f)) // ok ttlread/hides-other-families
	return sess, err
}

// Session returns the session of a token.
func (s *Store) Session(ctx context.Context, guest string) (*guestsbt.Session, error) {
	sess := new(guestsbt.Session)
	f := btx.In(guestsbt.FamilySession, bigtable.LatestNFilter(1))             // want ttlread/missing-filter[sess]
	err := btrt.ReadInto(ctx, s.tbl.Raw(), guest, sess, bigtable.RowFilter(f)) // want ttlread/missing-filter[sess]
	return sess, err
}

// Profile returns the profile.
func (s *Store) Profile(ctx context.Context, guest string) (*guestsbt.Profile, error) {
	p := new(guestsbt.Profile)
	err := btrt.ReadInto(ctx, s.tbl.Raw(), guest, p, bigtable.RowFilter(bigtable.FamilyFilter(guestsbt.FamilyProfile))) // ok ttlread/missing-filter
	return p, err
}

// Pref returns the preferences.
func (s *Store) Pref(ctx context.Context, guest string) (string, error) {
	row, err := s.tbl.Raw().ReadRow(ctx, guest) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[guestsbt.FamilyPref] {
		if btrt.Qualifier(it) == guestsbt.ColPrefRoomType {
			return string(it.Value), nil
		}
	}
	return "", nil
}

// Everything interleaves the families.
func (s *Store) Everything(ctx context.Context, guest string) (*guestsbt.Row, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[every]
		bigtable.FamilyFilter(guestsbt.FamilySession), // want ttlread/unfiltered-branch[every]
		bigtable.FamilyFilter(guestsbt.FamilyProfile),
	)
	return s.tbl.ReadRow(ctx, guest, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[every]
}

// IfLive returns the guest if a session is alive.
func (s *Store) IfLive(ctx context.Context, guest string) (*guestsbt.Row, error) {
	live := btx.In(guestsbt.FamilySession, btx.Live())
	f := bigtable.ConditionFilter(live, bigtable.PassAllFilter(), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[iflive]
	return s.tbl.ReadRow(ctx, guest, bigtable.RowFilter(f))                                  // want ttlread/unfiltered-branch[iflive]
}

// ProfileIfLive returns the profile if a session is alive.
func (s *Store) ProfileIfLive(ctx context.Context, guest string) (*guestsbt.Row, error) {
	live := btx.In(guestsbt.FamilySession, btx.Live())
	f := bigtable.ConditionFilter(live, bigtable.FamilyFilter(guestsbt.FamilyProfile), bigtable.BlockAllFilter())
	return s.tbl.ReadRow(ctx, guest, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
}

// LastSeen says when a guest was last active.
func (s *Store) LastSeen(ctx context.Context, guest string) (string, error) {
	f := btx.In(guestsbt.FamilySession, btx.Live())
	row, err := s.tbl.Raw().ReadRow(ctx, guest, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[guestsbt.FamilySession] {
		s.log.Info("session", "guest", guest, "updated", it.Timestamp.Time())  // want ttlage/not-write-time
		s.log.Debug("session", "guest", guest, "expires", it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	for _, it := range row[guestsbt.FamilyPref] {
		return time.Since(it.Timestamp.Time()).String(), nil // ok ttlage/not-write-time
	}
	return "", nil
}

// Count counts guests.
func (s *Store) Count(ctx context.Context) (int, error) {
	n := 0
	err := s.tbl.Raw().ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Report prepares the statements of the marketing report.
func (s *Store) Report(ctx context.Context) ([]*bigtable.PreparedStatement, error) {
	var out []*bigtable.PreparedStatement
	add := func(p *bigtable.PreparedStatement, err error) error {
		if err == nil {
			out = append(out, p)
		}
		return err
	}
	if err := add(s.client.PrepareStatement(ctx, "SELECT _key, session['token'] FROM guests", nil)); err != nil { // want ttlread/sql
		return nil, err
	}
	if err := add(s.client.PrepareStatement(ctx, "SELECT _key, pref['room_type'] FROM guests", nil)); err != nil { // ok ttlread/sql
		return nil, err
	}
	if err := add(s.client.PrepareStatement(ctx, "SELECT _key, profile['email'] FROM guests", nil)); err != nil { // ok ttlread/sql
		return nil, err
	}
	if err := add(s.client.PrepareStatement(ctx, "SELECT offer['code'] FROM offers", nil)); err != nil { // want ttlread/sql
		return nil, err
	}
	if err := add(s.client.PrepareStatement(ctx, "SELECT delta['change'] FROM availability", nil)); err != nil { // ok ttlread/sql
		return nil, err
	}
	err := add(s.client.PrepareStatement(ctx, "SELECT session['token'] FROM guests(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil)) // ok ttlread/sql
	return out, err
}
