// Package btimpl implements the DAOs on Bigtable.
package btimpl

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// BigtableSessionDAO implements dao.SessionDAO.
type BigtableSessionDAO struct {
	table   bt.TableGateway
	filters filter.Factory
	clock   clock.Clock
}

var _ dao.SessionDAO = (*BigtableSessionDAO)(nil)

// NewBigtableSessionDAO returns a BigtableSessionDAO.
func NewBigtableSessionDAO(tables bt.TableFactory, filters filter.Factory, c clock.Clock) *BigtableSessionDAO {
	return &BigtableSessionDAO{table: tables.CreateTable(constants.TableSessions), filters: filters, clock: c}
}

// Create implements dao.SessionDAO.
func (d *BigtableSessionDAO) Create(ctx context.Context, s *domain.Session) error {
	mut := bigtable.NewMutation()
	expiry := bigtable.Time(d.clock.Now().Add(s.TTL()))
	mut.Set(constants.FamilyToken, constants.Session.JWT, expiry, []byte(s.JWT()))                                               // ok ttlwrite/write-time
	mut.Set(constants.FamilyToken, constants.Session.Csrf, expiry, []byte(s.Csrf()))                                             // ok ttlwrite/write-time
	mut.Set(constants.FamilyToken, constants.Session.Refresh, bigtable.Now(), []byte(s.RefreshToken()))                          // want ttlwrite/write-time
	mut.Set(constants.FamilyProfile, constants.Session.Name, bigtable.Now(), []byte(s.Customer()))                               // ok ttlwrite/write-time
	mut.Set(constants.FamilyProfile, constants.Session.LoginAt, bigtable.ServerTime, []byte(d.clock.Now().Format(time.RFC3339))) // ok ttlwrite/server-timestamp
	return d.table.Apply(ctx, s.ID(), mut)
}

// Find implements dao.SessionDAO.
func (d *BigtableSessionDAO) Find(ctx context.Context, id string) (*domain.Session, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("find session %q: %w", id, err)
	}
	b := domain.NewSessionBuilder().WithID(id)
	for _, item := range row[constants.FamilyToken] {
		switch item.Column {
		case constants.FamilyToken + ":" + constants.Session.JWT:
			b.WithJWT(string(item.Value))
		case constants.FamilyToken + ":" + constants.Session.Csrf:
			b.WithCsrf(string(item.Value))
		}
	}
	for _, item := range row[constants.FamilyProfile] {
		if item.Column == constants.FamilyProfile+":"+constants.Session.Name {
			b.WithCustomer(string(item.Value))
		}
	}
	return b.Build()
}

// FindToken reads only the token.
func (d *BigtableSessionDAO) FindToken(ctx context.Context, id string) (string, error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter(constants.FamilyToken),
		bigtable.ColumnFilter(constants.Session.JWT),
		bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(live)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyToken, constants.Session.JWT), nil
}

// FindCsrf reads only the CSRF token.
func (d *BigtableSessionDAO) FindCsrf(ctx context.Context, id string) (string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.ColumnFilter(constants.Session.Csrf)) // want ttlread/missing-filter[csrf]
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f))                                                             // want ttlread/missing-filter[csrf]
	if err != nil {
		return "", err
	}
	return bt.Text(row, constants.FamilyToken, constants.Session.Csrf), nil
}

// FindNonce reads a nonce; it asks the factory for the filter.
func (d *BigtableSessionDAO) FindNonce(ctx context.Context, id string) ([]byte, error) {
	f := bigtable.ChainFilters(d.filters.Family(constants.FamilyToken), d.filters.LiveOnly())
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return bt.Column(row, constants.FamilyToken, constants.Session.Nonce), nil
}

// PeekNonce reads a nonce that is about to be used; the factory was asked for the wrong filter.
func (d *BigtableSessionDAO) PeekNonce(ctx context.Context, id string) ([]byte, error) {
	f := bigtable.ChainFilters(d.filters.Family(constants.FamilyToken), d.filters.Recent(constants.NonceTTL)) // want ttlread/wrong-bound[peeknonce]
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f))                                               // want ttlread/wrong-bound[peeknonce]
	if err != nil {
		return nil, err
	}
	return bt.Column(row, constants.FamilyToken, constants.Session.Nonce), nil
}

