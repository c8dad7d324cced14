// Package session keeps players' sessions: one row per player, a token per
// device.
//
// The table has two families. "tok" holds what ends with the session; its
// cells carry the moment at which they expire. "dev" describes the devices and
// is an ordinary family.
package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
)

// TableName is the name of the sessions table.
const TableName = "sessions"

// Families of the sessions table.
const (
	FamToken  = "tok"
	FamDevice = "dev"
)

// Columns of the token family.
const (
	colJWT    = "jwt"
	colNonce  = "nonce"
	colSeen   = "seen"
	colOwner  = "owner"
	colTries  = "tries"
	colStatus = "status"
)

// Columns of the device family.
const (
	colAgent = "agent"
	colFirst = "first"
	colLogin = "logins"
)

// DefaultTTL is the usual lifetime of a session.
const DefaultTTL = 30 * time.Minute

// GraceTTL is how long the nonce of a session that was replaced stays valid.
const GraceTTL = 90 * time.Second

// ErrNoSession says that the player has no live session.
var ErrNoSession = errors.New("session: none")

// Session is a live session of one device.
type Session struct {
	Player  string
	Device  string
	JWT     string
	Expires time.Time
}

// Store reads and writes sessions.
type Store struct {
	tbl bigtable.TableAPI
	now func() time.Time
	ttl time.Duration
}

// Option changes a store.
type Option func(*Store)

// WithNow injects a clock.
func WithNow(now func() time.Time) Option {
	return func(s *Store) { s.now = now }
}

// WithTTL changes the lifetime of sessions.
func WithTTL(ttl time.Duration) Option {
	return func(s *Store) { s.ttl = ttl }
}

// New returns the store of the sessions table.
func New(client *bigtable.Client, opts ...Option) *Store {
	s := &Store{tbl: client.OpenTable(TableName), now: time.Now, ttl: DefaultTTL}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// key returns the row key of a player.
func key(player string) string { return "p#" + player }

// Create begins a session on a device and returns it.
func (s *Store) Create(ctx context.Context, player, device, jwt string) (Session, error) {
	exp := s.now().Add(s.ttl)
	m := bigtable.NewMutation()
	m.Set(FamToken, colJWT, bigtable.Time(exp), []byte(jwt))                // ok ttlwrite/write-time
	m.Set(FamToken, colOwner, bigtable.Time(exp), []byte(device))           // ok ttlwrite/write-time ttlwrite/same-timestamp
	m.Set(FamDevice, colAgent, bigtable.Now(), []byte(device))              // ok ttlwrite/write-time
	m.Set(FamDevice, colFirst, bigtable.ServerTime, kit.PutMoment(s.now())) // ok ttlwrite/server-timestamp
	if err := s.tbl.Apply(ctx, key(player), m); err != nil {
		return Session{}, fmt.Errorf("create session of %s: %w", player, err)
	}
	return Session{Player: player, Device: device, JWT: jwt, Expires: exp}, nil
}

// Touch records that the player was seen.
func (s *Store) Touch(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.Set(FamToken, colSeen, bigtable.Now(), kit.PutMoment(s.now()))  // want ttlwrite/write-time
	m.Set(FamDevice, colSeen, bigtable.Now(), kit.PutMoment(s.now())) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(player), m)
}

// Extend moves the end of the player's session ttl ahead.
func (s *Store) Extend(ctx context.Context, player, jwt string) error {
	until := bigtable.Now() + bigtable.Timestamp(s.ttl.Microseconds()) // ok ttlunit/wrong-unit
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamToken, colJWT)               // ok ttlwrite/delete-after-set
	m.Set(FamToken, colJWT, until, []byte(jwt))           // ok ttlwrite/write-time
	m.Set(FamToken, colStatus, until, []byte("extended")) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, key(player), m)
}

// ExtendLong is Extend for consoles, whose sessions last a day.
func (s *Store) ExtendLong(ctx context.Context, player, jwt string) error {
	until := bigtable.Now() + bigtable.Timestamp(24*time.Hour) // want ttlunit/wrong-unit
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamToken, colJWT)
	m.Set(FamToken, colJWT, until, []byte(jwt))
	return s.tbl.Apply(ctx, key(player), m)
}

// Remember stores the token under the moment that the identity provider says
// it ends.
func (s *Store) Remember(ctx context.Context, player, jwt string, notAfter time.Time) error {
	m := bigtable.NewMutation()
	m.Set(FamToken, colJWT, bigtable.Timestamp(notAfter.UnixMilli()), []byte(jwt))   // want ttlunit/wrong-unit
	m.Set(FamToken, colNonce, bigtable.Timestamp(notAfter.UnixMicro()), []byte(jwt)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, key(player), m)
}

// cell is one column of a device's session, for stampCells.
type cell struct {
	column string
	value  []byte
}

// stampCells sets several columns of the token family to one timestamp.
func stampCells(m *bigtable.Mutation, ts bigtable.Timestamp, cells ...cell) {
	for _, c := range cells {
		m.Set(FamToken, c.column, ts, c.value)
	}
}

// Login stores the result of a password check.
func (s *Store) Login(ctx context.Context, player, device, jwt string) error {
	m := bigtable.NewMutation()
	stampCells(m, bigtable.Time(s.now().Add(s.ttl)), cell{colJWT, []byte(jwt)}, cell{colOwner, []byte(device)}) // ok ttlwrite/write-time ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, key(player), m)
}

// LoginGuest stores a session without an account behind it.
func (s *Store) LoginGuest(ctx context.Context, device, jwt string) error {
	m := bigtable.NewMutation()
	stampCells(m, bigtable.ServerTime, cell{colJWT, []byte(jwt)}, cell{colOwner, []byte(device)}) // want ttlwrite/server-timestamp
	return s.tbl.Apply(ctx, "g#"+device, m)
}

