// Package drafts keeps policies in a builder of which each method returns a changed copy,
// and applies them in a loop.
package drafts

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type family struct {
	name   string
	policy bigtable.GCPolicy
}

type draft struct {
	table    string
	families []family
}

func newDraft(table string) draft { return draft{table: table} }

func (d draft) with(name string, p bigtable.GCPolicy) draft {
	d.families = append(append([]family{}, d.families...), family{name, p})
	return d
}

func (d draft) create(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range d.families {
		if err := ac.SetGCPolicy(ctx, d.table, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

func aged(d time.Duration) bigtable.GCPolicy { return bigtable.MaxAgePolicy(d) }

func sessions(ctx context.Context, ac *bigtable.AdminClient) error {
	d := newDraft("sessions")
	d = d.with("token", bigtable.MaxAgePolicy(time.Hour)) // want `age-mismatch: .*"token"`

	d = d.with("profile", bigtable.MaxAgePolicy(time.Hour))

	return d.create(ctx, ac)
}

func okSessions(ctx context.Context, ac *bigtable.AdminClient) error {
	d := newDraft("sessions").with("token", aged(time.Second)).with("profile", aged(time.Hour))
	return d.create(ctx, ac)
}

// The policy is made by a helper.
func catalog(ctx context.Context, ac *bigtable.AdminClient) error {
	d := newDraft("catalog")
	d = d.with(
		"latest",
		aged(720*time.Hour), // want `age-on-zero: .*"latest"`
	)
	return d.create(ctx, ac)
}

// A table that nobody declares has families of the same names.
func okOther(ctx context.Context, ac *bigtable.AdminClient) error {
	return newDraft("plain").with("latest", aged(time.Hour)).with("token", aged(time.Hour)).create(ctx, ac)
}

// A map of rows.

type plan struct {
	table    string
	policies map[string]bigtable.GCPolicy
}

func (p plan) with(name string, policy bigtable.GCPolicy) plan {
	policies := map[string]bigtable.GCPolicy{name: policy}
	for k, v := range p.policies {
		policies[k] = v
	}
	p.policies = policies
	return p
}

func (p plan) apply(ctx context.Context, ac *bigtable.AdminClient) {
	for name, policy := range p.policies {
		_ = ac.SetGCPolicy(ctx, p.table, name, policy)
	}
}

func okPlans(ctx context.Context, ac *bigtable.AdminClient) {
	plan{table: "plain"}.with("latest", aged(time.Hour)).apply(ctx, ac)
	plan{table: "catalog"}.with("latest", bigtable.MaxVersionsPolicy(1)).apply(ctx, ac)
}
