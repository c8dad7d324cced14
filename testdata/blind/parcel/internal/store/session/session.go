// Package session keeps the couriers' app sessions.
//
// Table "sessions", one row per courier: "token" holds what expires (timestamp = moment of expiry), "device" what does not.
package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"northlane.example/parcel/internal/bt"
	"northlane.example/parcel/internal/logx"
	"northlane.example/parcel/internal/retry"
)

// TableName is the table's name.
const TableName = "sessions"

const (
	famToken  = "token"
	famDevice = "device"

	colJWT     = "jwt"
	colRefresh = "refresh"
	colPush    = "push"
	colPin     = "pin"
	colModel   = "model"
	colOS      = "os"

	defaultTTL = 12 * time.Hour
	pinTTL     = 5 * time.Minute
)

// Session is what a courier's app gets.
type Session struct {
	Courier   string
	JWT       string
	Refresh   string
	ExpiresAt time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
	Model     string
}

// Grant is what the login service wants written.
type Grant struct {
	Courier string
	JWT     string
	Expires time.Time
}

type table interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
}

// Store reads and writes sessions.
type Store struct {
	tbl table
	now func() time.Time
	ttl time.Duration
	log *slog.Logger
}

// Option configures a Store.
type Option func(*Store)

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *Store) { s.now = now } }

// WithTTL replaces the usual lifetime.
func WithTTL(d time.Duration) Option { return func(s *Store) { s.ttl = d } }

// WithLogger replaces the default logger.
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.log = l } }

// New returns a Store.
func New(c *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: c.Open(TableName), now: time.Now, ttl: defaultTTL, log: slog.Default()}
	for _, o := range opts {
		o(s)
	}
	return s
}

func rowKey(courier string) string {
	h := sha256.Sum256([]byte(courier))
	return hex.EncodeToString(h[:4]) + "#" + courier
}

// Issue writes a new session with the usual lifetime.
func (s *Store) Issue(ctx context.Context, courier, jwt, model string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(famToken, colJWT)
	m.Set(famToken, colJWT, bigtable.Time(s.now().Add(s.ttl)), []byte(jwt)) // ok ttlwrite/write-time ttlwrite/delete-after-set
	m.Set(famDevice, colModel, bigtable.Now(), []byte(model))               // ok ttlwrite/write-time
	m.Set(famDevice, colOS, bigtable.ServerTime, []byte("android"))         // ok ttlwrite/server-timestamp
	return s.apply(ctx, courier, m)
}

// IssueUntil writes a session with an explicit end.
func (s *Store) IssueUntil(ctx context.Context, g Grant) error {
	if g.JWT == "" {
		return errors.New("session: empty token")
	}
	m := bigtable.NewMutation()
	m.Set(famToken, colJWT, bigtable.Time(g.Expires), []byte(g.JWT)) // ok ttlwrite/write-time
	return s.apply(ctx, g.Courier, m)
}

// Refresh replaces the refresh token.
func (s *Store) Refresh(ctx context.Context, courier, token string) error {
	m := bigtable.NewMutation()
	m.Set(famToken, colRefresh, bigtable.Now(), []byte(token)) // want ttlwrite/write-time
	return s.apply(ctx, courier, m)
}

// RegisterPush stores the address that push messages go to; the app renews it at every start.
func (s *Store) RegisterPush(ctx context.Context, courier, addr, model string) error {
	ts := bigtable.Time(s.now())
	m := bigtable.NewMutation()
	m.Set(famDevice, colModel, ts, []byte(model)) // ok ttlwrite/write-time
	m.Set(famToken, colPush, ts, []byte(addr))    // want ttlwrite/write-time
	return s.apply(ctx, courier, m)
}

// SetPIN stores the PIN that a dispatcher reads out to a courier.
func (s *Store) SetPIN(ctx context.Context, courier, pin string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(famToken, colPin)
	m.Set(famToken, colPin, bt.ExpiresIn(pinTTL), []byte(pin)) // ok ttlwrite/write-time ttlwrite/delete-after-set
	return s.apply(ctx, courier, m)
}

