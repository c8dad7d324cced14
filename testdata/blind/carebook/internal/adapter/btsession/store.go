// Package btsession keeps sign-ins in Bigtable.
package btsession

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/session"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/clock"
)

const (
	colJWT     = "jwt"
	colRefresh = "refresh"
	colMeta    = "meta"
	colAgent   = "agent"
	colName    = "name"
	colRevoked = "revoked"
	colLogins  = "logins"
	colTrail   = "trail"
)

var _ session.Store = (*Store)(nil)

// Store implements session.Store.
type Store struct {
	rows  bt.Rows
	live  bt.Rows
	clock clock.Clock
	log   *slog.Logger
}

// Option configures a Store.
type Option func(*Store)

// WithClock is for tests.
func WithClock(c clock.Clock) Option { return func(s *Store) { s.clock = c } }

// WithLogger replaces the default logger.
func WithLogger(l *slog.Logger) Option { return func(s *Store) { s.log = l } }

// New returns a store on the sessions table.
func New(open *bt.Opener, opts ...Option) *Store {
	rows := open.Table(names.Sessions)
	s := &Store{
		rows:  rows,
		live:  bt.Filtered(rows, liveToken),
		clock: clock.System{},
		log:   slog.Default(),
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

func liveToken() bigtable.Filter { return bt.Live(names.FamToken) }

// Create implements session.Store.
func (s *Store) Create(ctx context.Context, in session.Session) error {
	meta, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("session %s: %w", in.ID, err)
	}
	exp := bt.ExpiresAt(in.ExpiresAt)
	mut := bigtable.NewMutation()
	mut.Set(names.FamToken, colJWT, exp, in.Token)                             // ok ttlwrite/write-time
	mut.Set(names.FamToken, colMeta, exp, meta)                                // ok ttlwrite/same-timestamp
	mut.Set(names.FamDevice, colAgent, bigtable.ServerTime, []byte(in.Agent))  // ok ttlwrite/server-timestamp
	mut.Set(names.FamProfile, colName, bigtable.Now(), []byte(in.Name))        // ok ttlwrite/write-time
	mut.Set(names.FamProfile, "patient", bigtable.Now(), []byte(in.PatientID)) // ok ttlwrite/write-time
	return s.rows.Apply(ctx, in.ID, mut)
}

// Get implements session.Store.
func (s *Store) Get(ctx context.Context, id string) (session.Session, error) {
	row, err := s.live.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return session.Session{}, err
	}
	it, ok := bt.First(row, names.FamToken, colMeta)
	if !ok {
		return session.Session{}, session.ErrExpired
	}
	var out session.Session
	if err := json.Unmarshal(it.Value, &out); err != nil {
		return session.Session{}, err
	}
	return out, nil
}

// Token returns the bare token.
func (s *Store) Token(ctx context.Context, id string) ([]byte, error) {
	row, err := s.live.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ColumnFilter(colJWT))) // want ttlread/overridden-filter
	if err != nil {
		return nil, err
	}
	it, ok := bt.First(row, names.FamToken, colJWT)
	if !ok {
		return nil, session.ErrExpired
	}
	return it.Value, nil
}

// Touch implements session.Store.
func (s *Store) Touch(ctx context.Context, id string) error {
	seen := []byte(s.clock.Now().UTC().Format(time.RFC3339))
	mut := bigtable.NewMutation()
	mut.Set(names.FamToken, names.ColSeen, bigtable.Now(), seen)  // want ttlwrite/write-time
	mut.Set(names.FamDevice, names.ColSeen, bigtable.Now(), seen) // ok ttlwrite/write-time
	return s.rows.Apply(ctx, id, mut)
}

// Extend gives a session another half hour.
func (s *Store) Extend(ctx context.Context, id string, token []byte) error {
	ts := bt.ExpiresIn(s.clock, session.TTL)
	mut := bigtable.NewMutation()
	mut.Set(names.FamToken, colJWT, ts, token)                                                 // ok ttlwrite/write-time
	mut.Set(names.FamToken, colRefresh, bigtable.ServerTime, []byte(strconv.Itoa(len(token)))) // want ttlwrite/server-timestamp
	return s.rows.Apply(ctx, id, mut)
}

