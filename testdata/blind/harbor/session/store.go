// Package session keeps login sessions, one-time nonces and user profiles.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/btutil"
)

const (
	famToken   = btutil.FamToken
	famNonce   = btutil.FamNonce
	famProfile = btutil.FamProfile

	colJWT     = "jwt"
	colRefresh = "refresh"
	colDevice  = "device"
	colUses    = "uses"
	colName    = "name"
	colMail    = "mail"
)

// rememberMe is the long life of sessions with the box ticked.
const rememberMe = 30 * 24 * time.Hour

// Flags that came with the mobile app in 2019. Do not reorder.
const (
	FlagRemember = 1 << iota
	FlagMobile
	FlagImpersonate
	FlagLegacyClient
)

var (
	errExpired  = errors.New("session: expired")
	errNoDevice = errors.New("session: no device")

	// statsOnce guards the metrics below.
	statsOnce sync.Once
	hits      int
	misses    int

	// families in the order of the old schema file
	families = []string{famToken, famNonce, famProfile}

	// bootDeadline was meant for the migration in 2021.
	bootDeadline = bigtable.Time(time.Now().Add(24 * time.Hour)) // want ttlwrite/stale-clock[boot]

	// liveFilter saves an allocation per read.
	liveFilter = bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[livevar]
)

// Store is the session store.
type Store struct {
	tbl     *bigtable.Table
	clock   func() time.Time
	ttl     time.Duration
	log     *log.Logger
	mu      sync.Mutex
	cache   map[string]*Session
	maxSize int
}

// Session is one login.
type Session struct {
	Key       string
	User      string
	JWT       string
	Refresh   string
	Device    string
	Expires   time.Time
	CreatedAt time.Time
	Uses      int
}

// New opens the store.
func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: c.Open(btutil.TableSessions), clock: time.Now, ttl: btutil.TokenTTL, log: log.Default(), cache: map[string]*Session{}, maxSize: 10000}
	for _, o := range opts {
		o(s)
	}
	return s
}

// Option changes a Store.
type Option func(*Store)

// WithClock is for tests.
func WithClock(f func() time.Time) Option { return func(s *Store) { s.clock = f } }

// WithLogger replaces the logger.
func WithLogger(l *log.Logger) Option { return func(s *Store) { s.log = l } }

// WithCacheSize bounds the cache.
func WithCacheSize(n int) Option { return func(s *Store) { s.maxSize = n } }

// Create writes a session. This function is too long; everybody knows.
func (s *Store) Create(ctx context.Context, sess *Session, flags int, nonce string, mail string) error {
	if sess.Key == "" {
		return errors.New("session: no key")
	}
	now := s.clock()
	life := s.ttl
	if flags&FlagRemember != 0 {
		life = rememberMe
	}
	exp := now.Add(life)
	mut := bigtable.NewMutation()
	mut.Set(famToken, colJWT, bigtable.Time(exp), []byte(sess.JWT)) // ok ttlwrite/write-time
	if sess.Refresh != "" {
		mut.Set(famToken, colRefresh, bigtable.Time(now.Add(life*2)), []byte(sess.Refresh)) // ok ttlwrite/write-time
	}
	if flags&FlagMobile != 0 {
		if sess.Device == "" {
			return errNoDevice
		}
		// device info came with the app
		mut.Set(famToken, colDevice, bigtable.Now(), []byte(sess.Device)) // want ttlwrite/write-time
	}
	if flags&FlagLegacyClient != 0 {
		mut.Set(famToken, "legacy", bigtable.ServerTime, []byte{1}) // want ttlwrite/server-timestamp
	}
	if nonce != "" {
		mut.Set(famNonce, nonce, bigtable.Time(now.Add(btutil.NonceTTL)), []byte(sess.User)) // ok ttlwrite/write-time
	}
	if mail != "" {
		mut.Set(famProfile, colMail, bigtable.Now(), []byte(strings.ToLower(mail))) // ok ttlwrite/write-time
	}
	mut.Set(famProfile, colName, bigtable.ServerTime, []byte(sess.User)) // ok ttlwrite/server-timestamp
	if flags&FlagImpersonate != 0 {
		s.log.Printf("impersonation of %s", sess.User)
		ts := bigtable.Time(now)
		mut.Set(famProfile, "imp", ts, []byte(sess.User)) // ok ttlwrite/write-time
		mut.Set(famToken, "imp", ts, []byte(sess.User))   // want ttlwrite/write-time
	}
	if err := s.tbl.Apply(ctx, sess.Key, mut); err != nil {
		return fmt.Errorf("session: create %q: %w", sess.Key, err)
	}
	sess.Expires = exp
	s.remember(sess)
	return nil
}