// ResetPIN makes a PIN void.
func (s *Store) ResetPIN(ctx context.Context, courier string) error {
	m := bigtable.NewMutation()
	m.Set(famToken, colPin, bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
	return s.apply(ctx, courier, m)
}

// Revoke ends a session.
func (s *Store) Revoke(ctx context.Context, courier string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(famToken, colJWT)
	m.DeleteCellsInColumn(famToken, colRefresh) // ok ttlwrite/delete-after-set
	return s.apply(ctx, courier, m)
}

// Expire ends a session but leaves the refresh token.
func (s *Store) Expire(ctx context.Context, courier string) error {
	m := bigtable.NewMutation()
	m.Set(famToken, colJWT, bigtable.Time(s.now().Add(-time.Minute)), []byte("-")) // want ttlwrite/already-expired
	return s.apply(ctx, courier, m)
}

// Rotate replaces both tokens.
func (s *Store) Rotate(ctx context.Context, courier, jwt, refresh string) error {
	until := bigtable.Time(s.now().Add(s.ttl))
	m := bigtable.NewMutation()
	m.Set(famToken, colJWT, until, []byte(jwt))         // ok ttlwrite/write-time
	m.Set(famToken, colRefresh, until, []byte(refresh)) // ok ttlwrite/same-timestamp
	m.DeleteCellsInColumn(famToken, colRefresh)         // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(famToken, colPush)            // ok ttlwrite/delete-after-set
	return s.apply(ctx, courier, m)
}

func (s *Store) apply(ctx context.Context, courier string, m *bigtable.Mutation) error {
	if err := s.tbl.Apply(ctx, rowKey(courier), m); err != nil {
		return fmt.Errorf("session: %s: %w", courier, err)
	}
	return nil
}

// Get returns a courier's live session.
func (s *Store) Get(ctx context.Context, courier string) (*Session, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bt.Live(s.now()))
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	it, ok := bt.First(row[famToken], famToken, colJWT)
	if !ok {
		return nil, bt.ErrNotFound
	}
	return &Session{Courier: courier, JWT: string(it.Value), ExpiresAt: it.Timestamp.Time()}, nil // ok ttlage/not-write-time
}

// Lookup is Get for the support tool: it also shows the device.
func (s *Store) Lookup(ctx context.Context, courier string) (*Session, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	out := &Session{Courier: courier}
	for _, it := range row[famToken] {
		switch it.Column {
		case famToken + ":" + colJWT:
			out.JWT = string(it.Value)
			out.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case famToken + ":" + colRefresh:
			out.Refresh = string(it.Value)
		}
	}
	for _, it := range row[famDevice] {
		if it.Column == famDevice+":"+colModel {
			out.Model = string(it.Value)
			out.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return out, nil
}

// Device returns the model of a courier's phone.
func (s *Store) Device(ctx context.Context, courier string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row[famDevice], famDevice, colModel)
	if !ok {
		return "", bt.ErrNotFound
	}
	return string(it.Value), nil
}

// Exists says whether a courier is logged in.
func (s *Store) Exists(ctx context.Context, courier string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(f)) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return row != nil, nil
}

// LoggedIn says whether a courier has a live token.
func (s *Store) LoggedIn(ctx context.Context, courier string) (bool, error) {
	f := bigtable.ChainFilters(bt.LiveFamily(famToken, s.now()), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/limit-before-filter
	return len(row) > 0, err
}

// First returns any one live token.
func (s *Store) First(ctx context.Context, courier string) ([]byte, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.CellsPerRowLimitFilter(1), bt.Live(s.now())) // want ttlread/limit-before-filter[first]
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(f))                                            // want ttlread/limit-before-filter[first]
	if err != nil {
		return nil, err
	}
	if len(row[famToken]) == 0 {
		return nil, bt.ErrNotFound
	}
	return row[famToken][0].Value, nil
}

// Valid compares a presented token with the stored ones.
func (s *Store) Valid(ctx context.Context, courier string, jwt []byte) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bigtable.FamilyFilter(famToken))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	now := s.now()
	for _, it := range row[famToken] {
		if it.Timestamp.Time().Before(now) {
			continue
		}
		if bytes.Equal(it.Value, jwt) {
			return true, nil
		}
	}
	return false, nil
}

// ValidPIN compares a PIN with the stored one.
func (s *Store) ValidPIN(ctx context.Context, courier, pin string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bt.Column(famToken, colPin))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	for _, it := range row[famToken] {
		if string(it.Value) == pin {
			return true, nil
		}
	}
	return false, nil
}

// Export writes the live sessions of a shard.
func (s *Store) Export(ctx context.Context, shard string, enc *json.Encoder) error {
	var encErr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(r bigtable.Row) bool { // want ttlread/missing-filter[export]
		for _, it := range r[famToken] {
			if encErr = enc.Encode(map[string]any{"courier": r.Key(), "column": it.Column, "len": len(it.Value)}); encErr != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(famToken)), bigtable.LimitRows(10000)) // want ttlread/missing-filter[export]
	return errors.Join(err, encErr)
}

