package dedup

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func F(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []struct {
		table, family string
		p             bigtable.GCPolicy
	}{
		{"cache", "val", bigtable.NoGcPolicy()},   // want `no-policy: .*"val"`
		{"history", "val", bigtable.NoGcPolicy()}, // want `no-policy: .*"val"`
	} {
		if err := ac.SetGCPolicy(ctx, f.table, f.family, f.p); err != nil {
			return err
		}
	}
	return nil
}

type spec struct {
	table, family string
	versions      int
}

func (s spec) policy() bigtable.GCPolicy {
	if s.versions > 0 {
		return bigtable.MaxVersionsPolicy(s.versions)
	}
	return bigtable.NoGcPolicy()
}

func G(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range []spec{
		{table: "cache", family: "val"},
		{table: "history", family: "val"},
		{table: "blocks", family: "hdr", versions: 1},
	} {
		if err := ac.SetGCPolicy(ctx, f.table, f.family, f.policy()); err != nil { // want `no-policy: .*"val"` `no-policy: .*"val"`
			return err
		}
	}
	return nil
}
