// Package sims keeps SIM sessions and their authentication vectors. This is the oldest
// package of the platform; its state is package-level, and Init has to be called first.
package sims

import (
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"telco.example/subs/internal/bt"
	"telco.example/subs/internal/names"
	"telco.example/subs/internal/platform"
)

var (
	sessions *bt.Table
	raw      *bigtable.Table

	logger = slog.Default().With("pkg", "sims")
	clock  = time.Now

	opened   atomic.Int64
	sessVars = expvar.NewMap("sims")

	// startTS marks what this process has written.
	startTS = bigtable.Now() // want ttlwrite/stale-clock[start]

	// liveSessions is used by all the reads of this file.
	liveSessions = bigtable.ChainFilters( // want ttlread/stale-bound[livesess]
		bigtable.FamilyFilter(names.FamSession),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // want ttlread/stale-bound[livesess]
	)

	cols = struct{ apn, rat, cell, imei, msisdn string }{"apn", "rat", "cell", "imei", "msisdn"}

	once    sync.Once
	authEnd bigtable.Timestamp // want ttlwrite/stale-clock[authend]
)

// ErrNoSession means that a subscriber is not attached.
var ErrNoSession = errors.New("sims: no session")

func init() {
	sessVars.Set("opened", expvar.Func(func() any { return opened.Load() }))
}

// Init opens the tables.
func Init(c *bt.Client) {
	sessions = c.Open(names.TableSessions)
	raw = c.Raw().Open(names.TableSessions)
}

// Session is an attached SIM.
type Session struct {
	IMSI   string    `json:"imsi"`
	APN    string    `json:"apn"`
	RAT    string    `json:"rat"`
	Cell   string    `json:"cell"`
	IMEI   string    `json:"imei"`
	MSISDN string    `json:"msisdn"`
	Until  time.Time `json:"until"`
	Since  time.Time `json:"since"`
}

// Open stores a session for the usual lifetime.
func Open(ctx context.Context, s Session) error {
	m := bigtable.NewMutation()
	exp := bigtable.Time(clock().Add(names.SessionTTL))
	m.DeleteCellsInFamily(names.FamSession)                                   // ok ttlwrite/delete-after-set
	m.Set(names.FamSession, cols.apn, exp, []byte(s.APN))                     // ok ttlwrite/write-time
	m.Set(names.FamSession, cols.rat, exp, []byte(s.RAT))                     // ok ttlwrite/same-timestamp
	m.Set(names.FamSession, cols.cell, exp, []byte(s.Cell))                   // ok ttlwrite/write-time
	m.Set(names.FamSession, cols.msisdn, exp, []byte(s.MSISDN))               // ok ttlwrite/write-time
	m.Set(names.FamProfile, "last_apn", bigtable.Now(), []byte(s.APN))        // ok ttlwrite/write-time
	m.Set(names.FamProfile, "last_imei", bigtable.ServerTime, []byte(s.IMEI)) // ok ttlwrite/server-timestamp
	if err := sessions.Mutate(ctx, s.IMSI, m); err != nil {
		return fmt.Errorf("open %s: %w", s.IMSI, err)
	}
	opened.Add(1)
	return nil
}

// Handover moves a session to another cell. The radio team wrote this one.
func Handover(ctx context.Context, imsi, cell, rat string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(names.FamSession, cols.cell, ts, []byte(cell))   // want ttlwrite/write-time
	m.Set(names.FamSession, cols.rat, ts, []byte(rat))     // want ttlwrite/write-time
	m.Set(names.FamProfile, "last_cell", ts, []byte(cell)) // ok ttlwrite/write-time
	return sessions.Mutate(ctx, imsi, m)
}

// Keepalive extends a session.
func Keepalive(ctx context.Context, imsi string) error {
	row, err := sessions.Get(ctx, imsi, bigtable.RowFilter(bt.LiveIn(names.FamSession))) // ok ttlread/missing-filter
	if errors.Is(err, bt.ErrNotFound) {
		return ErrNoSession
	}
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[names.FamSession] {
		m.Set(names.FamSession, strings.TrimPrefix(it.Column, names.FamSession+":"), bt.ExpiresIn(names.SessionTTL), it.Value) // ok ttlwrite/write-time
	}
	m.Set(names.FamSession, "ka", bt.Now(), []byte{1}) // want ttlwrite/write-time
	return sessions.Mutate(ctx, imsi, m)
}

// Attached says whether a subscriber has a session.
func Attached(ctx context.Context, imsi string) (bool, error) {
	row, err := raw.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.FamilyFilter(names.FamSession))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// AttachedNow is Attached for the voice core, which got wrong answers from it.
