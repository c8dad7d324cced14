// Package session keeps logins. Tokens live in a family with one-second
// expiration (their timestamp is the moment they expire); the profile beside
// them is ordinary data.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"wallet.example/platform/internal/btx"
	"wallet.example/platform/internal/clock"
	"wallet.example/platform/internal/config"
	"wallet.example/platform/internal/schema"
)

// ErrNotFound means that a session is unknown or over.
var ErrNotFound = errors.New("session not found")

const (
	_accessTTL  = 30 * time.Minute
	_refreshTTL = 14 * 24 * time.Hour
	_otpTTL     = 3 * time.Minute

	_colOTP      schema.Column = "otp"
	_colAttempts schema.Column = "attempts"
	_colIP       schema.Column = "ip"
	_colName     schema.Column = "name"
	_colLogins   schema.Column = "logins"
	_colRevoked  schema.Column = "revoked"
)

// table is what the store needs of Bigtable.
type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

var _ table = btx.Table(nil)

// Session is a login.
type Session struct {
	User      string
	Device    string
	JWT       []byte
	ExpiresAt time.Time
}

// Profile is what does not go away with a login.
type Profile struct {
	Name      string
	IP        string
	UpdatedAt time.Time
}

// Params is what New needs.
type Params struct {
	Conn   *btx.Conn
	Clock  clock.Clock
	Config config.Session
	Logger *slog.Logger
}

// Result is what New provides.
type Result struct {
	Store *Store
}

// New provides the store.
func New(p Params) (Result, error) {
	if p.Conn == nil {
		return Result{}, errors.New("session: no connection")
	}
	return Result{Store: &Store{
		tbl:    p.Conn.Table(schema.TableSessions),
		clock:  p.Clock,
		ttl:    p.Config.TTL,
		max:    p.Config.MaxItems,
		logger: p.Logger,
	}}, nil
}

// Store keeps sessions in Bigtable.
type Store struct {
	tbl    table
	clock  clock.Clock
	ttl    time.Duration
	max    int
	logger *slog.Logger
}

func rowKey(user, device string) string { return user + "#" + device }

// Create starts a session that lives as long as the configuration says.
func (s *Store) Create(ctx context.Context, user, device string, jwt, refresh []byte) error {
	family := schema.FamilyToken.String()
	mut := bigtable.NewMutation()
	mut.Set(family, schema.ColJWT.String(), btx.ExpiresIn(s.clock, s.ttl), jwt)               // ok ttlwrite/write-time
	mut.Set(family, schema.ColRefresh.String(), btx.ExpiresIn(s.clock, _refreshTTL), refresh) // ok ttlwrite/write-time
	mut.Set(family, schema.ColSeen.String(), btx.Stamp(s.clock), []byte(device))              // want ttlwrite/write-time
	mut.Set(schema.FamilyProfile.String(), _colIP.String(), bigtable.Now(), nil)              // ok ttlwrite/write-time
	return s.apply(ctx, rowKey(user, device), mut)
}

func (s *Store) apply(ctx context.Context, key string, mut *bigtable.Mutation) error {
	if err := s.tbl.Apply(ctx, key, mut); err != nil {
		return fmt.Errorf("apply %q: %w", key, err)
	}
	return nil
}

// Impersonate starts a session for the support desk, until a fixed moment.
func (s *Store) Impersonate(ctx context.Context, user, agent string, jwt []byte, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyToken.String(), schema.ColJWT.String(), btx.ExpiresAt(until), jwt) // ok ttlwrite/write-time
	mut.Set(schema.FamilyToken.String(), "agent", bigtable.ServerTime, []byte(agent))       // want ttlwrite/server-timestamp
	mut.Set(schema.FamilyProfile.String(), "agent", bigtable.ServerTime, []byte(agent))     // ok ttlwrite/server-timestamp
	return s.apply(ctx, rowKey(user, "desk"), mut)
}

