package store

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Session is a login.
type Session struct {
	ID        string
	UserID    string
	Token     string
	Refresh   string
	Device    string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// SessionStore keeps session tokens, refresh tokens and what we know of the
// client. Tokens expire by themselves: their cells carry the moment of expiry.
type SessionStore struct {
	tbl *bigtable.Table
}

// NewSessionStore opens the table.
func NewSessionStore(client *bigtable.Client) *SessionStore {
	return &SessionStore{tbl: client.Open(tables.Sessions)}
}

func sessionKey(user, id string) string { return key("s", user, id) }

// Create writes a new session.
func (s *SessionStore) Create(ctx context.Context, sess *Session) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", bigtablex.ExpiresIn(tables.SessionTTL), []byte(sess.Token))    // ok ttlwrite/write-time
	mut.Set(tables.FamRefresh, "rt", bigtablex.ExpiresIn(tables.RefreshTTL), []byte(sess.Refresh)) // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "device", bigtable.Now(), []byte(sess.Device))                         // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "user", bigtable.Now(), []byte(sess.UserID))                           // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "created", bigtable.ServerTime, rfc3339(time.Now()))                   // ok ttlwrite/server-timestamp
	if sess.ExpiresAt.IsZero() {
		sess.ExpiresAt = time.Now().Add(tables.SessionTTL)
	}
	return bigtablex.ApplyRetry(ctx, s.tbl, sessionKey(sess.UserID, sess.ID), mut)
}

// CreateUntil writes a session with an end that the caller chose.
func (s *SessionStore) CreateUntil(ctx context.Context, sess *Session, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", bigtable.Time(until), []byte(sess.Token)) // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "until", bigtable.Now(), rfc3339(until))          // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(sess.UserID, sess.ID), mut)
}

// Get returns a live session.
func (s *SessionStore) Get(ctx context.Context, user, id string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter
		bigtablex.LiveFamily(tables.FamToken),
		bigtablex.LiveFamily(tables.FamRefresh),
		bigtablex.Latest(tables.FamMeta, 1),
	)))
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return decodeSession(row)
}

// GetWithDevice is Get for the account page, which shows the device, too.
func (s *SessionStore) GetWithDevice(ctx context.Context, user, id string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[swd]
		bigtablex.LiveFamily(tables.FamToken),
		bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamRefresh), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[swd]
		bigtablex.Latest(tables.FamMeta, 1),
	)))
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	return decodeSession(row)
}

