// Package vo holds the value objects of the checkout.
package vo

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrInvalid is wrapped by every constructor that refuses its input.
var ErrInvalid = errors.New("invalid value")

// SKU names an article.
type SKU string

// NewSKU checks s.
func NewSKU(s string) (SKU, error) {
	s = strings.ToUpper(strings.TrimSpace(s))
	if len(s) < 3 || len(s) > 32 || strings.ContainsAny(s, "#:/ ") {
		return "", fmt.Errorf("sku %q: %w", s, ErrInvalid)
	}
	return SKU(s), nil
}

// Money is an amount in minor units.
type Money struct {
	Minor    int64  `json:"minor"`
	Currency string `json:"currency"`
}

// Add adds two amounts of one currency.
func (m Money) Add(o Money) (Money, error) {
	if m.Currency == "" {
		return o, nil
	}
	if o.Currency != m.Currency {
		return m, fmt.Errorf("%s + %s: %w", m.Currency, o.Currency, ErrInvalid)
	}
	m.Minor += o.Minor
	return m, nil
}

// Times multiplies.
func (m Money) Times(n int) Money { m.Minor *= int64(n); return m }

// Percent is p percent of m, rounded down.
func (m Money) Percent(p int) Money { m.Minor = m.Minor * int64(p) / 100; return m }

func (m Money) String() string {
	return fmt.Sprintf("%d.%02d %s", m.Minor/100, m.Minor%100, m.Currency)
}

// ParseMoney reads what String writes.
func ParseMoney(s string) (Money, error) {
	var whole, frac int64
	var cur string
	if _, err := fmt.Sscanf(s, "%d.%02d %s", &whole, &frac, &cur); err != nil {
		return Money{}, fmt.Errorf("money %q: %w", s, ErrInvalid)
	}
	return Money{Minor: whole*100 + frac, Currency: cur}, nil
}

// CartID, OrderID, IdemKey and CouponCode are keys of rows.
type (
	CartID     string
	OrderID    string
	IdemKey    string
	CouponCode string
)

// NewID makes a random id.
func NewID(prefix string) string {
	var b [10]byte
	_, _ = rand.Read(b[:])
	return prefix + "-" + hex.EncodeToString(b[:])
}

// Revision counts the revisions of an aggregate from 1.
type Revision int64

// Next is the revision after r.
func (r Revision) Next() Revision { return r + 1 }

// Micros is the revision as a cell's timestamp: a millisecond a revision.
func (r Revision) Micros() int64 { return int64(r) * 1000 }

// Deadline is a moment after which something is void.
type Deadline struct{ t time.Time }

// In is the deadline d after now.
func In(now time.Time, d time.Duration) Deadline { return Deadline{now.Add(d)} }

// At is the deadline t.
func At(t time.Time) Deadline { return Deadline{t} }

// Time is the moment.
func (d Deadline) Time() time.Time { return d.t }

// Passed tells whether the deadline is before now.
func (d Deadline) Passed(now time.Time) bool { return d.t.Before(now) }