// SendOTP remembers a one-time password.
func (s *Store) SendOTP(ctx context.Context, user, device, otp string) error {
	now := s.clock.Now()
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamilyToken.String(), _colOTP.String())
	mut.Set(schema.FamilyToken.String(), _colOTP.String(), bigtable.Time(now.Add(_otpTTL)), []byte(otp)) // ok ttlwrite/delete-after-set
	mut.Set(schema.FamilyToken.String(), _colAttempts.String(), bigtable.Time(now), []byte("0"))         // want ttlwrite/write-time
	return s.apply(ctx, rowKey(user, device), mut)
}

// CountAttempt counts a wrong one-time password and returns how many there were.
func (s *Store) CountAttempt(ctx context.Context, user, device string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyToken.String(), _colAttempts.String(), 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(user, device), rmw)
	if err != nil {
		return 0, err
	}
	v, _ := btx.Value(row, schema.FamilyToken, _colAttempts)
	return decodeInt(v), nil
}

// CountLogin counts logins for the profile page.
func (s *Store) CountLogin(ctx context.Context, user, device string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamilyProfile.String(), _colLogins.String(), 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(user, device), rmw)
	return err
}

// Rotate replaces the refresh token.
func (s *Store) Rotate(ctx context.Context, user, device string, refresh []byte) error {
	family, col := schema.FamilyToken.String(), schema.ColRefresh.String()
	mut := bigtable.NewMutation()
	mut.Set(family, col, btx.ExpiresIn(s.clock, _refreshTTL), refresh)
	mut.DeleteCellsInColumn(family, col) // want ttlwrite/delete-after-set
	return s.apply(ctx, rowKey(user, device), mut)
}

// Renew replaces the access token; a shorter life has to win.
func (s *Store) Renew(ctx context.Context, user, device string, jwt []byte) error {
	family, col := schema.FamilyToken.String(), schema.ColJWT.String()
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(family, col) // ok ttlwrite/delete-after-set
	mut.Set(family, col, btx.ExpiresIn(s.clock, _accessTTL), jwt)
	return s.apply(ctx, rowKey(user, device), mut)
}

// Rename changes the profile and drops the old agent note.
func (s *Store) Rename(ctx context.Context, user, device, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyProfile.String(), _colName.String(), bigtable.Now(), []byte(name))
	mut.DeleteCellsInColumn(schema.FamilyProfile.String(), "agent") // ok ttlwrite/delete-after-set
	return s.apply(ctx, rowKey(user, device), mut)
}

// Revoke ends a session but leaves a mark for as long as the token would have
// lived.
func (s *Store) Revoke(ctx context.Context, user, device, reason string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamilyToken.String())
	mut.Set(schema.FamilyToken.String(), _colRevoked.String(), btx.ExpiresIn(s.clock, s.ttl), []byte(reason)) // ok ttlwrite/delete-after-set
	return s.apply(ctx, rowKey(user, device), mut)
}

// Expire ends a session by writing it into the past.
func (s *Store) Expire(ctx context.Context, user, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamilyToken.String(), schema.ColJWT.String(), bigtable.Time(s.clock.Now().Add(-time.Second)), nil) // want ttlwrite/already-expired
	return s.apply(ctx, rowKey(user, device), mut)
}

// Get returns a session that is alive.
func (s *Store) Get(ctx context.Context, user, device string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(btx.Only(schema.FamilyToken, btx.Live(s.clock.Now())))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSession(row, user, device)
}

func decodeSession(row bigtable.Row, user, device string) (*Session, error) {
	name := schema.Qualified(schema.FamilyToken, schema.ColJWT)
	for _, item := range row[schema.FamilyToken.String()] {
		if item.Column == name {
			return &Session{User: user, Device: device, JWT: item.Value, ExpiresAt: item.Timestamp.Time()}, nil // ok ttlage/not-write-time
		}
	}
	return nil, ErrNotFound
}

// Peek returns a session without caring for the rest of the row.
func (s *Store) Peek(ctx context.Context, user, device string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(btx.Cell(schema.FamilyToken, schema.ColJWT))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeSession(row, user, device)
}

