// Package session logs users in and out.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
	"example.com/paywell/store"
)

// Service logs users in and out.
type Service struct {
	sessions *store.Sessions
	coupons  *store.Coupons
	clk      clock.Clock
	random   io.Reader
	maxAge   time.Duration
}

// Option changes a service.
type Option func(*Service)

// WithRandom sets where tokens come from.
func WithRandom(r io.Reader) Option { return func(s *Service) { s.random = r } }

// WithMaxAge sets how long a session can be prolonged.
func WithMaxAge(d time.Duration) Option { return func(s *Service) { s.maxAge = d } }

// New returns a service on st.
func New(st *store.Store, clk clock.Clock, opts ...Option) *Service {
	s := &Service{sessions: st.Sessions, coupons: st.Coupons, clk: clk, random: rand.Reader, maxAge: domain.RememberMeTTL}
	for _, o := range opts {
		o(s)
	}
	return s
}

func (s *Service) token() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(s.random, b[:]); err != nil {
		return "", fmt.Errorf("session: no token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// Login begins a session.
func (s *Service) Login(ctx context.Context, user, device, address string, remember bool) (domain.Session, error) {
	id, err := s.token()
	if err != nil {
		return domain.Session{}, err
	}
	now := s.clk.Now()
	sess := domain.Session{
		ID:        id,
		User:      user,
		Device:    device,
		Address:   address,
		Remember:  remember,
		CreatedAt: now,
		LastSeen:  now,
	}
	sess.ExpiresAt = now.Add(sess.Lifetime())
	if err := s.sessions.Create(ctx, sess); err != nil {
		return domain.Session{}, err
	}
	return sess, nil
}

// Resume finds a session, and prolongs it if half of it is over.
func (s *Service) Resume(ctx context.Context, id string) (domain.Session, error) {
	sess, err := s.sessions.Get(ctx, id)
	if err != nil {
		return domain.Session{}, err
	}
	now := s.clk.Now()
	if sess.Expired(now) {
		return domain.Session{}, domain.ErrExpired
	}
	if sess.ExpiresAt.Sub(now) < sess.Lifetime()/2 {
		sess.ExpiresAt = now.Add(sess.Lifetime())
		if err := s.sessions.Extend(ctx, id, sess.ExpiresAt); err != nil { // ok ttlwrite/write-time
			return domain.Session{}, err
		}
	}
	return sess, nil
}

// Prolong makes a session live longer.
func (s *Service) Prolong(ctx context.Context, id string, by time.Duration) error {
	by = min(by, s.maxAge)
	return s.sessions.Extend(ctx, id, s.clk.Now().Add(by)) // ok ttlwrite/write-time
}

// Logout ends a session: it lives until now.
func (s *Service) Logout(ctx context.Context, id string) error {
	return s.sessions.Extend(ctx, id, s.clk.Now()) // want ttlwrite/write-time
}

// Kick ends a session: its end is no time at all.
func (s *Service) Kick(ctx context.Context, id string) error {
	return s.sessions.Extend(ctx, id, time.Time{}) // want ttlwrite/already-expired
}

// LogoutAll deletes the sessions of a user.
func (s *Service) LogoutAll(ctx context.Context, user string) (int, error) {
	all, err := s.sessions.AllAlive(ctx, user)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, sess := range all {
		errs = append(errs, s.sessions.Drop(ctx, sess.ID))
	}
	return len(all), errors.Join(errs...)
}

// Redeem redeems a coupon by a code that was sent.
func (s *Service) Redeem(ctx context.Context, coupon, user, otp string) (int, error) {
	ok, err := s.coupons.CheckLive(ctx, coupon, user, otp)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, domain.ErrBadInput
	}
	return s.coupons.Percent(ctx, coupon)
}
