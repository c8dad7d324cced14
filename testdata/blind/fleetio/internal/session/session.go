// Package session keeps the operators' sessions and the devices' tokens.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
)

// TTL is how long a token is good.
const TTL = 30 * time.Minute

const (
	colToken = "t"
	colRole  = "role"
	colSeen  = "seen"
)

// ErrNone says that there is no such session.
var ErrNone = errors.New("session: none")

// Session is somebody's right to call.
type Session struct {
	ID      string
	Role    string
	Until   time.Time
	Updated time.Time
}

// Store is the table.
type Store struct{ tbl *bigtable.Table }

// Open opens it.
func Open(c *bigtable.Client) *Store { return &Store{c.Open(keys.TableSessions)} }

// set writes one cell of a session's token.
func set(m *bigtable.Mutation, col string, until time.Time, v []byte) {
	m.Set(keys.FamTok, col, bigtable.Time(until), v)
}

// Create makes a session.
func (s *Store) Create(ctx context.Context, role string) (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	id := hex.EncodeToString(b[:])
	now := time.Now()
	m := bigtable.NewMutation()
	set(m, colToken, now.Add(TTL), b[:])                            // ok ttlwrite/write-time
	set(m, colSeen, now, []byte{1})                                 // want ttlwrite/write-time
	m.Set(keys.FamState, colRole, bigtable.Time(now), []byte(role)) // ok ttlwrite/write-time
	return id, s.tbl.Apply(ctx, keys.Session(id), m)
}

// Touch prolongs a session.
func (s *Store) Touch(ctx context.Context, id string, token []byte) error {
	exp := time.Now().Add(TTL)
	m := bigtable.NewMutation()
	m.Set(keys.FamTok, colToken, bigtable.Timestamp(exp.Unix()), token)      // want ttlunit/wrong-unit
	m.Set(keys.FamTok, colSeen, btutil.MicroTS(exp), nil)                    // ok ttlunit/wrong-unit
	m.Set(keys.FamTok, "rnd", bigtable.Timestamp(exp.UnixNano()/1e3), token) // ok ttlunit/wrong-unit
	m.Set(keys.FamState, colSeen, bigtable.ServerTime, nil)                  // ok ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, keys.Session(id), m)
}

// Grant gives a session another role for a while.
func (s *Store) Grant(ctx context.Context, id, role string, d time.Duration) error {
	m := bigtable.NewMutation()
	m.Set(keys.FamTok, colRole, bigtable.Now()+bigtable.Timestamp(d), []byte(role))             // want ttlunit/wrong-unit
	m.Set(keys.FamTok, "by", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), []byte(id)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, keys.Session(id), m)
}

// Revoke ends a session.
func (s *Store) Revoke(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	set(m, colToken, time.Time{}, nil)                   // want ttlwrite/already-expired
	m.Set(keys.FamState, "revoked", bigtable.Now(), nil) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, keys.Session(id), m)
}

// Get reads a session.
func (s *Store) Get(ctx context.Context, id string) (*Session, error) {
	now := time.Now()
	f := bigtable.InterleaveFilters(btutil.FamLive(keys.FamTok, now), bigtable.FamilyFilter(keys.FamState))
	row, err := s.tbl.ReadRow(ctx, keys.Session(id), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return nil, err
	}
	it, ok := btutil.Find(row, keys.FamTok, colToken)
	if !ok {
		return nil, ErrNone
	}
	out := &Session{ID: id, Until: it.Timestamp.Time(), Role: string(btutil.Value(row, keys.FamState, colRole))} // ok ttlage/not-write-time
	if st, ok := btutil.Find(row, keys.FamState, colSeen); ok {
		out.Updated = st.Timestamp.Time() // ok ttlage/not-write-time
	}
	return out, nil
}

// Valid says whether a token is good.
func (s *Store) Valid(ctx context.Context, id, token string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.ColumnFilter(colToken), bigtable.ValueFilter(token)) // want ttlread/missing-filter[valid]
	row, err := s.tbl.ReadRow(ctx, keys.Session(id), bigtable.RowFilter(f))                  // want ttlread/missing-filter[valid]
	if err != nil {
		return false, err
	}
	return len(row[keys.FamTok]) == 1, nil
}

// ValidSlack allows for clocks that differ.
func (s *Store) ValidSlack(ctx context.Context, id, token string) (bool, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamTok), btutil.Within(time.Now(), 30*time.Second), bigtable.ValueFilter(token)) // want ttlread/wrong-bound[slack]
	row, err := s.tbl.ReadRow(ctx, keys.Session(id), bigtable.RowFilter(f))                                                                // want ttlread/wrong-bound[slack]
	if err != nil {
		return false, err
	}
	return len(row[keys.FamTok]) == 1, nil
}

// Role reads a session's role, which stays.
func (s *Store) Role(ctx context.Context, id string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, keys.Session(id), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(btutil.Value(row, keys.FamState, colRole)), nil
}

// List reads all tokens.
func (s *Store) List(ctx context.Context) ([]Session, error) {
	var out []Session
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange("s#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[list]
		for _, it := range r[keys.FamTok] {
			out = append(out, Session{ID: r.Key(), Updated: it.Timestamp.Time()}) // want ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(keys.FamTok))) // want ttlread/missing-filter[list]
	return out, err
}
