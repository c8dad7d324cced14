package fixhelper

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type fam struct {
	name   string
	policy bigtable.GCPolicy
}

func expire(name string, d time.Duration) fam { return fam{name, bigtable.MaxAgePolicy(d)} }

func create(ctx context.Context, ac *bigtable.AdminClient, table string, fams ...fam) error {
	for _, f := range fams {
		if err := ac.SetGCPolicy(ctx, table, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

func Setup(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := create(ctx, ac, "sessions", expire("tok", time.Second)); err != nil {
		return err
	}
	return create(ctx, ac, "features", expire("f", time.Hour)) // want `age-mismatch: .*"f"`
}
