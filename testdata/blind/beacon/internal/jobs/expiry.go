package jobs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
	"example.com/beacon/internal/store"
)

// Expiry deletes early what a tenant's plan does not pay for.
type Expiry struct {
	Batch int
	Lay   layout.Audit
}

// Name is the job's name.
func (Expiry) Name() string { return "expiry" }

// Run deletes the rows of which everything is older than the plan's retention.
func (x Expiry) Run(ctx context.Context, t *store.Tenant) error {
	cut := time.Now().AddDate(0, 0, -t.Plan.RetentionDays)
	var rows []string
	old := bigtable.ChainFilters(bigtable.FamilyFilter(x.Lay.Event), bigtable.TimestampRangeFilter(time.Time{}, cut), bigtable.StripValueFilter())
	err := t.Tables.Audit.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		rows = append(rows, r.Key())
		return len(rows) < x.Batch
	}, bigtable.RowFilter(old))
	if err != nil {
		return err
	}
	return x.delete(ctx, t.Tables.Audit, rows)
}

func (x Expiry) delete(ctx context.Context, tbl bigtable.TableAPI, rows []string) error {
	muts := make([]*bigtable.Mutation, len(rows))
	for i := range rows {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteCellsInFamily(x.Lay.Event)
	}
	errs, err := tbl.ApplyBulk(ctx, rows, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("row %s: %w", rows[i], e)
		}
	}
	return nil
}

// DropSessions deletes dead sessions, which would go by themselves within a week.
func DropSessions(ctx context.Context, t *store.Tenant) error {
	now := time.Now()
	dead := bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, now))
	return t.Tables.Sessions.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteTimestampRange("token", "jwt", 0, bigtable.Time(now)) // ok ttlunit/sub-millisecond
		return t.Tables.Sessions.Apply(ctx, r.Key(), mut) == nil
	}, bigtable.RowFilter(dead))
}

// DropStaleCodes deletes codes; the end of its range is less than a millisecond.
func DropStaleCodes(ctx context.Context, t *store.Tenant, key string) error {
	mut := bigtable.NewMutation()
	mut.DeleteTimestampRange("mfa", "code", 0, 999)   // want ttlunit/sub-millisecond
	mut.DeleteTimestampRange("mfa", "tries", 0, 1000) // ok ttlunit/sub-millisecond
	return t.Tables.Sessions.Apply(ctx, key, mut)
}

// Tombstone marks rows that were deleted on request, for thirty days.
func Tombstone(ctx context.Context, t *store.Tenant, key, ticket string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("event")
	mut.Set("event", "erased", bigtable.Time(time.Now().Add(30*24*time.Hour-90*24*time.Hour)), []byte(ticket)) // ok ttlwrite/already-expired
	return t.Tables.Audit.Apply(ctx, key, mut)
}

// Erase deletes a row and leaves a mark, which it deletes as well.
func Erase(ctx context.Context, t *store.Tenant, key, ticket string) error {
	mut := bigtable.NewMutation()
	mut.Set("actor", "erased", bigtable.Now(), []byte(ticket)) // want ttlwrite/delete-after-set[erase]
	mut.DeleteRow()                                            // want ttlwrite/delete-after-set[erase]
	return t.Tables.Audit.Apply(ctx, key, mut)
}

// EraseAll does it in the right order.
func EraseAll(ctx context.Context, t *store.Tenant, key, ticket string) error {
	mut := bigtable.NewMutation()
	mut.DeleteRow()
	mut.Set("actor", "erased", bigtable.Now(), []byte(ticket)) // ok ttlwrite/delete-after-set
	return t.Tables.Audit.Apply(ctx, key, mut)
}

// ReportExpiring counts the grants that are left. It looks at each cell itself.
func ReportExpiring(ctx context.Context, t *store.Tenant) (int, error) {
	n := 0
	now := bigtable.Now()
	err := t.Tables.Audit.ReadRows(ctx, bigtable.PrefixRange("grant#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r["grant"] {
			if it.Timestamp > now {
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("grant")))
	return n, err
}

// ReportGrants lists who has one.
func ReportGrants(ctx context.Context, t *store.Tenant) ([]string, error) {
	var out []string
	err := t.Tables.Audit.ReadRows(ctx, bigtable.PrefixRange("grant#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[grants]
		for _, it := range r["grant"] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("grant"))) // want ttlread/missing-filter[grants]
	return out, err
}
