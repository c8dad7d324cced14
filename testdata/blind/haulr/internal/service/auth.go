// Package service is what the product does.
package service

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"time"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/store"
	"haulr.dev/backend/internal/tables"
)

// ErrDenied is returned for wrong credentials, and for right ones at the wrong
// time.
var ErrDenied = errors.New("service: denied")

// Auth logs people in.
type Auth struct {
	sessions *store.SessionStore
	otp      *store.OTPStore
	devices  *store.DeviceStore
	rates    *store.RateLimits
	clk      clock.Clock
	log      *slog.Logger
	send     func(ctx context.Context, ch store.Channel, user, code string) error
}

// NewAuth makes the service.
func NewAuth(s *store.Stores, clk clock.Clock, log *slog.Logger, send func(context.Context, store.Channel, string, string) error) *Auth {
	return &Auth{sessions: s.Sessions, otp: s.OTP, devices: s.Devices, rates: s.Rates, clk: clk, log: log, send: send}
}

func random(n int) string {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func newID() string {
	b := make([]byte, 8)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b)
}

func sixDigits() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%06d", n)
}

// Start sends a code.
func (a *Auth) Start(ctx context.Context, user string, ch store.Channel) error {
	n, err := a.rates.Hit(ctx, "otp:"+user)
	if err != nil {
		a.log.Warn("rate limit", "err", err)
	}
	if n > 5 {
		if err := a.rates.Block(ctx, user, 15*time.Minute); err != nil { // ok ttlwrite/already-expired
			return err
		}
		return ErrDenied
	}
	code := sixDigits()
	if ch == store.Voice {
		if err := a.otp.PutVoice(ctx, user, code); err != nil {
			return err
		}
	} else if err := a.otp.Put(ctx, store.Challenge{User: user, Channel: ch, Code: code}); err != nil {
		return err
	}
	return a.send(ctx, ch, user, code)
}

// Finish checks the code and makes a session.
func (a *Auth) Finish(ctx context.Context, user, code, device string) (*store.Session, error) {
	ok, err := a.otp.CheckStrict(ctx, user, code)
	if err != nil {
		return nil, err
	}
	if !ok {
		if _, err := a.otp.Fail(ctx, user); err != nil {
			a.log.Warn("otp", "err", err)
		}
		return nil, ErrDenied
	}
	sess := &store.Session{
		ID:        newID(),
		UserID:    user,
		Token:     random(32),
		Refresh:   random(32),
		Device:    device,
		CreatedAt: a.clk.Now(),
	}
	if err := a.sessions.Create(ctx, sess); err != nil {
		return nil, err
	}
	if err := a.devices.Trust(ctx, user, device); err != nil {
		a.log.Warn("trust", "err", err)
	}
	return sess, nil
}

// Guest makes a session without a user, for a quarter of an hour.
func (a *Auth) Guest(ctx context.Context, device string) (*store.Session, error) {
	sess := &store.Session{ID: newID(), UserID: "guest", Token: random(16), Device: device}
	return sess, a.sessions.CreateUntil(ctx, sess, a.clk.Now().Add(15*time.Minute)) // ok ttlwrite/write-time
}

// Kiosk makes one for the terminals in the depots. They are cleaned every
// night, so the author did not care about an end.
func (a *Auth) Kiosk(ctx context.Context, depot string) (*store.Session, error) {
	sess := &store.Session{ID: newID(), UserID: "kiosk-" + depot, Token: random(16), Device: depot}
	return sess, a.sessions.CreateUntil(ctx, sess, time.Now()) // want ttlwrite/write-time
}

// Unlock lets a subject in again at once.
func (a *Auth) Unlock(ctx context.Context, subject string) error {
	return a.rates.Block(ctx, subject, -time.Minute) // want ttlwrite/already-expired
}

// UnlockClean does it with a deletion.
func (a *Auth) UnlockClean(ctx context.Context, subject string) error {
	return a.rates.Unblock(ctx, subject)
}

// Keep prolongs a session by its usual life.
func (a *Auth) Keep(ctx context.Context, user, id, token string) error {
	return a.sessions.Prolong(ctx, user, id, token, 0) // ok ttlwrite/write-time
}

// KeepLong prolongs it for a day.
func (a *Auth) KeepLong(ctx context.Context, user, id, token string) error {
	return a.sessions.Prolong(ctx, user, id, token, 24*time.Hour) // ok ttlwrite/write-time
}

// Logout ends a session.
func (a *Auth) Logout(ctx context.Context, user, id string) error {
	return a.sessions.Revoke(ctx, user, id, "logout")
}

// LogoutAll ends all sessions of a user.
func (a *Auth) LogoutAll(ctx context.Context, user string) (int, error) {
	ids, err := a.sessions.ListIDs(ctx, user)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, id := range ids {
		errs = append(errs, a.sessions.Revoke(ctx, user, id, "logout all"))
	}
	return len(ids), errors.Join(errs...)
}

// Devices lists the devices of a user.
func (a *Auth) Devices(ctx context.Context, user string) ([]store.Device, error) {
	ds, err := a.devices.All(ctx, user)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return ds, err
}

// TokenLife is what clients are told.
func TokenLife() time.Duration { return tables.SessionTTL }
