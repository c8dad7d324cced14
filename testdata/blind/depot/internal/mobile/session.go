// Package mobile serves the drivers' telephones: sessions and messages.
package mobile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// SessionFor is how long a session lasts without a sign of life.
const SessionFor = 30 * time.Minute

// Columns of sessions.
const (
	colJWT    = "jwt"
	colNonce  = "nonce"
	colDevice = "device"
	colName   = "name"
)

// Driver is who is in a session.
type Driver struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Device  string    `json:"device"`
	Since   time.Time `json:"since"`
	Expires time.Time `json:"expires"`
}

// ErrSession says that there is no such session.
var ErrSession = errors.New("no session")

// Sessions are the sessions. The table is opened by the program.
type Sessions struct {
	table  bt.Table
	now    func() time.Time
	expiry func(now time.Time) time.Time
}

// SessionOption changes how sessions are kept.
type SessionOption func(*Sessions)

// LastingFor gives sessions another lifetime.
func LastingFor(d time.Duration) SessionOption {
	return func(s *Sessions) { s.expiry = func(now time.Time) time.Time { return now.Add(d) } }
}

// NewSessions makes sessions.
func NewSessions(t bt.Table, opts ...SessionOption) *Sessions {
	s := &Sessions{table: t, now: time.Now}
	LastingFor(SessionFor)(s)
	for _, o := range opts {
		o(s)
	}
	return s
}

// edit is a mutation under way.
type edit struct{ m *bigtable.Mutation }

func newEdit() edit { return edit{bigtable.NewMutation()} }

// token writes a cell that dies at a moment.
func (e edit) token(column string, at bigtable.Timestamp, v []byte) {
	e.m.Set(string(names.Token), column, at, v)
}

// profile writes a cell that stays.
func (e edit) profile(column string, v []byte) {
	e.m.Set(string(names.Profile), column, bigtable.Now(), v) // ok ttlwrite/write-time
}

func hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:12])
}

// Start begins a session.
func (s *Sessions) Start(ctx context.Context, d Driver, jwt string) (string, error) {
	now := s.now()
	id := hash(d.ID + jwt)
	e := newEdit()
	e.token(colJWT, bigtable.Time(s.expiry(now)), []byte(jwt))             // ok ttlwrite/write-time
	e.token(colNonce, bigtable.Time(now.Add(time.Minute)), []byte(id[:6])) // ok ttlwrite/write-time
	e.token(colDevice, bigtable.Time(now), []byte(d.Device))               // want ttlwrite/write-time
	e.profile(colName, []byte(d.Name))
	if err := s.table.Apply(ctx, id, e.m); err != nil {
		return "", fmt.Errorf("start session: %w", err)
	}
	return id, nil
}

// Touch keeps a session alive.
func (s *Sessions) Touch(ctx context.Context, id, jwt string) error {
	e := newEdit()
	e.m.DeleteCellsInColumn(string(names.Token), colJWT)
	e.token(colJWT, bigtable.Time(s.expiry(s.now())), []byte(jwt)) // ok ttlwrite/delete-after-set
	return s.table.Apply(ctx, id, e.m)
}

// Swap replaces the token of a session, and the old one goes.
func (s *Sessions) Swap(ctx context.Context, id, jwt string) error {
	e := newEdit()
	e.token(colJWT, bigtable.Time(s.expiry(s.now())), []byte(jwt))
	e.m.DeleteCellsInColumn(string(names.Token), colJWT) // want ttlwrite/delete-after-set
	return s.table.Apply(ctx, id, e.m)
}

// Nonce gives a session a new number.
func (s *Sessions) Nonce(ctx context.Context, id, nonce string) error {
	e := newEdit()
	e.token(colNonce, bigtable.ServerTime, []byte(nonce)) // want ttlwrite/server-timestamp
	return s.table.Apply(ctx, id, e.m)
}

// NonceFor gives a session a new number that is good for a minute.
func (s *Sessions) NonceFor(ctx context.Context, id, nonce string) error {
	e := newEdit()
	e.token(colNonce, bt.In(time.Minute).Timestamp(), []byte(nonce)) // ok ttlwrite/server-timestamp
	return s.table.Apply(ctx, id, e.m)
}

