// Package impl implements the services.
package impl

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
	"example.com/assecura/internal/service"
)

// AbstractService is embedded by the services.
type AbstractService struct {
	clock  common.Clock
	log    *slog.Logger
	meters common.MeterRegistry
}

// NewAbstractService makes the base of a service.
func NewAbstractService(name string, clock common.Clock, log *slog.Logger, meters common.MeterRegistry) AbstractService {
	return AbstractService{clock: clock, log: log.With("service", name), meters: meters}
}

func (s *AbstractService) now() time.Time { return s.clock.Now() }

func (s *AbstractService) in(d time.Duration) time.Time { return s.now().Add(d) }

type sessionServiceImpl struct {
	AbstractService
	sessions dao.SessionDao
	otp      dao.OtpDao
	archive  dao.ArchiveDao
}

// NewSessionService makes the service of sessions.
func NewSessionService(base AbstractService, sessions dao.SessionDao, otp dao.OtpDao, archive dao.ArchiveDao) service.SessionService {
	return &sessionServiceImpl{AbstractService: base, sessions: sessions, otp: otp, archive: archive}
}

// Login implements service.SessionService.
func (s *sessionServiceImpl) Login(ctx context.Context, userID, jwt string, remember bool) (*domain.AccessToken, error) {
	s.meters.Increment("login")
	if remember {
		if err := s.sessions.RememberToken(ctx, userID, jwt); err != nil {
			return nil, err
		}
	}
	token := domain.NewAccessTokenBuilder().WithUserID(userID).WithJWT(jwt).WithIssuedAt(s.now()).WithExpiresAt(s.in(constants.SessionTTL)).Build() // want ttlwrite/write-time[issued]
	if err := s.sessions.SaveToken(ctx, token); err != nil {                                                                                        // want ttlwrite/write-time[issued]
		return nil, err
	}
	if err := s.sessions.SaveTokenUntil(ctx, userID+"#web", jwt, s.in(constants.SessionTTL)); err != nil { // ok ttlwrite/write-time
		return nil, err
	}
	if err := s.sessions.SaveTokenUntil(ctx, userID+"#app", jwt, token.ExpiresAt); err != nil { // ok ttlwrite/write-time
		return nil, err
	}
	if _, err := s.sessions.CountLogin(ctx, userID); err != nil {
		s.log.Warn("login not counted", "error", err)
	}
	return token, s.archive.CopySession(ctx, userID, jwt)
}

// Logout implements service.SessionService.
func (s *sessionServiceImpl) Logout(ctx context.Context, userID string) error {
	if err := s.sessions.SaveTokenUntil(ctx, userID, "", s.now()); err != nil { // want ttlwrite/write-time[logout]
		return err
	}
	return s.sessions.RevokeToken(ctx, userID)
}

// Extend implements service.SessionService.
func (s *sessionServiceImpl) Extend(ctx context.Context, userID, jwt string, until time.Time) error {
	if err := s.sessions.TouchToken(ctx, userID); err != nil {
		return err
	}
	return s.sessions.SaveTokenUntil(ctx, userID, jwt, until) // ok ttlwrite/write-time
}

// Impersonate implements service.SessionService: the clerk sees what the customer sees.
func (s *sessionServiceImpl) Impersonate(ctx context.Context, clerk, userID string) error {
	s.log.Info("impersonate", "clerk", clerk, "user", userID)
	if err := s.sessions.SaveTokenUntil(ctx, clerk+"/"+userID, "impersonated", time.Time{}); err != nil { // want ttlwrite/already-expired[impersonate]
		return err
	}
	return s.sessions.SaveTokenUntil(ctx, userID+"#"+clerk, "impersonated", common.DateUtils{}.AddMinutes(s.now(), 15)) // ok ttlwrite/already-expired
}

// WhoAmI implements service.SessionService.
func (s *sessionServiceImpl) WhoAmI(ctx context.Context, userID string) (*domain.UserProfile, error) {
	if ok, err := s.sessions.IsLoggedIn(ctx, userID); err != nil || !ok {
		return nil, common.NewNotFoundException("session", userID)
	}
	t, p, err := s.sessions.FindSession(ctx, userID)
	if err != nil {
		return nil, err
	}
	s.log.Debug("session", "expires", t.ExpiresAt)
	return p, nil
}

