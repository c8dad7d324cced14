package ttl

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// A MigrationError says that [Table.Migrate] did not set a policy because of
// the cells that the family has.
type MigrationError struct {
	Table, Family string
	// Cells is how many cells would have been deleted, at once or before the
	// time that the policy in force gives them.
	Cells int64
	// Outranking is how many cells of a family that shall have sequential
	// numbers have clock readings as timestamps. To every number to come they
	// would be newer versions, which hide it until it is deleted.
	Outranking int64
}

func (e *MigrationError) Error() string {
	var reasons []string
	if e.Cells > 0 {
		reasons = append(reasons, fmt.Sprintf("the new GC policy would delete %d cell(s), at once or early", e.Cells))
	}
	if e.Outranking > 0 {
		reasons = append(reasons, fmt.Sprintf("%d cell(s) have clock readings as timestamps, which hide every sequence number", e.Outranking))
	}
	return fmt.Sprintf("ttl: table %q, family %q: %s", e.Table, e.Family, strings.Join(reasons, "; "))
}

// Migrate sets the GC policy that the strategy needs on a family of the table
// that exists, unless that would lose cells: then it changes nothing and returns
// a [*MigrationError] with their number. The admin client must be of the same
// instance as the client.
//
// Cells are lost that the new policy deletes at once, and those that have a
// max age to live by the policy in force, and less by the new one. Among them
// are all that live in a family with default expiration which shall have
// one-second expiration: their timestamps are no expiry. Not counted is what
// the policy in force deletes anyhow, and, where it deletes nothing by age, a
// timestamp in the future, which is an expiry already. Where the new policy deletes
// only what the old one does, nothing is counted.
//
// Sequential numbers are refused beside real timestamps, under any policy: cells
// with timestamps after 2001, read as a clock, are counted as
// [MigrationError.Outranking].
//
// If the loss is meant, delete the cells first, or set the policy of
// [Table.Conf] with [bigtable.AdminClient.SetGCPolicy]. A longer life is no loss.
// But cells that have expired and are not collected yet may then count as
// live again, and those of a family with one-second expiration get the default
// lifetime on top.
//
// Counting reads timestamps, not values, of the family in the whole table. It
// cannot see what is written afterwards, so every writer must follow the new
// strategy before Migrate is called.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
func (t *Table) Migrate(ctx context.Context, client *bigtable.Client, admin *bigtable.AdminClient, family Family) error {
	if client == nil {
		return fmt.Errorf("ttl: table %q: %w", t.name, ErrNilClient)
	}
	if family = plain(family); family == nil {
		return fmt.Errorf("ttl: table %q: %w: the family is nil", t.name, ErrDeclaration)
	}
	if !slices.ContainsFunc(t.families, func(f Family) bool { return reflect.DeepEqual(f, family) }) {
		return fmt.Errorf("ttl: table %q: %w: family %q is not declared with this strategy", t.name, ErrDeclaration, family.Name())
	}
	rules, err := t.liveRules(ctx, admin)
	if err != nil {
		return err
	}
	name := family.Name()
	live, ok := rules[name]
	if !ok {
		return fmt.Errorf("ttl: table %q: %w: family %q is missing", t.name, ErrSchema, name)
	}
	loss, next := &MigrationError{Table: t.name, Family: name}, ruleOf(family.policy())
	_, numbered := family.(SequenceFamily)
	safe := live.covers(next)
	if numbered || !safe {
		now := time.Now().UnixMicro()
		err := t.versions(ctx, client, name, func(ts bigtable.Timestamp, newer int) {
			if !safe && lost(live.end(ts, newer), next.end(ts, newer), now) {
				loss.Cells++
			}
			if numbered && ts > firstClock {
				loss.Outranking++
			}
		})
		if err != nil {
			return err
		}
	}
	if loss.Cells > 0 || loss.Outranking > 0 {
		return loss
	}
	policy := family.policy()
	if policy == nil {
		policy = bigtable.NoGcPolicy()
	}
	if err := admin.SetGCPolicy(ctx, t.name, name, policy); err != nil {
		return fmt.Errorf("ttl: table %q, family %q: setting the GC policy: %w", t.name, name, err)
	}
	return nil
}

// firstClock is the timestamp of September 2001, after which a timestamp is
// taken for a clock reading: as a sequence number it is 10^12.
const firstClock bigtable.Timestamp = 1e15

// lost reports whether a cell that lives until one moment may only live until
// another.
func lost(before, after, now int64) bool {
	switch {
	case before <= now:
		return false
	case after <= now:
		return true
	}
	return before != never && after < before
}

// versions calls a function for each cell of the family, with the number of
// newer cells in its column.
func (t *Table) versions(ctx context.Context, client *bigtable.Client, family string, f func(ts bigtable.Timestamp, newer int)) error {
	only := declaration{name: family}.only(bigtable.StripValueFilter())
	each := func(row bigtable.Row) bool {
		newer := make(map[string]int)
		for _, item := range row[family] {
			f(item.Timestamp, newer[item.Column])
			newer[item.Column]++
		}
		return true
	}
	if err := client.Open(t.name).ReadRows(ctx, bigtable.InfiniteRange(""), each, bigtable.RowFilter(only)); err != nil {
		return fmt.Errorf("ttl: table %q, family %q: counting cells: %w", t.name, family, err)
	}
	return nil
}
