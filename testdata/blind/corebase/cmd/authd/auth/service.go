package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Errors of the service.
var (
	ErrNoSession = errors.New("auth: no such session")
	ErrDenied    = errors.New("auth: denied")
)

// Service is the session service.
type Service struct {
	log        *slog.Logger
	sessions   *btstore.Table
	challenges *btstore.Table
	logins     *btstore.Table
	keys       *btstore.Table
	flags      *btstore.Table
	audit      *btstore.Table

	client *bigtable.Client
	now    func() time.Time
}

// NewService opens the tables.
func NewService(s *btstore.Store, log *slog.Logger) *Service {
	return &Service{
		log:        log,
		sessions:   s.Table(TableSessions),
		challenges: s.Table(TableChallenges),
		logins:     s.Table(TableLogins),
		keys:       s.Table(TableKeys),
		flags:      s.Table(TableFlags),
		audit:      s.Table(TableAudit),
		client:     s.Client(),
		now:        time.Now,
	}
}

func newID() string {
	var b [24]byte
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Session is what a request gets to know.
type Session struct {
	ID      string    `json:"id"`
	User    string    `json:"user"`
	JWT     string    `json:"jwt"`
	Scopes  []string  `json:"scopes,omitempty"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
}

// Login makes a session.
func (s *Service) Login(ctx context.Context, user, jwt, agent string) (*Session, error) {
	id := newID()
	now := s.now()
	m := bigtable.NewMutation()
	m.Set(FamToken, "jwt", bigtable.Time(now.Add(TokenTTL)), []byte(jwt)) // ok ttlwrite/write-time
	m.Set(FamToken, "user", bigtable.Time(now), []byte(user))             // want ttlwrite/write-time
	m.Set(FamDevice, "agent", bigtable.Time(now), []byte(agent))          // ok ttlwrite/write-time
	m.Set(FamProfile, "seen", bigtable.Time(now), nil)                    // ok ttlwrite/write-time
	m.Set(FamProfile, "created", bigtable.ServerTime, []byte(now.Format(time.RFC3339)))
	if err := s.sessions.Apply(ctx, id, m); err != nil {
		return nil, fmt.Errorf("login: %w", err)
	}
	return &Session{ID: id, User: user, JWT: jwt, Created: now, Expires: now.Add(TokenTTL)}, nil
}

// LoginTyped is Login by way of the typed families.
func (s *Service) LoginTyped(ctx context.Context, user, jwt, agent string) (string, error) {
	id := newID()
	m := bigtable.NewMutation()
	Token.Set(m, "jwt", []byte(jwt))                       // ok ttlwrite/write-time
	Token.SetAt(m, "user", bigtable.Now(), []byte(user))   // want ttlwrite/write-time
	Token.SetAt(m, "ip", bigtable.ServerTime, nil)         // want ttlwrite/server-timestamp
	Token.SetAt(m, "scope", btstore.Expiry(TokenTTL), nil) // ok ttlwrite/write-time
	Token.SetUntil(m, "csrf", s.now().Add(TokenTTL), nil)  // ok ttlwrite/write-time
	Token.SetUntil(m, "state", time.Now(), nil)            // want ttlwrite/write-time
	Device.Set(m, "agent", []byte(agent))                  // ok ttlwrite/write-time
	Device.SetFor(m, "hint", 24*time.Hour, []byte(agent))  // ok ttlwrite/already-expired
	Profile.Set(m, "seen", nil)                            // ok ttlwrite/server-timestamp
	return id, s.sessions.Apply(ctx, id, m)
}

// LoginOps is Login by way of ops.
func (s *Service) LoginOps(ctx context.Context, user, jwt string) (string, error) {
	id := newID()
	err := s.sessions.Mutate(ctx, id,
		btstore.PutFor(FamToken, "jwt", TokenTTL, []byte(jwt)), // ok ttlwrite/write-time
		btstore.Put(FamToken, "user", []byte(user)),            // want ttlwrite/write-time
		btstore.PutServer(FamToken, "ip", nil),                 // want ttlwrite/server-timestamp
		btstore.PutAt(FamToken, "scope", btstore.Wall(), nil),  // want ttlwrite/write-time
		btstore.Put(FamDevice, "agent", nil),                   // ok ttlwrite/write-time
		btstore.PutServer(FamProfile, "seen", nil),             // ok ttlwrite/server-timestamp
		btstore.PutServer(FamDevice, "seen", nil),              // ok ttlwrite/server-timestamp
	)
	return id, err
}

// LoginCells is Login by way of cells.
func (s *Service) LoginCells(ctx context.Context, user, jwt string) (string, error) {
	id := newID()
	exp := btstore.Expiry(TokenTTL)
	if err := s.sessions.Write(ctx, id,
		btstore.Cell{Family: FamToken, Column: "jwt", TS: exp, Value: []byte(jwt)},       // ok ttlwrite/write-time
		btstore.Cell{Family: FamProfile, Column: "user", Value: []byte(user)},            // ok ttlwrite/server-timestamp
		btstore.Cell{Family: FamDevice, Column: "first", TS: bigtable.Now(), Value: nil}, // ok ttlwrite/write-time
	); err != nil {
		return "", err
	}
	return id, s.sessions.Write(ctx, id, btstore.Cell{Family: FamToken, Column: "csrf", Value: []byte(newID())}) // want ttlwrite/server-timestamp
}

// Extend gives a session another half hour.
func (s *Service) Extend(ctx context.Context, id, jwt string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamToken, "jwt") // ok ttlwrite/delete-after-set
	m.Set(FamToken, "jwt", bigtable.Time(s.now().Add(TokenTTL)), []byte(jwt))
	return s.sessions.Apply(ctx, id, m)
}

// Shorten is Extend for step-up sessions.
func (s *Service) Shorten(ctx context.Context, id, jwt string) error {
	m := bigtable.NewMutation()
	m.Set(FamToken, "jwt", bigtable.Time(s.now().Add(time.Minute)), []byte(jwt))
	m.DeleteCellsInColumn(FamToken, "jwt") // want ttlwrite/delete-after-set
	return s.sessions.Apply(ctx, id, m)
}

// Rotate replaces the token and drops the hints.
func (s *Service) Rotate(ctx context.Context, id, jwt string) error {
	m := btstore.Build(s.now(),
		btstore.Drop(FamToken, "jwt"), // ok ttlwrite/delete-after-set
		btstore.PutFor(FamToken, "jwt", TokenTTL, []byte(jwt)),
		btstore.Drop(FamDevice, "hint"), // ok ttlwrite/delete-after-set
	)
	return s.sessions.Apply(ctx, id, m)
}

// Touch remembers when a session was last used.
func (s *Service) Touch(ctx context.Context, id string) error {
	stamp, err := btstore.Time.Encode(s.now())
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(FamProfile, "used", bigtable.ServerTime, stamp) // ok ttlwrite/server-timestamp
	m.Set(FamToken, "used", bigtable.ServerTime, stamp)   // want ttlwrite/server-timestamp
	return s.sessions.Apply(ctx, id, m)
}

// Revoke ends a session.
func (s *Service) Revoke(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(FamToken)                          // ok ttlwrite/delete-after-set
	m.Set(FamProfile, "revoked", bigtable.Now(), []byte(id)) // ok ttlwrite/write-time
	return s.sessions.Apply(ctx, id, m)
}

// RevokeSoft ends a session without deleting it.
func (s *Service) RevokeSoft(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(FamToken, "jwt", bigtable.Time(s.now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return s.sessions.Apply(ctx, id, m)
}

// Count counts the uses of a session.
func (s *Service) Count(ctx context.Context, id string) (int64, error) {
	if _, err := s.sessions.Bump(ctx, id, FamProfile, "uses", 1); err != nil { // ok ttlwrite/read-modify-write
		return 0, err
	}
	return s.sessions.Bump(ctx, id, FamToken, "uses", 1) // want ttlwrite/read-modify-write
}
