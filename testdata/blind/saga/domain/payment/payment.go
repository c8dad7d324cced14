// Package payment is a payment with its attempts.
package payment

import (
	"errors"
	"fmt"
	"time"

	"example.com/saga/vo"
)

// Outcome of an attempt.
type Outcome string

// Outcomes.
const (
	Authorized Outcome = "authorized"
	Declined   Outcome = "declined"
	Failed     Outcome = "failed"
)

// ErrTooMany is returned after the last attempt.
var ErrTooMany = errors.New("too many attempts")

// Attempt is one try at the provider.
type Attempt struct {
	No      int
	Outcome Outcome
	Ref     string
}

// Payment is the aggregate.
type Payment struct {
	Order    vo.OrderID
	Amount   vo.Money
	Key      vo.IdemKey
	KeepFor  time.Duration
	attempts []Attempt
	fresh    []Attempt
	max      int
}

// New makes a payment of at most max attempts.
func New(o vo.OrderID, amount vo.Money, key vo.IdemKey, max int) *Payment {
	return &Payment{Order: o, Amount: amount, Key: key, max: max, KeepFor: 24 * time.Hour}
}

// With adds the attempts that the store has.
func (p *Payment) With(as []Attempt) *Payment { p.attempts = append(p.attempts, as...); return p }

// Try records an attempt.
func (p *Payment) Try(out Outcome, ref string) error {
	if len(p.attempts) >= p.max {
		return fmt.Errorf("payment of %s: %w", p.Order, ErrTooMany)
	}
	a := Attempt{No: len(p.attempts) + 1, Outcome: out, Ref: ref}
	p.attempts, p.fresh = append(p.attempts, a), append(p.fresh, a)
	return nil
}

// Fresh are the attempts that are not stored.
func (p *Payment) Fresh() []Attempt { return p.fresh }

// Settled tells whether an attempt went through.
func (p *Payment) Settled() (Attempt, bool) {
	for _, a := range p.attempts {
		if a.Outcome == Authorized {
			return a, true
		}
	}
	return Attempt{}, false
}
