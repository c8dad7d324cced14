// Package otp issues and checks one-time codes.
package otp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"time"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Code is a code that was sent to a phone.
type Code struct {
	Phone     string
	Hash      string
	Channel   string
	ExpiresAt time.Time
}

// Errors of Verify.
var (
	ErrExpired  = errors.New("otp: no code, or expired")
	ErrMismatch = errors.New("otp: wrong code")
	ErrLocked   = errors.New("otp: too many attempts")
)

// Store keeps codes.
type Store interface {
	Save(ctx context.Context, id tenant.ID, c Code) error
	Load(ctx context.Context, id tenant.ID, phone string) (Code, error)
	Attempt(ctx context.Context, id tenant.ID, phone string) (int64, error)
	Lock(ctx context.Context, id tenant.ID, phone string, until time.Time) error
	Consume(ctx context.Context, id tenant.ID, phone string) (bool, error)
}

// Sender delivers codes.
type Sender interface {
	Send(ctx context.Context, phone, text string) error
}

// Service issues and checks codes.
type Service struct {
	store       Store
	sender      Sender
	lifetime    time.Duration
	maxAttempts int64
	log         *slog.Logger
	digits      func() (string, error)
}

// Option configures a Service.
type Option func(*Service)

// WithLifetime sets how long codes live.
func WithLifetime(d time.Duration) Option { return func(s *Service) { s.lifetime = d } }

// WithMaxAttempts sets how many wrong codes lock a phone.
func WithMaxAttempts(n int) Option { return func(s *Service) { s.maxAttempts = int64(n) } }

// WithLogger sets the logger.
func WithLogger(l *slog.Logger) Option { return func(s *Service) { s.log = l } }

// New makes a Service.
func New(store Store, sender Sender, opts ...Option) *Service {
	s := &Service{store: store, sender: sender, lifetime: 5 * time.Minute, maxAttempts: 5, log: slog.Default(), digits: sixDigits}
	for _, o := range opts {
		o(s)
	}
	return s
}

func sixDigits() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%06d", n), nil
}

func hash(phone, code string) string {
	sum := sha256.Sum256([]byte(phone + "|" + code))
	return hex.EncodeToString(sum[:])
}

// Issue sends a new code.
func (s *Service) Issue(ctx context.Context, phone string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	code, err := s.digits()
	if err != nil {
		return fmt.Errorf("otp: %w", err)
	}
	c := Code{Phone: phone, Hash: hash(phone, code), Channel: "sms", ExpiresAt: clock.Now(ctx).Add(s.lifetime)}
	if err := s.store.Save(ctx, id, c); err != nil { // ok ttlwrite/write-time
		return fmt.Errorf("otp: save: %w", err)
	}
	return s.sender.Send(ctx, phone, "Your ParkWise code is "+code)
}

// IssueVoice sends a new code by a call, for landlines.
func (s *Service) IssueVoice(ctx context.Context, phone string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	code, err := s.digits()
	if err != nil {
		return fmt.Errorf("otp: %w", err)
	}
	now := clock.Now(ctx)
	c := Code{Phone: phone, Hash: hash(phone, code), Channel: "voice", ExpiresAt: now} // want ttlwrite/write-time[voice]
	if err := s.store.Save(ctx, id, c); err != nil {                                   // want ttlwrite/write-time[voice]
		return fmt.Errorf("otp: save: %w", err)
	}
	return s.sender.Send(ctx, phone, code)
}

// Verify checks a code and uses it up.
func (s *Service) Verify(ctx context.Context, phone, code string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	c, err := s.store.Load(ctx, id, phone)
	if err != nil {
		return errors.Join(ErrExpired, err)
	}
	if subtle.ConstantTimeCompare([]byte(c.Hash), []byte(hash(phone, code))) == 1 {
		ok, err := s.store.Consume(ctx, id, phone)
		if err != nil {
			return fmt.Errorf("otp: consume: %w", err)
		}
		if !ok {
			return ErrExpired
		}
		return nil
	}
	n, err := s.store.Attempt(ctx, id, phone)
	if err != nil {
		return fmt.Errorf("otp: attempt: %w", err)
	}
	if n >= s.maxAttempts {
		s.log.WarnContext(ctx, "phone locked", "attempts", n)
		if err := s.store.Lock(ctx, id, phone, clock.In(ctx, 10*time.Minute)); err != nil { // ok ttlwrite/write-time
			return err
		}
		return ErrLocked
	}
	return ErrMismatch
}

// Unlock lifts a lock before its time.
func (s *Service) Unlock(ctx context.Context, phone string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	return s.store.Lock(ctx, id, phone, clock.In(ctx, 0)) // want ttlwrite/write-time[otp]
}
