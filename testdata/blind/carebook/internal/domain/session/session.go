// Package session is the portal's sign-in state.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"github.com/carebook/appointments/internal/platform/clock"
)

// How long things live. The adapters use these too.
const (
	TTL        = 30 * time.Minute
	DeviceLife = 30 * 24 * time.Hour
	Grace      = 45 * time.Second
)

// ErrExpired is returned for sessions that are gone.
var ErrExpired = errors.New("session expired")

// Session is one sign-in.
type Session struct {
	ID        string    `json:"id"`
	PatientID string    `json:"patient"`
	Agent     string    `json:"agent"`
	Name      string    `json:"name"`
	Token     []byte    `json:"-"`
	ExpiresAt time.Time `json:"expires"`
}

// Device is a browser that was seen.
type Device struct {
	Agent    string
	LastSeen []byte
}

// Store is what the service needs from the outside.
type Store interface {
	Create(ctx context.Context, s Session) error
	Get(ctx context.Context, id string) (Session, error)
	Touch(ctx context.Context, id string) error
	Revoke(ctx context.Context, id string) error
	Devices(ctx context.Context, patient string) ([]Device, error)
}

// Service holds the rules.
type Service struct {
	store Store
	clock clock.Clock
}

// NewService returns a service over a store.
func NewService(store Store, c clock.Clock) *Service { return &Service{store, c} }

// SignIn starts a session.
func (s *Service) SignIn(ctx context.Context, patient, agent, name string) (Session, error) {
	id, err := random(16)
	if err != nil {
		return Session{}, err
	}
	token, err := random(32)
	if err != nil {
		return Session{}, err
	}
	out := Session{ID: id, PatientID: patient, Agent: agent, Name: name, Token: []byte(token), ExpiresAt: s.clock.Now().Add(TTL)}
	return out, s.store.Create(ctx, out)
}

// Check returns a session that is live, and notes that it was used.
func (s *Service) Check(ctx context.Context, id string) (Session, error) {
	out, err := s.store.Get(ctx, id)
	if err != nil {
		return Session{}, err
	}
	if err := s.store.Touch(ctx, id); err != nil {
		return Session{}, err
	}
	return out, nil
}

// SignOut ends a session.
func (s *Service) SignOut(ctx context.Context, id string) error { return s.store.Revoke(ctx, id) }

// Devices lists a patient's browsers.
func (s *Service) Devices(ctx context.Context, patient string) ([]Device, error) {
	return s.store.Devices(ctx, patient)
}

func random(n int) (string, error) {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}
