// Package sessionsvc has the sellers' logins.
package sessionsvc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"strconv"
	"time"

	cbt "cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// ErrNoSession is returned for tokens that nobody has.
var ErrNoSession = errors.New("sessionsvc: no session")

// bootTS stamps what is written on behalf of this release.
var bootTS = cbt.Now() // want ttlwrite/stale-clock[bootts]

// Login is a session as handlers see it.
type Login struct {
	Seller    string
	Agent     string
	CreatedAt time.Time
	Started   time.Time
	Left      time.Duration
}

// Store is the part of a table that sessions use.
type Store interface {
	ReadRow(ctx context.Context, row string, opts ...cbt.ReadOption) (cbt.Row, error)
	ReadRows(ctx context.Context, arg cbt.RowSet, f func(cbt.Row) bool, opts ...cbt.ReadOption) error
	Apply(ctx context.Context, row string, m *cbt.Mutation, opts ...cbt.ApplyOption) error
	ApplyReadModifyWrite(ctx context.Context, row string, m *cbt.ReadModifyWrite) (cbt.Row, error)
}

// Sessions has the logins.
type Sessions struct {
	store    Store
	logins   *mapper.Repo[*model.SellerSession]
	support  *mapper.Repo[*model.Impersonation]
	devices  *mapper.Repo[*model.Device]
	log      *slog.Logger
	lifetime time.Duration
}

// New makes the store of sessions.
func New(client *cbt.Client, log *slog.Logger) *Sessions {
	tbl := client.Open(schema.TableSessions)
	return &Sessions{
		store:    tbl,
		logins:   mapper.NewRepo[*model.SellerSession](tbl, mapper.WithLog(log)), // want ttlread/missing-filter[getlogin] ttlread/wrong-bound[getrecent] ttlread/missing-filter[eachlogin]
		support:  mapper.NewRepo[*model.Impersonation](tbl, mapper.WithLog(log)),
		devices:  mapper.NewRepo[*model.Device](tbl, mapper.WithLog(log)),
		log:      log,
		lifetime: schema.SessionTTL,
	}
}

func key(token string) string { return "sess#" + token }

// valid passes the sessions that count.
func valid() cbt.Filter {
	return cbt.ChainFilters(
		cbt.FamilyFilter(schema.FamTok),
		cbt.TimestampRangeFilter(time.Now().Add(-schema.SessionTTL), time.Time{}),
		cbt.LatestNFilter(1),
	)
}

// custom is the timestamp of a session that lives for d rather than as long as others.
func custom(d time.Duration) cbt.Timestamp {
	return cbt.Time(time.Now().Add(d - schema.SessionTTL))
}

// Start logs a seller in.
func (s *Sessions) Start(ctx context.Context, seller, agent string) (string, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	token := hex.EncodeToString(b)
	if err := s.logins.Save(ctx, &model.SellerSession{Token: token, Seller: seller}); err != nil { // ok ttlwrite/write-time
		return "", err
	}
	if err := s.devices.Save(ctx, &model.Device{Token: token, Agent: agent}); err != nil { // ok ttlwrite/server-timestamp
		return "", err
	}
	return token, nil
}

// Impersonate logs support in as a seller.
func (s *Sessions) Impersonate(ctx context.Context, token, seller, agent string) error {
	i := &model.Impersonation{Agent: agent}
	i.Token, i.Seller = token, seller
	return s.support.Save(ctx, i) // ok ttlwrite/already-expired
}

// Kiosk logs the shop's terminal in, for eight hours.
func (s *Sessions) Kiosk(ctx context.Context, token, shop string) error {
	mut := cbt.NewMutation()
	mut.DeleteCellsInColumn(schema.FamTok, "seller")
	mut.Set(schema.FamTok, "seller", custom(8*time.Hour), []byte(shop))                    // ok ttlwrite/already-expired
	mut.Set(schema.FamTok, "csrf", cbt.ServerTime, []byte(token[:8]))                      // ok ttlwrite/server-timestamp
	mut.Set(schema.FamDevice, "agent", cbt.Now(), []byte("kiosk"))                         // ok ttlwrite/write-time
	mut.Set(schema.FamDevice, "since", cbt.Timestamp(time.Now().UnixMilli()), []byte("1")) // want ttlunit/wrong-unit
	return s.store.Apply(ctx, key(token), mut)
}

