// Package domain has the words of the business: plans, subscriptions,
// sessions, invoices, ledger entries. It knows nothing of storage.
package domain

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Lifetimes that the business has agreed on.
const (
	SessionTTL     = 30 * time.Minute
	RememberMeTTL  = 14 * 24 * time.Hour
	IdempotencyTTL = 24 * time.Hour
	HoldTTL        = 15 * time.Minute
	LockTTL        = 2 * time.Minute
	UsageWindow    = 72 * time.Hour
	WebhookTTL     = time.Hour
	OTPTTL         = 5 * time.Minute
	MetaRetention  = 90 * 24 * time.Hour
)

// Versions that are kept of things that are numbered.
const (
	StateVersions = 5
	EntryVersions = 3
	EventVersions = 4
)

// Errors that callers tell apart.
var (
	ErrNotFound   = errors.New("not found")
	ErrExpired    = errors.New("expired")
	ErrConflict   = errors.New("conflict")
	ErrBadState   = errors.New("bad state")
	ErrLocked     = errors.New("locked")
	ErrDuplicate  = errors.New("duplicate")
	ErrBadInput   = errors.New("bad input")
	ErrOverBudget = errors.New("over budget")
)

// Money is an amount in the currency's smallest unit.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Add adds two amounts of one currency.
func (m Money) Add(o Money) (Money, error) {
	if m.Currency != o.Currency {
		return Money{}, fmt.Errorf("%w: %s and %s", ErrBadInput, m.Currency, o.Currency)
	}
	return Money{m.Amount + o.Amount, m.Currency}, nil
}

// Neg turns a debit into a credit.
func (m Money) Neg() Money { return Money{-m.Amount, m.Currency} }

func (m Money) String() string {
	return fmt.Sprintf("%d.%02d %s", m.Amount/100, m.Amount%100, strings.ToUpper(m.Currency))
}

// Interval is how often a plan is billed.
type Interval string

// The intervals.
const (
	Monthly Interval = "monthly"
	Yearly  Interval = "yearly"
)

// After returns the end of the period that begins at t.
func (i Interval) After(t time.Time) time.Time {
	if i == Yearly {
		return t.AddDate(1, 0, 0)
	}
	return t.AddDate(0, 1, 0)
}

// Plan is what can be subscribed to.
type Plan struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Price    Money    `json:"price"`
	Interval Interval `json:"interval"`
	Features []string `json:"features"`
}

// Status of a subscription.
type Status string

// The states that a subscription goes through.
const (
	Trialing Status = "trialing"
	Active   Status = "active"
	PastDue  Status = "past_due"
	Canceled Status = "canceled"
)

var transitions = map[Status][]Status{
	Trialing: {Active, Canceled},
	Active:   {PastDue, Canceled},
	PastDue:  {Active, Canceled},
}

// CanBecome says whether a subscription may go from s to next.
func (s Status) CanBecome(next Status) bool {
	for _, n := range transitions[s] {
		if n == next {
			return true
		}
	}
	return false
}

// Subscription of one account to one plan.
type Subscription struct {
	ID        string    `json:"id"`
	Account   string    `json:"account"`
	Plan      string    `json:"plan"`
	Status    Status    `json:"status"`
	Revision  int64     `json:"revision"`
	PeriodEnd time.Time `json:"period_end"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Move changes the status, and numbers the change.
func (s *Subscription) Move(next Status) error {
	if !s.Status.CanBecome(next) {
		return fmt.Errorf("%w: %s to %s", ErrBadState, s.Status, next)
	}
	s.Status = next
	s.Revision++
	return nil
}

// Session of a user.
type Session struct {
	ID        string    `json:"id"`
	User      string    `json:"user"`
	Device    string    `json:"device"`
	Address   string    `json:"address"`
	Remember  bool      `json:"remember"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
	LastSeen  time.Time `json:"last_seen"`
}

// Lifetime is how long a session of this kind lives.
func (s Session) Lifetime() time.Duration {
	if s.Remember {
		return RememberMeTTL
	}
	return SessionTTL
}

// Expired says whether the session is over at t.
func (s Session) Expired(t time.Time) bool { return !t.Before(s.ExpiresAt) }

// Entry of a ledger.
type Entry struct {
	Account string `json:"account"`
	Number  int64  `json:"number"`
	Amount  Money  `json:"amount"`
	Memo    string `json:"memo"`
}

// Hold is money put aside until it is captured or runs out.
type Hold struct {
	ID        string    `json:"id"`
	Account   string    `json:"account"`
	Amount    Money     `json:"amount"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Line of an invoice.
type Line struct {
	Text   string `json:"text"`
	Amount Money  `json:"amount"`
}

// Invoice for one period of a subscription.
type Invoice struct {
	ID           string    `json:"id"`
	Subscription string    `json:"subscription"`
	Lines        []Line    `json:"lines"`
	IssuedAt     time.Time `json:"issued_at"`
}

// Total adds up the lines.
func (i Invoice) Total() (Money, error) {
	if len(i.Lines) == 0 {
		return Money{}, fmt.Errorf("%w: invoice %s has no lines", ErrBadInput, i.ID)
	}
	sum := i.Lines[0].Amount
	for _, l := range i.Lines[1:] {
		var err error
		if sum, err = sum.Add(l.Amount); err != nil {
			return Money{}, err
		}
	}
	return sum, nil
}

// Attempt to collect an overdue invoice.
type Attempt struct {
	Invoice string    `json:"invoice"`
	Number  int64     `json:"number"`
	Result  string    `json:"result"`
	At      time.Time `json:"at"`
}
