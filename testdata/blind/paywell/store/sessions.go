package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

// Columns of sessions.
const (
	colSession = "s"
	colToken   = "t"
	colDevice  = "d"
	colLast    = "last"
	colName    = "name"
	colLogins  = "logins"
)

// Sessions keeps who is logged in. What expires is in the family tok, whose
// timestamps are the moment of expiry; what is known of the user in prof.
type Sessions struct {
	tbl rows
	clk clock.Clock
}

// NewSessions returns a store on tbl.
func NewSessions(tbl rows, clk clock.Clock) *Sessions {
	return &Sessions{tbl: tbl, clk: clock.Or(clk)}
}

func sessionKey(id string) string { return "s#" + id }

// Create stores a new session.
func (s *Sessions) Create(ctx context.Context, sess domain.Session) error {
	now := s.clk.Now()
	exp := bigtable.Time(now.Add(sess.Lifetime()))
	mut := bigtable.NewMutation()
	mut.Set(FamTok, colSession, exp, encode(sess))                                   // ok ttlwrite/write-time
	mut.Set(FamTok, colDevice, bigtable.ServerTime, []byte(sess.Device))             // want ttlwrite/server-timestamp
	mut.Set(FamProf, colLast, bigtable.ServerTime, []byte(now.Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	mut.Set(FamProf, colName, bigtable.Time(now), []byte(sess.User))                 // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, sessionKey(sess.ID), mut); err != nil {
		return fmt.Errorf("create session %s: %w", sess.ID, err)
	}
	return nil
}

// Get returns a session that is alive.
func (s *Sessions) Get(ctx context.Context, id string) (domain.Session, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(liveIn(s.clk, FamTok))) // ok ttlread/missing-filter
	if err != nil {
		return domain.Session{}, err
	}
	item, ok := find(row, FamTok, colSession)
	if !ok {
		return domain.Session{}, domain.ErrNotFound
	}
	return decode[domain.Session](item)
}

// Peek returns a session for the support desk.
func (s *Sessions) Peek(ctx context.Context, id string) (domain.Session, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id)) // want ttlread/missing-filter
	if err != nil {
		return domain.Session{}, err
	}
	item, ok := find(row, FamTok, colSession)
	if !ok {
		return domain.Session{}, domain.ErrNotFound
	}
	sess, err := decode[domain.Session](item)
	if err != nil {
		return domain.Session{}, err
	}
	sess.CreatedAt = item.Timestamp.Time() // want ttlage/not-write-time
	return sess, nil
}

// PeekExpiry returns when a session ends, also of one that has ended: the
// caller shows both.
func (s *Sessions) PeekExpiry(ctx context.Context, id string) (end time.Time, over bool, err error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id)) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, false, err
	}
	for _, item := range row[FamTok] {
		if item.Timestamp.Time().Before(s.clk.Now()) {
			over = true
		}
		expiresAt := item.Timestamp.Time() // ok ttlage/not-write-time
		if expiresAt.After(end) {
			end = expiresAt
		}
	}
	return end, over, nil
}

// LastSeen reads the profile only.
func (s *Sessions) LastSeen(ctx context.Context, id string) (time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(only(FamProf, colLast))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	item, ok := find(row, FamProf, colLast)
	if !ok {
		return time.Time{}, domain.ErrNotFound
	}
	updatedAt := item.Timestamp.Time() // ok ttlage/not-write-time
	return updatedAt, nil
}

// Profile reads the row and uses the profile.
func (s *Sessions) Profile(ctx context.Context, id string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for _, item := range row[FamProf] {
		out[column(item)] = string(item.Value)
	}
	return out, nil
}

// Touch moves the end of a session.
func (s *Sessions) Touch(ctx context.Context, id string, sess domain.Session) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamTok, colSession)
	mut.Set(FamTok, colSession, expiresIn(s.clk, domain.SessionTTL), encode(sess)) // ok ttlwrite/delete-after-set
	mut.Set(FamProf, colLast, writtenAt(s.clk), []byte("touch"))                   // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// SetToken stores the token that the browser has.
func (s *Sessions) SetToken(ctx context.Context, id, token string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamTok, colToken, writtenAt(s.clk), []byte(token)) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// RotateToken replaces the token.
func (s *Sessions) RotateToken(ctx context.Context, id, token string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamTok, colToken, expiresIn(s.clk, domain.SessionTTL), []byte(token))
	mut.DeleteCellsInColumn(FamTok, colToken) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// ReplaceDevice does it in the right order.
