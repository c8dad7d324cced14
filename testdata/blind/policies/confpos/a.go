package confpos

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func sessions() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID:        "sessions",
		ColumnFamilies: map[string]bigtable.Family{"tok": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}}, // want `age-mismatch: .*"tok"`
	}
}

func queue() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID:  "queue",
		Families: map[string]bigtable.GCPolicy{"lease": bigtable.MaxVersionsPolicy(1)}, // want `no-policy: .*"lease"`
	}
}

func F(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, c := range []*bigtable.TableConf{sessions(), queue()} {
		if err := ac.CreateTableFromConf(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Lib is exported and nobody calls it here: it is wrong whoever does.
func Lib() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID:        "sessions",
		ColumnFamilies: map[string]bigtable.Family{"tok": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}}, // want `age-mismatch: .*"tok"`
	}
}
