// Package store keeps sessions: in Bigtable, or in memory.
package store

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/consumers/service"
)

var _, _, _ service.Sessions = (*Store)(nil), (*Fake)(nil), (*Dates)(nil)

// Store keeps them in Bigtable.
type Store struct{ tbl *bigtable.Table }

// New opens one.
func New(c *bigtable.Client) *Store { return &Store{tbl: c.Open("sessions")} }

// Save implements service.Sessions.
func (s *Store) Save(ctx context.Context, session service.Session) error {
	return s.Put(ctx, "token", session.User, session.Expires)
}

// Renew implements service.Sessions.
func (s *Store) Renew(ctx context.Context, session *service.Session) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "session", bigtable.Time(session.Expires), nil)
	return s.tbl.Apply(ctx, session.User, mut)
}

// Lock implements service.Sessions.
func (s *Store) Lock(ctx context.Context, user string, until time.Time) error {
	return s.Put(ctx, "token", user, until)
}

// Put implements service.Sessions.
func (s *Store) Put(ctx context.Context, family, user string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(family, "session", bigtable.Time(until), nil)
	return s.tbl.Apply(ctx, user, mut)
}

// Dates keeps when something happened.
type Dates struct{ Store }

// NewDates opens some.
func NewDates(c *bigtable.Client) *Dates { return &Dates{Store{tbl: c.Open("sessions")}} }

// Save implements service.Sessions.
func (s *Dates) Save(ctx context.Context, session service.Session) error {
	return s.Put(ctx, "profile", session.User, session.Expires)
}

// Fake keeps them in memory.
type Fake struct{ sessions map[string]time.Time }

// NewFake makes one.
func NewFake() *Fake { return &Fake{sessions: map[string]time.Time{}} }

// Save implements service.Sessions.
func (f *Fake) Save(_ context.Context, session service.Session) error {
	f.sessions[session.User] = session.Expires
	return nil
}

// Renew implements service.Sessions.
func (f *Fake) Renew(ctx context.Context, session *service.Session) error {
	return f.Save(ctx, *session)
}

// Lock implements service.Sessions.
func (f *Fake) Lock(_ context.Context, user string, until time.Time) error {
	f.sessions[user] = until
	return nil
}

// Put implements service.Sessions.
func (f *Fake) Put(ctx context.Context, _, user string, until time.Time) error {
	return f.Lock(ctx, user, until)
}