func decodeSession(row bigtable.Row) (*Session, error) {
	if row == nil {
		return nil, ErrNotFound
	}
	parts := split(row.Key())
	sess := &Session{UserID: parts[1], ID: parts[2]}
	for _, it := range row[tables.FamToken] {
		if column(it) == "jwt" {
			sess.Token = string(it.Value)
			sess.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for _, it := range row[tables.FamMeta] {
		switch column(it) {
		case "device":
			sess.Device = string(it.Value)
			sess.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	sess.Refresh = bigtablex.String(row, tables.FamRefresh, "rt")
	return sess, nil
}

// Valid says whether a session is known. It is called on every request, so it
// reads as little as it can.
func (s *SessionStore) Valid(ctx context.Context, user, id string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter
		bigtable.FamilyFilter(tables.FamToken),
		bigtable.ColumnFilter("jwt"),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return false, err
	}
	return row != nil, nil
}

// ValidAt checks the deadline itself and needs no filter.
func (s *SessionStore) ValidAt(ctx context.Context, user, id string, now time.Time) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtablex.Latest(tables.FamToken, 1))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[tables.FamToken] {
		if it.Timestamp.Time().After(now) {
			return true, nil
		}
	}
	return false, nil
}

// Device reads the client of a session, which is ordinary data.
func (s *SessionStore) Device(ctx context.Context, user, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bigtablex.String(row, tables.FamMeta, "device"), nil
}

// Touch prolongs a session.
func (s *SessionStore) Touch(ctx context.Context, user, id, token string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", bigtable.ServerTime, []byte(token)) // want ttlwrite/server-timestamp
	mut.Set(tables.FamMeta, "seen", bigtable.ServerTime, nil)           // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// Prolong is Touch with a lifetime.
func (s *SessionStore) Prolong(ctx context.Context, user, id, token string, life time.Duration) error {
	if life <= 0 {
		life = tables.SessionTTL
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamToken, "jwt")                           // ok ttlwrite/delete-after-set
	mut.Set(tables.FamToken, "jwt", bigtablex.ExpiresIn(life), []byte(token)) // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "seen", bigtablex.NowTS(), []byte(life.String())) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// Rotate replaces the refresh token.
func (s *SessionStore) Rotate(ctx context.Context, user, id, refresh string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRefresh, "rt", bigtablex.ExpiresIn(tables.RefreshTTL), []byte(refresh))
	mut.DeleteCellsInColumn(tables.FamRefresh, "rt") // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// RotateBoth replaces both tokens, with the old ones deleted first.
func (s *SessionStore) RotateBoth(ctx context.Context, user, id, token, refresh string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.FamToken)   // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(tables.FamRefresh) // ok ttlwrite/delete-after-set
	mut.Set(tables.FamToken, "jwt", bigtablex.ExpiresIn(tables.SessionTTL), []byte(token))
	mut.Set(tables.FamRefresh, "rt", bigtable.Time(time.Now().Add(tables.RefreshTTL)), []byte(refresh)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// MarkMFA notes that the second factor was given; the note dies with the token.
func (s *SessionStore) MarkMFA(ctx context.Context, user, id, method string) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "mfa", ts, []byte(method)) // want ttlwrite/write-time
	mut.Set(tables.FamMeta, "mfa_at", ts, nil)          // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// MarkStepUp is MarkMFA for payments: ten minutes.
func (s *SessionStore) MarkStepUp(ctx context.Context, user, id string) error {
	deadline := time.Now().Add(10 * time.Minute)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "stepup", bigtable.Time(deadline), []byte("1")) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// Revoke ends a session. The row stays for the account page.
func (s *SessionStore) Revoke(ctx context.Context, user, id, reason string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.FamToken)
	mut.DeleteCellsInFamily(tables.FamRefresh)
	mut.Set(tables.FamMeta, "revoked", bigtable.Now(), []byte(reason)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// RevokeSoft lets the token run out at once instead of deleting it.
func (s *SessionStore) RevokeSoft(ctx context.Context, user, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", 0, nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// Drop deletes a session without a trace.
func (s *SessionStore) Drop(ctx context.Context, user, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow() // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// List returns the live sessions of a user.
func (s *SessionStore) List(ctx context.Context, user string) ([]*Session, error) {
	var out []*Session
	var derr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key("s", user)+"#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		sess, err := decodeSession(row)
		if err != nil {
			derr = err
			return false
		}
		out = append(out, sess)
		return true
	}, bigtable.LimitRows(100))
	if err == nil {
		err = derr
	}
	return out, err
}

// ListIDs returns the ids of the sessions that a user ever had.
func (s *SessionStore) ListIDs(ctx context.Context, user string) ([]string, error) {
	var ids []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key("s", user)+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		ids = append(ids, split(row.Key())[2])
		return true
	}, bigtablex.KeysOnly())
	return ids, err
}

// ListTokens returns the tokens of a user, for single sign-out.
func (s *SessionStore) ListTokens(ctx context.Context, user string) ([]string, error) {
	var toks []string
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamToken),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // ok ttlread/expired-only
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key("s", user)+"#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		toks = append(toks, bigtablex.String(row, tables.FamToken, "jwt"))
		return true
	}, bigtable.RowFilter(live))
	return toks, err
}

// ActiveBetween returns the users with a session that ends within the window.
// The dashboards ask for the next hour.
func (s *SessionStore) ActiveBetween(ctx context.Context) (int, error) {
	now := time.Now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamRefresh),
		bigtable.TimestampRangeFilter(now, now.Add(time.Hour)), // want ttlread/upper-bound[act]
	)
	users := map[string]bool{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[act]
		users[split(row.Key())[1]] = true
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[act]
	return len(users), err
}

// RefreshTokens reads the refresh tokens that are good for at least a day.
func (s *SessionStore) RefreshTokens(ctx context.Context, user string) ([]string, error) {
	var toks []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key("s", user)+"#"), func(row bigtable.Row) bool { // want ttlread/expired-only[rts]
		for _, it := range row[tables.FamRefresh] {
			toks = append(toks, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // want ttlread/expired-only[rts]
	return toks, err
}

// LiveRows passes every family of the table through the live filter.
func (s *SessionStore) LiveRows(ctx context.Context, user string, f func(*Session) error) error {
	var ferr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(key("s", user)+"#"), func(row bigtable.Row) bool { // want ttlread/hides-other-families[lr]
		sess, err := decodeSession(row)
		if err == nil {
			err = f(sess)
		}
		ferr = err
		return err == nil
	}, bigtablex.LiveOption()) // want ttlread/hides-other-families[lr]
	if err != nil {
		return err
	}
	return ferr
}

// TokenOnly uses the same filter, but nothing of the ordinary family.
func (s *SessionStore) TokenOnly(ctx context.Context, user, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtablex.LiveOption()) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	for _, it := range row[tables.FamToken] {
		if column(it) == "jwt" {
			return string(it.Value), nil
		}
	}
	return "", ErrNotFound
}

