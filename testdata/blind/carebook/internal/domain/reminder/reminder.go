// Package reminder plans the texts and mails before an appointment.
package reminder

import (
	"context"
	"time"

	"github.com/carebook/appointments/internal/platform/clock"
)

// Horizon is how long a reminder is kept when nobody says otherwise.
const Horizon = 7 * 24 * time.Hour

// Channel is how a patient is reached.
type Channel string

// Channels.
const (
	SMS  Channel = "sms"
	Mail Channel = "mail"
)

// Reminder is one message to come.
type Reminder struct {
	ID      string
	Patient string
	Channel Channel
	Body    string
	Keep    time.Duration
}

// Entry is a line of the log of messages sent.
type Entry struct {
	ID        string
	CreatedAt time.Time
	Text      string
}

// Store is the port.
type Store interface {
	Plan(ctx context.Context, r Reminder) error
	Pending(ctx context.Context, patient string) ([]Reminder, error)
	Sent(ctx context.Context, r Reminder) error
	Log(ctx context.Context, patient string) ([]Entry, error)
}

// Sender is the port of the message gateway.
type Sender interface {
	Send(ctx context.Context, ch Channel, to, body string) error
}

// Service sends what is due.
type Service struct {
	store  Store
	sender Sender
	clock  clock.Clock
}

// NewService returns the service.
func NewService(store Store, sender Sender, c clock.Clock) *Service {
	return &Service{store: store, sender: sender, clock: c}
}

// Flush sends all pending reminders of a patient.
func (s *Service) Flush(ctx context.Context, patient string) (int, error) {
	list, err := s.store.Pending(ctx, patient)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range list {
		if err := s.sender.Send(ctx, r.Channel, r.Patient, r.Body); err != nil {
			return n, err
		}
		if err := s.store.Sent(ctx, r); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
