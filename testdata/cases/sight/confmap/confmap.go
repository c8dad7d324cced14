// Package confmap puts policies into the map of a table's configuration one by
// one.
package confmap

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func direct(ctx context.Context, a *bigtable.AdminClient) error {
	conf := bigtable.TableConf{TableID: "eu-ledger", ColumnFamilies: map[string]bigtable.Family{}}
	conf.ColumnFamilies["entry"] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)} // want `age-on-sequence`
	return a.CreateTableFromConf(ctx, &conf)
}

func okDirect(ctx context.Context, a *bigtable.AdminClient) error {
	conf := bigtable.TableConf{TableID: "eu-ledger", ColumnFamilies: map[string]bigtable.Family{}}
	conf.ColumnFamilies["entry"] = bigtable.Family{GCPolicy: bigtable.MaxVersionsPolicy(3)}
	return a.CreateTableFromConf(ctx, &conf)
}

func pointer(ctx context.Context, a *bigtable.AdminClient) error {
	conf := &bigtable.TableConf{TableID: "catalog", ColumnFamilies: make(map[string]bigtable.Family)}
	conf.ColumnFamilies["latest"] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)} // want `age-on-zero`
	return a.CreateTableFromConf(ctx, conf)
}

func nested(ctx context.Context, a *bigtable.AdminClient) error {
	var job struct{ conf bigtable.TableConf }
	job.conf = bigtable.TableConf{TableID: "catalog", ColumnFamilies: map[string]bigtable.Family{}}
	job.conf.ColumnFamilies["latest"] = bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)} // want `age-on-zero`
	return a.CreateTableFromConf(ctx, &job.conf)
}