// ExportLive is Export as it should be.
func (s *Store) ExportLive(ctx context.Context, shard string, enc *json.Encoder) error {
	var encErr error
	opts := []bigtable.ReadOption{bigtable.LimitRows(10000)}
	opts = append(opts, bigtable.RowFilter(bt.LiveFamily(famToken, s.now())))
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[famToken] {
			encErr = enc.Encode(map[string]any{"courier": r.Key(), "expires": it.Timestamp.Time(), "len": len(it.Value)}) // ok ttlage/not-write-time
			if encErr != nil {
				return false
			}
		}
		return true
	}, opts...)
	return errors.Join(err, encErr)
}

// Couriers lists the keys of a shard.
func (s *Store) Couriers(ctx context.Context, shard string) ([]string, error) {
	var keys []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return keys, err
}

// Purge deletes the rows that hold nothing live any more.
func (s *Store) Purge(ctx context.Context, shard string) (int, error) {
	b := bt.NewBulk(500)
	n := 0
	var flushErr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(r bigtable.Row) bool { // ok ttlread/expired-only
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(famToken)
		b.Add(r.Key(), m)
		n++
		if b.Full() {
			flushErr = b.Flush(ctx, s.tbl)
		}
		return flushErr == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilter(time.Time{}, s.now()))))
	if err == nil && flushErr == nil {
		flushErr = b.Flush(ctx, s.tbl)
	}
	return n, errors.Join(err, flushErr)
}

// Recent returns the tokens of couriers who were active lately.
func (s *Store) Recent(ctx context.Context, shard string) (map[string]string, error) {
	out := map[string]string{}
	recent := bigtable.TimestampRangeFilter(time.Time{}, s.now())                           // want ttlread/expired-only[recent]
	f := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), recent)) // want ttlread/expired-only[recent]
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(r bigtable.Row) bool {     // want ttlread/expired-only[recent]
		for _, it := range r[famToken] {
			out[r.Key()] = string(it.Value)
		}
		return true
	}, f)
	return out, err
}

// EndingWithin returns the sessions that end soon, for the reminder job.
func (s *Store) EndingWithin(ctx context.Context, shard string) ([]string, error) {
	now := s.now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilter(now, now.Add(time.Hour))) // want ttlread/upper-bound[ending]
	var out []string
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(shard), func(r bigtable.Row) bool { // want ttlread/upper-bound[ending]
		for _, it := range r[famToken] {
			out = append(out, r.Key()+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// Plausible leaves out tokens whose expiry somebody made up.
func (s *Store) Plausible(ctx context.Context, courier string) (int, error) {
	now := s.now()
	f := bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour))
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), f))) // ok ttlread/upper-bound
	return len(row[famToken]), err
}

// Snapshot returns a whole row's live view for the app's start.
func (s *Store) Snapshot(ctx context.Context, courier string) (token []byte, model string, err error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bt.Live(s.now()))) // want ttlread/hides-other-families
	if err != nil {
		return nil, "", err
	}
	for _, it := range row[famToken] {
		token = it.Value
	}
	for _, it := range row[famDevice] {
		model = string(it.Value)
	}
	return token, model, nil
}

// SnapshotAll is Snapshot with both families.
func (s *Store) SnapshotAll(ctx context.Context, courier string) (token []byte, model string, err error) {
	f := bigtable.InterleaveFilters(bt.LiveFamily(famToken, s.now()), bigtable.FamilyFilter(famDevice))
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(f)) // ok ttlread/hides-other-families ttlread/unfiltered-branch
	if err != nil {
		return nil, "", err
	}
	for _, it := range row[famToken] {
		token = it.Value
	}
	for _, it := range row[famDevice] {
		model = string(it.Value)
	}
	return token, model, nil
}

// JWTOnly has a bare range, but wants nothing else.
func (s *Store) JWTOnly(ctx context.Context, courier string) ([]byte, error) {
	row, err := retry.Value(ctx, retry.Default, func(ctx context.Context) (bigtable.Row, error) {
		return s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bt.Live(s.now()))) // ok ttlread/hides-other-families
	})
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row[famToken], famToken, colJWT)
	if !ok {
		return nil, bt.ErrNotFound
	}
	return it.Value, nil
}

// Audit logs how old the tokens of a courier are.
func (s *Store) Audit(ctx context.Context, courier string) error {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bt.LiveFamily(famToken, s.now()))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	log := logx.From(ctx)
	for _, it := range row[famToken] {
		age := s.now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		log.Info("token", "courier", courier, "column", it.Column, "age", age)
	}
	return nil
}

// Remaining says how long a session still lives.
func (s *Store) Remaining(ctx context.Context, courier string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bt.LiveFamily(famToken, s.now()))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[famToken] {
		return it.Timestamp.Time().Sub(s.now()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}

// DeviceAge says for how long a phone has been known.
func (s *Store) DeviceAge(ctx context.Context, courier string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(courier), bigtable.RowFilter(bigtable.FamilyFilter(famDevice))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[famDevice] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, bt.ErrNotFound
}
