// Package btkv wires the generic repository to the small tables: invitations, the waiting list, surveys.
package btkv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/cache"
	"github.com/carebook/appointments/internal/platform/clock"
	"github.com/carebook/appointments/internal/platform/metrics"
	"github.com/carebook/appointments/internal/platform/port"
	"github.com/carebook/appointments/internal/platform/retry"
)

// How long things live.
const (
	InviteLife   = 72 * time.Hour
	ResetLife    = 20 * time.Minute
	WaitlistLife = 14 * 24 * time.Hour
)

// Invite lets somebody register.
type Invite struct {
	Mail     string    `json:"mail"`
	Practice string    `json:"practice"`
	Until    time.Time `json:"until"`
}

// Reset lets somebody choose a new password.
type Reset struct {
	Patient string `json:"patient"`
}

// Pin is a code that the counter reads out on the phone.
type Pin struct {
	Patient string `json:"patient"`
	Digits  string `json:"digits"`
}

// Magic is a link that signs somebody in.
type Magic struct {
	Patient string `json:"patient"`
	Path    string `json:"path"`
}

// Place is a place on the waiting list.
type Place struct {
	Patient string `json:"patient"`
	Clinic  string `json:"clinic"`
}

// Survey is a numbered answer.
type Survey struct {
	Score int    `json:"score"`
	Text  string `json:"text"`
}

// Address is part of the demographics.
type Address struct {
	Street string `json:"street"`
	City   string `json:"city"`
}

// KV has all small stores.
type KV struct {
	clock clock.Clock

	invites *bt.Repo[Invite]
	resets  *bt.Repo[Reset]
	pins    *bt.Repo[Pin]
	magic   *bt.Repo[Magic]
	places  *bt.Repo[Place]
	waiting *bt.Repo[Place]
	shown   *bt.Repo[Place]
	surveys *bt.Repo[Survey]
	answers *bt.Repo[Survey]
	address *bt.Repo[Address]

	cachedInvites port.Store[string, Invite]
	cachedAddress port.Store[string, Address]
}

// New wires everything.
func New(open *bt.Opener, c clock.Clock, reg *metrics.Registry) *KV {
	invites := open.Table(names.Invites)
	waitlist := open.Table(names.Waitlist)
	patients := open.Table(names.Patients)
	kv := &KV{clock: c}

	kv.invites = bt.NewRepo(invites, names.FamCode, names.ColBody, // ok ttlwrite/write-time
		bt.StampWith(func(i Invite) bigtable.Timestamp { return bt.ExpiresAt(i.Until) }), // ok ttlwrite/write-time
		bt.ReadThrough[Invite](func() bigtable.Filter { return bt.Live(names.FamCode) }), // ok ttlread/missing-filter
	)
	kv.resets = bt.NewRepo[Reset](invites, names.FamCode, "reset") // want ttlwrite/write-time ttlread/missing-filter
	kv.pins = bt.NewRepo(invites, names.FamCode, "pin",            // want ttlwrite/server-timestamp[pins]
		bt.StampWith(func(Pin) bigtable.Timestamp { return bigtable.ServerTime }),     // want ttlwrite/server-timestamp[pins]
		bt.ReadThrough[Pin](func() bigtable.Filter { return bt.Live(names.FamCode) }), // ok ttlread/missing-filter
	)
	kv.magic = bt.NewRepo(invites, names.FamCode, "magic", // want ttlread/missing-filter[magic]
		bt.StampWith(func(Magic) bigtable.Timestamp { return bt.ExpiresIn(clock.System{}, ResetLife) }), // ok ttlwrite/write-time
		bt.ReadThrough[Magic](func() bigtable.Filter { return bt.Latest(names.FamCode, 1) }),            // want ttlread/missing-filter[magic]
	)

	kv.places = bt.NewRepo(waitlist, names.FamPlace, names.ColBody, // ok ttlwrite/write-time
		bt.ReadThrough[Place](func() bigtable.Filter { return bt.Within(names.FamPlace, WaitlistLife) }), // ok ttlread/wrong-bound
	)
	kv.waiting = bt.NewRepo(waitlist, names.FamPlace, "waiting", // want ttlread/wrong-bound[waiting]
		bt.ReadThrough[Place](func() bigtable.Filter { return bt.Within(names.FamPlace, 7*24*time.Hour) }), // want ttlread/wrong-bound[waiting]
	)
	kv.shown = bt.NewRepo[Place](waitlist, names.FamPlace, "shown") // want ttlread/missing-filter

	kv.surveys = bt.NewRepo(patients, names.FamConsent, "survey", // want ttlwrite/clock-in-sequence[survey]
		bt.ReadThrough[Survey](func() bigtable.Filter { return bt.Latest(names.FamConsent, 1) }), // ok ttlread/version-limit
	)
	kv.answers = bt.NewRepo(patients, names.FamConsent, "answer",
		bt.StampWith(func(s Survey) bigtable.Timestamp { return bt.Seq(int64(s.Score)) }),        // ok ttlwrite/clock-in-sequence
		bt.ReadThrough[Survey](func() bigtable.Filter { return bt.Latest(names.FamConsent, 1) }), // ok ttlread/version-limit
	)
	kv.address = bt.NewRepo[Address](patients, names.FamDemo, "address") // ok ttlwrite/write-time // ok ttlread/missing-filter

	kv.cachedInvites = port.WithCache(
		port.WithMetrics(port.WithRetry[string, Invite](kv.invites, retry.Default()), reg, "invites"),
		cache.New[string, Invite](15*time.Second, 1000, c))
	kv.cachedAddress = port.WithMetrics(port.WithRetry[string, Address](kv.address, retry.Default()), reg, "address")
	return kv
}