// Remember marks a device as known.
func (s *Sessions) Remember(ctx context.Context, token, ip string) error {
	mut := cbt.NewMutation()
	mut.Set(schema.FamDevice, "ip", cbt.Timestamp(time.Now().UnixMicro()), []byte(ip))   // ok ttlunit/wrong-unit
	mut.Set(schema.FamTok, "ip", cbt.Timestamp(time.Now().Unix()*1e6), []byte(ip))       // ok ttlunit/wrong-unit
	mut.Set(schema.FamTok, "last-ip", cbt.Timestamp(time.Now().Unix()*1000), []byte(ip)) // want ttlunit/wrong-unit
	return s.store.Apply(ctx, key(token), mut)
}

// Logout ends a session.
func (s *Sessions) Logout(ctx context.Context, token string) error {
	mut := cbt.NewMutation()
	mut.DeleteRow()
	return s.store.Apply(ctx, key(token), mut)
}

// Revoke ends a session but leaves the device.
func (s *Sessions) Revoke(ctx context.Context, token string) error {
	mut := cbt.NewMutation()
	mut.Set(schema.FamTok, "seller", cbt.Time(time.Now().Add(-s.lifetime)), nil) // want ttlwrite/already-expired
	mut.Set(schema.FamDevice, "revoked", cbt.Now(), []byte("1"))                 // ok ttlwrite/write-time
	return s.store.Apply(ctx, key(token), mut)
}

// Demote leaves a session a day.
func (s *Sessions) Demote(ctx context.Context, token, seller string) error {
	mut := cbt.NewMutation()
	mut.DeleteCellsInColumn(schema.FamTok, "seller")
	mut.Set(schema.FamTok, "seller", cbt.Time(time.Now().Add(-29*24*time.Hour)), []byte(seller)) // ok ttlwrite/already-expired
	return s.store.Apply(ctx, key(token), mut)
}

// Release notes which release touched a session.
func (s *Sessions) Release(ctx context.Context, token, version string) error {
	mut := cbt.NewMutation()
	mut.Set(schema.FamTok, "release", bootTS, []byte(version))    // want ttlwrite/stale-clock[bootts]
	mut.Set(schema.FamDevice, "release", bootTS, []byte(version)) // ok ttlwrite/stale-clock
	return s.store.Apply(ctx, key(token), mut)
}

// Default writes the defaults of a new shop.
func (s *Sessions) Default(ctx context.Context, token, lang string) error {
	mut := cbt.NewMutation()
	mut.Set(schema.FamTok, "lang", 0, []byte(lang))    // want ttlwrite/already-expired
	mut.Set(schema.FamDevice, "lang", 0, []byte(lang)) // ok ttlwrite/already-expired
	return s.store.Apply(ctx, key(token), mut)
}

// Hit counts requests of a session.
func (s *Sessions) Hit(ctx context.Context, token string) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment(schema.FamTok, "hits", 1) // ok ttlwrite/read-modify-write
	_, err := s.store.ApplyReadModifyWrite(ctx, key(token), rmw)
	return err
}

// Of is the session of a token.
func (s *Sessions) Of(ctx context.Context, token string) (*model.SellerSession, error) {
	v := &model.SellerSession{Token: token}
	err := s.logins.Get(ctx, key(token), v) // want ttlread/missing-filter[getlogin]
	if errors.Is(err, mapper.ErrNotFound) {
		return nil, ErrNoSession
	}
	return v, err
}

// Check is the session of a token, for the middleware.
func (s *Sessions) Check(ctx context.Context, token string) (*model.SellerSession, error) {
	v := &model.SellerSession{Token: token}
	if err := s.logins.Get(ctx, key(token), v, valid()); err != nil { // ok ttlread/missing-filter
		return nil, err
	}
	return v, nil
}

// Fresh is the session of a token if it began lately; sensitive pages ask for it.
func (s *Sessions) Fresh(ctx context.Context, token string) (*model.SellerSession, error) {
	v := &model.SellerSession{Token: token}
	f := mapper.Where().Family(schema.FamTok).Live().Latest(1).Filter() // want ttlread/wrong-bound[getrecent]
	if err := s.logins.Get(ctx, key(token), v, f); err != nil {         // want ttlread/wrong-bound[getrecent]
		return nil, err
	}
	return v, nil
}

// DeviceOf is the device of a session.
func (s *Sessions) DeviceOf(ctx context.Context, token string) (*model.Device, error) {
	d := &model.Device{Token: token}
	if err := s.devices.Get(ctx, key(token), d); err != nil { // ok ttlread/missing-filter
		return nil, err
	}
	return d, nil
}

