// Package reservation holds and books parking bays.
package reservation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"github.com/google/uuid"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Status of a reservation.
type Status string

// Statuses.
const (
	StatusHeld      Status = "held"
	StatusConfirmed Status = "confirmed"
	StatusCancelled Status = "cancelled"
)

// Hold keeps a bay free for a short time.
type Hold struct {
	ID     string    `json:"id"`
	Bay    string    `json:"bay"`
	Driver string    `json:"driver"`
	Until  time.Time `json:"until"`
}

// Reservation is a booking.
type Reservation struct {
	ID     string    `json:"id"`
	Bay    string    `json:"bay"`
	Driver string    `json:"driver"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Status Status    `json:"status"`
	Held   bool      `json:"held"`
}

// Errors.
var (
	ErrTaken   = errors.New("reservation: bay is taken")
	ErrExpired = errors.New("reservation: hold has expired")
)

type holder interface {
	Hold(ctx context.Context, id tenant.ID, h Hold) (bool, error)
	Renew(ctx context.Context, id tenant.ID, h Hold, until time.Time) error
	Release(ctx context.Context, id tenant.ID, bay string) error
	Current(ctx context.Context, id tenant.ID, bay string) (Hold, error)
}

type booker interface {
	Book(ctx context.Context, id tenant.ID, r Reservation) error
	List(ctx context.Context, id tenant.ID, cursor string, size int) (bt.Page[Reservation], error)
	SetStatus(ctx context.Context, id tenant.ID, rid string, s Status) error
}

// Store is what the service needs.
type Store interface {
	holder
	booker
}

// Auditor writes audit events.
type Auditor interface {
	Record(ctx context.Context, action, subject string) error
}

// Service holds and books bays.
type Service struct {
	store    Store
	audit    Auditor
	lifetime time.Duration
	grace    time.Duration
	log      *slog.Logger
}

// New makes a Service.
func New(store Store, audit Auditor, lifetime, grace time.Duration, log *slog.Logger) *Service {
	return &Service{store: store, audit: audit, lifetime: lifetime, grace: grace, log: log}
}

// Hold holds a bay.
func (s *Service) Hold(ctx context.Context, driver, bay string) (Hold, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Hold{}, err
	}
	h := Hold{ID: uuid.NewString(), Bay: bay, Driver: driver, Until: clock.In(ctx, s.lifetime)}
	ok, err := s.store.Hold(ctx, id, h) // ok ttlwrite/write-time
	if err != nil {
		return Hold{}, fmt.Errorf("reservation: hold: %w", err)
	}
	if !ok {
		return Hold{}, ErrTaken
	}
	return h, s.audit.Record(ctx, "hold", bay)
}

// WalkIn holds a bay for somebody who stands before it.
func (s *Service) WalkIn(ctx context.Context, bay string) (Hold, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Hold{}, err
	}
	h := Hold{ID: uuid.NewString(), Bay: bay, Driver: "walk-in"}
	h.Until = clock.Now(ctx)            // want ttlwrite/write-time[walkin]
	ok, err := s.store.Hold(ctx, id, h) // want ttlwrite/write-time[walkin]
	if err != nil {
		return Hold{}, fmt.Errorf("reservation: walk-in: %w", err)
	}
	if !ok {
		return Hold{}, ErrTaken
	}
	return h, nil
}

// Renew prolongs a hold, with grace for slow payment pages.
func (s *Service) Renew(ctx context.Context, bay string) (Hold, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Hold{}, err
	}
	h, err := s.store.Current(ctx, id, bay)
	if err != nil {
		return Hold{}, errors.Join(ErrExpired, err)
	}
	h.Until = clock.Now(ctx).Add(s.lifetime + s.grace)
	return h, s.store.Renew(ctx, id, h, h.Until) // ok ttlwrite/write-time
}

// Confirm turns a hold into a booking.
func (s *Service) Confirm(ctx context.Context, bay string, from, to time.Time) (Reservation, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return Reservation{}, err
	}
	h, err := s.store.Current(ctx, id, bay)
	if err != nil {
		return Reservation{}, errors.Join(ErrExpired, err)
	}
	if !to.After(from) {
		return Reservation{}, errors.New("reservation: empty interval")
	}
	r := Reservation{ID: h.ID, Bay: bay, Driver: h.Driver, From: from, To: to, Status: StatusConfirmed}
	if err := s.store.Book(ctx, id, r); err != nil {
		return Reservation{}, fmt.Errorf("reservation: book: %w", err)
	}
	if err := s.store.Release(ctx, id, bay); err != nil {
		s.log.WarnContext(ctx, "hold not released", "bay", bay, "err", err)
	}
	return r, s.audit.Record(ctx, "confirm", r.ID)
}

// Cancel cancels a booking.
func (s *Service) Cancel(ctx context.Context, rid string) error {
	id, err := tenant.From(ctx)
	if err != nil {
		return err
	}
	if err := s.store.SetStatus(ctx, id, rid, StatusCancelled); err != nil {
		return err
	}
	return s.audit.Record(ctx, "cancel", rid)
}

// List lists bookings, page by page.
func (s *Service) List(ctx context.Context, cursor string, size int) (bt.Page[Reservation], error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return bt.Page[Reservation]{}, err
	}
	page, err := s.store.List(ctx, id, cursor, size)
	sort.SliceStable(page.Items, func(i, j int) bool { return page.Items[i].From.Before(page.Items[j].From) })
	return page, err
}