func AttachedNow(ctx context.Context, imsi string) (bool, error) {
	live := bigtable.TimestampRangeFilter(clock(), time.Time{})
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSession), live, bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())
	row, err := raw.ReadRow(ctx, imsi, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// AttachedFast stops at the first cell.
func AttachedFast(ctx context.Context, imsi string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamSession), bigtable.CellsPerRowLimitFilter(1), bt.Live()) // want ttlread/limit-before-filter[fast]
	row, err := raw.ReadRow(ctx, imsi, bigtable.RowFilter(f))                                                          // want ttlread/limit-before-filter[fast]
	return len(row) > 0, err
}

// Lookup reads a session.
func Lookup(ctx context.Context, imsi string) (*Session, error) {
	row, err := sessions.Get(ctx, imsi, bigtable.RowFilter(liveSessions)) // want ttlread/stale-bound[livesess]
	if errors.Is(err, bt.ErrNotFound) {
		return nil, ErrNoSession
	}
	if err != nil {
		return nil, err
	}
	return decode(imsi, row), nil
}

func decode(imsi string, row bigtable.Row) *Session {
	s := &Session{IMSI: imsi}
	for _, it := range row[names.FamSession] {
		switch strings.TrimPrefix(it.Column, names.FamSession+":") {
		case cols.apn:
			s.APN = string(it.Value)
			s.Until = it.Timestamp.Time() // ok ttlage/not-write-time
		case cols.rat:
			s.RAT = string(it.Value)
		case cols.cell:
			s.Cell = string(it.Value)
		case cols.imei:
			s.IMEI = string(it.Value)
		case cols.msisdn:
			s.MSISDN = string(it.Value)
		}
	}
	return s
}

// LookupChecked reads all of a row and sorts the dead cells out by hand.
func LookupChecked(ctx context.Context, imsi string) (map[string]string, error) {
	row, err := raw.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.FamilyFilter(names.FamSession))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	now := time.Now()
	out := map[string]string{}
	for _, it := range row[names.FamSession] {
		if it.Timestamp.Time().Before(now) { // ok ttlage/not-write-time
			continue
		}
		out[it.Column] = string(it.Value)
	}
	return out, nil
}

// Describe is for the call centre's screen.
func Describe(ctx context.Context, imsi string) (map[string]any, error) {
	row, err := raw.ReadRow(ctx, imsi) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]any{"imsi": imsi}
	for _, it := range row[names.FamSession] {
		out[it.Column] = string(it.Value)
	}
	for _, it := range row[names.FamProfile] {
		out[it.Column] = string(it.Value)
		out[it.Column+"_updated"] = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	return out, nil
}

// Profile reads the lasting part of a row.
func Profile(ctx context.Context, imsi string) (map[string]string, error) {
	row, err := raw.ReadRow(ctx, imsi, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[names.FamProfile] {
		out[strings.TrimPrefix(it.Column, "profile:")] = string(it.Value)
	}
	return out, nil
}

// Overview is the session and the profile, for the app.
func Overview(ctx context.Context, imsi string) (string, string, error) {
	row, err := sessions.GetFiltered(ctx, imsi, bt.Live(), bigtable.LatestNFilter(1)) // want ttlread/hides-other-families
	if err != nil {
		return "", "", err
	}
	return string(bt.Cell(row, names.FamSession, "apn")), string(bt.Cell(row, names.FamProfile, "last_apn")), nil
}

// OverviewMixed is Overview as it should be.
func OverviewMixed(ctx context.Context, imsi string) (string, string, error) {
	f := bigtable.InterleaveFilters(bt.LiveIn(names.FamSession), bigtable.ChainFilters(bigtable.FamilyFilter(names.FamProfile), bigtable.LatestNFilter(1))) // ok ttlread/unfiltered-branch
	row, err := sessions.Get(ctx, imsi, bigtable.RowFilter(f))                                                                                              // ok ttlread/missing-filter
	if err != nil {
		return "", "", err
	}
	return string(bt.Cell(row, names.FamSession, "apn")), string(bt.Cell(row, names.FamProfile, "last_apn")), nil
}

// SessionOnly has a bare range, but nobody wants the profile here.
func SessionOnly(ctx context.Context, imsi string) (string, error) {
	row, err := sessions.Get(ctx, imsi, bigtable.RowFilter(bt.Live())) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	return string(bt.Cell(row, names.FamSession, "apn")), nil
}

// MarkRestart tells the core which sessions this process has seen.
func MarkRestart(ctx context.Context, imsi string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamSession, "proc", startTS, []byte("up")) // want ttlwrite/stale-clock[start]
	m.Set(names.FamProfile, "proc", startTS, []byte("up")) // ok ttlwrite/stale-clock
	return sessions.Mutate(ctx, imsi, m)
}

