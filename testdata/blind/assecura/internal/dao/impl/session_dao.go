// Package impl implements the DAOs.
package impl

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

// liveTokens is static final, as in the old code.
var liveTokens = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[liveTokens]

// newestOnly is a constant filter.
var newestOnly = bigtable.LatestNFilter(1)

type sessionDaoImpl struct {
	core.AbstractDao
	tokens   core.RowMapper[domain.AccessToken]
	profiles core.RowMapper[domain.UserProfile]
	reader   core.CellReader
	writer   core.CellWriter
	counters core.Counters
}

// NewSessionDao makes the DAO of the table of sessions.
func NewSessionDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.SessionDao {
	return &sessionDaoImpl{
		AbstractDao: core.NewAbstractDao(factory, constants.TableSessions, clock, log), // want ttlread/missing-filter[exists]
		tokens:      &accessTokenRowMapper{},
		profiles:    &userProfileRowMapper{},
	}
}

func (d *sessionDaoImpl) key(userID string) string { return "u#" + userID }

// SaveToken implements dao.SessionDao.
func (d *sessionDaoImpl) SaveToken(ctx context.Context, t *domain.AccessToken) error {
	expiry := bigtable.Time(d.GetClock().Now().Add(constants.SessionTTL))
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(constants.FamilyToken)
	m.Set(constants.FamilyToken, constants.QualifierJWT, expiry, []byte(t.JWT))     // ok ttlwrite/write-time
	m.Set(constants.FamilyToken, constants.QualifierScope, expiry, []byte(t.Scope)) // ok ttlwrite/same-timestamp
	m.Set(constants.FamilyToken, "issuer", bigtable.Now(), []byte("portal"))        // want ttlwrite/write-time
	m.Set(constants.FamilyToken, "issued", bigtable.Time(t.IssuedAt), nil)          // want ttlwrite/write-time[issued]
	m.Set(constants.FamilyToken, "until", bigtable.Time(t.ExpiresAt), nil)          // ok ttlwrite/write-time
	m.Set(constants.FamilyUser, constants.QualifierSeen, bigtable.Now(), nil)       // ok ttlwrite/write-time
	return d.Save(ctx, d.key(t.UserID), m)
}

// SaveTokenUntil implements dao.SessionDao.
func (d *sessionDaoImpl) SaveTokenUntil(ctx context.Context, userID, jwt string, expiresAt time.Time) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(constants.FamilyToken, constants.QualifierJWT)
	m.Set(constants.FamilyToken, constants.QualifierJWT, bigtable.Time(expiresAt), []byte(jwt)) // ok ttlwrite/write-time
	return d.Save(ctx, d.key(userID), m)
}

// RememberToken implements dao.SessionDao.
func (d *sessionDaoImpl) RememberToken(ctx context.Context, userID, jwt string) error {
	m := core.NewRowMutationBuilder().
		WithFamily(constants.FamilyToken).
		ExpiringAt(d.GetClock().Now().Add(constants.RememberMeTTL)).
		PutString(constants.QualifierJWT, jwt). // ok ttlwrite/server-timestamp
		Build()
	if err := d.Save(ctx, d.key(userID), m); err != nil {
		return err
	}
	device := core.NewRowMutationBuilder(). // want ttlwrite/server-timestamp[device]
						WithFamily(constants.FamilyToken). // want ttlwrite/server-timestamp[device]
						PutString("device", "remembered"). // want ttlwrite/server-timestamp[device]
						Build()                            // want ttlwrite/server-timestamp[device]
	return d.Save(ctx, d.key(userID), device)
}

// TouchToken implements dao.SessionDao.
func (d *sessionDaoImpl) TouchToken(ctx context.Context, userID string) error {
	now := bigtable.Time(d.GetClock().Now())
	m := bigtable.NewMutation()
	m.Set(constants.FamilyToken, constants.QualifierSeen, now, nil) // want ttlwrite/write-time
	m.Set(constants.FamilyUser, constants.QualifierSeen, now, nil)  // ok ttlwrite/write-time
	return d.Save(ctx, d.key(userID), m)
}

