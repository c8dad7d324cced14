// Package dao declares what the services see of the store.
package dao

import (
	"context"
	"time"

	"example.com/meridian/orderhub/internal/domain"
)

// SessionDAO stores sessions.
type SessionDAO interface {
	Create(ctx context.Context, s *domain.Session) error
	Find(ctx context.Context, id string) (*domain.Session, error)
	Refresh(ctx context.Context, id, jwt string, ttl time.Duration) error
	Revoke(ctx context.Context, id string) error
	Profile(ctx context.Context, id string) (*domain.Profile, error)
}

// DeviceDAO stores the devices of a customer.
type DeviceDAO interface {
	Register(ctx context.Context, customer string, d domain.Device) error
	List(ctx context.Context, customer string) ([]domain.Device, error)
	Touch(ctx context.Context, customer, fingerprint string) error
}

// OrderDAO stores orders.
type OrderDAO interface {
	Insert(ctx context.Context, o *domain.Order) error
	Find(ctx context.Context, id string) (*domain.Order, error)
	UpdateState(ctx context.Context, id string, state domain.OrderState, reason string) error
	State(ctx context.Context, id string) (domain.OrderState, error)
	Delete(ctx context.Context, id string) error
}

// HoldDAO stores reservations of stock.
type HoldDAO interface {
	Place(ctx context.Context, orderID string, h domain.Hold) error
	Extend(ctx context.Context, orderID, sku string, by time.Duration) error
	Release(ctx context.Context, orderID string) error
	Active(ctx context.Context, orderID string) ([]domain.Hold, error)
}

// RevisionDAO stores the revisions of an order.
type RevisionDAO interface {
	Append(ctx context.Context, orderID string, r domain.Revision) error
	Latest(ctx context.Context, orderID string) (*domain.Revision, error)
	History(ctx context.Context, orderID string) ([]domain.Revision, error)
}

// NotificationDAO stores what customers are told.
type NotificationDAO interface {
	Push(ctx context.Context, customer string, n domain.Notification) error
	Inbox(ctx context.Context, customer string) ([]domain.Notification, error)
	Acknowledge(ctx context.Context, customer, id string, at time.Time) error
	Mute(ctx context.Context, customer string, muted bool) error
	Muted(ctx context.Context, customer string) (bool, error)
}

// LedgerDAO stores the bookings of a merchant.
type LedgerDAO interface {
	Book(ctx context.Context, account string, e domain.Entry) error
	Balance(ctx context.Context, account string) (int64, error)
	Entries(ctx context.Context, account string) ([]domain.Entry, error)
}

// IdempotencyDAO guards calls that must happen once.
type IdempotencyDAO interface {
	Acquire(ctx context.Context, key, owner string) (bool, error)
	Complete(ctx context.Context, key string, response []byte) error
	Response(ctx context.Context, key string) ([]byte, error)
	Release(ctx context.Context, key, owner string) error
}

// CampaignDAO stores campaigns.
type CampaignDAO interface {
	Save(ctx context.Context, c *domain.Campaign) error
	AddAudience(ctx context.Context, id string, customers []string) error
	Audience(ctx context.Context, id string) ([]string, error)
	SetQuota(ctx context.Context, id string, limit int64) error
}