// Close ends a session.
func Close(ctx context.Context, imsi, cause string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(names.FamSession)                         // ok ttlwrite/delete-after-set
	m.Set(names.FamProfile, "cause", bigtable.Now(), []byte(cause)) // ok ttlwrite/write-time
	return sessions.Mutate(ctx, imsi, m)
}

// Reset writes an empty session over the old one. Called by the provisioning's SOAP gateway.
func Reset(ctx context.Context, imsi, apn string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamSession, cols.apn, bt.ExpiresIn(names.SessionTTL), []byte(apn)) // ok ttlwrite/write-time
	m.DeleteCellsInColumn(names.FamSession, cols.apn)                              // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(names.FamSession, cols.cell)                             // ok ttlwrite/delete-after-set
	return sessions.Mutate(ctx, imsi, m)
}

// --- authentication vectors ---

// Vector is one challenge of the AuC.
type Vector struct {
	Rand []byte `json:"rand"`
	XRes []byte `json:"xres"`
	Kasm []byte `json:"kasme"`
	SQN  int64  `json:"sqn"`
}

// StoreVector keeps a vector until it is used.
func StoreVector(ctx context.Context, imsi string, v Vector) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return sessions.PutFor(ctx, imsi, names.FamAuth, "vec", names.AuthTTL, b) // ok ttlwrite/write-time
}

// StoreVectors keeps a batch of them.
func StoreVectors(ctx context.Context, imsi string, vs []Vector) error {
	m := bigtable.NewMutation()
	until := platform.Deadline(names.AuthTTL)
	for i, v := range vs {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		m.Set(names.FamAuth, fmt.Sprintf("vec%d", i), bt.ExpiresAt(until), b) // ok ttlwrite/same-timestamp
		m.Set(names.FamAuth, "last", bt.ExpiresAt(until), b)                  // want ttlwrite/same-timestamp
	}
	return sessions.Mutate(ctx, imsi, m)
}

// StoreResync keeps what the SIM sent for a resynchronisation.
func StoreResync(ctx context.Context, imsi string, auts []byte) error {
	return sessions.PutNow(ctx, imsi, names.FamAuth, "auts", auts) // want ttlwrite/server-timestamp
}

// StoreFailure counts failures of one SIM: five of them block it.
func StoreFailure(ctx context.Context, imsi string) (int64, error) {
	return sessions.Incr(ctx, imsi, names.FamAuth, "failures", 1) // want ttlwrite/read-modify-write
}

// CountAttach counts attaches of one SIM for the statistics.
func CountAttach(ctx context.Context, imsi string) (int64, error) {
	return sessions.Incr(ctx, imsi, names.FamProfile, "attaches", 1) // ok ttlwrite/read-modify-write
}

// TakeVector reads and deletes the stored vector.
func TakeVector(ctx context.Context, imsi string) (*Vector, error) {
	row, err := sessions.Get(ctx, imsi, bt.Only(names.FamAuth)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(names.FamAuth, "vec")
	if err := sessions.Mutate(ctx, imsi, m); err != nil {
		return nil, err
	}
	v := new(Vector)
	return v, json.Unmarshal(bt.Cell(row, names.FamAuth, "vec"), v)
}

// PeekVector reads the stored vector.
func PeekVector(ctx context.Context, imsi string) (*Vector, error) {
	row, err := sessions.Get(ctx, imsi, bigtable.RowFilter(bt.WithinIn(names.FamAuth, names.AuthTTL))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	v := new(Vector)
	return v, json.Unmarshal(bt.Cell(row, names.FamAuth, "vec"), v)
}

// PeekVectorSkewed allows for the clocks of the two data centres.
func PeekVectorSkewed(ctx context.Context, imsi string) (*Vector, error) {
	row, err := sessions.Get(ctx, imsi, bigtable.RowFilter(bt.WithinIn(names.FamAuth, time.Second))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	v := new(Vector)
	return v, json.Unmarshal(bt.Cell(row, names.FamAuth, "vec"), v)
}

// Challenge stores a challenge if there is none yet.
func Challenge(ctx context.Context, imsi string, nonce []byte) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(names.FamAuth, "nonce", bt.ExpiresIn(time.Minute), nonce)                                     // ok ttlwrite/write-time
	open := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamAuth), bigtable.ColumnFilter("nonce")) // want ttlread/conditional-mutation[nonce]
	cm := bigtable.NewCondMutation(open, nil, m)                                                        // want ttlread/conditional-mutation[nonce]
	matched, err := sessions.MutateIf(ctx, imsi, cm)
	return !matched, err
}