func (s *Store) remember(sess *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cache) >= s.maxSize {
		for k := range s.cache {
			delete(s.cache, k)
			break
		}
	}
	s.cache[sess.Key] = sess
}

// Get reads a session.
func (s *Store) Get(ctx context.Context, key string) (*Session, error) {
	s.mu.Lock()
	if c, ok := s.cache[key]; ok && c.Expires.After(s.clock()) {
		s.mu.Unlock()
		hits++
		return c, nil
	}
	s.mu.Unlock()
	misses++
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(famToken),
		bigtable.TimestampRangeFilter(s.clock(), time.Time{}),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	sess := &Session{Key: key}
	for _, it := range row[famToken] {
		switch strings.TrimPrefix(it.Column, famToken+":") {
		case colJWT:
			sess.JWT = string(it.Value)
			sess.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		case colRefresh:
			sess.Refresh = string(it.Value)
		case colDevice:
			sess.Device = string(it.Value)
		}
	}
	if sess.JWT == "" {
		return nil, btutil.ErrNotFound
	}
	return sess, nil
}

// GetFast is Get without the cache, for the gateway.
func (s *Store) GetFast(ctx context.Context, key string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(liveFilter)) // want ttlread/stale-bound[livevar]
	if err != nil {
		return "", err
	}
	v, ok := btutil.Column(row, famToken, colJWT)
	if !ok {
		return "", btutil.ErrNotFound
	}
	return string(v), nil
}

// GetDevice was copied from Get for the app.
func (s *Store) GetDevice(ctx context.Context, key string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	sess := &Session{Key: key}
	for _, it := range row[famToken] {
		if it.Column == famToken+":"+colDevice {
			sess.Device = string(it.Value)
			sess.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	if sess.Device == "" {
		return nil, errNoDevice
	}
	return sess, nil
}

// Profile reads only the profile.
func (s *Store) Profile(ctx context.Context, key string) (name, mail string, since time.Duration, err error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famProfile), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return "", "", 0, err
	}
	for _, it := range row[famProfile] {
		switch it.Column {
		case famProfile + ":" + colName:
			name = string(it.Value)
			since = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		case famProfile + ":" + colMail:
			mail = string(it.Value)
		}
	}
	return
}

// ProfileOnly does the same as Profile; the web team did not find it.
func (s *Store) ProfileOnly(ctx context.Context, key string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, key) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[famProfile] {
		out[strings.TrimPrefix(it.Column, famProfile+":")] = string(it.Value)
	}
	return out, nil
}

// Exists says whether there is a session under key.
func (s *Store) Exists(ctx context.Context, key string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// ExistsLive is the fixed Exists. Callers move over one by one.
func (s *Store) ExistsLive(ctx context.Context, key string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famToken), btutil.Live(), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Dump writes everything that a row has, for support.
func (s *Store) Dump(ctx context.Context, key string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// DumpLive interleaves, so that the profile stays.
func (s *Store) DumpLive(ctx context.Context, key string) ([]byte, error) {
	now := s.clock()
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter("token|nonce"), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.FamilyFilter(famProfile),
	)))
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// DumpBare lost the profiles of half of the users for an afternoon.
func (s *Store) DumpBare(ctx context.Context, key string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(btutil.Live())) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// Nonce checks and uses up a nonce.
func (s *Store) Nonce(ctx context.Context, key, nonce string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(s.clock(), time.Time{}))) // ok ttlread/hides-other-families
	if err != nil {
		return false, err
	}
	_, ok := btutil.Column(row, famNonce, nonce)
	if !ok {
		return false, nil
	}
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(famNonce, nonce) // ok ttlwrite/delete-after-set
	var matched bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(famNonce), bigtable.ColumnFilter(nonce)), del, nil) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, err
	}
	return matched, nil
}

