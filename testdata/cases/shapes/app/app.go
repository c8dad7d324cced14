// Package app uses the wrappers of package store.
package app

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/shapes/store"
)

func use(ctx context.Context, s *store.Sessions, c *bigtable.Client) {
	s.Find(ctx, store.Query{Prefix: "a", Expired: true}, func(r bigtable.Row) bool { fmt.Println(r["token"]); return true }) // want `missing-filter: .*"token"`
	s.Find(ctx, store.Query{Prefix: "a"}, func(r bigtable.Row) bool { fmt.Println(r["token"]); return true })
	s.Writer(0).Set("x", nil).Commit(ctx, "k") // want `write-time: .*"token"`
	s.Writer(time.Hour).Set("x", nil).Commit(ctx, "k")
	s.Writer(-time.Hour).Set("x", nil).Commit(ctx, "k")                                           // want `already-expired: .*"token"`
	store.ApplyAll(ctx, c.Open("sessions"), "k", store.Cell("token", "jwt", bigtable.Now(), nil)) // want `write-time: .*"token"`
	store.ApplyAll(ctx, c.Open("sessions"), "k", store.Cell("profile", "jwt", bigtable.Now(), nil))
	row, _ := s.All(ctx, "x")
	fmt.Println(row["profile"])
}

type cache struct{ tbl bigtable.TableAPI }

func (c *cache) get(ctx context.Context, key string, fresh bool) (bigtable.Row, error) {
	var f bigtable.Filter = bigtable.LatestNFilter(1)
	if fresh {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return c.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

func run(ctx context.Context, client *bigtable.Client) {
	c := &cache{client.OpenTable("otp")}
	r, _ := c.get(ctx, "k", true)
	fmt.Println(r["code"])
	r, _ = c.get(ctx, "k", false) // want `missing-filter: .*"code"`
	fmt.Println(r["code"])
}
