// Package dao holds the interfaces of the DAOs; package impl implements them.
package dao

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/domain"
)

// SessionDao stores sessions.
type SessionDao interface {
	SaveToken(ctx context.Context, t *domain.AccessToken) error
	SaveTokenUntil(ctx context.Context, userID, jwt string, expiresAt time.Time) error
	RememberToken(ctx context.Context, userID, jwt string) error
	TouchToken(ctx context.Context, userID string) error
	RotateToken(ctx context.Context, userID, jwt string) error
	RevokeToken(ctx context.Context, userID string) error
	SaveProfile(ctx context.Context, p *domain.UserProfile) error
	CountHit(ctx context.Context, userID string) (int64, error)
	CountLogin(ctx context.Context, userID string) (int64, error)
	FindToken(ctx context.Context, userID string) (*domain.AccessToken, error)
	FindTokenFast(ctx context.Context, userID string) (*domain.AccessToken, error)
	FindProfile(ctx context.Context, userID string) (*domain.UserProfile, error)
	FindSession(ctx context.Context, userID string) (*domain.AccessToken, *domain.UserProfile, error)
	ListTokens(ctx context.Context, prefix string) ([]*domain.AccessToken, error)
	ListExpiring(ctx context.Context, prefix string, within time.Duration) ([]string, error)
	ClaimSession(ctx context.Context, userID, jwt string) (bool, error)
	PurgeExpired(ctx context.Context, prefix string) (int, error)
	IsLoggedIn(ctx context.Context, userID string) (bool, error)
	CountSessions(ctx context.Context, prefix string) (int, error)
}

// OtpDao stores one-time codes.
type OtpDao interface {
	SaveCode(ctx context.Context, c *domain.OneTimeCode) error
	SaveCodeLegacy(ctx context.Context, userID, secret string) error
	ResendCode(ctx context.Context, userID, secret string, minutes int) error
	FindCode(ctx context.Context, userID string) (*domain.OneTimeCode, error)
	VerifyCode(ctx context.Context, userID, secret string) (bool, error)
	ConsumeCode(ctx context.Context, userID, secret string) (bool, error)
	CountAttempt(ctx context.Context, userID string) (int64, error)
	ListPending(ctx context.Context) ([]string, error)
}

// QuoteDao stores quotes.
type QuoteDao interface {
	SaveQuote(ctx context.Context, q *domain.Quote) error
	SaveShortQuote(ctx context.Context, q *domain.Quote) error
	ImportQuote(ctx context.Context, q *domain.Quote, at time.Time) error
	ExpireQuote(ctx context.Context, id string) error
	FindQuote(ctx context.Context, id string) (*domain.Quote, error)
	FindQuotes(ctx context.Context, prefix string) ([]*domain.Quote, error)
	FindOpenOffers(ctx context.Context, prefix string) ([]*domain.Quote, error)
	FindCalculation(ctx context.Context, id string) ([]byte, error)
	FindStale(ctx context.Context, prefix string) ([]string, error)
}

// PolicyDao stores policies.
type PolicyDao interface {
	SaveVersion(ctx context.Context, v *domain.PolicyVersion) error
	SaveVersions(ctx context.Context, number string, bodies [][]byte) error
	SaveHeader(ctx context.Context, h *domain.PolicyHeader) error
	SaveAudit(ctx context.Context, number string, a *domain.AuditEntry) error
	FindCurrent(ctx context.Context, number string) (*domain.PolicyVersion, error)
	FindHistory(ctx context.Context, number string) ([]*domain.PolicyVersion, error)
	FindSince(ctx context.Context, number string, since time.Time) ([]*domain.PolicyVersion, error)
	FindHeader(ctx context.Context, number string) (*domain.PolicyHeader, error)
	FindAudit(ctx context.Context, number string, from, to time.Time) ([]*domain.AuditEntry, error)
	CountEndorsement(ctx context.Context, number string) error
}

