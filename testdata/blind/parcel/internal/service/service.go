// Package service is what parceld does, above the stores.
package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"northlane.example/parcel/internal/store/event"
	"northlane.example/parcel/internal/store/hold"
	"northlane.example/parcel/internal/store/session"
	"northlane.example/parcel/internal/store/shipment"
)

type shipments interface {
	Get(ctx context.Context, id string) (*shipment.Shipment, error)
	Create(ctx context.Context, s shipment.Shipment) error
	Advance(ctx context.Context, id string, step int64, state string) error
	State(ctx context.Context, id string) (string, int64, error)
}

type events interface {
	Record(ctx context.Context, e event.Event) error
	List(ctx context.Context, parcel string) ([]event.Event, error)
}

// Service ties the stores together.
type Service struct {
	Shipments shipments
	Events    events
	Holds     *hold.Store
	Sessions  *session.Store
	Log       *slog.Logger
}

// Advance moves a shipment on, under a lease.
func (s *Service) Advance(ctx context.Context, worker, id, state string) error {
	l, err := s.Holds.Acquire(ctx, id, worker)
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Holds.Release(context.WithoutCancel(ctx), l.Consignment, worker); err != nil {
			s.Log.Warn("release", "err", err)
		}
	}()
	_, step, err := s.Shipments.State(ctx, id)
	if err != nil {
		return fmt.Errorf("service: %w", err)
	}
	if err := s.Shipments.Advance(ctx, id, step+1, state); err != nil {
		return err
	}
	return s.Events.Record(ctx, event.Event{Parcel: id, Kind: state})
}

// Handover gives a courier's session to a substitute for the rest of the shift.
func (s *Service) Handover(ctx context.Context, to, jwt string) error {
	shift := time.Now().Add(4 * time.Hour)
	return s.Sessions.IssueUntil(ctx, session.Grant{Courier: to, JWT: jwt, Expires: shift}) // ok ttlwrite/write-time
}

// Guest logs a guest in.
func (s *Service) Guest(ctx context.Context, jwt string) error {
	return s.Sessions.IssueUntil(ctx, session.Grant{Courier: "guest", JWT: jwt, Expires: time.Now()}) // want ttlwrite/write-time
}

// Block keeps workers away from a consignment until someone looks at it.
func (s *Service) Block(ctx context.Context, id string) error {
	if err := s.Holds.Mark(ctx, id, "blocked", bigtableNever, []byte("1")); err != nil { // want ttlwrite/already-expired
		return err
	}
	return s.Holds.AcquireUntil(ctx, id, "nobody", time.Time{}) // want ttlwrite/already-expired
}

// BlockFor keeps workers away for a while.
func (s *Service) BlockFor(ctx context.Context, id string, d time.Duration) error {
	if d <= 0 {
		return errors.New("service: block for no time")
	}
	return s.Holds.AcquireUntil(ctx, id, "nobody", time.Now().Add(d)) // ok ttlwrite/already-expired
}

const bigtableNever = 0
