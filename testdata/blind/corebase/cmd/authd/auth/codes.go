package auth

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Codes keeps codes and the policy of each ring, by way of the library's maps.
type Codes struct {
	codes    *btstore.TTLMap[string]
	policies btstore.Versioned[string]
	round    int64
}

// NewCodes makes them.
func NewCodes(s *Service) *Codes {
	return &Codes{
		codes:    btstore.NewTTLMap(s.challenges, OTP, "code", btstore.String), // want ttlread/missing-filter[peek]
		policies: btstore.NewVersioned(s.keys, Key, "policy", btstore.String),
	}
}

// Verify compares a code.
func (c *Codes) Verify(ctx context.Context, user, code string) (bool, error) {
	got, err := c.codes.Get(ctx, user) // ok ttlread/missing-filter
	return got == code, err
}

// VerifyLate compares a code, however late.
func (c *Codes) VerifyLate(ctx context.Context, user, code string) (bool, error) {
	got, err := c.codes.Peek(ctx, user) // want ttlread/missing-filter[peek]
	return got == code, err
}

// Renew stores a code.
func (c *Codes) Renew(ctx context.Context, user, code string) error {
	return c.codes.Put(ctx, user, code) // ok ttlwrite/write-time
}

// Policy reads the policy of a ring.
func (c *Codes) Policy(ctx context.Context, ring string) (string, error) {
	p, _, err := c.policies.Last(ctx, ring) // ok ttlread/version-limit
	return p, err
}

// SetPolicy changes it.
func (c *Codes) SetPolicy(ctx context.Context, ring, p string, n int64) error {
	return c.policies.Put(ctx, ring, n, p) // ok ttlwrite/unscaled-sequence
}

// ForcePolicy changes it whatever the number, by the clock.
func (c *Codes) ForcePolicy(ctx context.Context, ring, p string) error {
	return c.policies.Stamp(ctx, ring, bigtable.Time(time.Now()), p) // want ttlwrite/clock-in-sequence
}

// NextPolicy changes it by a counter.
func (c *Codes) NextPolicy(ctx context.Context, ring, p string) error {
	c.round++
	return c.policies.Stamp(ctx, ring, bigtable.Timestamp(c.round), p) // want ttlwrite/unscaled-sequence
}