func (s *Sessions) ReplaceDevice(ctx context.Context, id, device string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamTok, colDevice) // ok ttlwrite/delete-after-set
	mut.Set(FamTok, colDevice, expiresIn(s.clk, domain.SessionTTL), []byte(device))
	mut.DeleteCellsInColumn(FamProf, colDevice) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// Extend lets a session live until the given time.
func (s *Sessions) Extend(ctx context.Context, id string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(FamTok, colSession, bigtable.Time(until), []byte(id)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// Revoke ends a session at once.
func (s *Sessions) Revoke(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamTok, colSession, bigtable.Time(s.clk.Now().Add(-time.Second)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// Drop deletes a session.
func (s *Sessions) Drop(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(FamTok)
	return s.tbl.Apply(ctx, sessionKey(id), mut)
}

// CountLogin counts the logins of a session.
func (s *Sessions) CountLogin(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamTok, colLogins, 1)  // want ttlwrite/read-modify-write
	rmw.Increment(FamProf, colLogins, 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, sessionKey(id), rmw)
	return err
}

// Exists says whether there is such a session.
func (s *Sessions) Exists(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters( // want ttlread/missing-filter[exists]
		bigtable.FamilyFilter(FamTok), // want ttlread/missing-filter[exists]
		bigtable.CellsPerRowLimitFilter(1),
		bigtable.StripValueFilter(),
	)
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(f)) // want ttlread/missing-filter[exists]
	return len(row) > 0, err
}

// Alive is Exists as it should be.
func (s *Sessions) Alive(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamTok),
		live(s.clk),
		bigtable.CellsPerRowLimitFilter(1), // ok ttlread/limit-before-filter
		bigtable.StripValueFilter(),
	)
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// First returns the first live cell.
func (s *Sessions) First(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[first]
		bigtable.FamilyFilter(FamTok),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[first]
		live(s.clk),
	)))
	if err != nil {
		return "", err
	}
	for _, item := range row[FamTok] {
		return string(item.Value), nil
	}
	return "", domain.ErrNotFound
}

// Overview reads both families for the account page.
func (s *Sessions) Overview(ctx context.Context, id string) (sess domain.Session, name string, err error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(live(s.clk))) // want ttlread/hides-other-families
	if err != nil {
		return domain.Session{}, "", err
	}
	if item, ok := find(row, FamTok, colSession); ok {
		sess, err = decode[domain.Session](item)
	}
	if item, ok := find(row, FamProf, colName); ok {
		name = string(item.Value)
	}
	return sess, name, err
}

// OverviewByFamily does it as it should be done.
func (s *Sessions) OverviewByFamily(ctx context.Context, id string) (sess domain.Session, name string, err error) {
	both := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), live(s.clk)), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(FamProf),                                    // ok ttlread/unfiltered-branch
	)
	row, err := s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(both)) // ok ttlread/hides-other-families
	if err != nil {
		return domain.Session{}, "", err
	}
	if item, ok := find(row, FamTok, colSession); ok {
		sess, err = decode[domain.Session](item)
	}
	if item, ok := find(row, FamProf, colName); ok {
		name = string(item.Value)
	}
	return sess, name, err
}

// Tokens reads the live tokens of a user; only tok is used.
func (s *Sessions) Tokens(ctx context.Context, user string) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(user)), func(row bigtable.Row) bool {
		for _, item := range row[FamTok] {
			if column(item) == colToken {
				out = append(out, string(item.Value))
			}
		}
		return true
	}, bigtable.RowFilter(live(s.clk))) // ok ttlread/hides-other-families
	return out, err
}

// All lists the sessions of a user.
func (s *Sessions) All(ctx context.Context, user string, limit int64) ([]domain.Session, error) {
	var out []domain.Session
	var bad error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(user)), func(row bigtable.Row) bool { // want ttlread/missing-filter[all]
		item, ok := find(row, FamTok, colSession)
		if !ok {
			return true
		}
		sess, err := decode[domain.Session](item)
		if err != nil {
			bad = err
			return false
		}
		out = append(out, sess)
		return true
	}, bigtable.LimitRows(limit), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[all]
	if bad != nil {
		return nil, bad
	}
	return out, err
}

// AllAlive looks at the clock itself, row by row.
func (s *Sessions) AllAlive(ctx context.Context, user string) ([]domain.Session, error) {
	now := s.clk.Now()
	var out []domain.Session
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(user)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[FamTok] {
			if item.Timestamp.Time().Before(now) || column(item) != colSession {
				continue
			}
			if sess, err := decode[domain.Session](item); err == nil {
				out = append(out, sess)
			}
		}
		return true
	})
	return out, err
}