// Refresh implements dao.SessionDAO.
func (d *BigtableSessionDAO) Refresh(ctx context.Context, id, jwt string, ttl time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(constants.FamilyToken, constants.Session.JWT)                    // ok ttlwrite/delete-after-set
	mut.Set(constants.FamilyToken, constants.Session.JWT, clock.ExpiresIn(ttl), []byte(jwt)) // ok ttlwrite/write-time
	return d.table.Apply(ctx, id, mut)
}

// RefreshQuietly keeps the session alive without a new token.
func (d *BigtableSessionDAO) RefreshQuietly(ctx context.Context, id, jwt string) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyToken, constants.Session.JWT, clock.ExpiresIn(constants.TokenTTL), []byte(jwt)) // want ttlwrite/delete-after-set[rq]
	mut.DeleteCellsInColumn(constants.FamilyToken, constants.Session.JWT)                                   // want ttlwrite/delete-after-set[rq]
	return d.table.Apply(ctx, id, mut)
}

// Rotate replaces both tokens.
func (d *BigtableSessionDAO) Rotate(ctx context.Context, id, jwt, refresh string) error {
	now := d.clock.Now()
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(constants.FamilyToken)                                                                   // ok ttlwrite/delete-after-set
	mut.Set(constants.FamilyToken, constants.Session.JWT, clock.Timestamp(now.Add(constants.TokenTTL)), []byte(jwt)) // ok ttlwrite/write-time
	mut.Set(constants.FamilyToken, constants.Session.Refresh, clock.Timestamp(now), []byte(refresh))                 // want ttlwrite/write-time
	return d.table.Apply(ctx, id, mut)
}

// Revoke implements dao.SessionDAO.
func (d *BigtableSessionDAO) Revoke(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(constants.FamilyToken)
	mut.Set(constants.FamilyProfile, "revoked", clock.NowTimestamp(), []byte("1")) // ok ttlwrite/write-time
	return d.table.Apply(ctx, id, mut)
}

// RevokeSoftly lets the token expire instead of deleting it.
func (d *BigtableSessionDAO) RevokeSoftly(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	past := d.clock.Now().Add(-time.Minute)
	mut.Set(constants.FamilyToken, constants.Session.JWT, bigtable.Time(past), nil) // want ttlwrite/already-expired
	return d.table.Apply(ctx, id, mut)
}

// IssueNonce stores a nonce.
func (d *BigtableSessionDAO) IssueNonce(ctx context.Context, id string, nonce []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(constants.FamilyToken, constants.Session.Nonce, bigtable.ServerTime, nonce) // want ttlwrite/server-timestamp
	return d.table.Apply(ctx, id, mut)
}

// IssueNonceFor stores a nonce that lives for a while.
func (d *BigtableSessionDAO) IssueNonceFor(ctx context.Context, id string, nonce []byte, seconds int) error {
	mut := bigtable.NewMutation()
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	mut.Set(constants.FamilyToken, constants.Session.Nonce, bigtable.Timestamp(until.Unix()), nonce) // want ttlunit/wrong-unit
	return d.table.Apply(ctx, id, mut)
}

// IssueNonceMillis is IssueNonceFor for the gateway, which counts in milliseconds.
func (d *BigtableSessionDAO) IssueNonceMillis(ctx context.Context, id string, nonce []byte, millis int64) error {
	mut := bigtable.NewMutation()
	until := time.Now().Add(time.Duration(millis) * time.Millisecond)
	mut.Set(constants.FamilyToken, constants.Session.Nonce, bigtable.Timestamp(until.UnixMilli()*1000), nonce) // ok ttlunit/wrong-unit
	return d.table.Apply(ctx, id, mut)
}

// Profile implements dao.SessionDAO.
func (d *BigtableSessionDAO) Profile(ctx context.Context, id string) (*domain.Profile, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyProfile))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	p := &domain.Profile{}
	for _, item := range row[constants.FamilyProfile] {
		switch item.Column {
		case constants.FamilyProfile + ":" + constants.Session.Name:
			p.Name = string(item.Value)
			p.LoginAt = item.Timestamp.Time() // ok ttlage/not-write-time
		case constants.FamilyProfile + ":" + constants.Session.Locale:
			p.Locale = string(item.Value)
		}
	}
	return p, nil
}