// Sellers are the sellers with a session.
func (s *Sessions) Sellers(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	err := s.logins.Each(ctx, "sess#", func() *model.SellerSession { return new(model.SellerSession) }, nil, func(v *model.SellerSession) bool { // want ttlread/missing-filter[eachlogin]
		seen[v.Seller] = true
		return true
	})
	out := make([]string, 0, len(seen))
	for k := range seen {
		out = append(out, k)
	}
	sort.Strings(out)
	return out, err
}

// ActiveSellers are the sellers with a session that counts.
func (s *Sessions) ActiveSellers(ctx context.Context) ([]string, error) {
	var out []string
	q := mapper.Where().Family(schema.FamTok).Since(time.Now().Add(-s.lifetime)).Latest(1)
	err := s.logins.Each(ctx, "sess#", func() *model.SellerSession { return new(model.SellerSession) }, q, func(v *model.SellerSession) bool { // ok ttlread/wrong-bound
		out = append(out, v.Seller)
		return true
	})
	return out, err
}

// Get is a session without the mapper.
func (s *Sessions) Get(ctx context.Context, token string) (*Login, error) {
	row, err := s.store.ReadRow(ctx, key(token), cbt.RowFilter(cbt.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	return login(row)
}

// login reads a row.
func login(row cbt.Row) (*Login, error) {
	var l Login
	for _, it := range row[schema.FamTok] {
		switch it.Column {
		case "tok:seller":
			l.Seller = string(it.Value)
			l.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case "tok:started":
			if n, err := strconv.ParseInt(string(it.Value), 10, 64); err == nil {
				l.Started = time.Unix(n, 0) // ok ttlage/not-write-time
			}
		}
	}
	for _, it := range row[schema.FamDevice] {
		if it.Column == "device:agent" {
			l.Agent = string(it.Value)
		}
	}
	if l.Seller == "" {
		return nil, ErrNoSession
	}
	return &l, nil
}

// Valid is a session without the mapper, if it counts.
func (s *Sessions) Valid(ctx context.Context, token string) (*Login, error) {
	f := cbt.InterleaveFilters(valid(), cbt.FamilyFilter(schema.FamDevice))
	row, err := s.store.ReadRow(ctx, key(token), cbt.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	return login(row)
}

// Today is a session that began today.
func (s *Sessions) Today(ctx context.Context, token string) (*Login, error) {
	since := time.Now().Add(-24 * time.Hour)
	f := cbt.ChainFilters(cbt.FamilyFilter(schema.FamTok), cbt.TimestampRangeFilter(since, time.Time{})) // want ttlread/wrong-bound[today]
	row, err := s.store.ReadRow(ctx, key(token), cbt.RowFilter(f))                                       // want ttlread/wrong-bound[today]
	if err != nil {
		return nil, err
	}
	return login(row)
}

// Tidy lists the sessions that are over.
func (s *Sessions) Tidy(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	f := cbt.ChainFilters(cbt.FamilyFilter(schema.FamTok), cbt.TimestampRangeFilter(time.Time{}, time.Now().Add(-schema.SessionTTL))) // want ttlread/expired-only[tidy]
	err := s.store.ReadRows(ctx, cbt.PrefixRange("sess#"), func(row cbt.Row) bool {                                                   // want ttlread/expired-only[tidy]
		for _, it := range row[schema.FamTok] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, cbt.RowFilter(f)) // want ttlread/expired-only[tidy]
	return out, err
}

// Until lists the sessions from a month ago to now.
func (s *Sessions) Until(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	now := time.Now()
	err := s.store.ReadRows(ctx, cbt.PrefixRange("sess#"), func(row cbt.Row) bool { // want ttlread/upper-bound[r4]
		for _, it := range row[schema.FamTok] {
			out[row.Key()] = string(it.Value)
		}
		return true
	}, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(schema.FamTok), cbt.TimestampRangeFilter(now.Add(-schema.SessionTTL), now)))) // want ttlread/upper-bound[r4]
	return out, err
}

// Idle lists the sessions that have been there for a week.
func (s *Sessions) Idle(ctx context.Context) ([]string, error) {
	var out []string
	now := time.Now()
	err := s.store.ReadRows(ctx, cbt.PrefixRange("sess#"), func(row cbt.Row) bool {
		for _, it := range row[schema.FamTok] {
			if now.Sub(it.Timestamp.Time()) > 7*24*time.Hour { // want ttlage/not-write-time
				out = append(out, row.Key())
			}
		}
		return true
	}, cbt.RowFilter(valid())) // ok ttlread/missing-filter
	return out, err
}

// Left says how long sessions still last.
func (s *Sessions) Left(ctx context.Context) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	err := s.store.ReadRows(ctx, cbt.PrefixRange("sess#"), func(row cbt.Row) bool {
		for _, it := range row[schema.FamTok] {
			end := it.Timestamp.Time().Add(schema.SessionTTL)
			if end.Before(time.Now()) {
				continue
			}
			out[row.Key()] = time.Until(end) // ok ttlage/not-write-time
		}
		return true
	}, cbt.RowFilter(cbt.FamilyFilter(schema.FamTok))) // ok ttlread/missing-filter
	return out, err
}

// Devices lists the devices by when they were seen.
func (s *Sessions) Devices(ctx context.Context) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	err := s.store.ReadRows(ctx, cbt.PrefixRange("sess#"), func(row cbt.Row) bool {
		for _, it := range row[schema.FamDevice] {
			out[row.Key()] = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		return true
	}, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter(schema.FamDevice), cbt.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{})))) // ok ttlread/wrong-bound
	return out, err
}

