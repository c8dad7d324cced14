package stepbystep

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/stepbystep/confs"
)

func ledger(ctx context.Context, a *bigtable.AdminClient) error {
	b := confs.New("eu-ledger")
	b.With("entry", bigtable.MaxAgePolicy(time.Hour)) // not seen: age-on-sequence
	b.With("other", bigtable.MaxAgePolicy(time.Hour))
	return a.CreateTableFromConf(ctx, b.Build())
}

// No registered table.
func scratch(ctx context.Context, a *bigtable.AdminClient) error {
	return a.CreateTableFromConf(ctx, confs.New("scratch").With("token", bigtable.MaxAgePolicy(time.Hour)).Build())
}

// A family of two meanings, in a table that is known and in one that is not.
func values(ctx context.Context, a *bigtable.AdminClient, name string) error {
	if err := a.CreateTableFromConf(ctx, confs.New(name).With("val", bigtable.MaxAgePolicy(time.Hour)).Build()); err != nil {
		return err
	}
	return a.CreateTableFromConf(ctx, confs.New("history").With("val", bigtable.MaxAgePolicy(time.Hour)).Build()) // not seen: age-on-sequence
}

func own(c *confs.Confs, p bigtable.GCPolicy) {
	c.Put("token", bigtable.Family{GCPolicy: p})
	c.Put("token", bigtable.Family{})
	c.Put("token", bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)})
}