// RotateToken implements dao.SessionDao.
func (d *sessionDaoImpl) RotateToken(ctx context.Context, userID, jwt string) error {
	expiry := bigtable.Time(common.DateUtils{}.AddMinutes(d.GetClock().Now(), 30))
	m := bigtable.NewMutation()
	m.Set(constants.FamilyToken, constants.QualifierJWT, expiry, []byte(jwt)) // ok ttlwrite/write-time
	m.DeleteCellsInColumn(constants.FamilyToken, constants.QualifierJWT)      // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(constants.FamilyToken, constants.QualifierScope)    // ok ttlwrite/delete-after-set
	return d.Save(ctx, d.key(userID), m)
}

// RevokeToken implements dao.SessionDao.
func (d *sessionDaoImpl) RevokeToken(ctx context.Context, userID string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(constants.FamilyToken)
	m.Set(constants.FamilyUser, "revoked", bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	return d.Save(ctx, d.key(userID), m)
}

// SaveProfile implements dao.SessionDao.
func (d *sessionDaoImpl) SaveProfile(ctx context.Context, p *domain.UserProfile) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyUser, constants.QualifierLogin, bigtable.ServerTime, []byte(p.Login))                        // ok ttlwrite/server-timestamp
	m.Set(constants.FamilyUser, constants.QualifierEmail, bigtable.Timestamp(time.Now().UnixMilli()), []byte(p.Email)) // want ttlunit/wrong-unit
	m.Set(constants.FamilyUser, "changed", bigtable.Timestamp(time.Now().UnixMicro()), nil)                            // ok ttlunit/wrong-unit
	return d.Save(ctx, d.key(p.ID), m)
}

// CountHit implements dao.SessionDao.
func (d *sessionDaoImpl) CountHit(ctx context.Context, userID string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyToken, constants.QualifierHits, 1) // want ttlwrite/read-modify-write
	row, err := d.GetTable().ApplyReadModifyWrite(ctx, d.key(userID), rmw)
	if err != nil {
		return 0, common.NewTechnicalException("hit", err)
	}
	return d.reader.GetInt64(row, constants.FamilyToken, constants.QualifierHits), nil
}

// CountLogin implements dao.SessionDao.
func (d *sessionDaoImpl) CountLogin(ctx context.Context, userID string) (int64, error) {
	row, err := d.GetTable().ApplyReadModifyWrite(ctx, d.key(userID), d.counters.Increment(constants.FamilyUser, "logins", 1)) // ok ttlwrite/read-modify-write
	if err != nil {
		return 0, common.NewTechnicalException("login", err)
	}
	return d.reader.GetInt64(row, constants.FamilyUser, "logins"), nil
}

// FindToken implements dao.SessionDao.
func (d *sessionDaoImpl) FindToken(ctx context.Context, userID string) (*domain.AccessToken, error) {
	filter := d.GetFilters().CreateFamilyFilter(constants.FamilyToken, d.GetFilters().CreateLiveFilter())
	row, err := d.FindRow(ctx, d.key(userID), filter) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return d.tokens.MapRow(row)
}

// FindTokenFast implements dao.SessionDao.
func (d *sessionDaoImpl) FindTokenFast(ctx context.Context, userID string) (*domain.AccessToken, error) {
	row, err := d.FindRow(ctx, d.key(userID), bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), newestOnly)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return d.tokens.MapRow(row)
}

// FindProfile implements dao.SessionDao.
func (d *sessionDaoImpl) FindProfile(ctx context.Context, userID string) (*domain.UserProfile, error) {
	row, err := d.FindRow(ctx, d.key(userID), d.GetFilters().CreateFamilyFilter(constants.FamilyUser, newestOnly)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return d.profiles.MapRow(row)
}

// FindSession implements dao.SessionDao.
func (d *sessionDaoImpl) FindSession(ctx context.Context, userID string) (*domain.AccessToken, *domain.UserProfile, error) {
	row, err := d.FindRow(ctx, d.key(userID), d.GetFilters().CreateLiveFilter()) // want ttlread/hides-other-families
	if err != nil {
		return nil, nil, err
	}
	t, err := d.tokens.MapRow(row)
	if err != nil {
		return nil, nil, err
	}
	p, err := d.profiles.MapRow(row)
	return t, p, err
}

// ListTokens implements dao.SessionDao.
func (d *sessionDaoImpl) ListTokens(ctx context.Context, prefix string) ([]*domain.AccessToken, error) {
	var out []*domain.AccessToken
	err := d.GetTable().ReadRows(ctx, bigtable.PrefixRange(d.key(prefix)), func(row bigtable.Row) bool { // want ttlread/stale-bound[liveTokens]
		if t, err := d.tokens.MapRow(row); err == nil {
			out = append(out, t)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), liveTokens))) // want ttlread/stale-bound[liveTokens]
	return out, common.NewTechnicalException("list tokens", err)
}

