package store

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
)

// latestOnly is the timestamp of everything in entitlements: a new value
// replaces the old.
const latestOnly bigtable.Timestamp = 0

const colFeatures = "features"

// Entitlements keeps what an account may use.
type Entitlements struct {
	tbl rows
}

// Grant writes what an account may use.
func (s *Entitlements) Grant(ctx context.Context, account string, features []string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamCur, colFeatures, latestOnly, encode(features)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, account, mut)
}

// GrantPlan writes what a plan gives.
func (s *Entitlements) GrantPlan(ctx context.Context, account string, plan domain.Plan) error {
	mut := bigtable.NewMutation()
	mut.Set(FamCur, colFeatures, latestOnly, encode(plan.Features)) // ok ttlwrite/clock-in-zero
	mut.Set(FamCur, "plan", bigtable.ServerTime, []byte(plan.ID))   // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, account, mut)
}

// GrantTwice writes a list and then its extension.
func (s *Entitlements) GrantTwice(ctx context.Context, account string, base, extra []string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamCur, colFeatures, latestOnly, encode(base))
	mut.Set(FamCur, colFeatures, latestOnly, encode(append(base, extra...))) // want ttlwrite/same-timestamp
	mut.Set(FamCur, "extra", latestOnly, encode(extra))                      // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, account, mut)
}

// Migrate marks a row as taken over.
func (s *Entitlements) Migrate(ctx context.Context, account string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamCur, "migrated", 1000, []byte("1")) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, account, mut)
}

// Use counts a use.
func (s *Entitlements) Use(ctx context.Context, account, feature string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamCur, "use:"+feature, 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, account, rmw)
	return err
}

// Features reads what an account may use; there is one version of it.
func (s *Entitlements) Features(ctx context.Context, account string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, account) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	item, ok := find(row, FamCur, colFeatures)
	if !ok {
		return nil, domain.ErrNotFound
	}
	return decode[[]string](item)
}

// Revoke takes everything away.
func (s *Entitlements) Revoke(ctx context.Context, account string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(FamCur)
	mut.Set(FamCur, colFeatures, latestOnly, []byte("[]")) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, account, mut)
}

// Swap gives an account new features in place of all old ones.
func (s *Entitlements) Swap(ctx context.Context, account string, features []string) error {
	mut := bigtable.NewMutation()
	mut.Set(FamCur, colFeatures, latestOnly, encode(features))
	mut.DeleteCellsInFamily(FamCur) // want ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, account, mut)
}

// GrantIf writes unless something has been granted.
func (s *Entitlements) GrantIf(ctx context.Context, account string, features []string) error {
	grant := bigtable.NewMutation()
	grant.Set(FamCur, colFeatures, latestOnly, encode(features))
	return s.tbl.Apply(ctx, account, bigtable.NewCondMutation(bigtable.PassAllFilter(), nil, grant)) // ok ttlread/conditional-mutation
}
