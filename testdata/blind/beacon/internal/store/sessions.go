package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/keys"
	"example.com/beacon/internal/layout"
)

// Columns of the token family.
const (
	colJWT     = "jwt"
	colRefresh = "refresh"
	colDevice  = "device"
	colSeen    = "seen"
	colCode    = "code"
	colTries   = "tries"
	colBadge   = "badge"
	colEmail   = "email"
	colLocale  = "locale"
)

// Session is a user's login on a device.
type Session struct {
	User    string    `json:"user"`
	Device  string    `json:"device"`
	JWT     string    `json:"jwt"`
	Refresh string    `json:"refresh,omitempty"`
	Email   string    `json:"email,omitempty"`
	Locale  string    `json:"locale,omitempty"`
	Expires time.Time `json:"expires"`
}

// SessionStore keeps one tenant's sessions.
type SessionStore struct {
	tbl bigtable.TableAPI
	lay layout.Sessions
	now func() time.Time
}

// SessionOption changes a SessionStore.
type SessionOption func(*SessionStore)

// WithClock sets the clock.
func WithClock(now func() time.Time) SessionOption {
	return func(s *SessionStore) {
		if now != nil {
			s.now = now
		}
	}
}

// NewSessionStore returns a store on the tenant's table.
func NewSessionStore(tbl bigtable.TableAPI, lay layout.Sessions, opts ...SessionOption) *SessionStore {
	s := &SessionStore{tbl: tbl, lay: lay, now: time.Now}
	for _, o := range opts {
		o(s)
	}
	return s
}

// expires is the timestamp of a cell that lives for d from now on.
func (s *SessionStore) expires(d time.Duration) bigtable.Timestamp {
	return bigtable.Time(s.now().Add(d))
}

// live passes what has not expired, and the profile as it is.
func (s *SessionStore) live() bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.ChainFilters(
			bigtable.FamilyFilter("token|mfa"),
			bigtable.TimestampRangeFilter(s.now(), time.Time{}), // ok ttlread/unfiltered-branch
		),
		bigtable.ChainFilters(
			bigtable.FamilyFilter(s.lay.Families.Profile), // ok ttlread/unfiltered-branch
			bigtable.LatestNFilter(1),
		),
	)
}

// Create writes a new session.
func (s *SessionStore) Create(ctx context.Context, sess Session) error {
	f := s.lay.Families
	exp := s.expires(s.lay.TokenTTL)
	mut := bigtable.NewMutation()
	mut.Set(f.Token, colJWT, exp, []byte(sess.JWT))                             // ok ttlwrite/write-time
	mut.Set(f.Token, colRefresh, s.expires(24*time.Hour), []byte(sess.Refresh)) // ok ttlwrite/write-time
	mut.Set(f.Token, colDevice, exp, []byte(sess.Device))                       // ok ttlwrite/same-timestamp
	mut.Set(f.Profile, colEmail, bigtable.ServerTime, []byte(sess.Email))       // ok ttlwrite/server-timestamp
	mut.Set(f.Profile, colLocale, bigtable.Now(), []byte(sess.Locale))          // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, keys.Session(sess.User, sess.Device), mut); err != nil {
		return fmt.Errorf("create session of %s: %w", sess.User, err)
	}
	return nil
}

// Touch remembers when a session was last seen.
func (s *SessionStore) Touch(ctx context.Context, user, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Families.Token, colSeen, bigtable.Time(s.now()), []byte{1})   // want ttlwrite/write-time
	mut.Set(s.lay.Families.Profile, colSeen, bigtable.Time(s.now()), []byte{1}) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Session(user, device), mut)
}

// Impersonate opens a session for support.
func (s *SessionStore) Impersonate(ctx context.Context, user, by string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Families.Token, colBadge, bigtable.ServerTime, []byte(by))     // want ttlwrite/server-timestamp
	mut.Set(s.lay.Families.Token, colJWT, s.expires(s.lay.TokenTTL), []byte(by)) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, keys.Session(user, "support"), mut)
}

// Rotate replaces the token by one that may live shorter.
func (s *SessionStore) Rotate(ctx context.Context, user, device, jwt string, life time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(s.lay.Families.Token, colJWT)               // ok ttlwrite/delete-after-set
	mut.Set(s.lay.Families.Token, colJWT, s.expires(life), []byte(jwt)) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, keys.Session(user, device), mut)
}

