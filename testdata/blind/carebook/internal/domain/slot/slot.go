// Package slot is the calendar: slots of clinics that patients hold, book and give back.
package slot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carebook/appointments/internal/platform/clock"
)

// HoldFor is how long a slot is kept for a patient who fills in the form.
const HoldFor = 10 * time.Minute

// Keep is how many states of a slot are kept.
const Keep = 3

// Status of a slot.
type Status string

// The states that a slot goes through.
const (
	Free      Status = "free"
	Held      Status = "held"
	Booked    Status = "booked"
	Cancelled Status = "cancelled"
)

// ErrTaken is returned when somebody was faster.
var ErrTaken = errors.New("slot is taken")

// Slot is the aggregate.
type Slot struct {
	Key     string
	Clinic  string
	Status  Status
	Holder  string
	Version int64
	Starts  time.Time
}

// Advance moves a slot to its next state.
func (s *Slot) Advance(to Status) error {
	if s.Status == Booked && to == Held {
		return fmt.Errorf("%s: %w", s.Key, ErrTaken)
	}
	s.Status = to
	s.Version++
	return nil
}

// Event is a line of an import from an old practice system.
type Event struct {
	Key    string
	Status Status
	Note   string
}

// Store is the port.
type Store interface {
	Load(ctx context.Context, key string) (Slot, error)
	Hold(ctx context.Context, s Slot) error
	Save(ctx context.Context, s Slot) error
	Cancel(ctx context.Context, s Slot, reason string) error
}

// Service books.
type Service struct {
	store Store
	clock clock.Clock
}

// NewService returns the service.
func NewService(store Store, c clock.Clock) *Service { return &Service{store: store, clock: c} }

// Hold keeps a slot for a patient.
func (s *Service) Hold(ctx context.Context, key, patient string) (Slot, error) {
	sl, err := s.store.Load(ctx, key)
	if err != nil {
		return Slot{}, err
	}
	if sl.Starts.Before(s.clock.Now()) {
		return Slot{}, fmt.Errorf("%s has begun", key)
	}
	if err := sl.Advance(Held); err != nil {
		return Slot{}, err
	}
	sl.Holder = patient
	return sl, s.store.Hold(ctx, sl)
}

// Book makes a hold firm.
func (s *Service) Book(ctx context.Context, key, patient string) (Slot, error) {
	sl, err := s.store.Load(ctx, key)
	if err != nil {
		return Slot{}, err
	}
	if sl.Holder != patient {
		return Slot{}, ErrTaken
	}
	if err := sl.Advance(Booked); err != nil {
		return Slot{}, err
	}
	return sl, s.store.Save(ctx, sl)
}

// Cancel gives a slot back.
func (s *Service) Cancel(ctx context.Context, key, reason string) error {
	sl, err := s.store.Load(ctx, key)
	if err != nil {
		return err
	}
	if err := sl.Advance(Cancelled); err != nil {
		return err
	}
	return s.store.Cancel(ctx, sl, reason)
}
