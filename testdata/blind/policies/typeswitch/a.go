package typeswitch

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type kind interface{ isKind() }
type age struct{ d time.Duration }
type versions struct{ n int }

func (age) isKind()      {}
func (versions) isKind() {}

func policy(k kind) bigtable.GCPolicy {
	switch k := k.(type) {
	case age:
		return bigtable.MaxAgePolicy(k.d)
	case versions:
		return bigtable.MaxVersionsPolicy(k.n)
	}
	return bigtable.NoGcPolicy()
}

func F(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "blocks", "hdr", policy(versions{1})); err != nil { // silent
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "tok", policy(age{time.Second})) // silent
}

func policy2(k kind) bigtable.GCPolicy {
	if a, ok := k.(age); ok {
		return bigtable.MaxAgePolicy(a.d)
	}
	return bigtable.MaxVersionsPolicy(1)
}

func G(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.SetGCPolicy(ctx, "blocks", "hdr", policy2(versions{1})); err != nil { // silent
		return err
	}
	return ac.SetGCPolicy(ctx, "sessions", "tok", policy2(age{time.Second})) // silent
}
