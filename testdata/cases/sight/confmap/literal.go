package confmap

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Step is a migration, which others run.
type Step func(context.Context, *bigtable.AdminClient) error

// Up returns a literal that captures nothing.
func Up() Step {
	return func(ctx context.Context, a *bigtable.AdminClient) error {
		return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "eu-ledger", ColumnFamilies: map[string]bigtable.Family{
			"entry": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-on-sequence`
		}})
	}
}

// OkUp returns one that is right.
func OkUp() Step {
	return func(ctx context.Context, a *bigtable.AdminClient) error {
		conf := &bigtable.TableConf{TableID: "eu-ledger", ColumnFamilies: map[string]bigtable.Family{}}
		conf.ColumnFamilies["entry"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(3)}
		return a.CreateTableFromConf(ctx, conf)
	}
}

var steps = map[string]Step{
	"catalog": func(ctx context.Context, a *bigtable.AdminClient) error {
		families := map[string]bigtable.Family{}
		families["latest"] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)} // want `age-on-zero`
		return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "catalog", ColumnFamilies: families})
	},
}