// Downgrade takes the second factor away and gives a short token.
func (s *SessionStore) Downgrade(ctx context.Context, user, device, jwt string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Families.Token, colJWT, s.expires(time.Minute), []byte(jwt)) // want ttlwrite/delete-after-set[downgrade]
	mut.DeleteCellsInFamily(s.lay.Families.MFA)                                // ok ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(s.lay.Families.Token, colJWT)                      // want ttlwrite/delete-after-set[downgrade]
	return s.tbl.Apply(ctx, keys.Session(user, device), mut)
}

// Challenge stores the code that was sent by mail.
func (s *SessionStore) Challenge(ctx context.Context, user, code string) error {
	key := keys.Session(user, "mfa")
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Families.MFA, colCode, s.expires(s.lay.MFATTL), []byte(code)) // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, key, mut); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(s.lay.Families.MFA, colTries, 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Verify compares the code and uses it up.
func (s *SessionStore) Verify(ctx context.Context, user, code string) (bool, error) {
	key := keys.Session(user, "mfa")
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter(colCode))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, item := range row[s.lay.Families.MFA] {
		if string(item.Value) == code {
			mut := bigtable.NewMutation()
			mut.DeleteCellsInFamily(s.lay.Families.MFA)
			return true, s.tbl.Apply(ctx, key, mut)
		}
	}
	return false, nil
}

// VerifyStrict does the same in one request.
func (s *SessionStore) VerifyStrict(ctx context.Context, user, code string) (bool, error) {
	pred := bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Families.MFA),
		bigtable.ColumnFilter(colCode),
		bigtable.TimestampRangeFilter(s.now(), time.Time{}),
		bigtable.ValueFilter(code),
	)
	used := bigtable.NewMutation()
	used.Set(s.lay.Families.Profile, "mfa-ok", bigtable.Now(), []byte{1}) // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(pred, used, nil)                     // ok ttlread/conditional-mutation
	var matched bool
	err := s.tbl.Apply(ctx, keys.Session(user, "mfa"), cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// Get reads a session that has not expired.
func (s *SessionStore) Get(ctx context.Context, user, device string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row[s.lay.Families.Token]) == 0 {
		return nil, ErrNotFound
	}
	return s.decode(user, device, row), nil
}

// Peek reads a session for the support console.
func (s *SessionStore) Peek(ctx context.Context, user, device string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return s.decode(user, device, row), nil
}

func (s *SessionStore) decode(user, device string, row bigtable.Row) *Session {
	sess := &Session{User: user, Device: device}
	for _, item := range row[s.lay.Families.Token] {
		switch item.Column {
		case s.lay.Families.Token + ":" + colJWT:
			sess.JWT = string(item.Value)
			sess.Expires = item.Timestamp.Time() // ok ttlage/not-write-time
		case s.lay.Families.Token + ":" + colRefresh:
			sess.Refresh = string(item.Value)
		}
	}
	for _, item := range row[s.lay.Families.Profile] {
		switch item.Column {
		case "profile:email":
			sess.Email = string(item.Value)
		case "profile:locale":
			sess.Locale = string(item.Value)
		}
	}
	return sess
}

// Email reads the address only.
func (s *SessionStore) Email(ctx context.Context, user, device string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, item := range row[s.lay.Families.Profile] {
		if item.Column == "profile:email" {
			return string(item.Value), nil
		}
	}
	return "", ErrNotFound
}

// Active counts the users with a live token.
func (s *SessionStore) Active(ctx context.Context) (int, error) {
	seen := map[string]bool{}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Families.Token),
		bigtable.TimestampRangeFilter(time.Time{}, s.now()), // want ttlread/expired-only[active]
		bigtable.CellsPerRowLimitFilter(1),
	)
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/expired-only[active]
		seen[r.Key()] = true
		return true
	}, bigtable.RowFilter(filter)) // want ttlread/expired-only[active]
	return len(seen), err
}

// ActiveByDevice counts live sessions by device.
func (s *SessionStore) ActiveByDevice(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Families.Token),
		bigtable.ColumnFilter(colDevice),
		bigtable.TimestampRangeFilter(s.now(), time.Time{}),
	)
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range r[s.lay.Families.Token] {
			out[string(item.Value)]++
		}
		return true
	}, bigtable.RowFilter(filter)) // ok ttlread/expired-only
	return out, err
}

// Devices lists a user's devices, checking what has expired by hand.
func (s *SessionStore) Devices(ctx context.Context, user string) ([]string, error) {
	var out []string
	now := s.now()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.Session(user, "")), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range r[s.lay.Families.Token] {
			if item.Timestamp.Time().Before(now) {
				continue
			}
			if item.Column == "token:device" {
				out = append(out, string(item.Value))
			}
		}
		return true
	})
	return out, err
}