// LinkDevice stores the nonce with which a second device joins.
func (s *Store) LinkDevice(ctx context.Context, player, device, nonce string) error {
	at := s.now()
	m := bigtable.NewMutation()
	stampCells(m, bigtable.Time(at), cell{colNonce, []byte(nonce)})    // want ttlwrite/write-time
	m.Set(FamDevice, "link:"+device, bigtable.Time(at), []byte(nonce)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key(player), m)
}

// Revoke ends all sessions of a player at once.
func (s *Store) Revoke(ctx context.Context, player string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(FamToken)
	m.Set(FamDevice, colStatus, bigtable.Time(s.now()), []byte("revoked")) // ok ttlwrite/write-time ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key(player), m)
}

// Expel ends a session and leaves a mark, so that the device learns why.
func (s *Store) Expel(ctx context.Context, player, why string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamToken, colJWT)
	m.Set(FamToken, colStatus, bigtable.Time(s.now().Add(-time.Second)), []byte(why)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(player), m)
}

// ExpelFor is Expel with a mark that stays for a while.
func (s *Store) ExpelFor(ctx context.Context, player, why string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamToken, colJWT)
	m.Set(FamToken, colStatus, bigtable.Time(s.now().Add(GraceTTL)), []byte(why)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key(player), m)
}

// Rotate replaces the token. The old one goes.
func (s *Store) Rotate(ctx context.Context, player, jwt string) error {
	exp := bigtable.Time(s.now().Add(s.ttl))
	m := bigtable.NewMutation()
	m.Set(FamToken, colJWT, exp, []byte(jwt))
	m.Set(FamToken, colStatus, exp, []byte("rotated"))
	m.DeleteCellsInColumn(FamToken, colNonce) // ok ttlwrite/delete-after-set
	m.DeleteCellsInColumn(FamToken, colJWT)   // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, key(player), m)
}

// RotateNonce replaces the nonce, with a grace for requests under way.
func (s *Store) RotateNonce(ctx context.Context, player, old, next string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamToken, colNonce) // ok ttlwrite/delete-after-set
	grace := bigtable.Time(s.now().Add(GraceTTL))
	m.Set(FamToken, colNonce, grace, []byte(next))
	m.Set(FamToken, colNonce, grace, []byte(next+","+old)) // want ttlwrite/same-timestamp
	m.Set(FamToken, colNonce+":prev", grace, []byte(old))  // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, key(player), m)
}

// CountFailure counts a wrong password. The count ends with the session.
func (s *Store) CountFailure(ctx context.Context, player string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamToken, colTries, 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, key(player), rmw)
	if err != nil {
		return 0, err
	}
	b, _ := kit.First(row, FamToken, colTries)
	return kit.Int64{}.Decode(b)
}

// CountLogin counts a login of the player's devices.
func (s *Store) CountLogin(ctx context.Context, player string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamDevice, colLogin, 1) // ok ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, key(player), rmw)
	if err != nil {
		return 0, err
	}
	b, _ := kit.First(row, FamDevice, colLogin)
	return kit.Int64{}.Decode(b)
}

// Claim makes device the owner of the player's session if nobody is.
func (s *Store) Claim(ctx context.Context, player, device string) error {
	take := bigtable.NewMutation()
	take.Set(FamToken, colOwner, bigtable.Time(s.now().Add(s.ttl)), []byte(device))
	owned := bigtable.ChainFilters(bigtable.FamilyFilter(FamToken), bigtable.ColumnFilter(colOwner)) // want ttlread/conditional-mutation[claim]
	var taken bool
	err := s.tbl.Apply(ctx, key(player), bigtable.NewCondMutation(owned, nil, take), bigtable.GetCondMutationResult(&taken)) // want ttlread/conditional-mutation[claim]
	if err == nil && taken {
		return kit.ErrConflict
	}
	return err
}

// ClaimLive is Claim that minds owners whose sessions have ended.
func (s *Store) ClaimLive(ctx context.Context, player, device string) error {
	now := s.now()
	take := bigtable.NewMutation()
	take.DeleteCellsInColumn(FamToken, colOwner)
	take.Set(FamToken, colOwner, bigtable.Time(now.Add(s.ttl)), []byte(device))
	owned := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamToken),
		bigtable.ColumnFilter(colOwner),
		kit.UnexpiredAt(now),
	)
	var taken bool
	err := s.tbl.Apply(ctx, key(player), bigtable.NewCondMutation(owned, nil, take), bigtable.GetCondMutationResult(&taken)) // ok ttlread/conditional-mutation
	if err == nil && taken {
		return kit.ErrConflict
	}
	return err
}

// Release gives the session up, if device owns it.
func (s *Store) Release(ctx context.Context, player, device string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(FamToken)
	mine := bigtable.ChainFilters(bigtable.FamilyFilter(FamToken), bigtable.ColumnFilter(colOwner), bigtable.ValueFilter(device))
	return s.tbl.Apply(ctx, key(player), bigtable.NewCondMutation(mine, drop, nil)) // ok ttlread/conditional-mutation
}

// FirstDevice notes the device unless the player has one.
func (s *Store) FirstDevice(ctx context.Context, player, device string) error {
	m := bigtable.NewMutation()
	m.Set(FamDevice, colAgent, bigtable.Now(), []byte(device))
	return s.tbl.Apply(ctx, key(player), bigtable.NewCondMutation(bigtable.FamilyFilter(FamDevice), nil, m)) // ok ttlread/conditional-mutation
}
