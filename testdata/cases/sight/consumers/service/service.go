// Package service has interfaces beside what uses them, and does not reach the client.
package service

import (
	"context"
	"errors"
	"time"
)

// Session is what a store keeps.
type Session struct {
	User    string
	Expires time.Time
}

// Sessions keeps sessions.
type Sessions interface {
	Save(ctx context.Context, s Session) error
	Renew(ctx context.Context, s *Session) error
	Lock(ctx context.Context, user string, until time.Time) error
	Put(ctx context.Context, family, user string, until time.Time) error
}

// Service uses sessions.
type Service struct{ sessions Sessions }

// New makes one.
func New(s Sessions) *Service { return &Service{sessions: s} }

// Try makes one, if there is anything to make it of.
func Try(s Sessions) (*Service, error) {
	if s == nil {
		return nil, errors.New("no sessions")
	}
	return &Service{sessions: s}, nil
}

// Login saves a session that has ended.
func (s *Service) Login(ctx context.Context, user string) error {
	return s.sessions.Save(ctx, Session{User: user, Expires: time.Now()})
}

// Right uses sessions as it should.
type Right struct{ sessions Sessions }

// NewRight makes one.
func NewRight(s Sessions) *Right { return &Right{sessions: s} }

// Login saves a session.
func (s *Right) Login(ctx context.Context, user string) error {
	return s.sessions.Save(ctx, Session{User: user, Expires: time.Now().Add(time.Hour)})
}

// Renew saves it again.
func (s *Right) Renew(ctx context.Context, user string) error {
	return s.sessions.Renew(ctx, &Session{User: user, Expires: time.Now().Add(time.Hour)})
}

// Until locks until its caller says.
func (s *Right) Until(ctx context.Context, user string, until time.Time) error {
	return s.sessions.Lock(ctx, user, until)
}

// Loaded saves what is not known.
func (s *Right) Loaded(ctx context.Context, load func() *Session) error {
	return s.sessions.Renew(ctx, load())
}

// Renewer saves by way of a pointer.
type Renewer struct{ Sessions Sessions }

// Renew saves a session that has ended.
func (r *Renewer) Renew(ctx context.Context, user string) error {
	return r.Sessions.Renew(ctx, &Session{User: user, Expires: time.Now()})
}

// Named names the family too.
type Named struct{ Sessions }

// NewNamed makes one.
func NewNamed(s Sessions) *Named { return &Named{s} }

// Token ends at once, a profile has the time at which it was written.
func (n *Named) Token(ctx context.Context, user string) error {
	return n.Put(ctx, "token", user, time.Now())
}

// Dated names a family with real timestamps.
type Dated struct{ sessions Sessions }

// NewDated makes one.
func NewDated(s Sessions) *Dated { return &Dated{s} }

// Profile has the time at which it was written.
func (d *Dated) Profile(ctx context.Context, user string) error {
	return d.sessions.Put(ctx, "profile", user, time.Now())
}

// Ended is given the sessions by its call.
func Ended(ctx context.Context, s Sessions, user string) error {
	return s.Lock(ctx, user, time.Now().Add(-time.Minute))
}

// Switched locks if it is told to.
type Switched struct {
	sessions Sessions
	on       bool
}

// NewSwitched makes one.
func NewSwitched(s Sessions, on bool) *Switched { return &Switched{s, on} }

// Lock locks until now.
func (s *Switched) Lock(ctx context.Context, user string) error {
	if !s.on {
		return nil
	}
	return s.sessions.Lock(ctx, user, time.Now())
}