// Exists says whether a token is known.
func (s *Sessions) Exists(ctx context.Context, token string) bool {
	row, err := s.store.ReadRow(ctx, key(token), cbt.RowFilter(cbt.StripValueFilter())) // want ttlread/missing-filter
	if err != nil {
		s.log.Warn("session lookup failed", "err", err)
		return false
	}
	return len(row) > 0
}

// Claim gives a token to a seller unless it is taken.
func (s *Sessions) Claim(ctx context.Context, token, seller string) (bool, error) {
	set := cbt.NewMutation()
	set.Set(schema.FamTok, "seller", cbt.ServerTime, []byte(seller)) // ok ttlwrite/server-timestamp
	var taken bool
	cond := cbt.NewCondMutation(cbt.ChainFilters(cbt.FamilyFilter(schema.FamTok), cbt.ColumnFilter("seller")), nil, set) // want ttlread/conditional-mutation
	err := s.store.Apply(ctx, key(token), cond, cbt.GetCondMutationResult(&taken))
	return !taken, err
}

// ClaimSafe gives a token to a seller unless it is taken by a session that counts.
func (s *Sessions) ClaimSafe(ctx context.Context, token, seller string) (bool, error) {
	set := cbt.NewMutation()
	set.Set(schema.FamTok, "seller", cbt.ServerTime, []byte(seller)) // ok ttlwrite/server-timestamp
	var taken bool
	cond := cbt.NewCondMutation(valid(), nil, set) // ok ttlread/conditional-mutation
	err := s.store.Apply(ctx, key(token), cond, cbt.GetCondMutationResult(&taken))
	return !taken, err
}

// read is how the admin pages look at sessions; expired ones too if asked.
func (s *Sessions) read(ctx context.Context, token string, f cbt.Filter) (cbt.Row, error) {
	row, err := s.store.ReadRow(ctx, key(token), cbt.RowFilter(f))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", token, err)
	}
	return row, nil
}

// AdminToken is the token's cells for the admin pages.
func (s *Sessions) AdminToken(ctx context.Context, token string) ([]byte, error) {
	row, err := s.read(ctx, token, cbt.FamilyFilter(schema.FamTok)) // want ttlread/missing-filter
	if err != nil || len(row[schema.FamTok]) == 0 {
		return nil, err
	}
	return row[schema.FamTok][0].Value, nil
}

// AdminValid is the token's cells for the admin pages, if the session counts.
func (s *Sessions) AdminValid(ctx context.Context, token string) ([]byte, error) {
	row, err := s.read(ctx, token, valid()) // ok ttlread/missing-filter
	if err != nil || len(row[schema.FamTok]) == 0 {
		return nil, err
	}
	return row[schema.FamTok][0].Value, nil
}

// AdminDevice is the device's cells for the admin pages.
func (s *Sessions) AdminDevice(ctx context.Context, token string) (string, error) {
	row, err := s.read(ctx, token, cbt.FamilyFilter(schema.FamDevice)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamDevice] {
		return "seen " + it.Timestamp.Time().Format(time.RFC3339), nil // ok ttlage/not-write-time
	}
	return "", nil
}