// Invite stores an invitation.
func (kv *KV) Invite(ctx context.Context, code string, i Invite) error {
	if i.Mail == "" {
		return errors.New("invitation without mail")
	}
	i.Until = kv.clock.Now().Add(InviteLife)
	return kv.cachedInvites.Put(ctx, code, i)
}

// InviteUntil stores an invitation with its own end.
func (kv *KV) InviteUntil(ctx context.Context, code string, i Invite, until time.Time) error {
	return kv.invites.PutAt(ctx, code, bt.ExpiresAt(until), i) // ok ttlwrite/write-time
}

// InviteAgain stores an invitation that was sent twice.
func (kv *KV) InviteAgain(ctx context.Context, code string, i Invite) error {
	return kv.invites.PutAt(ctx, code, bigtable.Now(), i) // want ttlwrite/write-time
}

// InviteServer leaves the time to the server.
func (kv *KV) InviteServer(ctx context.Context, code string, i Invite) error {
	return kv.invites.PutAt(ctx, code, bigtable.ServerTime, i) // want ttlwrite/server-timestamp
}

// WaitFrom puts somebody on the list as of a day.
func (kv *KV) WaitFrom(ctx context.Context, key string, p Place, from time.Time) error {
	return kv.places.PutAt(ctx, key, bigtable.Time(from), p) // ok ttlwrite/already-expired
}

// WaitServer leaves the time to the server, which this family allows.
func (kv *KV) WaitServer(ctx context.Context, key string, p Place) error {
	return kv.places.PutAt(ctx, key, bigtable.ServerTime, p) // ok ttlwrite/server-timestamp
}

// Survey stores a survey under its number.
func (kv *KV) Survey(ctx context.Context, id string, n int64, s Survey) error {
	return kv.answers.PutAt(ctx, id, bt.Seq(n), s) // ok ttlwrite/unscaled-sequence
}

// SurveyLate stores a survey that came by mail.
func (kv *KV) SurveyLate(ctx context.Context, id string, s Survey) error {
	return kv.answers.PutAt(ctx, id, bt.ExpiresIn(kv.clock, time.Hour), s) // want ttlwrite/clock-in-sequence
}

