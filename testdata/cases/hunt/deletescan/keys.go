package deletescan

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// What the cells say decides what is deleted, and nothing else.
func okLarge(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	var keys []string
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		if len(r["token"]) > 3 {
			keys = append(keys, r.Key())
		}
		return true
	})
	if err != nil {
		return err
	}
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteRow()
	}
	_, err = tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// The keys that are deleted are told, too.
func large(ctx context.Context, c *bigtable.Client, tell func([]string)) error {
	tbl := c.Open("sessions")
	var keys []string
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		if len(r["token"]) > 3 {
			keys = append(keys, r.Key())
		}
		return true
	})
	if err != nil {
		return err
	}
	tell(keys)
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteRow()
	}
	_, err = tbl.ApplyBulk(ctx, keys, muts)
	return err
}
