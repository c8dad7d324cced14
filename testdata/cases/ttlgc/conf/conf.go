// Package conf creates tables from configurations. A finding stands at the
// policy in the literal.
package conf

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

const month = 720 * time.Hour

func families(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sessions",
		Families: map[string]bigtable.GCPolicy{
			"token":   bigtable.MaxAgePolicy(30 * time.Minute), // want `age-mismatch: .*"token"`
			"profile": bigtable.MaxVersionsPolicy(1),
		},
	})
}

func okFamilies(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sessions",
		Families: map[string]bigtable.GCPolicy{
			"token":   bigtable.MaxAgePolicy(time.Second),
			"profile": bigtable.NoGcPolicy(),
		},
	})
}

func columnFamilies(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "mixed",
		ColumnFamilies: map[string]bigtable.Family{
			"hot": {GCPolicy: bigtable.MaxAgePolicy(5 * time.Minute)}, // want `age-mismatch: .*"hot"`
			"log": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)},
			"seq": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-on-sequence: .*"seq"`
		},
	})
}

func okColumnFamilies(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "mixed",
		ColumnFamilies: map[string]bigtable.Family{
			"hot": {GCPolicy: bigtable.MaxAgePolicy(time.Second)},
			"log": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)},
			"seq": {GCPolicy: bigtable.MaxVersionsPolicy(1)},
		},
	})
}

func withoutPolicy(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sessions",
		ColumnFamilies: map[string]bigtable.Family{
			"token":   {}, // want `no-policy: .*"token"`
			"profile": {},
		},
	})
}

func okWithoutPolicy(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID:        "catalog",
		ColumnFamilies: map[string]bigtable.Family{"latest": {}},
	})
}

func local(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{
		TableID: "bank-ledger",
		Families: map[string]bigtable.GCPolicy{
			"entry": bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(month)), // want `age-on-sequence: .*"entry"`
		},
	}
	return ac.CreateTableFromConf(ctx, conf)
}

func okLocal(ctx context.Context, ac *bigtable.AdminClient) error {
	conf := bigtable.TableConf{TableID: "bank-ledger"}
	conf.Families = map[string]bigtable.GCPolicy{"entry": bigtable.MaxVersionsPolicy(3)}
	return ac.CreateTableFromConf(ctx, &conf)
}

func okOtherTable(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID:  "plain",
		Families: map[string]bigtable.GCPolicy{"entry": bigtable.MaxAgePolicy(month), "token": bigtable.NoGcPolicy()},
	})
}

func twoProblems(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "mixed",
		Families: map[string]bigtable.GCPolicy{
			"hot": bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want `versions-with-expiry: .*"hot"`
			"log": bigtable.NoGcPolicy(),                                                                   // want `no-policy: .*"log"`
			"seq": bigtable.MaxVersionsPolicy(1),
		},
	})
}
