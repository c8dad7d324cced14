package repos

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
)

const (
	accessTTL = 30 * time.Minute
	guestTTL  = 5 * time.Minute
)

// SessionRepo keeps sessions: "sess" expires, "meta" stays.
type SessionRepo struct {
	tbl   *bigtable.Table
	clock func() time.Time
}

func NewSessionRepo(deps Deps) *SessionRepo {
	return &SessionRepo{tbl: deps.Client.Open(tables.Sessions), clock: deps.Clock}
}

func sessionKey(userID, id string) string { return strutil.Key("s", userID, id) }

func mapSession(row bigtable.Row) dto.Session {
	s := dto.Session{
		ID:     strutil.Tail(row.Key()),
		JWT:    bt.Text(row, tables.FamSess, "jwt"),
		Device: bt.Text(row, tables.FamSess, "device"),
		UserID: bt.Text(row, tables.FamSess, "user"),
	}
	if it, ok := bt.Pick(row, tables.FamSess, "jwt"); ok {
		s.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return s
}

func mapSessionWithMeta(row bigtable.Row) dto.Session {
	s := mapSession(row)
	s.UserAgent = bt.Text(row, tables.FamMeta, "ua")
	if it, ok := bt.Pick(row, tables.FamMeta, "ua"); ok {
		s.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return s
}

func mapSessionAdmin(row bigtable.Row) dto.Session {
	s := mapSession(row)
	for _, it := range row[tables.FamSess] {
		if bt.Qualifier(it) != "jwt" {
			continue
		}
		s.Age = timeutil.Humanize(time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
	}
	return s
}

// Upsert writes a session.
func (r *SessionRepo) Upsert(ctx context.Context, s dto.Session) error {
	exp := bigtable.Time(s.ExpiresAt)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSess, "jwt", exp, []byte(s.JWT))                    // ok ttlwrite/write-time
	mut.Set(tables.FamSess, "user", exp, []byte(s.UserID))                // ok ttlwrite/same-timestamp
	mut.Set(tables.FamMeta, "ua", bigtable.Now(), []byte(s.UserAgent))    // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "dev", bigtable.ServerTime, []byte(s.Device)) // ok ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, sessionKey(s.UserID, s.ID), mut)
}

// UpsertDevice adds the device once the client told us.
func (r *SessionRepo) UpsertDevice(ctx context.Context, userID, id, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSess, "device", bigtable.ServerTime, []byte(device)) // want ttlwrite/server-timestamp
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// Touch notes activity.
func (r *SessionRepo) Touch(ctx context.Context, userID, id string) error {
	now := r.clock()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMeta, "seen", bigtable.Time(now), nil) // ok ttlwrite/write-time
	mut.Set(tables.FamSess, "seen", bigtable.Time(now), nil) // want ttlwrite/write-time
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// Extend slides the expiry.
func (r *SessionRepo) Extend(ctx context.Context, userID, id, jwt string) error {
	now := r.clock()
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamSess, "jwt")                                 // ok ttlwrite/delete-after-set
	mut.Set(tables.FamSess, "jwt", bigtable.Time(now.Add(accessTTL)), []byte(jwt)) // ok ttlwrite/write-time
	mut.Set(tables.FamMeta, "extended", bigtable.Time(now), nil)                   // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// Rotate swaps the token for a new one.
func (r *SessionRepo) Rotate(ctx context.Context, userID, id, jwt string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSess, "jwt", bt.ExpiresIn(accessTTL), []byte(jwt)) // ok ttlwrite/write-time
	mut.DeleteCellsInColumn(tables.FamSess, "jwt")                       // want ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// Downgrade makes a guest session of it: the device goes, the token lives shortly.
func (r *SessionRepo) Downgrade(ctx context.Context, userID, id, jwt string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamSess, "jwt")
	mut.Set(tables.FamSess, "jwt", bt.ExpiresIn(guestTTL), []byte(jwt))
	mut.DeleteCellsInColumn(tables.FamSess, "device") // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// Revoke lets the token run out at once.
func (r *SessionRepo) Revoke(ctx context.Context, userID, id string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSess, "jwt", bigtable.Time(r.clock().Add(-time.Hour)), nil) // want ttlwrite/already-expired
	mut.Set(tables.FamMeta, "revoked", bigtable.Now(), nil)                       // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// Remove deletes the session.
func (r *SessionRepo) Remove(ctx context.Context, userID, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.FamSess)
	mut.Set(tables.FamMeta, "removed", bigtable.Now(), nil) // ok ttlwrite/delete-after-set
	return r.tbl.Apply(ctx, sessionKey(userID, id), mut)
}

// FindOne is the session if it lives.
func (r *SessionRepo) FindOne(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	return bt.FindOne(ctx, r.tbl, sessionKey(userID, id), mapSession, bt.Where(bt.InFamily(tables.FamSess, bt.LiveNow()))) // ok ttlread/missing-filter
}

// FindOneWithMeta has the user agent too.
func (r *SessionRepo) FindOneWithMeta(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	f := bt.AnyOf(bt.InFamily(tables.FamSess, bt.LiveNow()), bigtable.FamilyFilter(tables.FamMeta)) // ok ttlread/unfiltered-branch
	return bt.FindOne(ctx, r.tbl, sessionKey(userID, id), mapSessionWithMeta, bt.Where(f))          // ok ttlread/missing-filter
}

// FindOneForAdmin shows all of it.
func (r *SessionRepo) FindOneForAdmin(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	f := bt.AnyOf(bt.InFamily(tables.FamSess), bigtable.FamilyFilter(tables.FamMeta))      // want ttlread/unfiltered-branch[sessadmin]
	return bt.FindOne(ctx, r.tbl, sessionKey(userID, id), mapSessionWithMeta, bt.Where(f)) // want ttlread/unfiltered-branch[sessadmin]
}

// FindFull has token and agent in one read.
func (r *SessionRepo) FindFull(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	return bt.FindOne(ctx, r.tbl, sessionKey(userID, id), mapSessionWithMeta, bt.Where(bt.LiveNow())) // want ttlread/hides-other-families
}

// FindToken needs the token only.
func (r *SessionRepo) FindToken(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	return bt.FindOne(ctx, r.tbl, sessionKey(userID, id), mapSession, bt.Where(bt.LiveNow())) // ok ttlread/hides-other-families
}

// FindByUser lists a user's sessions.
func (r *SessionRepo) FindByUser(ctx context.Context, userID string) result.Result[[]dto.Session] {
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(sessionKey(userID, "")), mapSession) // want ttlread/missing-filter
}

