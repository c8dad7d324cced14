package rowpolicy

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A familySpec says what a method makes a policy of.
type familySpec struct {
	name     string
	age      time.Duration
	versions int
}

func (f familySpec) policy() bigtable.GCPolicy {
	switch {
	case f.age > 0 && f.versions > 0:
		return bigtable.UnionPolicy(bigtable.MaxAgePolicy(f.age), bigtable.MaxVersionsPolicy(f.versions))
	case f.age > 0:
		return bigtable.MaxAgePolicy(f.age)
	}
	return bigtable.MaxVersionsPolicy(f.versions)
}

var sessions = []familySpec{
	{name: "token", age: time.Second, versions: 1}, // want `versions-with-expiry`
	{name: "profile", versions: 1},
}

var otp = []familySpec{
	{name: "code", versions: 2}, // want `no-policy`
}

var tickets = []familySpec{
	{name: "ticket", age: time.Second},
}

func ensureAll(ctx context.Context, admin *bigtable.AdminClient) error {
	for table, families := range map[string][]familySpec{"sessions": sessions, "otp": otp, "tickets": tickets} {
		for _, f := range families {
			if err := ensure(ctx, admin, table, f.name, f.policy()); err != nil {
				return err
			}
		}
	}
	return nil
}

func ensure(ctx context.Context, admin *bigtable.AdminClient, table, family string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil {
		return err
	}
	return admin.SetGCPolicy(ctx, table, family, policy)
}

var _ = ensureAll
