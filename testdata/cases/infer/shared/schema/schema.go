// Package schema gives families of one name different policies, by table.
package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// The tables and their families: each has "v", some "once".
const (
	Leases = "leases"
	Counts = "counts"
	Items  = "items"

	V    = "v"
	Once = "once"
)

func Create(ctx context.Context, ac *bigtable.AdminClient) error {
	for table, policy := range map[string]bigtable.GCPolicy{
		Leases: bigtable.MaxAgePolicy(time.Second),
		Counts: bigtable.MaxVersionsPolicy(1),
	} {
		if err := ac.CreateTableFromConf(ctx, &bigtable.TableConf{
			TableID:        table,
			ColumnFamilies: map[string]bigtable.Family{V: {GCPolicy: policy}},
		}); err != nil {
			return err
		}
	}
	// "once" is of one table only.
	if err := ac.CreateColumnFamily(ctx, Leases, Once); err != nil {
		return err
	}
	if err := ac.SetGCPolicy(ctx, Leases, Once, bigtable.MaxAgePolicy(time.Second)); err != nil {
		return err
	}
	// "mark" has no policy in its second table.
	if err := ac.SetGCPolicy(ctx, Leases, "mark", bigtable.MaxAgePolicy(time.Second)); err != nil {
		return err
	}
	return ac.CreateColumnFamily(ctx, Items, "mark")
}