// Pair ties a session to a scanner.
func (s *Sessions) Pair(ctx context.Context, id, scanner string) error {
	e := newEdit()
	e.token("scanner", bigtable.Now(), []byte(scanner)) // want ttlwrite/write-time
	e.profile("scanner", []byte(scanner))
	return s.table.Apply(ctx, id, e.m)
}

// PairFor ties a session to a scanner for a shift.
func (s *Sessions) PairFor(ctx context.Context, id, scanner string) error {
	e := newEdit()
	e.token("scanner", bigtable.Now()+8*3600*1e6, []byte(scanner)) // ok ttlwrite/write-time
	return s.table.Apply(ctx, id, e.m)
}

// End ends a session.
func (s *Sessions) End(ctx context.Context, id string) error {
	e := newEdit()
	e.token(colJWT, bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range|ttlwrite/already-expired
	return s.table.Apply(ctx, id, e.m)
}

// EndNow ends a session by deleting it.
func (s *Sessions) EndNow(ctx context.Context, id string) error {
	e := newEdit()
	e.m.DeleteCellsInFamily(string(names.Token))
	e.profile("ended", []byte(id)) // ok ttlwrite/delete-after-set
	return s.table.Apply(ctx, id, e.m)
}

// Kick ends the sessions of a device: what they leave is overwritten by
// something that is over.
func (s *Sessions) Kick(ctx context.Context, ids iter.Seq[string]) error {
	yesterday := s.now().AddDate(0, 0, -1)
	writes := seqx.Map(ids, func(id string) bt.Write {
		e := newEdit()
		e.token(colJWT, bigtable.Time(yesterday), []byte("kicked")) // want ttlwrite/already-expired
		return bt.Write{Key: id, Mut: e.m}
	})
	return bt.Bulk(ctx, s.table, writes, 100)
}

// Failures counts wrong codes.
func (s *Sessions) Failures(ctx context.Context, t *bigtable.Table, id string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "failures", 1)   // want ttlwrite/read-modify-write
	rmw.Increment("profile", "failures", 1) // ok ttlwrite/read-modify-write
	row, err := t.ApplyReadModifyWrite(ctx, id, rmw)
	return int64(len(row)), err
}

// mode says what a reader wants to see.
type mode int

const (
	alive mode = iota
	newest
	everything
)

func (s *Sessions) filter(md mode) bigtable.Filter {
	switch md {
	case alive:
		return bt.LiveOnly(names.Token, s.now())
	case newest:
		return bigtable.ChainFilters(bt.Only(names.Token), bigtable.LatestNFilter(1))
	}
	return bt.Only(names.Token, names.Profile)
}

func (s *Sessions) read(ctx context.Context, id string, f bigtable.Filter) (Driver, error) {
	row, err := bt.One(ctx, s.table, id, bigtable.RowFilter(f))
	if err != nil {
		return Driver{}, errors.Join(ErrSession, err)
	}
	d := Driver{ID: id}
	for it := range bt.Items(row, names.Token) {
		switch bt.Qualifier(it) {
		case colDevice:
			d.Device = string(it.Value)
		case colJWT:
			d.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	if v, ok := bt.Value(row, names.Profile, colName); ok {
		d.Name = string(v)
	}
	return d, nil
}

// Get reads a session.
func (s *Sessions) Get(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, s.filter(alive)) // ok ttlread/missing-filter
}

// GetLatest reads a session by its newest cells.
func (s *Sessions) GetLatest(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, s.filter(newest)) // want ttlread/missing-filter
}

// GetAll reads a session with the driver's name.
func (s *Sessions) GetAll(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, s.filter(everything)) // want ttlread/missing-filter
}

// GetBoth reads a session with the driver's name, each by its rule.
func (s *Sessions) GetBoth(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, bigtable.InterleaveFilters(s.filter(alive), bt.Newest(names.Profile))) // ok ttlread/unfiltered-branch
}

// GetEither reads a session with the driver's name.
func (s *Sessions) GetEither(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, bigtable.InterleaveFilters(s.filter(newest), bt.Newest(names.Profile))) // want ttlread/unfiltered-branch
}

// GetOld reads what a session was.
func (s *Sessions) GetOld(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, bigtable.ChainFilters(bt.Only(names.Token), bigtable.TimestampRangeFilter(time.Unix(0, 0), s.now()))) // want ttlread/expired-only
}