// Current lists the sessions that are alive. Nobody stays longer than ten
// minutes, they say.
func (s *Sessions) Current(ctx context.Context) ([]string, error) {
	now := s.clk.Now()
	f := bigtable.ChainFilters( // want ttlread/upper-bound[current]
		bigtable.FamilyFilter(FamTok),
		bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute)), // want ttlread/upper-bound[current]
	)
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[current]
		for _, item := range row[FamTok] {
			out = append(out, item.Row)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[current]
	return out, err
}

// Left says how long the sessions of a user still live.
func (s *Sessions) Left(ctx context.Context, user string) (map[string]time.Duration, error) {
	left := make(map[string]time.Duration)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(user)), func(row bigtable.Row) bool {
		for _, item := range row[FamTok] {
			left[item.Row] = max(left[item.Row], time.Until(item.Timestamp.Time())) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(liveIn(s.clk, FamTok))) // ok ttlread/upper-bound
	return left, err
}

// Recent lists the sessions that are at most half an hour old.
func (s *Sessions) Recent(ctx context.Context) ([]string, error) {
	var out []string
	f := bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), younger(s.clk.Now(), domain.SessionTTL)) // want ttlread/wrong-bound[recent]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool {               // want ttlread/wrong-bound[recent]
		for _, item := range row[FamTok] {
			out = append(out, string(item.Value))
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/wrong-bound[recent]
	return out, err
}

// Grace passes what ended less than a second ago: garbage collection would,
// too.
func (s *Sessions) Grace(ctx context.Context, id string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, sessionKey(id), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(FamTok),
		younger(s.clk.Now(), time.Second), // ok ttlread/wrong-bound
	)))
}

// Sweep deletes what is over.
func (s *Sessions) Sweep(ctx context.Context, batch int) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	past := bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.TimestampRangeFilter(time.Time{}, s.clk.Now()))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(FamTok)
		keys = append(keys, row.Key())
		muts = append(muts, mut)
		return len(keys) < batch
	}, bigtable.RowFilter(past), bigtable.LimitRows(int64(batch)))
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = s.tbl.ApplyBulk(ctx, keys, muts)
	return len(keys), err
}

// Devices lists the devices of a user, from the start of time to now.
func (s *Sessions) Devices(ctx context.Context, user string) ([]string, error) {
	upToNow := bigtable.TimestampRangeFilter(time.Time{}, s.clk.Now()) // want ttlread/expired-only[devices]
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(user)), func(row bigtable.Row) bool { // want ttlread/expired-only[devices]
		for _, item := range row[FamTok] {
			if strings.HasSuffix(item.Column, ":"+colDevice) {
				out = append(out, string(item.Value))
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), upToNow))) // want ttlread/expired-only[devices]
	return out, err
}

// Count counts the rows, dead or alive.
func (s *Sessions) Count(ctx context.Context) (n int, err error) {
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// Claim takes a session over if it exists.
func (s *Sessions) Claim(ctx context.Context, id, device string) (bool, error) {
	then := bigtable.NewMutation()
	then.Set(FamTok, colDevice, expiresIn(s.clk, domain.SessionTTL), []byte(device))
	var matched bool
	cond := bigtable.NewCondMutation(only(FamTok, colSession), then, nil) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, sessionKey(id), cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// ClaimLive takes a session over if it is alive.
func (s *Sessions) ClaimLive(ctx context.Context, id, device string) (bool, error) {
	then := bigtable.NewMutation()
	then.Set(FamTok, colDevice, expiresIn(s.clk, domain.SessionTTL), []byte(device))
	var matched bool
	cond := bigtable.NewCondMutation(liveIn(s.clk, FamTok), then, nil) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, sessionKey(id), cond, bigtable.GetCondMutationResult(&matched))
	return matched, err
}

// DropIf deletes a session with that token.
func (s *Sessions) DropIf(ctx context.Context, id, token string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(FamTok)
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(only(FamTok, colToken), bigtable.ValueFilter(token)), drop, nil) // ok ttlread/conditional-mutation
	return s.tbl.Apply(ctx, sessionKey(id), cond)
}

// Rename changes the name in the profile if there is one.
func (s *Sessions) Rename(ctx context.Context, id, name string) error {
	then := bigtable.NewMutation()
	then.Set(FamProf, colName, bigtable.Now(), []byte(name))            // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(only(FamProf, colName), then, nil) // ok ttlread/conditional-mutation
	return s.tbl.Apply(ctx, sessionKey(id), cond)
}