// ProfileName reads the whole row, of which only the name is wanted.
func (d *BigtableSessionDAO) ProfileName(ctx context.Context, id string) (string, error) {
	row, err := d.table.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, item := range row[constants.FamilyProfile] {
		if item.Column == constants.FamilyProfile+":"+constants.Session.Name {
			return string(item.Value), nil
		}
	}
	return "", bt.ErrNotFound
}

// Expiry tells when a session ends.
func (d *BigtableSessionDAO) Expiry(ctx context.Context, id string) (time.Time, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(filter.LiveFamily(constants.FamilyToken))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, item := range row[constants.FamilyToken] {
		expiresAt := item.Timestamp.Time() // ok ttlage/not-write-time
		return expiresAt, nil
	}
	return time.Time{}, bt.ErrNotFound
}

// Idle tells how long a session has not been refreshed.
func (d *BigtableSessionDAO) Idle(ctx context.Context, id string) (time.Duration, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(filter.LiveFamily(constants.FamilyToken))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[constants.FamilyToken] {
		return time.Since(item.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Remaining tells how long a session will live.
func (d *BigtableSessionDAO) Remaining(ctx context.Context, id string) (time.Duration, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(filter.LiveFamily(constants.FamilyToken))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, item := range row[constants.FamilyToken] {
		return time.Until(item.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// Valid tells whether a session is alive. It checks by hand, as the first version did.
func (d *BigtableSessionDAO) Valid(ctx context.Context, id string) (bool, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyToken))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	now := bigtable.Time(d.clock.Now())
	for _, item := range row[constants.FamilyToken] {
		if item.Timestamp > now {
			return true, nil
		}
	}
	return false, nil
}

// Exists tells whether a session exists.
func (d *BigtableSessionDAO) Exists(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // want ttlread/missing-filter[exists]
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f))                                                                               // want ttlread/missing-filter[exists]
	return len(row) > 0, err
}

// Alive is Exists as it should have been.
func (d *BigtableSessionDAO) Alive(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters(filter.LiveFamily(constants.FamilyToken), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	return len(row) > 0, err
}

// AliveCheap was written to read as little as possible.
func (d *BigtableSessionDAO) AliveCheap(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.CellsPerRowLimitFilter(1), filter.Live()) // want ttlread/limit-before-filter[cheap]
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f))                                                                 // want ttlread/limit-before-filter[cheap]
	return len(row) > 0, err
}

// Expired lists the sessions that ran out, for the report. It never returned what was hoped for.
func (d *BigtableSessionDAO) Expired(ctx context.Context, prefix string) ([]string, error) {
	var ids []string
	old := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.TimestampRangeFilter(time.Time{}, d.clock.Now())) // want ttlread/expired-only[expired]
	err := d.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {                                                // want ttlread/expired-only[expired]
		ids = append(ids, r.Key())
		return true
	}, bigtable.RowFilter(old)) // want ttlread/expired-only[expired]
	return ids, err
}

// Count counts the sessions that are alive.
func (d *BigtableSessionDAO) Count(ctx context.Context, prefix string) (int, error) {
	n := 0
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(filter.LiveFamily(constants.FamilyToken), bigtable.StripValueFilter()))}
	err := d.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(bigtable.Row) bool { n++; return true }, opts...) // ok ttlread/missing-filter
	return n, err
}

// Tokens exports the tokens with a prefix.
func (d *BigtableSessionDAO) Tokens(ctx context.Context, prefix string, each func(id string, jwt []byte) bool) error {
	return d.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter
		for _, item := range r[constants.FamilyToken] {
			if !each(r.Key(), item.Value) {
				return false
			}
		}
		return true
	}, bigtable.LimitRows(1000))
}

// Purge deletes the sessions of a customer.
func (d *BigtableSessionDAO) Purge(ctx context.Context, prefix string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := d.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = d.table.ApplyBulk(ctx, keys, muts)
	return err
}