// ChallengeLive is Challenge since the incident.
func ChallengeLive(ctx context.Context, imsi string, nonce []byte) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(names.FamAuth, "nonce", bt.ExpiresIn(time.Minute), nonce) // ok ttlwrite/write-time
	open := bigtable.ChainFilters(bt.LiveIn(names.FamAuth), bigtable.ColumnFilter("nonce"))
	matched, err := sessions.MutateIf(ctx, imsi, bigtable.NewCondMutation(open, nil, m)) // ok ttlread/conditional-mutation
	return !matched, err
}

// DropChallenge deletes a challenge with this nonce, alive or not.
func DropChallenge(ctx context.Context, imsi, nonce string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(names.FamAuth, "nonce")
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamAuth), bigtable.ValueFilter(nonce))
	return raw.Apply(ctx, imsi, bigtable.NewCondMutation(f, m, nil)) // ok ttlread/conditional-mutation
}

func authEndOnce() bigtable.Timestamp {
	once.Do(func() { authEnd = bigtable.Time(time.Now().Add(names.AuthTTL)) }) // want ttlwrite/stale-clock[authend]
	return authEnd                                                             // want ttlwrite/stale-clock[authend]
}

// StoreGroupKey keeps the key of a group call.
func StoreGroupKey(ctx context.Context, imsi string, key []byte) error {
	return sessions.Put(ctx, imsi, names.FamAuth, "group", authEndOnce(), key) // want ttlwrite/stale-clock[authend]
}

// StoreRevoked invalidates the stored vector without deleting it, for the forensics team.
func StoreRevoked(ctx context.Context, imsi string) error {
	return sessions.Put(ctx, imsi, names.FamAuth, "revoked", bigtable.Time(time.Now().Add(-time.Hour)), nil) // want ttlwrite/already-expired
}

// --- imports from the HLR ---

// HLRRecord is a line of the nightly dump.
type HLRRecord struct {
	IMSI    string `json:"imsi"`
	APN     string `json:"apn"`
	Expires int64  `json:"expires"` // seconds
	Seen    int64  `json:"seen"`    // milliseconds
}

// Import writes a record of the dump.
func Import(ctx context.Context, r HLRRecord) error {
	exp := time.Unix(r.Expires, 0)
	m := bigtable.NewMutation()
	m.Set(names.FamSession, cols.apn, bigtable.Timestamp(exp.Unix()), []byte(r.APN))                   // want ttlunit/wrong-unit
	m.Set(names.FamSession, cols.rat, bigtable.Time(exp), []byte("import"))                            // ok ttlwrite/write-time
	m.Set(names.FamProfile, "hlr", bigtable.Timestamp(exp.UnixMicro()), []byte(r.APN))                 // ok ttlunit/wrong-unit
	m.Set(names.FamProfile, "seen", bigtable.Timestamp(time.UnixMilli(r.Seen).UnixMilli()), nil)       // want ttlunit/wrong-unit
	m.Set(names.FamProfile, "seen2", bigtable.Timestamp(time.UnixMilli(r.Seen).UnixMilli()*1000), nil) // ok ttlunit/wrong-unit
	m.Set(names.FamProfile, "imported", bigtable.Timestamp(clock().UnixNano()/1000), nil)              // ok ttlunit/wrong-unit
	return sessions.Mutate(ctx, r.IMSI, m)
}

// ImportTTL writes a record with a lifetime of its own.
func ImportTTL(ctx context.Context, r HLRRecord, ttl time.Duration) error {
	ts := bigtable.Now() + bigtable.Timestamp(names.SessionTTL) // want ttlunit/wrong-unit[importttl]
	m := bigtable.NewMutation()
	m.Set(names.FamSession, cols.apn, ts, []byte(r.APN))                                                          // want ttlunit/wrong-unit[importttl]
	m.Set(names.FamSession, cols.cell, bigtable.Now()+bigtable.Timestamp(ttl.Microseconds()), nil)                // ok ttlunit/wrong-unit
	m.Set(names.FamSession, cols.imei, bigtable.Now()+bigtable.Timestamp(names.SessionTTL/time.Microsecond), nil) // ok ttlunit/wrong-unit
	return sessions.Mutate(ctx, r.IMSI, m)
}