// Rotate replaces the token.
func (s *Store) Rotate(ctx context.Context, id string, token, refresh []byte) error {
	now := bigtable.Time(s.clock.Now())
	m := bt.NewCells(s.clock)
	m.DeleteCellsInColumn(names.FamToken, colJWT)                                               // ok ttlwrite/delete-after-set
	m.Expiring(names.FamToken, colJWT, session.TTL, token)                                      // ok ttlwrite/write-time
	m.Set(names.FamToken, colRefresh, now, refresh)                                             // want ttlwrite/write-time
	m.Set(names.FamDevice, names.ColSeen, now, []byte("rotate"))                                // ok ttlwrite/write-time
	m.Stamped(names.FamProfile, "rotated", []byte(strconv.FormatInt(s.clock.Now().Unix(), 10))) // ok ttlwrite/write-time
	return s.rows.Apply(ctx, id, m.Mutation)
}

// Shorten cuts a session to its last seconds.
func (s *Store) Shorten(ctx context.Context, id string, token []byte) error {
	m := bt.NewCells(s.clock)
	m.Replacing(names.FamToken, colJWT, bt.ExpiresIn(s.clock, session.Grace), token) // ok ttlwrite/write-time
	return s.rows.Apply(ctx, id, m.Mutation)
}

// Impersonate opens a session for the support desk.
func (s *Store) Impersonate(ctx context.Context, id, agent string, token []byte) error {
	m := bt.NewCells(s.clock)
	m.Expiring(names.FamToken, colJWT, 5*time.Minute, token) // ok ttlwrite/already-expired
	m.Stamped(names.FamToken, "agent", []byte(agent))        // want ttlwrite/write-time
	m.Stamped(names.FamProfile, "support", []byte(agent))    // ok ttlwrite/write-time
	return s.rows.Apply(ctx, id, m.Mutation)
}

// Revoke implements session.Store.
func (s *Store) Revoke(ctx context.Context, id string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(names.FamToken)                       // ok ttlwrite/delete-after-set
	mut.Set(names.FamProfile, "out", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	return s.rows.Apply(ctx, id, mut)
}

// RevokeSoft leaves a tombstone for the gateways.
func (s *Store) RevokeSoft(ctx context.Context, id, why string) error {
	past := s.clock.Now().Add(-time.Minute)
	mut := bigtable.NewMutation()
	mut.Set(names.FamToken, colRevoked, bigtable.Time(past), []byte(why)) // want ttlwrite/already-expired
	return s.rows.Apply(ctx, id, mut)
}

// Reissue writes a fresh token and drops the old one.
func (s *Store) Reissue(ctx context.Context, id string, token []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamToken, colJWT, bt.ExpiresIn(s.clock, session.TTL), token) // ok ttlwrite/write-time
	mut.DeleteCellsInColumn(names.FamToken, colJWT)                            // want ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(names.FamToken, colRefresh)                        // ok ttlwrite/delete-after-set
	return s.rows.Apply(ctx, id, mut)
}

// Peek shows a session to the support desk.
func (s *Store) Peek(ctx context.Context, id string) (session.Session, error) {
	row, err := s.rows.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return session.Session{}, err
	}
	var out session.Session
	if it, ok := bt.First(row, names.FamToken, colMeta); ok {
		if err := json.Unmarshal(it.Value, &out); err != nil {
			return session.Session{}, err
		}
	}
	return out, nil
}

// Known says whether a session exists.
func (s *Store) Known(ctx context.Context, id string) (bool, error) {
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[known]
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/missing-filter[known]
		bigtable.StripValueFilter(),        // want ttlread/missing-filter[known]
	)))
	return len(row) > 0, err
}

