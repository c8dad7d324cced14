package ttl

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

// A MigrationError says that [Table.Migrate] did not set a policy because it
// would have deleted data.
type MigrationError struct {
	Table, Family string
	Cells         int64 // how many cells would have been deleted
}

func (e *MigrationError) Error() string {
	return fmt.Sprintf("ttl: table %q, family %q: one-second expiration would delete %d cell(s), whose timestamps are not in the future",
		e.Table, e.Family, e.Cells)
}

// Migrate sets the GC policy of one-second expiration on a family of the table
// that exists, unless that would delete cells: then it changes nothing and
// returns a [*MigrationError] with their number. The admin client must be of
// the same instance as the client.
//
// It counts every cell whose timestamp is not in the future. Those with a
// timestamp within the max age count too, because they would follow in a
// moment. Whether such a timestamp is a write time or an expiry that has passed
// cannot be seen; delete what may go before the migration. A family that has
// the policy already is not counted.
//
// Counting reads the family in the whole table. It cannot see what is written
// afterwards, so every writer must set expiry times before Migrate is called.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func (t *Table) Migrate(ctx context.Context, client *bigtable.Client, admin *bigtable.AdminClient, family OneSecondFamily) error {
	if !slices.Contains(t.families, Family(family)) {
		return fmt.Errorf("ttl: table %q: %w: family %q is not declared with this strategy", t.name, ErrDeclaration, family.name)
	}
	policies, err := t.livePolicies(ctx, admin)
	if err != nil {
		return err
	}
	policy, ok := policies[family.name]
	if !ok {
		return fmt.Errorf("ttl: table %q: %w: family %q is missing", t.name, ErrSchema, family.name)
	}
	if !samePolicy(policy, family.policy()) {
		if err := t.refuseLoss(ctx, client, family.name); err != nil {
			return err
		}
	}
	if err := admin.SetGCPolicy(ctx, t.name, family.name, family.policy()); err != nil {
		return fmt.Errorf("ttl: table %q, family %q: setting the GC policy: %w", t.name, family.name, err)
	}
	return nil
}

// refuseLoss returns an error if the family has cells that are not in the
// future.
func (t *Table) refuseLoss(ctx context.Context, client *bigtable.Client, family string) error {
	// The end of the range is exclusive and cut to milliseconds.
	end := bigtable.Time(time.Now().Add(time.Millisecond))
	doomed := bigtable.ChainFilters(
		bigtable.FamilyFilter(regexp.QuoteMeta(family)),
		bigtable.TimestampRangeFilterMicros(0, end),
		bigtable.StripValueFilter(),
	)
	var cells int64
	count := func(row bigtable.Row) bool {
		cells += int64(len(row[family]))
		return true
	}
	if err := client.Open(t.name).ReadRows(ctx, bigtable.InfiniteRange(""), count, bigtable.RowFilter(doomed)); err != nil {
		return fmt.Errorf("ttl: table %q, family %q: counting cells: %w", t.name, family, err)
	}
	if cells > 0 {
		return &MigrationError{t.name, family, cells}
	}
	return nil
}
