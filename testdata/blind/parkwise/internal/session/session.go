// Package session keeps signed-in drivers signed in.
package session

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Session is a signed-in device.
type Session struct {
	ID        string    `json:"id"`
	Driver    string    `json:"driver"`
	Device    string    `json:"device"`
	Scopes    []string  `json:"scopes,omitempty"`
	ExpiresAt time.Time `json:"-"`
}

// Store keeps sessions.
type Store interface {
	Put(ctx context.Context, id tenant.ID, s Session) error
	Get(ctx context.Context, id tenant.ID, sid string) (Session, error)
	Extend(ctx context.Context, id tenant.ID, sid string, until time.Time) error
	End(ctx context.Context, id tenant.ID, sid string) error
	EndAll(ctx context.Context, id tenant.ID, driver string) (int, error)
}

// ErrNone is returned where there is no session.
var ErrNone = errors.New("session: none")

// Manager opens and closes sessions.
type Manager struct {
	store    Store
	lifetime time.Duration
	idle     time.Duration
	log      *slog.Logger
	onEnd    []func(context.Context, string)
}

// Option configures a Manager.
type Option func(*Manager)

// WithIdle sets the time after which an unused session ends.
func WithIdle(d time.Duration) Option { return func(m *Manager) { m.idle = d } }

// WithLogger sets the logger.
func WithLogger(l *slog.Logger) Option { return func(m *Manager) { m.log = l } }

// OnEnd calls f for every session that is ended.
func OnEnd(f func(context.Context, string)) Option {
	return func(m *Manager) { m.onEnd = append(m.onEnd, f) }
}

// NewManager makes a Manager.
func NewManager(store Store, lifetime time.Duration, opts ...Option) *Manager {
	m := &Manager{store: store, lifetime: lifetime, idle: 2 * time.Hour, log: slog.Default()}
	for _, o := range opts {
		o(m)
	}
	return m
}

func newID() (string, error) {
	b := make([]byte, 24)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Open opens a session.
func (m *Manager) Open(ctx context.Context, driver, device string, scopes ...string) (Session, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Session{}, err
	}
	sid, err := newID()
	if err != nil {
		return Session{}, fmt.Errorf("session: %w", err)
	}
	s := Session{ID: sid, Driver: driver, Device: device, Scopes: scopes, ExpiresAt: clock.In(ctx, m.lifetime)}
	if err := m.store.Put(ctx, id, s); err != nil { // ok ttlwrite/write-time
		return Session{}, fmt.Errorf("session: put: %w", err)
	}
	return s, nil
}

// Check loads a session and keeps it alive.
func (m *Manager) Check(ctx context.Context, sid string) (Session, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Session{}, err
	}
	s, err := m.store.Get(ctx, id, sid)
	if err != nil {
		return Session{}, errors.Join(ErrNone, err)
	}
	if left := s.ExpiresAt.Sub(clock.Now(ctx)); left < m.idle/2 {
		until := clock.Now(ctx).Add(m.idle)
		if err := m.store.Extend(ctx, id, sid, until); err != nil { // ok ttlwrite/write-time
			m.log.WarnContext(ctx, "session not extended", "err", err)
		} else {
			s.ExpiresAt = until
		}
	}
	return s, nil
}

// Downgrade ends a session's privileges at once: the shorter life is written over the longer one.
func (m *Manager) Downgrade(ctx context.Context, sid string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	return m.store.Extend(ctx, id, sid, clock.Now(ctx)) // want ttlwrite/write-time
}

// Kick makes the store forget a session at the next read.
func (m *Manager) Kick(ctx context.Context, sid string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	return m.store.Extend(ctx, id, sid, clock.Now(ctx).Add(-time.Minute)) // want ttlwrite/already-expired
}

// Close ends a session.
func (m *Manager) Close(ctx context.Context, sid string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	if err := m.store.End(ctx, id, sid); err != nil {
		return err
	}
	for _, f := range m.onEnd {
		f(ctx, sid)
	}
	return nil
}

// CloseAll ends all sessions of a driver.
func (m *Manager) CloseAll(ctx context.Context, driver string) (int, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return 0, err
	}
	n, err := m.store.EndAll(ctx, id, driver)
	m.log.InfoContext(ctx, "sessions ended", "driver", driver, "n", n)
	return n, err
}