// Export writes the sessions as JSON lines for a customer's request.
func (s *SessionStore) Export(ctx context.Context, user string, enc *json.Encoder) error {
	var encErr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.Session(user, "")), func(r bigtable.Row) bool { // want ttlread/missing-filter
		rec := map[string]any{"key": r.Key()}
		for _, item := range r[s.lay.Families.Token] {
			rec[item.Column] = string(item.Value)
			rec["created_at"] = item.Timestamp.Time() // want ttlage/not-write-time
		}
		for _, item := range r[s.lay.Families.Profile] {
			rec[item.Column] = string(item.Value)
			rec["updated_at"] = item.Timestamp.Time() // ok ttlage/not-write-time
		}
		encErr = enc.Encode(rec)
		return encErr == nil
	})
	if err != nil {
		return err
	}
	return encErr
}

// Revoke ends all sessions of a device by dating their tokens back.
func (s *SessionStore) Revoke(ctx context.Context, user, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Families.Token, colJWT, s.expires(-time.Hour), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, keys.Session(user, device), mut)
}

// Drop ends a session.
func (s *SessionStore) Drop(ctx context.Context, user, device string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(s.lay.Families.Token) // ok ttlwrite/already-expired
	mut.DeleteCellsInFamily(s.lay.Families.MFA)
	return s.tbl.Apply(ctx, keys.Session(user, device), mut)
}

// Extend gives live sessions more time; what is dead stays dead.
func (s *SessionStore) Extend(ctx context.Context, user, device, jwt string) error {
	mut := bigtable.NewMutation()
	mut.Set(s.lay.Families.Token, colJWT, s.expires(s.lay.TokenTTL), []byte(jwt))                             // ok ttlwrite/server-timestamp
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Families.Token), bigtable.ColumnFilter(colJWT)) // want ttlread/conditional-mutation[extend]
	cond := bigtable.NewCondMutation(pred, mut, nil)                                                          // want ttlread/conditional-mutation[extend]
	return s.tbl.Apply(ctx, keys.Session(user, device), cond)
}

// Sweep removes tokens, expired or not, of a device that was reported stolen.
func (s *SessionStore) Sweep(ctx context.Context, user, device string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(s.lay.Families.Token)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(s.lay.Families.Token), del, nil) // ok ttlread/conditional-mutation
	return s.tbl.Apply(ctx, keys.Session(user, device), cond)
}

// Exists tells whether a session is there at all.
func (s *SessionStore) Exists(ctx context.Context, user, device string) (bool, error) {
	filter := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Families.Token), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(filter)) // want ttlread/missing-filter
	return len(row) > 0, err
}

// Live tells whether a session is there and has not expired.
func (s *SessionStore) Live(ctx context.Context, user, device string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Families.Token), bigtable.TimestampRangeFilter(s.now(), time.Time{}), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/missing-filter ttlread/limit-before-filter
	return len(row) > 0, err
}

// FirstLive returns any live cell of the session.
func (s *SessionStore) FirstLive(ctx context.Context, user, device string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Families.Token), bigtable.CellsPerRowLimitFilter(1), bigtable.TimestampRangeFilter(s.now(), time.Time{})))) // want ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	for _, item := range row[s.lay.Families.Token] {
		return item.Value, nil
	}
	return nil, ErrNotFound
}

// Current reads everything of a session that is live.
func (s *SessionStore) Current(ctx context.Context, user, device string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(bigtable.TimestampRangeFilter(s.now(), time.Time{}))) // want ttlread/hides-other-families
}

// CurrentToken reads the token only, so that the range hides nothing that is wanted.
func (s *SessionStore) CurrentToken(ctx context.Context, user, device string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(bigtable.TimestampRangeFilter(s.now(), time.Time{}))) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	for _, item := range row[s.lay.Families.Token] {
		if item.Column == "token:jwt" {
			return string(item.Value), nil
		}
	}
	return "", ErrNotFound
}

// Age says how old a token is.
func (s *SessionStore) Age(ctx context.Context, user, device string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[s.lay.Families.Token] {
		return s.now().Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrNotFound
}

// Remaining says how long a token will live.
func (s *SessionStore) Remaining(ctx context.Context, user, device string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(user, device), bigtable.RowFilter(s.live())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[s.lay.Families.Token] {
		return item.Timestamp.Time().Sub(s.now()), nil // ok ttlage/not-write-time
	}
	return 0, ErrNotFound
}