// NonceOnce sets a nonce unless it is there.
func (s *Store) NonceOnce(ctx context.Context, key, nonce, user string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(famNonce, nonce, btutil.ExpiresIn(btutil.NonceTTL), []byte(user)) // ok ttlwrite/write-time
	var used bool
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(famNonce), bigtable.ColumnFilter(nonce)), nil, set) // want ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&used))
	return !used, err
}

// NonceOnceLive is NonceOnce as it should be.
func (s *Store) NonceOnceLive(ctx context.Context, key, nonce, user string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(famNonce, nonce, btutil.TS(btutil.NonceTTL, false, false), []byte(user)) // ok ttlwrite/server-timestamp
	var used bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(famNonce), bigtable.ColumnFilter(nonce), bigtable.TimestampRangeFilter(s.clock(), time.Time{}))
	cond := bigtable.NewCondMutation(pred, nil, set) // ok ttlread/conditional-mutation
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&used))
	return !used, err
}

// Touch counts a use and prolongs the session.
func (s *Store) Touch(ctx context.Context, key string, jwt []byte, count bool) error {
	if count {
		rmw := bigtable.NewReadModifyWrite()
		rmw.Increment(famToken, colUses, 1) // want ttlwrite/read-modify-write
		if _, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw); err != nil {
			return err
		}
		// logins are counted for good
		total := bigtable.NewReadModifyWrite()
		total.Increment(famProfile, "logins", 1) // ok ttlwrite/read-modify-write
		if _, err := s.tbl.ApplyReadModifyWrite(ctx, key, total); err != nil {
			return err
		}
	}
	mut := bigtable.NewMutation()
	mut.Set(famToken, colJWT, btutil.TS(s.ttl, false, false), jwt) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key, mut)
}

// Trail appends to the trail of a session.
func (s *Store) Trail(ctx context.Context, key, page string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(famToken, "trail", []byte(page+";")) // want ttlwrite/read-modify-write
	rmw.AppendValue(famProfile, "trail", []byte(page))   // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Shorten ends a session soon. Deleting first, or the older and longer life wins.
func (s *Store) Shorten(ctx context.Context, key string, jwt []byte) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(famToken, colJWT) // ok ttlwrite/delete-after-set
	mut.Set(famToken, colJWT, btutil.ExpiresIn(time.Minute), jwt)
	return s.tbl.Apply(ctx, key, mut)
}

