// Package referral is the ledger of referrals between practices. Each tenant has a ledger of its own.
package referral

import (
	"context"
	"fmt"
	"time"
)

// LockFor is how long an editor keeps a referral.
const LockFor = 15 * time.Minute

// Entry is one line of the ledger.
type Entry struct {
	Referral string
	Seq      int64
	Author   string
	Text     string
}

// Validate checks an entry before it is stored.
func (e Entry) Validate() error {
	if e.Referral == "" || e.Seq <= 0 {
		return fmt.Errorf("bad entry %q/%d", e.Referral, e.Seq)
	}
	return nil
}

// Ledger is the port.
type Ledger interface {
	Append(ctx context.Context, e Entry) error
	Last(ctx context.Context, referral string) (Entry, error)
	Lock(ctx context.Context, referral, author string) error
	Unlock(ctx context.Context, referral string) error
}

// Service edits.
type Service struct{ ledger Ledger }

// NewService returns the service.
func NewService(l Ledger) *Service { return &Service{l} }

// Add appends a text to a referral under its lock.
func (s *Service) Add(ctx context.Context, ref, author, text string) (Entry, error) {
	if err := s.ledger.Lock(ctx, ref, author); err != nil {
		return Entry{}, err
	}
	last, err := s.ledger.Last(ctx, ref)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Referral: ref, Seq: last.Seq + 1, Author: author, Text: text}
	if err := e.Validate(); err != nil {
		return Entry{}, err
	}
	if err := s.ledger.Append(ctx, e); err != nil {
		return Entry{}, err
	}
	return e, s.ledger.Unlock(ctx, ref)
}
