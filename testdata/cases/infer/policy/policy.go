// Package policy creates the tables of package user.
package policy

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table and Family name where vouchers are kept.
const (
	Table  = "vouchers"
	Family = "voucher"
)

// Create creates the table.
func Create(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateColumnFamily(ctx, Table, Family); err != nil {
		return err
	}
	return ac.SetGCPolicy(ctx, Table, Family, bigtable.MaxAgePolicy(time.Second))
}
