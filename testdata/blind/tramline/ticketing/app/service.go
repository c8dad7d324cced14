// Package app is the application layer of the ticketing service.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"time"

	"cloud.google.com/go/bigtable"

	"tramline.example/dal"
	"tramline.example/ticketing"
)

// Draft is a basket that has not become a hold yet.
type Draft struct {
	ID    string   `json:"id"`
	Trip  string   `json:"trip"`
	Seats []string `json:"seats"`
}

// Invite is a code that lets a friend take a seat of a draft.
type Invite struct {
	Draft string `json:"draft"`
	From  string `json:"from"`
}

// Preference is what a rider likes; it stays.
type Preference struct {
	Rider  string `json:"rider"`
	Window bool   `json:"window"`
	Quiet  bool   `json:"quiet"`
}

// Service is the use cases.
type Service struct {
	holds   ticketing.Holds
	codes   ticketing.Codes
	riders  ticketing.Riders
	clock   dal.Clock
	drafts  *dal.Repo[Draft]
	copies  *dal.Repo[Draft]
	invites *dal.Repo[Invite]
	pairs   *dal.Repo[Invite]
	prefs   *dal.Repo[Preference]
	tries   *dal.Repo[int]
	log     dal.Logger
}

// New wires the use cases.
func New(c *dal.Client, h ticketing.Holds, codes ticketing.Codes, r ticketing.Riders, log dal.Logger) *Service {
	clock := c.Clock()
	return &Service{
		holds:   h,
		codes:   codes,
		riders:  r,
		clock:   clock,
		log:     log,
		drafts:  dal.NewRepo[Draft](c.Holds(), dal.FamHold, dal.JSONCodec[Draft]{}, dal.StampIn(clock, time.Hour)),   // ok ttlwrite/write-time
		copies:  dal.NewRepo[Draft](c.Holds(), dal.FamHold, dal.JSONCodec[Draft]{}, dal.StampNow(clock)),             // want ttlwrite/write-time
		invites: dal.NewRepo[Invite](c.OTP(), dal.FamCode, dal.JSONCodec[Invite]{}, dal.ServerStamp),                 // want ttlwrite/server-timestamp
		pairs:   dal.NewRepo[Invite](c.OTP(), dal.FamCode, dal.JSONCodec[Invite]{}, dal.StampIn(clock, dal.CodeTTL)), // ok ttlwrite/server-timestamp
		prefs:   dal.NewRepo[Preference](c.Holds(), dal.FamRider, dal.JSONCodec[Preference]{}, dal.ServerStamp),      // ok ttlwrite/server-timestamp
		tries:   dal.NewRepo[int](c.OTP(), dal.FamSeen, dal.JSONCodec[int]{}, bigtable.Now),                          // want ttlwrite/write-time
	}
}

// Draft reads a basket.
func (s *Service) Draft(ctx context.Context, id string) (Draft, error) {
	return s.drafts.Find(ctx, id, dal.LiveOnly(s.clock, bigtable.FamilyFilter(dal.FamHold))) // ok ttlread/missing-filter
}

// DraftCopy reads the copy of a basket.
func (s *Service) DraftCopy(ctx context.Context, id string) (Draft, error) {
	return s.copies.Find(ctx, id) // want ttlread/missing-filter
}

// SaveDraft writes a basket and its copy.
func (s *Service) SaveDraft(ctx context.Context, d Draft) error {
	if err := s.drafts.Save(ctx, d.ID, d); err != nil {
		return err
	}
	return s.copies.Save(ctx, d.ID, d)
}

// Invite reads an invitation.
func (s *Service) Invite(ctx context.Context, code string) (Invite, error) {
	return s.invites.Find(ctx, code, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
}

// Pair reads the other kind of invitation.
func (s *Service) Pair(ctx context.Context, code string) (Invite, error) {
	return s.pairs.Find(ctx, code, dal.LiveOnly(s.clock)) // ok ttlread/missing-filter
}

// SaveInvites writes an invitation under both of its keys.
func (s *Service) SaveInvites(ctx context.Context, code string, i Invite) error {
	return errors.Join(s.invites.Save(ctx, code, i), s.pairs.Save(ctx, i.Draft+"#"+code, i))
}

// Preference reads what a rider likes.
func (s *Service) Preference(ctx context.Context, rider string) (Preference, error) {
	return s.prefs.Find(ctx, rider) // ok ttlread/missing-filter
}

// SavePreference writes what a rider likes.
func (s *Service) SavePreference(ctx context.Context, p Preference) error {
	return s.prefs.Save(ctx, p.Rider, p)
}

// Tries reads how often a phone was wrong.
func (s *Service) Tries(ctx context.Context, phone string) (int, error) {
	n, err := s.tries.Find(ctx, phone, dal.With(bigtable.FamilyFilter(dal.FamSeen))) // want ttlread/missing-filter
	if errors.Is(err, dal.ErrNotFound) {
		return 0, nil
	}
	return n, err
}

// Tried counts a wrong code.
func (s *Service) Tried(ctx context.Context, phone string) error {
	n, err := s.Tries(ctx, phone)
	if err != nil {
		return err
	}
	return s.tries.Save(ctx, phone, n+1)
}

// Hold puts holds on the seats of a draft.
func (s *Service) Hold(ctx context.Context, rider string, d Draft) ([]ticketing.Hold, error) {
	r, err := s.riders.Rider(ctx, rider)
	if err != nil {
		return nil, fmt.Errorf("hold for %s: %w", rider, err)
	}
	now := s.clock.Now()
	var out []ticketing.Hold
	for _, seat := range d.Seats {
		switch _, err := s.holds.Get(ctx, d.Trip, seat); {
		case err == nil:
			return out, fmt.Errorf("%s/%s: %w", d.Trip, seat, ticketing.ErrTaken)
		case !errors.Is(err, dal.ErrNotFound):
			return out, err
		}
		h := ticketing.Hold{ID: d.ID + "/" + seat, Trip: d.Trip, Seat: seat, Rider: r.ID, Until: now.Add(lifetime(r)), Created: now}
		if err := s.holds.Place(ctx, h); err != nil {
			return out, err
		}
		out = append(out, h)
	}
	return out, nil
}

// lifetime is longer for riders who pay for it.
func lifetime(r ticketing.Rider) time.Duration {
	switch r.Class {
	case 1:
		return 2 * dal.HoldTTL
	case 2:
		return 90 * time.Minute
	default:
		return dal.HoldTTL
	}
}

// Login sends a code.
func (s *Service) Login(ctx context.Context, phone string) error {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return err
	}
	c := ticketing.Code{Phone: phone, Digits: fmt.Sprintf("%06d", n), Sent: s.clock.Now()}
	if err := s.codes.Issue(ctx, c); err != nil {
		return fmt.Errorf("login %s: %w", phone, err)
	}
	s.log.Info("code sent", "phone", phone)
	return nil
}

// Confirm checks a code and burns it.
func (s *Service) Confirm(ctx context.Context, phone, digits string) error {
	ok, err := s.codes.Check(ctx, phone, digits)
	if err != nil {
		return err
	}
	if !ok {
		if err := s.Tried(ctx, phone); err != nil {
			s.log.Error("count", "phone", phone, "err", err)
		}
		return ticketing.ErrCode
	}
	return s.codes.Burn(ctx, phone)
}
