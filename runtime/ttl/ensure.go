package ttl

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Ensure creates what is missing of the table: the table with all declared
// families, or the families that it lacks, with the GC policies which the
// strategies need. What exists it never changes, because it may have data; where
// that differs from the declaration it returns the error of [Table.Verify], after
// everything that is missing was created, and [Table.Migrate] can mend it.
//
// Programs may call it at every start, also several at once.
//
// https://cloud.google.com/bigtable/docs/managing-tables
func (t *Table) Ensure(ctx context.Context, admin *bigtable.AdminClient) error {
	if admin == nil {
		return fmt.Errorf("ttl: table %q: %w", t.name, ErrNilClient)
	}
	live, err := t.liveRules(ctx, admin)
	if status.Code(err) == codes.NotFound {
		if err := admin.CreateTableFromConf(ctx, t.Conf()); err != nil && status.Code(err) != codes.AlreadyExists {
			return fmt.Errorf("ttl: table %q: creating it: %w", t.name, err)
		}
		live, err = t.liveRules(ctx, admin) // of another's table, maybe
	}
	if err != nil {
		return err
	}
	created := false
	for _, f := range t.families {
		if _, ok := live[f.Name()]; ok {
			continue
		}
		created = true
		err := admin.CreateColumnFamilyWithConfig(ctx, t.name, f.Name(), bigtable.Family{GCPolicy: f.policy()})
		if err != nil && status.Code(err) != codes.AlreadyExists {
			return fmt.Errorf("ttl: table %q, family %q: creating it: %w", t.name, f.Name(), err)
		}
	}
	if created {
		return t.Verify(ctx, admin)
	}
	return t.differences(live)
}
