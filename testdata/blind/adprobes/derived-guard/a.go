// Package derivedguard: what a helper returns for a constant family is tested,
// and the branch that it cannot take is judged with that family. Wrong findings.
package derivedguard

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

func ageFor(fam string) time.Duration {
	switch fam {
	case "cap":
		return time.Second
	case "seen":
		return 168 * time.Hour
	}
	return 0
}

func policyFor(fam string) bigtable.GCPolicy {
	if a := ageFor(fam); a > 0 {
		return bigtable.MaxAgePolicy(a)
	}
	return bigtable.MaxVersionsPolicy(1)
}

func policies(ctx context.Context, a *bigtable.AdminClient) error {
	for _, f := range []string{"cap", "seen", "seg"} {
		if err := a.SetGCPolicy(ctx, "freqcap", f, policyFor(f)); err != nil { // ok ttlgc/no-policy
			return err
		}
	}
	return a.SetGCPolicy(ctx, "freqcap", "seen", policyFor("seen")) // ok ttlgc/no-policy
}

var expiring = map[string]bool{"cap": true}

func isExpiring(f string) bool { return f == "cap" || f == "grant" }

func stamps(m *bigtable.Mutation) {
	soon := bigtable.Time(time.Now().Add(time.Hour))
	for _, f := range []string{"cap", "seg"} {
		ts := bigtable.ServerTime
		if slices.Contains([]string{"cap", "grant"}, f) {
			ts = soon
		}
		m.Set(f, "a", ts, nil) // ok ttlwrite/server-timestamp
	}
	for _, f := range []string{"cap", "seg"} {
		ts := bigtable.ServerTime
		if expiring[f] {
			ts = soon
		}
		m.Set(f, "b", ts, nil) // ok ttlwrite/server-timestamp
	}
	for _, f := range []string{"cap", "seg"} {
		ts := bigtable.ServerTime
		if isExpiring(f) {
			ts = soon
		}
		m.Set(f, "c", ts, nil) // ok ttlwrite/server-timestamp
	}
	for _, f := range []string{"cap", "seg"} {
		ts := soon
		if isExpiring(f) {
			ts = bigtable.ServerTime
		}
		m.Set(f, "d", ts, nil) // want ttlwrite/server-timestamp
	}
}

var _ = []any{policies, stamps}