// Profile returns the profile.
func (s *Store) Profile(ctx context.Context, user, device string) (*Profile, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var p Profile
	for _, item := range row[schema.FamilyProfile.String()] {
		switch strings.TrimPrefix(item.Column, schema.FamilyProfile.String()+":") {
		case _colName.String():
			p.Name = string(item.Value)
		case _colIP.String():
			p.IP = string(item.Value)
		}
		if t := item.Timestamp.Time(); t.After(p.UpdatedAt) {
			p.UpdatedAt = t // ok ttlage/not-write-time
		}
	}
	return &p, nil
}

// View is a session with its profile.
type View struct {
	Session   *Session
	Name      string
	CreatedAt time.Time
	Remaining time.Duration
}

// View reads both families at once.
func (s *Store) View(ctx context.Context, user, device string) (*View, error) {
	now := s.clock.Now()
	filter := bigtable.InterleaveFilters(
		btx.Only(schema.FamilyToken, btx.Live(now)),
		btx.Latest(schema.FamilyProfile),
	)
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(filter)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	v := &View{}
	if v.Session, err = decodeSession(row, user, device); err != nil {
		return nil, err
	}
	for _, item := range row[schema.FamilyToken.String()] {
		v.CreatedAt = item.Timestamp.Time()          // want ttlage/not-write-time
		v.Remaining = item.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
	}
	if name, ok := btx.Value(row, schema.FamilyProfile, _colName); ok {
		v.Name = string(name)
	}
	return v, nil
}

// ViewCompact is View for the mobile API, which wants only two columns.
func (s *Store) ViewCompact(ctx context.Context, user, device string) (*View, error) {
	filter := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[viewcompact]
		bigtable.ChainFilters(bigtable.ColumnFilter(schema.ColJWT.String()), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[viewcompact]
		btx.Cell(schema.FamilyProfile, _colName),
	)
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(filter)) // want ttlread/unfiltered-branch[viewcompact]
	if err != nil {
		return nil, err
	}
	sess, err := decodeSession(row, user, device)
	if err != nil {
		return nil, err
	}
	name, _ := btx.Value(row, schema.FamilyProfile, _colName)
	return &View{Session: sess, Name: string(name)}, nil
}

// Export returns a session and a profile for a data request.
func (s *Store) Export(ctx context.Context, user, device string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(btx.Live(s.clock.Now()))) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, family := range []schema.Family{schema.FamilyToken, schema.FamilyProfile} {
		for _, item := range row[family.String()] {
			out[item.Column] = string(item.Value)
		}
	}
	return out, nil
}

// Alive says whether there is a live token; the bare range is all right here.
func (s *Store) Alive(ctx context.Context, user, device string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(btx.Live(s.clock.Now()))) // ok ttlread/hides-other-families
	if err != nil {
		return false, err
	}
	return len(row[schema.FamilyToken.String()]) > 0, nil
}

// Exists says whether a user has logged in with a device.
func (s *Store) Exists(ctx context.Context, user, device string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter
		bigtable.FamilyFilter(schema.FamilyToken.String()),
		bigtable.CellsPerRowLimitFilter(1),
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// List returns the live sessions of a user.
func (s *Store) List(ctx context.Context, user string) ([]*Session, error) {
	var (
		out     []*Session
		scanErr error
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		_, device, _ := strings.Cut(row.Key(), "#")
		sess, err := decodeSession(row, user, device)
		if errors.Is(err, ErrNotFound) {
			return true
		}
		if err != nil {
			scanErr = err
			return false
		}
		out = append(out, sess)
		return len(out) < s.max
	}, bigtable.RowFilter(btx.Only(schema.FamilyToken, bigtable.LatestNFilter(1), btx.Live(s.clock.Now()))))
	return out, errors.Join(err, scanErr)
}

// ListDevices returns the devices of a user.
func (s *Store) ListDevices(ctx context.Context, user string) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range row[schema.FamilyToken.String()] {
			if item.Column == schema.Qualified(schema.FamilyToken, schema.ColSeen) {
				out = append(out, string(item.Value))
			}
		}
		return true
	}, bigtable.LimitRows(int64(s.max)))
	return out, err
}