// GetSoon reads a session that ends within a minute.
func (s *Sessions) GetSoon(ctx context.Context, id string) (Driver, error) {
	now := s.now()
	return s.read(ctx, id, bigtable.ChainFilters(bt.Only(names.Token), bigtable.TimestampRangeFilter(now, now.Add(time.Minute)))) // want ttlread/upper-bound
}

// GetUsual reads a session that does not end later than sessions do.
func (s *Sessions) GetUsual(ctx context.Context, id string) (Driver, error) {
	now := s.now()
	return s.read(ctx, id, bigtable.ChainFilters(bt.Only(names.Token), bigtable.TimestampRangeFilter(now, now.Add(time.Hour)))) // ok ttlread/upper-bound
}

// GetGrace reads a session with half an hour of grace.
func (s *Sessions) GetGrace(ctx context.Context, id string) (Driver, error) {
	return s.read(ctx, id, bigtable.ChainFilters(bt.Only(names.Token), bt.Since(s.now(), SessionFor))) // want ttlread/wrong-bound
}

// Name is the name of the driver of a session.
func (s *Sessions) Name(ctx context.Context, id string) (string, error) {
	row, err := s.table.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.Value(row, names.Profile, colName)
	return strings.TrimSpace(string(v)), nil
}

// Idle yields the sessions that nobody has touched for d.
func (s *Sessions) Idle(ctx context.Context, d time.Duration) iter.Seq2[string, error] {
	now := s.now()
	return func(yield func(string, error) bool) {
		for row, err := range bt.Rows(ctx, s.table, bigtable.InfiniteRange(""), bt.With(bt.LiveOnly(names.Token, now))) { // ok ttlread/missing-filter
			if err != nil {
				yield("", err)
				return
			}
			for it := range bt.Items(row, names.Token) {
				if now.Sub(it.Timestamp.Time()) > d && !yield(row.Key(), nil) { // want ttlage/not-write-time
					return
				}
			}
		}
	}
}

// IdleBy is Idle by what is left of a session.
func (s *Sessions) IdleBy(ctx context.Context, d time.Duration) iter.Seq2[string, error] {
	now := s.now()
	return func(yield func(string, error) bool) {
		for row, err := range bt.Rows(ctx, s.table, bigtable.InfiniteRange(""), bt.With(bt.LiveOnly(names.Token, now))) {
			if err != nil {
				yield("", err)
				return
			}
			for it := range bt.Items(row, names.Token) {
				if it.Timestamp.Time().Sub(now) < SessionFor-d && !yield(row.Key(), nil) { // ok ttlage/not-write-time
					return
				}
			}
		}
	}
}

// Describe is a session as the support sees it.
func (s *Sessions) Describe(ctx context.Context, id string) ([]byte, error) {
	row, err := bt.One(ctx, s.table, id, bt.With(bt.LiveOnly(names.Token, s.now())))
	if err != nil {
		return nil, err
	}
	type cell struct {
		Column     string    `json:"column"`
		ModifiedAt time.Time `json:"modified"`
		ExpiresAt  time.Time `json:"expires"`
	}
	var cells []cell
	for it := range bt.Items(row, names.Token) {
		c := cell{Column: bt.Qualifier(it)}
		c.ModifiedAt = it.Timestamp.Time() // want ttlage/not-write-time
		c.ExpiresAt = it.Timestamp.Time()  // ok ttlage/not-write-time
		cells = append(cells, c)
	}
	return json.Marshal(cells)
}

// StartOnce begins a session, unless the driver has one.
func (s *Sessions) StartOnce(ctx context.Context, id, jwt string) (started bool, err error) {
	e := newEdit()
	e.token(colJWT, bigtable.Time(s.expiry(s.now())), []byte(jwt))
	has := false
	cond := bigtable.NewCondMutation(s.filter(newest), nil, e.m) // want ttlread/conditional-mutation
	err = s.table.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&has))
	return !has, err
}

// StartNew is StartOnce by the clock.
func (s *Sessions) StartNew(ctx context.Context, id, jwt string) (started bool, err error) {
	e := newEdit()
	e.token(colJWT, bigtable.Time(s.expiry(s.now())), []byte(jwt))
	has := false
	cond := bigtable.NewCondMutation(s.filter(alive), nil, e.m) // ok ttlread/conditional-mutation
	err = s.table.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&has))
	return !has, err
}