// FindActiveByUser lists those that live.
func (r *SessionRepo) FindActiveByUser(ctx context.Context, userID string) result.Result[[]dto.Session] {
	live := bt.Where(bigtable.FamilyFilter(tables.FamSess), bt.LiveNow())
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(sessionKey(userID, "")), mapSession, live) // ok ttlread/missing-filter
}

// FindAgents lists what a user logs in with; meta only.
func (r *SessionRepo) FindAgents(ctx context.Context, userID string) result.Result[[]string] {
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(sessionKey(userID, "")), func(row bigtable.Row) string { // ok ttlread/missing-filter
		return bt.Text(row, tables.FamMeta, "ua")
	})
}

// FindLatest is the newest state of the session.
func (r *SessionRepo) FindLatest(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	return bt.FindLatest(ctx, r.tbl, sessionKey(userID, id), mapSession) // want ttlread/missing-filter
}

// FindAdmin is for support.
func (r *SessionRepo) FindAdmin(ctx context.Context, userID, id string) result.Result[result.Option[dto.Session]] {
	return bt.FindOne(ctx, r.tbl, sessionKey(userID, id), mapSessionAdmin, bt.Where(bt.InFamily(tables.FamSess, bt.LiveNow(), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
}

// Exists tells whether a session is there.
func (r *SessionRepo) Exists(ctx context.Context, userID, id string) (bool, error) {
	return bt.Exists(ctx, r.tbl, sessionKey(userID, id)) // want ttlread/missing-filter
}

// IsAlive tells whether a session lives.
func (r *SessionRepo) IsAlive(ctx context.Context, userID, id string) (bool, error) {
	return bt.Exists(ctx, r.tbl, sessionKey(userID, id), bt.Where(bt.InFamily(tables.FamSess, bt.LiveNow()))) // ok ttlread/missing-filter
}

// ListStale is meant for the dashboard: sessions as of now.
func (r *SessionRepo) ListStale(ctx context.Context, userID string) ([]dto.Session, error) {
	var out []dto.Session
	upToNow := bigtable.TimestampRangeFilter(time.Time{}, r.clock()) // want ttlread/expired-only[stale]
	f := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamSess), upToNow)
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(userID, "")), func(row bigtable.Row) bool { // want ttlread/expired-only[stale]
		out = append(out, mapSession(row))
		return true
	}, bigtable.RowFilter(f)) // want ttlread/expired-only[stale]
	return out, err
}

