// Package service holds the use cases. Services see DAO interfaces only.
package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// OrderService places and changes orders.
type OrderService interface {
	Place(ctx context.Context, o *domain.Order) error
	Pay(ctx context.Context, id string) error
	Ship(ctx context.Context, id string) error
	Cancel(ctx context.Context, id, reason string) error
}

// DefaultOrderService implements OrderService.
type DefaultOrderService struct {
	orders    dao.OrderDAO
	holds     dao.HoldDAO
	revisions dao.RevisionDAO
	guard     dao.IdempotencyDAO
	notifier  NotificationService
	clock     clock.Clock
}

var _ OrderService = (*DefaultOrderService)(nil)

// OrderServiceBuilder builds a DefaultOrderService.
type OrderServiceBuilder struct{ s DefaultOrderService }

// NewOrderServiceBuilder returns an OrderServiceBuilder.
func NewOrderServiceBuilder() *OrderServiceBuilder { return &OrderServiceBuilder{} }

// Orders sets the DAO of orders.
func (b *OrderServiceBuilder) Orders(d dao.OrderDAO) *OrderServiceBuilder { b.s.orders = d; return b }

// Holds sets the DAO of holds.
func (b *OrderServiceBuilder) Holds(d dao.HoldDAO) *OrderServiceBuilder { b.s.holds = d; return b }

// Revisions sets the DAO of revisions.
func (b *OrderServiceBuilder) Revisions(d dao.RevisionDAO) *OrderServiceBuilder {
	b.s.revisions = d
	return b
}

// Guard sets the DAO of locks.
func (b *OrderServiceBuilder) Guard(d dao.IdempotencyDAO) *OrderServiceBuilder {
	b.s.guard = d
	return b
}

// Notifier sets who tells the customer.
func (b *OrderServiceBuilder) Notifier(n NotificationService) *OrderServiceBuilder {
	b.s.notifier = n
	return b
}

// Clock sets the clock.
func (b *OrderServiceBuilder) Clock(c clock.Clock) *OrderServiceBuilder { b.s.clock = c; return b }

// Build returns the service.
func (b *OrderServiceBuilder) Build() (*DefaultOrderService, error) {
	if b.s.orders == nil || b.s.holds == nil || b.s.guard == nil {
		return nil, errors.New("order service: a DAO is missing")
	}
	if b.s.clock == nil {
		b.s.clock = clock.NewSystemClock()
	}
	s := b.s
	return &s, nil
}

// once runs f unless it has been run under the key.
func (s *DefaultOrderService) once(ctx context.Context, key, owner string, f func() error) error {
	ok, err := s.guard.Acquire(ctx, key, owner)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s is being done by somebody else", key)
	}
	if err := f(); err != nil {
		if rerr := s.guard.Release(ctx, key, owner); rerr != nil {
			return errors.Join(err, rerr)
		}
		return err
	}
	return s.guard.Complete(ctx, key, []byte("done"))
}

// Place implements OrderService.
func (s *DefaultOrderService) Place(ctx context.Context, o *domain.Order) error {
	return s.once(ctx, "place/"+o.ID(), o.Customer(), func() error {
		for _, l := range o.Lines() {
			h := domain.Hold{Sku: l.Sku, Quantity: l.Quantity, Until: s.clock.Now().Add(constants.HoldTTL)}
			if err := s.holds.Place(ctx, o.ID(), h); err != nil {
				return fmt.Errorf("hold %s: %w", l.Sku, err)
			}
		}
		if err := s.orders.Insert(ctx, o); err != nil {
			return err
		}
		return s.notifier.OrderChanged(ctx, o.Customer(), o.ID(), domain.StatePlaced)
	})
}

func (s *DefaultOrderService) advance(ctx context.Context, id string, to domain.OrderState, reason string) error {
	state, err := s.orders.State(ctx, id)
	if err != nil {
		return err
	}
	if !state.Next(to) {
		return fmt.Errorf("order %s is %s, and cannot become %s", id, state, to)
	}
	if err := s.orders.UpdateState(ctx, id, to, reason); err != nil {
		return err
	}
	o, err := s.orders.Find(ctx, id)
	if errors.Is(err, bt.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.notifier.OrderChanged(ctx, o.Customer(), id, to)
}

// Pay implements OrderService.
func (s *DefaultOrderService) Pay(ctx context.Context, id string) error {
	return s.advance(ctx, id, domain.StatePaid, "paid")
}

// Ship implements OrderService.
func (s *DefaultOrderService) Ship(ctx context.Context, id string) error {
	if err := s.advance(ctx, id, domain.StateShipped, "shipped"); err != nil {
		return err
	}
	return s.holds.Release(ctx, id)
}

// Cancel implements OrderService.
func (s *DefaultOrderService) Cancel(ctx context.Context, id, reason string) error {
	if err := s.advance(ctx, id, domain.StateCancelled, reason); err != nil {
		return err
	}
	return s.holds.Release(ctx, id)
}

// SessionService logs customers in and out.
type SessionService struct {
	sessions dao.SessionDAO
	clock    clock.Clock
}

// NewSessionService returns a SessionService.
func NewSessionService(d dao.SessionDAO, c clock.Clock) *SessionService {
	return &SessionService{sessions: d, clock: c}
}

// Login makes a session.
func (s *SessionService) Login(ctx context.Context, id, customer, jwt string) (*domain.Session, error) {
	session, err := domain.NewSessionBuilder().WithID(id).WithCustomer(customer).WithJWT(jwt).WithTTL(constants.TokenTTL).Build()
	if err != nil {
		return nil, err
	}
	return session, s.sessions.Create(ctx, session)
}

// Extend makes a session live longer.
func (s *SessionService) Extend(ctx context.Context, id, jwt string, by time.Duration) error {
	if by <= 0 || by > constants.RefreshTTL {
		return fmt.Errorf("cannot extend by %s", by)
	}
	return s.sessions.Refresh(ctx, id, jwt, by)
}

// Logout ends a session.
func (s *SessionService) Logout(ctx context.Context, id string) error {
	return s.sessions.Revoke(ctx, id)
}
