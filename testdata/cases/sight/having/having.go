// Package having sets policies on the tables that the server lists.
package having

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// policies are the policies by family.
var policies = map[string]bigtable.GCPolicy{
	"token": bigtable.MaxAgePolicy(time.Second),
	"seq":   bigtable.MaxAgePolicy(90 * 24 * time.Hour), // want `age-on-sequence: .*"seq"`
}

// with lists the tables that have a family, but not those for trials.
func with(ctx context.Context, admin *bigtable.AdminClient, family string) ([]string, error) {
	names, err := admin.Tables(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, n := range names {
		if strings.HasPrefix(n, "trial-") {
			continue
		}
		info, err := admin.TableInfo(ctx, n)
		if err != nil {
			return nil, err
		}
		if slices.Contains(info.Families, family) {
			found = append(found, n)
		}
	}
	return found, nil
}

func apply(ctx context.Context, admin *bigtable.AdminClient) error {
	for family, policy := range policies {
		tables, err := with(ctx, admin, family)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := admin.SetGCPolicy(ctx, t, family, policy); err != nil {
				return err
			}
		}
	}
	return nil
}

func run(ctx context.Context, project string) error {
	admin, err := bigtable.NewAdminClient(ctx, project, "i")
	if err != nil {
		return err
	}
	defer admin.Close()
	return apply(ctx, admin)
}

// live drops the names of what is closed.
func live(names []string) []string {
	var out []string
	for _, n := range names {
		if !strings.HasPrefix(n, "closed-") {
			out = append(out, n)
		}
	}
	return out
}

// Longer is for callers elsewhere: with names it keeps cells for longer.
func Longer(ctx context.Context, admin *bigtable.AdminClient, names []string) error {
	age := time.Second
	if len(live(names)) > 0 {
		age = time.Hour
	}
	return admin.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxAgePolicy(age))
}
