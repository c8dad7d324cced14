// Package ownpolicies makes policies of a type of its own, by a function that calls itself for
// their parts: what that returns for a part is known where the part is.
package ownpolicies

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

type retention interface{ is() }

type keepFor struct{ age time.Duration }
type keepN struct{ n int }
type both struct{ a, b retention }
type either struct{ a, b retention }

func (keepFor) is() {}
func (keepN) is()   {}
func (both) is()    {}
func (either) is()  {}

func policy(r retention) bigtable.GCPolicy {
	switch r := r.(type) {
	case keepFor:
		return bigtable.MaxAgePolicy(r.age)
	case keepN:
		return bigtable.MaxVersionsPolicy(r.n)
	case both:
		return bigtable.IntersectionPolicy(policy(r.a), policy(r.b))
	case either:
		return bigtable.UnionPolicy(policy(r.a), policy(r.b))
	}
	return bigtable.NoGcPolicy()
}

func set(ctx context.Context, a *bigtable.AdminClient, table, family string, r retention) error {
	return a.SetGCPolicy(ctx, table, family, policy(r))
}

func apply(ctx context.Context, a *bigtable.AdminClient) error {
	return errors.Join(
		a.SetGCPolicy(ctx, "bank-ledger", "entry", policy(both{keepFor{time.Hour}, keepN{3}})),                  // want `age-on-sequence: .*intersection`
		a.SetGCPolicy(ctx, "bank-ledger", "entry", policy(either{keepFor{time.Hour}, keepN{3}})),                // want `age-on-sequence: .*every cell`
		a.SetGCPolicy(ctx, "tickets", "ticket", policy(either{keepFor{time.Second}, keepN{1}})),                 // want `versions-with-expiry`
		a.SetGCPolicy(ctx, "tickets", "ticket", policy(either{both{keepFor{time.Second}, keepN{1}}, keepN{1}})), // want `no-policy`
		set(ctx, a, "bank-ledger", "entry", both{keepN{3}, keepFor{time.Hour}}),                                 // want `age-on-sequence: .*intersection`
		a.SetGCPolicy(ctx, "bank-ledger", "entry", policy(keepN{3})),
		a.SetGCPolicy(ctx, "bank-ledger", "entry", policy(either{keepN{3}, keepN{4}})),
		a.SetGCPolicy(ctx, "tickets", "ticket", policy(keepFor{time.Second})),
		a.SetGCPolicy(ctx, "sessions", "profile", policy(either{keepFor{time.Hour}, keepN{1}})),
	)
}

// Of a part that a caller gives nothing is known.
func given(ctx context.Context, a *bigtable.AdminClient, r retention) error {
	return a.SetGCPolicy(ctx, "bank-ledger", "entry", policy(both{keepN{3}, r}))
}

// deeper has a part that is the whole again.
func deeper(n int) bigtable.GCPolicy {
	if n == 0 {
		return bigtable.MaxVersionsPolicy(3)
	}
	return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(n), deeper(n-1))
}

// endless has no end.
func endless(d time.Duration) bigtable.GCPolicy {
	return bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), endless(d+time.Hour))
}

func numbers(ctx context.Context, a *bigtable.AdminClient) error {
	return errors.Join(
		a.SetGCPolicy(ctx, "bank-ledger", "entry", deeper(100)),
		a.SetGCPolicy(ctx, "bank-ledger", "entry", endless(time.Hour)),
		a.SetGCPolicy(ctx, "tickets", "ticket", deeper(1)), // want `no-policy`
	)
}