// Count counts the rows of a user, dead or alive.
func (s *Store) Count(ctx context.Context, user string) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// EndingSoon returns the tokens that end soon, so that clients can be told to
// renew.
func (s *Store) EndingSoon(ctx context.Context, user string) ([]*Session, error) {
	now := s.clock.Now()
	var out []*Session
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[endingsoon]
		for _, item := range row[schema.FamilyToken.String()] {
			out = append(out, &Session{User: user, JWT: item.Value, ExpiresAt: item.Timestamp.Time()}) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(btx.Only(schema.FamilyToken, bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))))) // want ttlread/upper-bound[endingsoon]
	return out, err
}

// Recent returns what was active lately.
func (s *Store) Recent(ctx context.Context, user string) ([]*Session, error) {
	now := s.clock.Now()
	f := btx.Only(schema.FamilyToken, bigtable.TimestampRangeFilter(time.Time{}, now)) // want ttlread/expired-only[recent]
	var out []*Session
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // want ttlread/expired-only[recent]
		_, device, _ := strings.Cut(row.Key(), "#")
		if sess, err := decodeSession(row, user, device); err == nil {
			out = append(out, sess)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[recent]
	return out, err
}

// Purge deletes what has expired, ahead of garbage collection.
func (s *Store) Purge(ctx context.Context, user string) error {
	now := s.clock.Now()
	var keys []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool {
		mut := bigtable.NewMutation()
		mut.DeleteTimestampRange(schema.FamilyToken.String(), schema.ColJWT.String(), 0, bigtable.Time(now)) // ok ttlunit/sub-millisecond
		if err := s.tbl.Apply(ctx, row.Key(), mut); err != nil {
			keys = append(keys, row.Key())
		}
		return true
	}, bigtable.RowFilter(btx.Only(schema.FamilyToken, bigtable.TimestampRangeFilter(time.Time{}, now)))) // ok ttlread/expired-only
	if len(keys) > 0 {
		s.logger.Warn("purge incomplete", slog.Any("keys", keys))
	}
	return err
}

// Overview reads the tokens of several devices at once.
func (s *Store) Overview(ctx context.Context, user string, devices []string) ([]*Session, error) {
	live := bigtable.RowFilter(btx.Only(schema.FamilyToken, btx.Live(s.clock.Now()))) // ok ttlread/stale-bound
	out := make([]*Session, len(devices))
	g, ctx := errgroup.WithContext(ctx)
	for i, device := range devices {
		g.Go(func() error {
			row, err := s.tbl.ReadRow(ctx, rowKey(user, device), live) // ok ttlread/missing-filter
			if err != nil {
				return err
			}
			out[i], err = decodeSession(row, user, device)
			return err
		})
	}
	return out, g.Wait()
}

// Notify hands the refresh tokens of several devices to push.
func (s *Store) Notify(ctx context.Context, user string, devices []string, push func(context.Context, []byte) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for _, device := range devices {
		g.Go(func() error {
			row, err := s.tbl.ReadRow(ctx, rowKey(user, device)) // want ttlread/missing-filter
			if err != nil {
				return err
			}
			refresh, ok := btx.Value(row, schema.FamilyToken, schema.ColRefresh)
			if !ok {
				return nil
			}
			return push(ctx, refresh)
		})
	}
	return g.Wait()
}

// Claims decodes the token that is in the row, checking its expiry by hand.
func (s *Store) Claims(ctx context.Context, user, device string) (map[string]any, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	for _, item := range row[schema.FamilyToken.String()] {
		if item.Timestamp.Time().Before(now) {
			continue
		}
		var claims map[string]any
		if err := json.Unmarshal(item.Value, &claims); err != nil {
			return nil, err
		}
		return claims, nil
	}
	return nil, ErrNotFound
}

// Age says how long a session has been going on.
func (s *Store) Age(ctx context.Context, user, device string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(btx.Only(schema.FamilyToken, btx.Live(s.clock.Now()))))
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamilyToken.String()] {
		return time.Since(item.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// ProfileAge says how old a profile is.
func (s *Store) ProfileAge(ctx context.Context, user, device string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(user, device), bigtable.RowFilter(btx.Latest(schema.FamilyProfile))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[schema.FamilyProfile.String()] {
		return s.clock.Now().Sub(item.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}

func decodeInt(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	var n int64
	for _, c := range b {
		n = n<<8 | int64(c)
	}
	return n
}
