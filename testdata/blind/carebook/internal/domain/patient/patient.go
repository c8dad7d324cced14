// Package patient has demographics, preferences and consents.
package patient

import (
	"context"
	"errors"
	"strings"
	"time"
)

// ConsentVersions is how many answers to a consent are kept.
const ConsentVersions = 5

// Patient is what the portal shows.
type Patient struct {
	ID        string
	Name      string
	Language  string
	UpdatedAt time.Time
}

// Consent is one answer of a patient to one form; numbers rise by one.
type Consent struct {
	Patient string
	Form    string
	Number  int64
	Granted bool
}

// Next returns the answer that follows.
func (c Consent) Next(granted bool) Consent {
	c.Number++
	c.Granted = granted
	return c
}

// Store is the port.
type Store interface {
	Patient(ctx context.Context, id string) (Patient, error)
	SaveDemographics(ctx context.Context, p Patient) error
	SetPreference(ctx context.Context, id, name, value string) error
	Consent(ctx context.Context, id, form string) (Consent, error)
	PutConsent(ctx context.Context, c Consent) error
}

// Service holds the rules.
type Service struct{ store Store }

// NewService returns the service.
func NewService(store Store) *Service { return &Service{store} }

// Answer records an answer to a consent form.
func (s *Service) Answer(ctx context.Context, id, form string, granted bool) (Consent, error) {
	cur, err := s.store.Consent(ctx, id, form)
	if err != nil {
		return Consent{}, err
	}
	next := cur.Next(granted)
	return next, s.store.PutConsent(ctx, next)
}

// Rename changes a name.
func (s *Service) Rename(ctx context.Context, id, name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("empty name")
	}
	p, err := s.store.Patient(ctx, id)
	if err != nil {
		return err
	}
	p.Name = name
	return s.store.SaveDemographics(ctx, p)
}

// Prefer stores a preference.
func (s *Service) Prefer(ctx context.Context, id, name, value string) error {
	return s.store.SetPreference(ctx, id, name, value)
}