// SendOtp implements service.SessionService.
func (s *sessionServiceImpl) SendOtp(ctx context.Context, userID, secret string) error {
	if err := s.otp.SaveCode(ctx, &domain.OneTimeCode{UserID: userID, Secret: secret, ValidUntil: s.in(constants.OtpTTL)}); err != nil {
		return err
	}
	return s.otp.ResendCode(ctx, userID, secret, 5)
}

// CheckOtp implements service.SessionService.
func (s *sessionServiceImpl) CheckOtp(ctx context.Context, userID, secret string) (bool, error) {
	if n, err := s.otp.CountAttempt(ctx, userID); err != nil || n > 5 {
		return false, err
	}
	if ok, err := s.otp.VerifyCode(ctx, userID, secret); !ok {
		return ok, err
	}
	return s.otp.ConsumeCode(ctx, userID, secret)
}

type quoteServiceImpl struct {
	AbstractService
	quotes dao.QuoteDao
}

// NewQuoteService makes the service of quotes.
func NewQuoteService(base AbstractService, quotes dao.QuoteDao) service.QuoteService {
	return &quoteServiceImpl{AbstractService: base, quotes: quotes}
}

// Offer implements service.QuoteService.
func (s *quoteServiceImpl) Offer(ctx context.Context, q *domain.Quote) error {
	if q.Premium <= 0 {
		return common.NewInvalidException("premium")
	}
	if err := s.quotes.SaveQuote(ctx, q); err != nil {
		return err
	}
	if q.Product == "travel" {
		return s.quotes.SaveShortQuote(ctx, q)
	}
	return nil
}

// Get implements service.QuoteService.
func (s *quoteServiceImpl) Get(ctx context.Context, id string) (*domain.Quote, error) {
	return s.quotes.FindQuote(ctx, id)
}

// Import implements service.QuoteService.
func (s *quoteServiceImpl) Import(ctx context.Context, quotes []*domain.Quote) error {
	cutover := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, q := range quotes {
		if q.CreatedAt.IsZero() {
			if err := s.quotes.ImportQuote(ctx, q, cutover); err != nil { // want ttlwrite/already-expired
				return err
			}
			continue
		}
		if err := s.quotes.ImportQuote(ctx, q, q.CreatedAt); err != nil { // ok ttlwrite/already-expired
			return err
		}
	}
	return nil
}

type policyServiceImpl struct {
	AbstractService
	policies dao.PolicyDao
	claims   dao.ClaimDao
}

// NewPolicyService makes the service of policies.
func NewPolicyService(base AbstractService, policies dao.PolicyDao, claims dao.ClaimDao) service.PolicyService {
	return &policyServiceImpl{AbstractService: base, policies: policies, claims: claims}
}

// Endorse implements service.PolicyService.
func (s *policyServiceImpl) Endorse(ctx context.Context, number, actor string, body []byte) error {
	cur, err := s.policies.FindCurrent(ctx, number)
	if err != nil && common.CodeOf(err) != common.CodeNotFound {
		return err
	}
	var seq int64 = 1
	if cur != nil {
		seq = cur.Sequence + 1
	}
	if err := s.policies.SaveVersion(ctx, &domain.PolicyVersion{Number: number, Sequence: seq, Body: body}); err != nil {
		return err
	}
	return s.policies.SaveAudit(ctx, number, &domain.AuditEntry{BaseEntity: domain.BaseEntity{CreatedAt: s.now()}, Actor: actor, Action: "endorse"})
}

// Current implements service.PolicyService.
func (s *policyServiceImpl) Current(ctx context.Context, number string) (*domain.PolicyVersion, error) {
	return s.policies.FindCurrent(ctx, number)
}

// OpenClaim implements service.PolicyService.
func (s *policyServiceImpl) OpenClaim(ctx context.Context, claimID, kind string, amount int64) error {
	if ok, err := s.claims.LockClaim(ctx, claimID, "portal"); err != nil || !ok {
		return common.NewConflictException("claim " + claimID + " is locked")
	}
	defer func() {
		if err := s.claims.UnlockClaim(ctx, claimID, "portal"); err != nil {
			s.log.Error("unlock", "error", err)
		}
	}()
	return s.claims.AppendEvent(ctx, &domain.ClaimEvent{ClaimID: claimID, Sequence: 1, Kind: kind, Amount: amount})
}

