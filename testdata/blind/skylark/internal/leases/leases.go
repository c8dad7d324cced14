// Package leases elects one worker per shard. The table is made by the package
// itself, on first use.
package leases

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

const (
	table  = "leases"
	famLck = "lck"
)

// ErrTaken means that another worker has the shard.
var ErrTaken = errors.New("taken")

// Setup makes the table.
func Setup(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := ac.CreateTable(ctx, table); err != nil {
		return fmt.Errorf("create %s: %w", table, err)
	}
	if err := ac.CreateColumnFamily(ctx, table, famLck); err != nil { // ok ttlgc/no-policy
		return err
	}
	return ac.SetGCPolicy(ctx, table, famLck, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
}

// Keeper takes and keeps leases.
type Keeper struct {
	tbl *bigtable.Table
	me  string
}

// NewKeeper returns a keeper.
func NewKeeper(c *bigtable.Client, me string) *Keeper {
	return &Keeper{tbl: c.Open(table), me: me}
}

// Take takes a shard for a minute.
func (k *Keeper) Take(ctx context.Context, shard string) error {
	now := time.Now()
	m := bigtable.NewMutation()
	m.Set(famLck, "owner", bigtable.Time(now.Add(time.Minute)), []byte(k.me)) // ok ttlwrite/write-time
	free := bigtable.ChainFilters(bigtable.FamilyFilter(famLck), bigtable.TimestampRangeFilter(now, time.Time{}))
	var taken bool
	if err := k.tbl.Apply(ctx, shard, bigtable.NewCondMutation(free, nil, m), bigtable.GetCondMutationResult(&taken)); err != nil { // ok ttlread/conditional-mutation
		return err
	}
	if taken {
		return ErrTaken
	}
	return nil
}

// Keep prolongs a lease.
func (k *Keeper) Keep(ctx context.Context, shard string) error {
	m := bigtable.NewMutation()
	m.Set(famLck, "owner", bigtable.Now(), []byte(k.me)) // want ttlwrite/write-time
	return k.tbl.Apply(ctx, shard, m)
}

// Owner says who has a shard.
func (k *Keeper) Owner(ctx context.Context, shard string) (string, error) {
	row, err := k.tbl.ReadRow(ctx, shard) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famLck] {
		return string(it.Value), nil
	}
	return "", nil
}