// ShortenAll is Shorten for a batch; the lines got swapped in a merge.
func (s *Store) ShortenAll(ctx context.Context, keys []string, jwt []byte) error {
	muts := make([]*bigtable.Mutation, 0, len(keys))
	for range keys {
		mut := bigtable.NewMutation()
		mut.Set(famToken, colJWT, btutil.ExpiresIn(time.Minute), jwt)
		mut.DeleteCellsInColumn(famToken, colJWT) // want ttlwrite/delete-after-set
		muts = append(muts, mut)
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// Revoke ends a session at once.
func (s *Store) Revoke(ctx context.Context, key string, hard bool) error {
	mut := bigtable.NewMutation()
	if hard {
		mut.DeleteRow() // ok ttlwrite/delete-after-set
	} else {
		mut.Set(famToken, colJWT, bigtable.Time(s.clock().Add(-time.Hour)), nil) // want ttlwrite/already-expired
	}
	s.mu.Lock()
	delete(s.cache, key)
	s.mu.Unlock()
	return s.tbl.Apply(ctx, key, mut)
}

// Migrate moves a session of the old cookie store.
func (s *Store) Migrate(ctx context.Context, key, jwt, device string) error {
	mut := bigtable.NewMutation()
	mut.Set(famToken, colJWT, bootDeadline, []byte(jwt))  // want ttlwrite/stale-clock[boot]
	mut.Set(famToken, colDevice, 0, []byte(device))       // want ttlwrite/already-expired
	mut.Set(famProfile, "migrated", 0, []byte("2021-03")) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key, mut)
}

// Login sets name and device twice when the client is old.
func (s *Store) Login(ctx context.Context, key, user, device string, old bool) error {
	exp := btutil.ExpiresIn(btutil.TokenTTL)
	mut := bigtable.NewMutation()
	mut.Set(famToken, colDevice, exp, []byte(device)) // ok ttlwrite/same-timestamp
	mut.Set(famToken, "user", exp, []byte(user))      // ok ttlwrite/same-timestamp
	if old {
		mut.Set(famToken, colDevice, exp, []byte("old:"+device)) // want ttlwrite/same-timestamp
	}
	ts := bigtable.Now()
	mut.Set(famProfile, "last", ts, []byte(user))
	mut.Set(famProfile, "last", ts, []byte(device)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, key, mut)
}

// Users lists the users that are logged in.
func (s *Store) Users(ctx context.Context, prefix string, all bool, limit int64) ([]string, error) {
	var users []string
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.ColumnFilter("user"), btutil.Live()))}
	if limit > 0 {
		opts = append(opts, bigtable.LimitRows(limit))
	}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if v, ok := btutil.Column(r, famToken, "user"); ok {
			users = append(users, string(v))
		}
		return true
	}, opts...)
	return users, err
}

// UsersByDevice was copied from Users in 2020.
func (s *Store) UsersByDevice(ctx context.Context, prefix string) (map[string][]string, error) {
	out := map[string][]string{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter[ubd]
		dev, ok := btutil.Column(r, famToken, colDevice)
		if !ok {
			return true
		}
		user, _ := btutil.Column(r, famToken, "user")
		out[string(dev)] = append(out[string(dev)], string(user))
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.LatestNFilter(1)))) // want ttlread/missing-filter[ubd]
	return out, err
}

// ActiveUsers checks the expiry by hand, from before filters.
func (s *Store) ActiveUsers(ctx context.Context, prefix string) (int, error) {
	n := 0
	now := s.clock()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[famToken] {
			if it.Timestamp.Time().After(now) {
				n++
				break
			}
		}
		return true
	})
	return n, err
}

// SweepKeys deletes rows of a user.
func (s *Store) SweepKeys(ctx context.Context, prefix string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys = append(keys, r.Key())
		muts = append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Recent pages through the sessions that end within an hour... or so the ticket said.
func (s *Store) Recent(ctx context.Context, prefix string) ([]string, error) {
	var jwts []string
	now := s.clock()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[famToken] {
			jwts = append(jwts, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))))) // want ttlread/upper-bound
	return jwts, err
}

// RecentAll has an end that no session can have.
func (s *Store) RecentAll(ctx context.Context, prefix string) ([]string, error) {
	var jwts []string
	now := s.clock()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range r[famToken] {
			jwts = append(jwts, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilter(now, now.Add(2*time.Hour))))) // ok ttlread/upper-bound
	return jwts, err
}

// First reads the first cell of a session.
func (s *Store) First(ctx context.Context, key string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key,
		bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.CellsPerRowLimitFilter(1), btutil.Live()))) // want ttlread/limit-before-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famToken] {
		return string(it.Value), nil
	}
	return "", errExpired
}

// FirstLive has the limit behind the filter.
func (s *Store) FirstLive(ctx context.Context, key string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key,
		bigtable.RowFilter(bigtable.ChainFilters(btutil.LiveIn(famToken), bigtable.CellsPerRowLimitFilter(1)))) // ok ttlread/limit-before-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famToken] {
		return string(it.Value), nil
	}
	return "", errExpired
}

// Stats logs the cache's numbers once.
func (s *Store) Stats() {
	statsOnce.Do(func() { s.log.Printf("families %v", families) })
	s.log.Printf("hits %d misses %d", hits, misses)
}