// ClaimOverview implements service.PolicyService.
func (s *policyServiceImpl) ClaimOverview(ctx context.Context, claimID string) (map[string]string, error) {
	row, err := s.claims.FindClaim(ctx, claimID)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range row[constants.ClaimLock.ColumnFamily()] {
		out["owner"] = string(item.Value)
		out["lockedFor"] = time.Since(item.Timestamp.Time()).String()   // want ttlage/not-write-time
		out["lockedUntil"] = item.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		out["lockLeft"] = time.Until(item.Timestamp.Time()).String()    // ok ttlage/not-write-time
		lockCreatedAt := item.Timestamp.Time().Format(time.RFC3339)     // want ttlage/not-write-time[lockCreated]
		out["created"] = lockCreatedAt                                  // want ttlage/not-write-time[lockCreated]
	}
	for _, item := range row[constants.ClaimState.ColumnFamily()] {
		out["state"] = string(item.Value)
		out["stateUpdated"] = item.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
	}
	return out, nil
}

type notificationServiceImpl struct {
	AbstractService
	mailbox dao.MailboxDao
}

// NewNotificationService makes the service of mailboxes.
func NewNotificationService(base AbstractService, mailbox dao.MailboxDao) service.NotificationService {
	return &notificationServiceImpl{AbstractService: base, mailbox: mailbox}
}

// Notify implements service.NotificationService.
func (s *notificationServiceImpl) Notify(ctx context.Context, customer, subject string, body []byte) error {
	msg := domain.NewMessageBuilder().WithID(subject).WithSubject(subject).WithBody(body).Build()
	if err := s.mailbox.Send(ctx, customer, msg); err != nil {
		return err
	}
	if err := s.mailbox.SendAt(ctx, "copy#"+customer, msg, bigtable.ServerTime); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	if err := s.mailbox.SendAt(ctx, "log#"+customer, msg, bigtable.Now()); err != nil { // want ttlwrite/write-time[notify]
		return err
	}
	if err := s.mailbox.SendAt(ctx, "unit#"+customer, msg, bigtable.Timestamp(s.in(constants.MailTTL).Unix())); err != nil { // want ttlunit/wrong-unit
		return err
	}
	return s.mailbox.SendAt(ctx, "vip#"+customer, msg, bigtable.Time(s.in(constants.MailTTL))) // ok ttlwrite/write-time
}

// Broadcast implements service.NotificationService.
func (s *notificationServiceImpl) Broadcast(ctx context.Context, customers []string, subject string) error {
	msg := domain.NewMessageBuilder().WithSubject(subject).WithExpiresAt(s.in(constants.MailTTL)).Build() // ok ttlwrite/write-time
	return s.mailbox.SendMany(ctx, customers, msg)                                                        // ok ttlwrite/write-time
}

// Inbox implements service.NotificationService.
func (s *notificationServiceImpl) Inbox(ctx context.Context, customer string) ([]*domain.Message, error) {
	return s.mailbox.List(ctx, customer)
}

// LedgerDaoProvider gives the DAO of a tenant.
type LedgerDaoProvider func(tenant string) dao.LedgerDao

type ledgerServiceImpl struct {
	AbstractService
	provider LedgerDaoProvider
}

// NewLedgerService makes the service of ledgers.
func NewLedgerService(base AbstractService, provider LedgerDaoProvider) service.LedgerService {
	return &ledgerServiceImpl{AbstractService: base, provider: provider}
}

// Book implements service.LedgerService.
func (s *ledgerServiceImpl) Book(ctx context.Context, tenant, account string, number, amount int64) error {
	return s.provider(tenant).Book(ctx, &domain.LedgerEntry{Account: account, Number: number, Amount: amount})
}

// Statement implements service.LedgerService.
func (s *ledgerServiceImpl) Statement(ctx context.Context, tenant, account string) ([]*domain.LedgerEntry, error) {
	ledger := s.provider(tenant)
	last, err := ledger.FindRecent(ctx, account, constants.LedgerVersions) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	year, err := ledger.FindRecent(ctx, account, 12) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return append(last, year...), nil
}
