// Package rowpolicy builds a policy for each row of a table, and returns it
// only where it means something.
package rowpolicy

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowpolicy/plan"
)

var rows = []plan.Row{
	{Family: "event", Days: 30, Versions: 0},
	{Family: "seq", Days: 0, Versions: 1},
	{Family: "meta", Days: 0, Versions: 1},
}

func policy(r plan.Row) bigtable.GCPolicy {
	age := bigtable.MaxAgePolicy(time.Duration(r.Days) * 24 * time.Hour)
	if r.Days > 0 {
		return age
	}
	return bigtable.MaxVersionsPolicy(r.Versions)
}

func byDays(days int) (p bigtable.GCPolicy) {
	p = bigtable.MaxAgePolicy(time.Duration(days) * 24 * time.Hour)
	if days > 0 {
		return p
	}
	return bigtable.NoGcPolicy()
}

func okCreate(ctx context.Context, a *bigtable.AdminClient) error {
	for _, r := range rows {
		if err := a.SetGCPolicy(ctx, "mixed2", r.Family, policy(r)); err != nil {
			return err
		}
	}
	return nil
}

func okAbroad(ctx context.Context, a *bigtable.AdminClient) error {
	for _, r := range rows {
		if err := a.SetGCPolicy(ctx, "mixed2", r.Family, plan.Policy(r)); err != nil {
			return err
		}
	}
	return nil
}

func okDays(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.SetGCPolicy(ctx, "clicks", "event", byDays(30)); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, "others", "x", byDays(0))
}

// In the helper itself the age is judged where it is set.
func set(ctx context.Context, a *bigtable.AdminClient, r plan.Row) error {
	age := bigtable.MaxAgePolicy(time.Duration(r.Days) * 24 * time.Hour)
	if r.Days == 0 {
		return nil
	}
	return a.SetGCPolicy(ctx, "clicks", r.Family, age)
}

func okSet(ctx context.Context, a *bigtable.AdminClient) error {
	for _, r := range []plan.Row{{Family: "event", Days: 30, Versions: 0}, {Family: "none", Days: 0, Versions: 0}} {
		if err := set(ctx, a, r); err != nil {
			return err
		}
	}
	return nil
}

// A row that has 0 and whose policy is set all the same.
func unguarded(r plan.Row) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(time.Duration(r.Days) * 24 * time.Hour)
}

func create(ctx context.Context, a *bigtable.AdminClient) error {
	for _, r := range []plan.Row{{Family: "event", Days: 30, Versions: 0}, {Family: "none", Days: 0, Versions: 0}} {
		if err := a.SetGCPolicy(ctx, "clicks", r.Family, unguarded(r)); err != nil { // want `age-unit: the age 0s is rejected`
			return err
		}
	}
	return nil
}