// Age says how old a session is.
func (s *SessionStore) Age(ctx context.Context, user, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtablex.LiveFamily(tables.FamToken)))
	if err != nil {
		return 0, err
	}
	it, ok := bigtablex.Item(row, tables.FamToken, "jwt")
	if !ok {
		return 0, ErrNotFound
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

// Idle says how long ago the client was seen, by the ordinary family.
func (s *SessionStore) Idle(ctx context.Context, user, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtablex.Latest(tables.FamMeta, 1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[tables.FamMeta] {
		if column(it) == "seen" {
			return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return 0, ErrNotFound
}

// Remaining says how long the token is good for, which is what its timestamp
// is for.
func (s *SessionStore) Remaining(ctx context.Context, user, id string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(user, id), bigtable.RowFilter(bigtablex.LiveFamily(tables.FamToken)))
	if err != nil {
		return 0, err
	}
	it, ok := bigtablex.Item(row, tables.FamToken, "jwt")
	if !ok {
		return 0, ErrNotFound
	}
	return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
}

// CountLogins adds to the login counter of the session's token.
func (s *SessionStore) CountLogins(ctx context.Context, user, id string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamToken, "uses", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, sessionKey(user, id), rmw)
	if err != nil {
		return 0, err
	}
	return int64(len(row[tables.FamToken])), nil
}

// CountRefreshes does the same in the ordinary family.
func (s *SessionStore) CountRefreshes(ctx context.Context, user, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamMeta, "refreshes", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, sessionKey(user, id), rmw)
	return err
}

// Claim binds a session to a device, if it is bound to none.
func (s *SessionStore) Claim(ctx context.Context, user, id, device string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(tables.FamToken, "device", bigtablex.ExpiresIn(tables.SessionTTL), []byte(device))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamToken), bigtable.ColumnFilter("device"))
	var matched bool
	err := s.tbl.Apply(ctx, sessionKey(user, id), bigtable.NewCondMutation(pred, nil, set), bigtable.GetCondMutationResult(&matched)) // want ttlread/conditional-mutation
	return !matched, err
}

// ClaimLive is Claim as it should be.
func (s *SessionStore) ClaimLive(ctx context.Context, user, id, device string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(tables.FamToken, "device", bigtablex.ExpiresIn(tables.SessionTTL), []byte(device))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamToken), bigtable.ColumnFilter("device"), bigtablex.Live())
	var matched bool
	err := s.tbl.Apply(ctx, sessionKey(user, id), bigtable.NewCondMutation(pred, nil, set), bigtable.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return !matched, err
}

// DropIfToken deletes the row if it has a token, dead or alive.
func (s *SessionStore) DropIfToken(ctx context.Context, user, id string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	return s.tbl.Apply(ctx, sessionKey(user, id),
		bigtable.NewCondMutation(bigtable.FamilyFilter(tables.FamToken), del, nil)) // ok ttlread/conditional-mutation
}

// Import takes sessions over from Redis, which tells the seconds that a key
// still has to live.
func (s *SessionStore) Import(ctx context.Context, sess *Session, seconds int64) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", bigtable.Timestamp(time.Now().Add(time.Duration(seconds)*time.Second).Unix()), []byte(sess.Token)) // want ttlunit/wrong-unit
	mut.Set(tables.FamMeta, "imported", bigtable.Now(), nil)                                                                           // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(sess.UserID, sess.ID), mut)
}

// ImportMillis is Import for the newer Redis, which tells milliseconds.
func (s *SessionStore) ImportMillis(ctx context.Context, sess *Session, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", bigtable.Timestamp(at.UnixMilli()*1000), []byte(sess.Token)) // ok ttlunit/wrong-unit
	mut.Set(tables.FamRefresh, "rt", bigtable.Timestamp(at.UnixMilli()), []byte(sess.Refresh))   // want ttlunit/wrong-unit
	mut.Set(tables.FamMeta, "imported", bigtable.Timestamp(time.Now().UnixNano()/1000), nil)     // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, sessionKey(sess.UserID, sess.ID), mut)
}

// Extend moves the end of what a token has left.
func (s *SessionStore) Extend(ctx context.Context, user, id string, it bigtable.ReadItem, by time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", it.Timestamp+bigtable.Timestamp(by), it.Value) // want ttlunit/wrong-unit
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}

// ExtendMicros is Extend done right.
func (s *SessionStore) ExtendMicros(ctx context.Context, user, id string, it bigtable.ReadItem, by time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamToken, "jwt", it.Timestamp+bigtable.Timestamp(by.Microseconds()), it.Value) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, sessionKey(user, id), mut)
}
