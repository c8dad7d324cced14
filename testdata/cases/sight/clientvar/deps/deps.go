// Package deps keeps its tables in a variable of structs.
package deps

import (
	"context"

	"cloud.google.com/go/bigtable"
)

var deps struct {
	client         *bigtable.Client
	history, cache *bigtable.Table
}

// Sessions and Metrics are opened by Init, too.
var Sessions, Metrics *bigtable.Table

type tables struct{ history, cache *bigtable.Table }

var all *tables

func Init(ctx context.Context, c *bigtable.Client) {
	deps.client = c
	deps.history = c.Open("history")
	deps.cache = c.Open("cache")
	Sessions, Metrics = c.Open("sessions"), c.Open("metrics")
	all = &tables{history: c.Open("history"), cache: c.Open("cache")}
}

func Number(ctx context.Context, key, family string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", ts, nil)
	return deps.history.Apply(ctx, key, m)
}

func Keep(ctx context.Context, key, family string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", ts, nil)
	return all.cache.Apply(ctx, key, m)
}

func Recount(ctx context.Context, key, family string) error {
	m := bigtable.NewReadModifyWrite()
	m.Increment(family, "n", 1)
	_, err := all.history.ApplyReadModifyWrite(ctx, key, m)
	return err
}

func Session(ctx context.Context, key, family string) (bigtable.Row, error) {
	return Sessions.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(family)))
}

func Named(ctx context.Context, name, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return deps.client.Open(name).Apply(ctx, key, m)
}

func fixed(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	if err := all.history.Apply(ctx, key, m); err != nil {
		return err
	}
	m = bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return deps.cache.Apply(ctx, key, m)
}
