// Package sessions keeps logins, invitations and user profiles of all tenants in one table.
package sessions

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/schema"
)

const (
	colUser     = "user"
	colTenant   = "tenant"
	colIssued   = "issued"
	colLastSeen = "last_seen"
	colDevice   = "device"
	colScopes   = "scopes"
	colCSRF     = "csrf"
	colStepUp   = "step_up"
	colName     = "name"
	colEmail    = "email"
	colLocale   = "locale"
)

// ErrNoSession is returned for tokens that are unknown or over.
var ErrNoSession = errors.New("no such session")

// Session is a login.
type Session struct {
	Token     string    `json:"-"`
	Tenant    string    `json:"tenant"`
	User      string    `json:"user"`
	Device    string    `json:"device,omitempty"`
	Scopes    []string  `json:"scopes,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Profile is what we know about a user.
type Profile struct {
	User      string    `json:"user"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	Locale    string    `json:"locale"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Store reads and writes sessions.
type Store struct {
	tbl btx.Table
	lay schema.Layout
	ttl time.Duration
	now func() time.Time
	log *slog.Logger
}

// NewStore opens the table that cfg names.
func NewStore(client *bigtable.Client, cfg schema.Config) *Store {
	return &Store{
		tbl: btx.Instrument("auth", client.Open(cfg.Tables.Auth), nil),
		lay: schema.DefaultLayout(),
		ttl: schema.SessionTTL,
		now: time.Now,
		log: slog.Default().With("store", "sessions"),
	}
}

func newToken() (string, error) {
	b := make([]byte, 24)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

func sessionKey(token string) string         { return schema.Key("s", token) }
func userKey(tenant, user string) string     { return schema.Key("u", tenant, user) }
func deviceKey(tenant, device string) string { return schema.Key("d", tenant, device) }

func (s *Store) Create(ctx context.Context, sess Session) (string, error) {
	token, err := newToken()
	if err != nil {
		return "", err
	}
	exp := bigtable.Time(s.now().Add(s.ttl))
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, colUser, exp, []byte(sess.User))                            // ok ttlwrite/write-time
	m.Set(s.lay.Session, colTenant, exp, []byte(sess.Tenant))                        // ok ttlwrite/server-timestamp
	m.Set(s.lay.Session, colScopes, exp, []byte(strings.Join(sess.Scopes, " ")))     // ok ttlwrite/write-time
	m.Set(s.lay.Session, colIssued, bigtable.ServerTime, btx.Int(s.now().Unix()))    // want ttlwrite/server-timestamp
	m.Set(s.lay.Profile, "last_login", bigtable.ServerTime, btx.Int(s.now().Unix())) // ok ttlwrite/server-timestamp
	if sess.Device != "" {
		m.Set(s.lay.Session, colDevice, btx.Stamp(), []byte(sess.Device))     // want ttlwrite/write-time
		m.Set(s.lay.Profile, "last_device", btx.Stamp(), []byte(sess.Device)) // ok ttlwrite/write-time
	}
	if err := s.tbl.Apply(ctx, sessionKey(token), m); err != nil {
		return "", fmt.Errorf("create session: %w", err)
	}
	s.log.Info("session created", "tenant", sess.Tenant, "user", sess.User)
	return token, nil
}

func (s *Store) Touch(ctx context.Context, token, user, tenant string) error {
	seen := s.now()
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, colLastSeen, bigtable.Time(seen), btx.Int(seen.Unix()))            // want ttlwrite/write-time
	m.Set(s.lay.Session, colUser, bigtable.Time(seen.Add(s.ttl)), []byte(user))             // ok ttlwrite/write-time
	m.Set(s.lay.Session, colTenant, btx.Until(seen.Add(schema.SessionTTL)), []byte(tenant)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) StepUp(ctx context.Context, token, method string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(s.lay.Session, colStepUp)                             // ok ttlwrite/delete-after-set
	m.Set(s.lay.Session, colStepUp, btx.Expiry(10*time.Minute), []byte(method)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) StepDown(ctx context.Context, token string) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, colStepUp, bigtable.Time(s.now().Add(-time.Second)), nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) RotateCSRF(ctx context.Context, token string) (string, error) {
	secret, err := newToken()
	if err != nil {
		return "", err
	}
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, colCSRF, btx.Expiry(s.ttl), []byte(secret)) // ok ttlwrite/write-time
	m.DeleteCellsInColumn(s.lay.Session, colCSRF)                    // want ttlwrite/delete-after-set
	if err := s.tbl.Apply(ctx, sessionKey(token), m); err != nil {
		return "", err
	}
	return secret, nil
}

func (s *Store) Get(ctx context.Context, token string) (Session, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), btx.LiveOf(s.lay.Session)) // ok ttlread/missing-filter
	if err != nil {
		return Session{}, err
	}
	return s.decode(token, row)
}

func (s *Store) Peek(ctx context.Context, token string) (Session, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), btx.Newest(1)) // want ttlread/missing-filter
	if err != nil {
		return Session{}, err
	}
	return s.decode(token, row)
}

func (s *Store) decode(token string, row bigtable.Row) (Session, error) {
	out := Session{Token: token}
	items := row[s.lay.Session]
	if len(items) == 0 {
		return out, ErrNoSession
	}
	for _, it := range items {
		switch strings.TrimPrefix(it.Column, s.lay.Session+":") {
		case colUser:
			out.User = string(it.Value)
			out.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case colTenant:
			out.Tenant = string(it.Value)
		case colDevice:
			out.Device = string(it.Value)
		case colScopes:
			out.Scopes = strings.Fields(string(it.Value))
		case colIssued:
			out.CreatedAt = time.Unix(btx.ParseInt(it.Value), 0) // ok ttlage/not-write-time
		}
	}
	return out, nil
}

func (s *Store) Exists(ctx context.Context, token string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (s *Store) Confirmed(ctx context.Context, token string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Session),
		bigtable.ColumnFilter(colStepUp),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // ok ttlread/upper-bound
		bigtable.StripValueFilter(),
	)))
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

func (s *Store) LastSeen(ctx context.Context, token string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), btx.LiveOf(schema.FamSession)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	it, ok := btx.Item(row, schema.FamSession, colUser)
	if !ok {
		return 0, ErrNoSession
	}
	return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
}

func (s *Store) OfTenant(ctx context.Context, tenant string) ([]Session, error) {
	var out []Session
	now := s.now()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		sess := Session{Token: strings.TrimPrefix(row.Key(), "s#")}
		for _, it := range row[s.lay.Session] {
			if it.Timestamp.Time().Before(now) {
				continue
			}
			switch strings.TrimPrefix(it.Column, s.lay.Session+":") {
			case colUser:
				sess.User = string(it.Value)
			case colTenant:
				sess.Tenant = string(it.Value)
			}
		}
		if sess.Tenant == tenant {
			out = append(out, sess)
		}
		return true
	})
	return out, err
}

func (s *Store) OfUser(ctx context.Context, tenant, user string) ([]Session, error) {
	var (
		out  []Session
		derr error
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[ofuser]
		sess, err := s.decode(strings.TrimPrefix(row.Key(), "s#"), row)
		if err != nil {
			derr = err
			return false
		}
		if sess.Tenant == tenant && sess.User == user {
			out = append(out, sess)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[ofuser]
		bigtable.FamilyFilter(s.lay.Session), // want ttlread/missing-filter[ofuser]
		bigtable.LatestNFilter(1),
	)))
	return out, errors.Join(err, derr)
}

func (s *Store) Active(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	live := bigtable.TimestampRangeFilter(time.Time{}, time.Now())                       // want ttlread/expired-only[active]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/expired-only[active]
		counts[string(btx.Cell(row, s.lay.Session, colTenant))]++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Session), bigtable.ColumnFilter(colTenant), live))) // want ttlread/expired-only[active]
	return counts, err
}

func (s *Store) Recent(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	filter := bigtable.ChainFilters(
		bigtable.FamilyFilter(s.lay.Session),
		bigtable.ColumnFilter(colTenant),
		bigtable.TimestampRangeFilter(s.now().Add(-15*time.Minute), time.Time{}), // want ttlread/wrong-bound[recent]
	)
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // want ttlread/wrong-bound[recent]
		counts[string(btx.Cell(row, s.lay.Session, colTenant))]++
		return true
	}, bigtable.RowFilter(filter)) // want ttlread/wrong-bound[recent]
	return counts, err
}

func (s *Store) EndingSoon(ctx context.Context) ([]string, error) {
	var out []string
	now := s.now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Session), bigtable.ColumnFilter(colUser), bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute))) // want ttlread/upper-bound[ending]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool {                                                                         // want ttlread/upper-bound[ending]
		out = append(out, string(btx.Cell(row, s.lay.Session, colUser)))
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[ending]
	return out, err
}

func (s *Store) Window(ctx context.Context) ([]string, error) {
	var out []string
	now := s.now()
	f := bigtable.TimestampRangeFilter(now, now.Add(2*schema.SessionTTL))                // ok ttlread/upper-bound
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, string(btx.Cell(row, s.lay.Session, colUser)))
		return true
	}, bigtable.RowFilter(btx.Of(s.lay.Session, f)))
	return out, err
}

func (s *Store) Count(ctx context.Context) (int, error) {
	n := 0
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

func (s *Store) Purge(ctx context.Context, prefix string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(schema.Key("s", prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, row.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil || len(keys) == 0 {
		return err
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

func (s *Store) End(ctx context.Context, token string) error {
	m := bigtable.NewMutation()
	m.DeleteRow() // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) EndWithNote(ctx context.Context, token, note string) error {
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, "note", btx.Expiry(time.Hour), []byte(note)) // ok ttlwrite/write-time
	m.DeleteCellsInFamily(s.lay.Session)                              // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) Profile(ctx context.Context, tenant, user string) (Profile, error) {
	row, err := s.tbl.ReadRow(ctx, userKey(tenant, user)) // ok ttlread/missing-filter
	if err != nil {
		return Profile{}, err
	}
	p := Profile{
		User:   user,
		Name:   string(btx.Cell(row, s.lay.Profile, colName)),
		Email:  string(btx.Cell(row, s.lay.Profile, colEmail)),
		Locale: string(btx.Cell(row, s.lay.Profile, colLocale)),
	}
	for _, it := range row[s.lay.Profile] {
		if t := it.Timestamp.Time(); t.After(p.UpdatedAt) {
			p.UpdatedAt = t // ok ttlage/not-write-time
		}
	}
	return p, nil
}

func (s *Store) Card(ctx context.Context, tenant, user string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, userKey(tenant, user), bigtable.RowFilter(btx.Live())) // want ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	name := btx.Cell(row, s.lay.Profile, colName)
	token := btx.Cell(row, s.lay.Session, colUser)
	return fmt.Sprintf("%s (%s)", name, token), nil
}

func (s *Store) LiveToken(ctx context.Context, token string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), bigtable.RowFilter(btx.Live())) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	return string(btx.Cell(row, s.lay.Session, colUser)), nil
}

func (s *Store) Whole(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Session+"|"+s.lay.Invite), btx.Live()), // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Profile), bigtable.LatestNFilter(1)),   // ok ttlread/unfiltered-branch
	)))
}

func (s *Store) WholeQuick(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[quick]
		bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Session), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[quick]
		bigtable.ChainFilters(bigtable.FamilyFilter(s.lay.Profile), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)))
}

func (s *Store) IfLive(ctx context.Context, token string) (Session, error) {
	f := bigtable.ConditionFilter(btx.Live(), bigtable.FamilyFilter(s.lay.Session), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[iflive]
	row, err := s.tbl.ReadRow(ctx, sessionKey(token), bigtable.RowFilter(f))                                   // want ttlread/unfiltered-branch[iflive]
	if err != nil {
		return Session{}, err
	}
	return s.decode(token, row)
}

func (s *Store) Dump(ctx context.Context, key string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

func (s *Store) Devices(ctx context.Context, tenant, device string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, deviceKey(tenant, device), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/limit-before-filter[devices]
		bigtable.FamilyFilter(s.lay.Session),
		bigtable.CellsPerRowLimitFilter(10), // want ttlread/limit-before-filter[devices]
		btx.Live(),                          // want ttlread/limit-before-filter[devices]
	))) // want ttlread/limit-before-filter[devices]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[s.lay.Session] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

func (s *Store) Search(ctx context.Context, prefix, scope string) ([]string, error) {
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(schema.Key("s", prefix)), func(row bigtable.Row) bool { // want ttlread/overridden-filter[search] // maybe ttlread/*
		out = append(out, string(btx.Cell(row, s.lay.Session, colScopes)))
		return true
	},
		bigtable.RowFilter(btx.Of(s.lay.Session, btx.Live())),     // want ttlread/overridden-filter[search] // maybe ttlread/*
		bigtable.RowFilter(bigtable.ValueFilter(".*"+scope+".*")), // want ttlread/overridden-filter[search] // maybe ttlread/*
		bigtable.LimitRows(100),
	)
	return out, err
}

func (s *Store) SearchLive(ctx context.Context, prefix, scope string) ([]string, error) {
	var out []string
	opts := []bigtable.ReadOption{bigtable.LimitRows(100)}
	f := bigtable.ChainFilters(btx.Of(s.lay.Session, btx.Live()), bigtable.ColumnFilter(colScopes), bigtable.ValueFilter(".*"+scope+".*"))
	opts = append(opts, bigtable.RowFilter(f))                                                              // ok ttlread/overridden-filter
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(schema.Key("s", prefix)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, string(btx.Cell(row, s.lay.Session, colScopes)))
		return true
	}, opts...)
	return out, err
}

func (s *Store) SaveProfile(ctx context.Context, tenant string, p Profile) error {
	m := bigtable.NewMutation()
	btx.Put(m, s.lay.Profile, colName, btx.Stamp(), p.Name)           // ok ttlwrite/write-time
	btx.Put(m, s.lay.Profile, colEmail, bigtable.ServerTime, p.Email) // ok ttlwrite/server-timestamp
	btx.Put(m, s.lay.Profile, colLocale, bigtable.Now(), p.Locale)    // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, userKey(tenant, p.User), m)
}

func (s *Store) Remember(ctx context.Context, token, series string) error {
	m := bigtable.NewMutation()
	btx.Put(m, s.lay.Session, "series", bigtable.ServerTime, series)              // want ttlwrite/server-timestamp
	btx.Put(m, s.lay.Session, "series_hash", btx.Expiry(30*24*time.Hour), series) // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) Attempt(ctx context.Context, tenant, user string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(s.lay.Session, "failed", 1)       // want ttlwrite/read-modify-write
	rmw.Increment(s.lay.Profile, "failed_total", 1) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, userKey(tenant, user), rmw)
	if err != nil {
		return 0, err
	}
	return btx.ParseInt(btx.Cell(row, s.lay.Session, "failed")), nil
}

func (s *Store) Trail(ctx context.Context, token, page string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamSession, "trail", []byte(page+"\n")) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, sessionKey(token), rmw)
	return err
}

func (s *Store) Extend(ctx context.Context, token, user string, by time.Duration) error {
	if by <= 0 || by > 24*time.Hour {
		by = time.Hour
	}
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, colUser, bigtable.Now()+bigtable.Timestamp(by), []byte(user))          // want ttlunit/wrong-unit
	m.Set(s.lay.Session, "extended", bigtable.Now()+bigtable.Timestamp(by.Microseconds()), nil) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, sessionKey(token), m)
}

func (s *Store) Import(ctx context.Context, token, user, tenant, until string) error {
	sec, err := strconv.ParseInt(until, 10, 64)
	if err != nil {
		return fmt.Errorf("import %s: %w", user, err)
	}
	end := time.Unix(sec, 0)
	m := bigtable.NewMutation()
	m.Set(s.lay.Session, colUser, bigtable.Timestamp(end.Unix()), []byte(user))         // want ttlunit/wrong-unit
	m.Set(s.lay.Session, colTenant, bigtable.Timestamp(end.Unix()*1e6), []byte(tenant)) // ok ttlunit/wrong-unit
	m.Set(s.lay.Session, colDevice, bigtable.Time(end), []byte("import"))               // ok ttlwrite/write-time
	m.Set(s.lay.Session, colScopes, 0, []byte("read"))                                  // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, sessionKey(token), m)
}