// ListSoonExpiring finds sessions to warn about.
func (r *SessionRepo) ListSoonExpiring(ctx context.Context, userID string) ([]dto.Session, error) {
	now := r.clock()
	f := bt.InFamily(tables.FamSess, bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)))                   // want ttlread/upper-bound[soon]
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(sessionKey(userID, "")), mapSession, bt.Where(f)).Unpack() // want ttlread/upper-bound[soon]
}

// ListWindow reads what can be alive at all.
func (r *SessionRepo) ListWindow(ctx context.Context, userID string) ([]dto.Session, error) {
	now := r.clock()
	f := bt.InFamily(tables.FamSess, bigtable.TimestampRangeFilter(now, now.Add(accessTTL)))
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(sessionKey(userID, "")), mapSession, bt.Where(f)).Unpack() // ok ttlread/upper-bound
}

// ListChecked looks at the expiry itself.
func (r *SessionRepo) ListChecked(ctx context.Context, userID string) ([]dto.Session, error) {
	now := r.clock()
	var out []dto.Session
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(sessionKey(userID, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		it, ok := bt.Pick(row, tables.FamSess, "jwt")
		if !ok || it.Timestamp.Time().Before(now) {
			return true
		}
		out = append(out, dto.Session{ID: strutil.Tail(row.Key()), JWT: string(it.Value), ExpiresAt: it.Timestamp.Time()})
		return true
	})
	return out, err
}

// CountHit counts requests of a session.
func (r *SessionRepo) CountHit(ctx context.Context, userID, id string) (int64, error) {
	if _, err := bt.Incr(ctx, r.tbl, sessionKey(userID, id), tables.FamMeta, "hits", 1); err != nil { // ok ttlwrite/read-modify-write
		return 0, err
	}
	return bt.Incr(ctx, r.tbl, sessionKey(userID, id), tables.FamSess, "hits", 1) // want ttlwrite/read-modify-write
}

// Lock marks a session that has a token.
func (r *SessionRepo) Lock(ctx context.Context, userID, id string) error {
	lock := bigtable.NewMutation()
	lock.Set(tables.FamMeta, "locked", bigtable.Now(), []byte("1"))
	hasToken := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamSess), bigtable.ColumnFilter("jwt"))
	return r.tbl.Apply(ctx, sessionKey(userID, id), bigtable.NewCondMutation(hasToken, lock, nil)) // want ttlread/conditional-mutation
}

// LockLive marks a session whose token lives.
func (r *SessionRepo) LockLive(ctx context.Context, userID, id string) error {
	lock := bigtable.NewMutation()
	lock.Set(tables.FamMeta, "locked", bigtable.Now(), []byte("1"))
	hasToken := bt.InFamily(tables.FamSess, bigtable.ColumnFilter("jwt"), bt.LiveNow())
	return r.tbl.Apply(ctx, sessionKey(userID, id), bigtable.NewCondMutation(hasToken, lock, nil)) // ok ttlread/conditional-mutation
}

// Clear drops whatever is there.
func (r *SessionRepo) Clear(ctx context.Context, userID, id string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(tables.FamSess)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(tables.FamSess), del, nil) // ok ttlread/conditional-mutation
	return r.tbl.Apply(ctx, sessionKey(userID, id), cond)
}

// Describe is for the CLI.
func (r *SessionRepo) Describe(ctx context.Context, userID, id string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, sessionKey(userID, id), bt.Where(bt.InFamily(tables.FamSess, bt.LiveNow()))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.Pick(row, tables.FamSess, "jwt")
	if !ok {
		return "gone", nil
	}
	return fmt.Sprintf("%s, %s left", row.Key(), bt.Remaining(it, r.clock())), nil // ok ttlage/not-write-time
}