// KnownLive says whether a session exists and is live.
func (s *Store) KnownLive(ctx context.Context, id string) (bool, error) {
	f := bt.And(bt.Live(names.FamToken), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()) // ok ttlread/limit-before-filter
	row, err := s.rows.ReadRow(ctx, id, bt.With(f))                                                       // ok ttlread/missing-filter
	return len(row) > 0, err
}

// KnownQuick is KnownLive for the gateway's hot path.
func (s *Store) KnownQuick(ctx context.Context, id string) (bool, error) {
	f := bigtable.ChainFilters( // want ttlread/limit-before-filter[quick]
		bigtable.FamilyFilter(names.FamToken),
		bigtable.CellsPerRowLimitFilter(1), // want ttlread/limit-before-filter[quick]
		bigtable.TimestampRangeFilter(s.clock.Now(), time.Time{}),
	)
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(f)) // want ttlread/limit-before-filter[quick]
	return len(row) > 0, err
}

// Name returns the name on a session.
func (s *Store) Name(ctx context.Context, id string) (string, error) {
	row, err := s.rows.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.First(row, names.FamProfile, colName)
	if !ok {
		return "", session.ErrExpired
	}
	return string(it.Value), nil
}

// Patient returns the patient of a session.
func (s *Store) Patient(ctx context.Context, id string) (string, error) {
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(bt.Column(names.FamProfile, "patient"))) // ok ttlread/missing-filter
	if err != nil || len(row[names.FamProfile]) == 0 {
		return "", err
	}
	return string(row[names.FamProfile][0].Value), nil
}

// Meta returns the metadata of a live session without its token.
func (s *Store) Meta(ctx context.Context, id string) ([]byte, error) {
	row, err := s.rows.ReadRow(ctx, id, bt.With(bt.Column(names.FamToken, colMeta))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if it, ok := bt.First(row, names.FamToken, colMeta); ok {
		return it.Value, nil
	}
	return nil, session.ErrExpired
}

// Renewable tells which sessions end within ten minutes.
func (s *Store) Renewable(ctx context.Context, patient string) ([]string, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamToken),
		bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute)), // want ttlread/upper-bound[renew]
	)
	var ids []string
	err := s.rows.ReadRows(ctx, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[renew]
		ids = append(ids, r.Key())
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[renew]
	return ids, err
}

// RenewableAny is Renewable with a window as long as a session.
func (s *Store) RenewableAny(ctx context.Context, patient string) ([][]byte, error) {
	now := s.clock.Now()
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamToken), bigtable.TimestampRangeFilter(now, now.Add(2*session.TTL))) // ok ttlread/upper-bound
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) ([]byte, bool) {                       // ok ttlread/upper-bound
		it, ok := bt.First(r, names.FamToken, colMeta)
		return it.Value, ok
	}, bigtable.RowFilter(f))
}

// Expired lists what the nightly job reports as abandoned.
func (s *Store) Expired(ctx context.Context, patient string) ([]string, error) {
	var out []string
	err := s.rows.ReadRows(ctx, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) bool {
		for _, it := range r[names.FamToken] {
			if it.Timestamp.Time().Before(s.clock.Now()) {
				out = append(out, r.Key())
				break
			}
		}
		return true
	}) // ok ttlread/missing-filter
	return out, err
}

// All dumps every token of a patient.
func (s *Store) All(ctx context.Context, patient string) ([][]byte, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) ([]byte, bool) { // want ttlread/missing-filter
		it, ok := bt.First(r, names.FamToken, colJWT)
		return it.Value, ok
	})
}

// AllNames is All for names.
func (s *Store) AllNames(ctx context.Context, patient string) ([]string, error) {
	return bt.Collect(ctx, s.rows, bigtable.PrefixRange(patient+"#"), func(r bigtable.Row) (string, bool) { // ok ttlread/missing-filter
		it, ok := bt.First(r, names.FamProfile, colName)
		return string(it.Value), ok
	})
}

// Count counts rows, dead or alive.
func (s *Store) Count(ctx context.Context) (n int, err error) {
	keysOnly := bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	err = s.rows.ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(keysOnly))
	return n, err
}