// ListExpiring implements dao.SessionDao: whoever gets a mail that the session ends soon.
func (d *sessionDaoImpl) ListExpiring(ctx context.Context, prefix string, within time.Duration) ([]string, error) {
	now := d.GetClock().Now()
	var out []string
	soon := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))) // want ttlread/upper-bound[soon]
	err := d.GetTable().ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {                                           // want ttlread/upper-bound[soon]
		for _, item := range row[constants.FamilyToken] {
			out = append(out, item.Row)
		}
		return true
	}, bigtable.RowFilter(soon)) // want ttlread/upper-bound[soon]
	d.GetLogger().Debug("expiring", "within", within, "n", len(out))
	return out, common.NewTechnicalException("list expiring", err)
}

// ClaimSession implements dao.SessionDao: the first device wins.
func (d *sessionDaoImpl) ClaimSession(ctx context.Context, userID, jwt string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(constants.FamilyToken, "primary", bigtable.Time(d.GetClock().Now().Add(constants.SessionTTL)), []byte(jwt)) // ok ttlwrite/write-time
	taken := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.ColumnFilter("primary"))      // want ttlread/conditional-mutation[taken]
	var matched bool
	cond := bigtable.NewCondMutation(taken, nil, set) // want ttlread/conditional-mutation[taken]
	if err := d.GetTable().Apply(ctx, d.key(userID), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, common.NewTechnicalException("claim", err)
	}
	return !matched, nil
}

// PurgeExpired implements dao.SessionDao.
func (d *sessionDaoImpl) PurgeExpired(ctx context.Context, prefix string) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := d.GetTable().ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(constants.FamilyToken)
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), d.GetFilters().CreateExpiredFilter()))) // ok ttlread/expired-only
	if err != nil {
		return 0, common.NewTechnicalException("purge", err)
	}
	if len(keys) > 0 {
		if _, err := d.GetTable().ApplyBulk(ctx, keys, muts); err != nil {
			return 0, common.NewTechnicalException("purge", err)
		}
	}
	return len(keys), nil
}

// IsLoggedIn implements dao.SessionDao.
func (d *sessionDaoImpl) IsLoggedIn(ctx context.Context, userID string) (bool, error) {
	return d.ExistsByID(ctx, d.key(userID)) // want ttlread/missing-filter[exists]
}

// CountSessions implements dao.SessionDao.
func (d *sessionDaoImpl) CountSessions(ctx context.Context, prefix string) (int, error) {
	return d.CountByPrefix(ctx, prefix) // ok ttlread/missing-filter
}

type accessTokenRowMapper struct{ reader core.CellReader }

// MapRow implements core.RowMapper.
func (m *accessTokenRowMapper) MapRow(row bigtable.Row) (*domain.AccessToken, error) {
	items := row[constants.FamilyToken]
	if len(items) == 0 {
		return nil, common.NewNotFoundException("token", row.Key())
	}
	b := domain.NewAccessTokenBuilder().
		WithID(row.Key()).
		WithJWT(m.reader.GetString(row, constants.FamilyToken, constants.QualifierJWT)).
		WithScope(m.reader.GetString(row, constants.FamilyToken, constants.QualifierScope))
	for _, item := range items {
		switch item.Column {
		case constants.FamilyToken + ":" + constants.QualifierJWT:
			b.WithExpiresAt(item.Timestamp.Time()) // ok ttlage/not-write-time
			b.WithCreatedAt(item.Timestamp.Time()) // want ttlage/not-write-time
		}
	}
	return b.Build(), nil
}

type userProfileRowMapper struct{}

// MapRow implements core.RowMapper.
func (*userProfileRowMapper) MapRow(row bigtable.Row) (*domain.UserProfile, error) {
	p := &domain.UserProfile{}
	p.ID = row.Key()
	for _, item := range row[constants.FamilyUser] {
		switch item.Column {
		case constants.FamilyUser + ":" + constants.QualifierLogin:
			p.Login = string(item.Value)
			p.UpdatedAt = item.Timestamp.Time() // ok ttlage/not-write-time
		case constants.FamilyUser + ":" + constants.QualifierEmail:
			p.Email = string(item.Value)
		}
	}
	return p, nil
}