// CreateOnce stores a session unless there is one.
func (d *BigtableSessionDAO) CreateOnce(ctx context.Context, id, jwt string) (bool, error) {
	create := bigtable.NewMutation()
	create.Set(constants.FamilyToken, constants.Session.JWT, clock.ExpiresIn(constants.TokenTTL), []byte(jwt)) // ok ttlwrite/write-time
	var exists bool
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter(constants.Session.JWT), nil, create) // want ttlread/conditional-mutation
	err := d.table.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&exists))
	return !exists, err
}

// CreateOnceLive is CreateOnce after the incident of May.
func (d *BigtableSessionDAO) CreateOnceLive(ctx context.Context, id, jwt string) (bool, error) {
	create := bigtable.NewMutation()
	create.Set(constants.FamilyToken, constants.Session.JWT, clock.ExpiresIn(constants.TokenTTL), []byte(jwt)) // ok ttlwrite/write-time
	var exists bool
	cond := bigtable.NewCondMutation(filter.LiveFamily(constants.FamilyToken), nil, create) // ok ttlread/conditional-mutation
	err := d.table.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&exists))
	return !exists, err
}

// DropIfPresent deletes the token where there is one.
func (d *BigtableSessionDAO) DropIfPresent(ctx context.Context, id string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(constants.FamilyToken)
	return d.table.Apply(ctx, id, bigtable.NewCondMutation(bigtable.FamilyFilter(constants.FamilyToken), drop, nil)) // ok ttlread/conditional-mutation
}

// CountFailure counts failed logins next to the token.
func (d *BigtableSessionDAO) CountFailure(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyToken, "failures", 1) // want ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// CountLogin counts logins in the profile.
func (d *BigtableSessionDAO) CountLogin(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyProfile, "logins", 1)               // ok ttlwrite/read-modify-write
	rmw.AppendValue(constants.FamilyProfile, "agents", []byte(";go")) // ok ttlwrite/read-modify-write
	_, err := d.table.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Whole returns what there is of a session, each family bounded in its own way.
func (d *BigtableSessionDAO) Whole(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("token|device"), bigtable.TimestampRangeFilter(d.clock.Now(), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyProfile), bigtable.LatestNFilter(1)),
	)
	return d.table.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/unfiltered-branch
}

// WholeForSupport is what the support desk sees.
func (d *BigtableSessionDAO) WholeForSupport(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(
		filter.LiveFamily(constants.FamilyToken),
		bigtable.ChainFilters(bigtable.FamilyFilter("device|profile"), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[support]
	)
	return d.table.ReadRow(ctx, id, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[support]
}

// Everything is read by the profile page, too, and lost the names when the live filter came.
func (d *BigtableSessionDAO) Everything(ctx context.Context, id string) (*domain.Session, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(filter.Live())) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return domain.NewSessionBuilder().WithID(id).
		WithJWT(bt.Text(row, constants.FamilyToken, constants.Session.JWT)).
		WithCustomer(bt.Text(row, constants.FamilyProfile, constants.Session.Name)).
		Build()
}

// TokenOnly reads with the same filter, and wants nothing else.
func (d *BigtableSessionDAO) TokenOnly(ctx context.Context, id string) (string, error) {
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(filter.Live())) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	for _, item := range row[constants.FamilyToken] {
		return string(item.Value), nil
	}
	return "", bt.ErrNotFound
}

// Soon reads the tokens that end within the hour.
func (d *BigtableSessionDAO) Soon(ctx context.Context, id string) (bool, error) {
	now := d.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyToken), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))) // want ttlread/upper-bound[soon]
	row, err := d.table.ReadRow(ctx, id, bigtable.RowFilter(f))                                                                           // want ttlread/upper-bound[soon]
	return len(row) > 0, err
}

// Both passes two filters, and the author thought that they add up.
func (d *BigtableSessionDAO) Both(ctx context.Context, id string) (bigtable.Row, error) {
	return d.table.ReadRow(ctx, id, bigtable.RowFilter(filter.LiveFamily(constants.FamilyToken)), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
}
