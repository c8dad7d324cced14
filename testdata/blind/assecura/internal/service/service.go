// Package service holds the interfaces of the services; package impl implements them.
package service

import (
	"context"
	"time"

	"example.com/assecura/internal/domain"
)

// SessionService logs people in and out.
type SessionService interface {
	Login(ctx context.Context, userID, jwt string, remember bool) (*domain.AccessToken, error)
	Logout(ctx context.Context, userID string) error
	Extend(ctx context.Context, userID, jwt string, until time.Time) error
	Impersonate(ctx context.Context, clerk, userID string) error
	WhoAmI(ctx context.Context, userID string) (*domain.UserProfile, error)
	SendOtp(ctx context.Context, userID, secret string) error
	CheckOtp(ctx context.Context, userID, secret string) (bool, error)
}

// QuoteService offers insurance.
type QuoteService interface {
	Offer(ctx context.Context, q *domain.Quote) error
	Get(ctx context.Context, id string) (*domain.Quote, error)
	Import(ctx context.Context, quotes []*domain.Quote) error
}

// PolicyService manages policies and claims.
type PolicyService interface {
	Endorse(ctx context.Context, number, actor string, body []byte) error
	Current(ctx context.Context, number string) (*domain.PolicyVersion, error)
	OpenClaim(ctx context.Context, claimID, kind string, amount int64) error
	ClaimOverview(ctx context.Context, claimID string) (map[string]string, error)
}

// NotificationService writes to mailboxes.
type NotificationService interface {
	Notify(ctx context.Context, customer, subject string, body []byte) error
	Broadcast(ctx context.Context, customers []string, subject string) error
	Inbox(ctx context.Context, customer string) ([]*domain.Message, error)
}

// LedgerService books.
type LedgerService interface {
	Book(ctx context.Context, tenant, account string, number, amount int64) error
	Statement(ctx context.Context, tenant, account string) ([]*domain.LedgerEntry, error)
}

// ReportingService answers the controllers' questions.
type ReportingService interface {
	ActiveSessions(ctx context.Context) (int, error)
	OpenQuotes(ctx context.Context) (int, error)
}
