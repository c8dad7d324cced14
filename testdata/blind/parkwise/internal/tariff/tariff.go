// Package tariff publishes and computes prices.
package tariff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/parkwise/parkwise/internal/tenant"
)

// Band is a price for part of a day.
type Band struct {
	FromMinute int   `json:"from"`
	ToMinute   int   `json:"to"`
	CentsHour  int64 `json:"cents_hour"`
	CentsKWh   int64 `json:"cents_kwh"`
}

// Rate is one version of a tariff.
type Rate struct {
	Version  int64  `json:"version"`
	Currency string `json:"currency"`
	Bands    []Band `json:"bands"`
	Author   string `json:"author"`
}

// Store keeps tariffs.
type Store interface {
	Publish(ctx context.Context, id tenant.ID, name string, r Rate) (int64, error)
	Current(ctx context.Context, id tenant.ID, name string) (Rate, error)
	History(ctx context.Context, id tenant.ID, name string) ([]Rate, error)
}

// Service publishes and computes prices.
type Service struct{ store Store }

// New makes a Service.
func New(store Store) *Service { return &Service{store: store} }

// Validate checks that the bands cover a day without overlapping.
func (r Rate) Validate() error {
	if len(r.Currency) != 3 {
		return errors.New("tariff: currency")
	}
	bands := append([]Band(nil), r.Bands...)
	sort.Slice(bands, func(i, j int) bool { return bands[i].FromMinute < bands[j].FromMinute })
	at := 0
	for _, b := range bands {
		if b.FromMinute != at {
			return fmt.Errorf("tariff: gap or overlap at minute %d", at)
		}
		if b.ToMinute <= b.FromMinute {
			return fmt.Errorf("tariff: empty band at minute %d", at)
		}
		at = b.ToMinute
	}
	if at != 24*60 {
		return fmt.Errorf("tariff: day ends at minute %d", at)
	}
	return nil
}

// Price computes the price of parking from from to to and taking kwh.
func (r Rate) Price(from, to time.Time, kwh float64) int64 {
	var cents float64
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		m := at.Hour()*60 + at.Minute()
		for _, b := range r.Bands {
			if m >= b.FromMinute && m < b.ToMinute {
				cents += float64(b.CentsHour) / 60
				break
			}
		}
	}
	if len(r.Bands) > 0 {
		cents += kwh * float64(r.Bands[0].CentsKWh)
	}
	return int64(math.Ceil(cents))
}

// Publish publishes a new version.
func (s *Service) Publish(ctx context.Context, name string, r Rate) (int64, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.Validate(); err != nil {
		return 0, err
	}
	return s.store.Publish(ctx, id, name, r)
}

// Quote quotes a price by the current version.
func (s *Service) Quote(ctx context.Context, name string, from, to time.Time, kwh float64) (int64, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return 0, err
	}
	r, err := s.store.Current(ctx, id, name)
	if err != nil {
		return 0, err
	}
	return r.Price(from, to, kwh), nil
}

// History lists the versions that are kept.
func (s *Service) History(ctx context.Context, name string) ([]Rate, error) {
	id, err := tenant.From(ctx)
	if err != nil {
		return nil, err
	}
	return s.store.History(ctx, id, name)
}
