// Package declarations silences findings in whole declarations.
package declarations

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// okFunction writes tombstones.
//
//ttlvet:ignore ttlwrite/server-timestamp the rows are deleted at logout
func okFunction(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil)
	mut.Set("token", "csrf", bigtable.ServerTime, nil)
}

// other categories remain.
//
//ttlvet:ignore ttlwrite/server-timestamp the rows are deleted at logout
func otherCategory(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil)
	mut.Set("token", "csrf", bigtable.Now(), nil) // want `write-time: .*"token"`
}

// okPolicies keeps tokens longer.
//
//ttlvet:ignore ttlgc/age-mismatch widened while the migration runs
var okPolicies = map[string]bigtable.GCPolicy{
	"token":   bigtable.MaxAgePolicy(time.Hour),
	"profile": bigtable.MaxVersionsPolicy(1),
}

func apply(ctx context.Context, ac *bigtable.AdminClient) error {
	for family, policy := range okPolicies {
		if err := ac.SetGCPolicy(ctx, "sessions", family, policy); err != nil {
			return err
		}
	}
	return nil
}

// A store of codes.
type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("otp")} }

//ttlvet:ignore ttlread the caller wants dead rows as well
func (s *store) okMethod(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1)))
}

func (s *store) method(ctx context.Context) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"code"`
}
