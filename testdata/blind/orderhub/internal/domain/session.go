// Package domain holds the entities. They know nothing of the store.
package domain

import (
	"errors"
	"time"
)

// Session is a login.
type Session struct {
	id       string
	customer string
	jwt      string
	refresh  string
	csrf     string
	ttl      time.Duration
}

// ID returns the id.
func (s *Session) ID() string { return s.id }

// Customer returns the customer.
func (s *Session) Customer() string { return s.customer }

// JWT returns the token.
func (s *Session) JWT() string { return s.jwt }

// RefreshToken returns the refresh token.
func (s *Session) RefreshToken() string { return s.refresh }

// Csrf returns the CSRF token.
func (s *Session) Csrf() string { return s.csrf }

// TTL returns how long the session lives.
func (s *Session) TTL() time.Duration { return s.ttl }

// SessionBuilder builds a Session.
type SessionBuilder struct {
	s Session
}

// NewSessionBuilder returns an empty SessionBuilder.
func NewSessionBuilder() *SessionBuilder { return &SessionBuilder{} }

// WithID sets the id.
func (b *SessionBuilder) WithID(id string) *SessionBuilder { b.s.id = id; return b }

// WithCustomer sets the customer.
func (b *SessionBuilder) WithCustomer(c string) *SessionBuilder { b.s.customer = c; return b }

// WithJWT sets the token.
func (b *SessionBuilder) WithJWT(t string) *SessionBuilder { b.s.jwt = t; return b }

// WithRefresh sets the refresh token.
func (b *SessionBuilder) WithRefresh(t string) *SessionBuilder { b.s.refresh = t; return b }

// WithCsrf sets the CSRF token.
func (b *SessionBuilder) WithCsrf(t string) *SessionBuilder { b.s.csrf = t; return b }

// WithTTL sets the lifetime.
func (b *SessionBuilder) WithTTL(d time.Duration) *SessionBuilder { b.s.ttl = d; return b }

// ErrIncomplete is returned by builders.
var ErrIncomplete = errors.New("incomplete entity")

// Build returns the Session.
func (b *SessionBuilder) Build() (*Session, error) {
	if b.s.id == "" || b.s.customer == "" {
		return nil, ErrIncomplete
	}
	if b.s.ttl <= 0 {
		b.s.ttl = 30 * time.Minute
	}
	s := b.s
	return &s, nil
}

// Profile is what is known of who is logged in.
type Profile struct {
	Name    string
	Locale  string
	LoginAt time.Time
}

// Device is a phone or a browser.
type Device struct {
	Fingerprint string
	PushToken   string
	Agent       string
	ExpiresAt   time.Time
}