// ClaimDao stores claims.
type ClaimDao interface {
	AppendEvent(ctx context.Context, e *domain.ClaimEvent) error
	LockClaim(ctx context.Context, claimID, owner string) (bool, error)
	UnlockClaim(ctx context.Context, claimID, owner string) error
	SetState(ctx context.Context, claimID, state string) error
	GetState(ctx context.Context, claimID string) (string, error)
	FindLastEvent(ctx context.Context, claimID string) (*domain.ClaimEvent, error)
	FindLock(ctx context.Context, claimID string) (string, error)
	FindClaim(ctx context.Context, claimID string) (bigtable.Row, error)
}

// TelemetryDao stores telematics.
type TelemetryDao interface {
	SaveSample(ctx context.Context, s *domain.Sample) error
	SaveBatch(ctx context.Context, s []*domain.Sample) error
	FindSamples(ctx context.Context, vehicle string, from, to time.Time) ([]*domain.Sample, error)
	FindLatest(ctx context.Context, vehicle string) (*domain.Sample, error)
}

// LedgerDao stores bookings.
type LedgerDao interface {
	Book(ctx context.Context, e *domain.LedgerEntry) error
	BookAll(ctx context.Context, account string, amounts []int64) error
	Correct(ctx context.Context, e *domain.LedgerEntry) error
	FindLast(ctx context.Context, account string) (*domain.LedgerEntry, error)
	FindRecent(ctx context.Context, account string, n int) ([]*domain.LedgerEntry, error)
	FindOfDay(ctx context.Context, account string, day time.Time) ([]*domain.LedgerEntry, error)
}

// TariffDao stores tariffs and discounts.
type TariffDao interface {
	SaveRate(ctx context.Context, product string, rate int64) error
	SaveDiscount(ctx context.Context, d *domain.Discount) error
	GetRate(ctx context.Context, product string) (int64, error)
	GetDiscount(ctx context.Context, code string) (*domain.Discount, error)
	FindDiscounts(ctx context.Context, prefix string) ([]*domain.Discount, error)
	BumpRate(ctx context.Context, product string, delta int64) error
}

// DocumentDao stores documents.
type DocumentDao interface {
	SaveDocument(ctx context.Context, d *domain.Document) error
	IndexDocument(ctx context.Context, d *domain.Document) error
	FindDocument(ctx context.Context, id string) (*domain.Document, error)
	SearchTerm(ctx context.Context, term string) ([]string, error)
	SearchRecent(ctx context.Context, term string) ([]string, error)
	HasTerm(ctx context.Context, term string) (bool, error)
	CountTerm(ctx context.Context, term string) error
}

// MailboxDao stores messages.
type MailboxDao interface {
	Send(ctx context.Context, customer string, m *domain.Message) error
	SendAt(ctx context.Context, customer string, m *domain.Message, ts bigtable.Timestamp) error
	SendMany(ctx context.Context, customers []string, m *domain.Message) error
	CountUnread(ctx context.Context, customer string) (int64, error)
	List(ctx context.Context, customer string) ([]*domain.Message, error)
	ListAll(ctx context.Context, prefix string) ([]*domain.Message, error)
	Read(ctx context.Context, customer, id string) (*domain.Message, error)
	Reset(ctx context.Context, customer string) error
}

// CustomerDao stores customers.
type CustomerDao interface {
	Save(ctx context.Context, c *domain.Customer) error
	Find(ctx context.Context, id string) (*domain.Customer, error)
	GiveConsent(ctx context.Context, id, purpose string) error
	HasConsent(ctx context.Context, id, purpose string) (bool, error)
}

// ArchiveDao reads what the old portal left.
type ArchiveDao interface {
	CopySession(ctx context.Context, userID, jwt string) error
	FindOldSession(ctx context.Context, userID string) (string, error)
	ArchiveVersion(ctx context.Context, number string, body []byte) error
	FindArchived(ctx context.Context, number string) ([]byte, error)
}

// CaptchaDao stores challenges.
type CaptchaDao interface {
	EnsureTable(ctx context.Context) error
	SaveChallenge(ctx context.Context, id, answer string) error
	Solve(ctx context.Context, id, answer string) (bool, error)
}