// SurveyAll stores several surveys.
func (kv *KV) SurveyAll(ctx context.Context, id string, list []Survey) error {
	for i, s := range list {
		if err := kv.answers.PutAt(ctx, id, bigtable.Timestamp(i), s); err != nil { // want ttlwrite/unscaled-sequence
			return fmt.Errorf("survey %d: %w", i, err)
		}
		if err := kv.answers.PutAt(ctx, id+"#copy", bigtable.Timestamp(i)*1000, s); err != nil { // ok ttlwrite/unscaled-sequence
			return fmt.Errorf("survey %d: %w", i, err)
		}
	}
	return nil
}

// Moved stores an address at the day of the move.
func (kv *KV) Moved(ctx context.Context, id string, a Address, day time.Time) error {
	return kv.address.PutAt(ctx, id, bigtable.Timestamp(day.Unix()), a) // want ttlunit/wrong-unit
}

// Redeem uses an invitation up.
func (kv *KV) Redeem(ctx context.Context, code string) (Invite, error) {
	i, err := kv.cachedInvites.Get(ctx, code)
	if err != nil {
		return Invite{}, err
	}
	return i, kv.cachedInvites.Delete(ctx, code)
}

// ForgotPassword starts a reset.
func (kv *KV) ForgotPassword(ctx context.Context, code, patient string) error {
	return kv.resets.Put(ctx, code, Reset{Patient: patient})
}

// Reset ends a reset.
func (kv *KV) Reset(ctx context.Context, code string) (string, error) {
	r, err := kv.resets.Get(ctx, code)
	if err != nil {
		return "", err
	}
	return r.Patient, kv.resets.Delete(ctx, code)
}

// SetPin stores a pin.
func (kv *KV) SetPin(ctx context.Context, p Pin) error { return kv.pins.Put(ctx, p.Patient, p) }

// CheckPin compares a pin.
func (kv *KV) CheckPin(ctx context.Context, patient, digits string) (bool, error) {
	p, err := kv.pins.Get(ctx, patient)
	if errors.Is(err, port.ErrNotFound) {
		return false, nil
	}
	return err == nil && p.Digits == digits, err
}

// Link stores a link.
func (kv *KV) Link(ctx context.Context, key string, m Magic) error { return kv.magic.Put(ctx, key, m) }

// Follow returns where a link leads.
func (kv *KV) Follow(ctx context.Context, key string) (Magic, error) { return kv.magic.Get(ctx, key) }

// Wait puts somebody on the list.
func (kv *KV) Wait(ctx context.Context, key string, p Place) error {
	return errors.Join(kv.places.Put(ctx, key, p), kv.waiting.Put(ctx, key, p), kv.shown.Put(ctx, key, p))
}

// Waiting says who waits.
func (kv *KV) Waiting(ctx context.Context, key string) (Place, error) {
	p, err := kv.places.Get(ctx, key)
	if errors.Is(err, port.ErrNotFound) {
		return kv.waiting.Get(ctx, key)
	}
	return p, err
}

// Shown says what the screen in the waiting room shows.
func (kv *KV) Shown(ctx context.Context, key string) (Place, error) { return kv.shown.Get(ctx, key) }

// Rate stores an answer.
func (kv *KV) Rate(ctx context.Context, id string, s Survey) error {
	return errors.Join(kv.surveys.Put(ctx, id, s), kv.answers.Put(ctx, id, s))
}

// Rated returns an answer.
func (kv *KV) Rated(ctx context.Context, id string) (Survey, error) {
	s, err := kv.surveys.Get(ctx, id)
	if errors.Is(err, port.ErrNotFound) {
		return kv.answers.Get(ctx, id)
	}
	return s, err
}

// Address returns an address.
func (kv *KV) Address(ctx context.Context, id string) (Address, error) {
	return kv.cachedAddress.Get(ctx, id)
}

// Move stores an address.
func (kv *KV) Move(ctx context.Context, id string, a Address) error {
	return kv.cachedAddress.Put(ctx, id, a)
}
