// Package mapsabroad looks up what another package, or a helper, puts into its maps.
package mapsabroad

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/mapsabroad/lib"
)

func ages(ctx context.Context, c *bigtable.Client) error {
	m := map[string]time.Duration{}
	lib.Ages(m, time.Hour)
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["dead"])), nil) // not seen: write-time
	mut.Set("token", "b", bigtable.Time(time.Now().Add(m["long"])), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func filters(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	m := make(map[string]bigtable.Filter)
	lib.Filters(m)
	if row, err := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(m["live"])); err != nil || len(row) > 0 {
		return row, err
	}
	return c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(m["all"])) // not seen: missing-filter
}

func families(ctx context.Context, a *bigtable.AdminClient) error {
	m := map[string]bigtable.Family{"profile": {}}
	lib.Families(m, "token", time.Hour)
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "sessions", ColumnFamilies: m}) // not seen: age-mismatch
}

func okFamilies(ctx context.Context, a *bigtable.AdminClient) error {
	m := map[string]bigtable.Family{"profile": {}}
	lib.Families(m, "token", time.Second)
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "sessions", ColumnFamilies: m})
}

// What is put there twice is not known.
func okTwice(ctx context.Context, c *bigtable.Client) error {
	m := map[string]time.Duration{}
	lib.Ages(m, time.Hour)
	m["dead"] = time.Hour
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["dead"])), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okLater(ctx context.Context, c *bigtable.Client) error {
	m := map[string]time.Duration{}
	lib.OkLater(m)
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["dead"])), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func put(m map[string]time.Duration) {
	m["dead"] = 0
	m["long"] = time.Hour
}

func own(ctx context.Context, c *bigtable.Client) error {
	m := map[string]time.Duration{}
	put(m)
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["dead"])), nil) // not seen: write-time
	mut.Set("token", "b", bigtable.Time(time.Now().Add(m["long"])), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okReplaced(ctx context.Context, c *bigtable.Client) error {
	m := map[string]time.Duration{}
	put(m)
	replace(m)
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["dead"])), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func replace(m map[string]time.Duration) { m["dead"] = time.Minute }
