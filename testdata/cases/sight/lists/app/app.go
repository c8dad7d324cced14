// Package app applies lists of mutations.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/lists/jobs"
)

type app struct {
	cache, history, other *bigtable.Table
}

func newApp(c *bigtable.Client) *app {
	return &app{cache: c.Open("cache"), history: c.Open("history"), other: c.Open("unregistered")}
}

func (a *app) indexed(ctx context.Context, keys []string) error {
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		muts[i] = bigtable.NewMutation()
		muts[i].Set("val", "body", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	}
	_, err := a.cache.ApplyBulk(ctx, keys, muts)
	return err
}

func (a *app) indexedLocal(ctx context.Context, keys []string) error {
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		mut := bigtable.NewMutation()
		mut.Set("val", "body", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
		muts[i] = mut
	}
	_, err := a.history.ApplyBulk(ctx, keys, muts)
	return err
}

// A known table that is not registered.
func (a *app) indexedOther(ctx context.Context, keys []string) error {
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		mut := bigtable.NewMutation()
		mut.Set("token", "body", bigtable.Now(), nil)
		muts[i] = mut
	}
	_, err := a.other.ApplyBulk(ctx, keys, muts)
	return err
}

func (a *app) indexedOtherElement(ctx context.Context, keys []string) error {
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range muts {
		muts[i] = bigtable.NewMutation()
		muts[i].Set("token", "body", bigtable.Now(), nil)
	}
	_, err := a.other.ApplyBulk(ctx, keys, muts)
	return err
}

func (a *app) fixed(ctx context.Context, key string) error {
	muts := make([]*bigtable.Mutation, 2)
	muts[0] = bigtable.NewMutation()
	muts[0].Set("token", "a", bigtable.Now(), nil)
	muts[1] = bigtable.NewMutation()
	muts[1].Set("token", "b", bigtable.ServerTime, nil)
	_, err := a.other.ApplyBulk(ctx, []string{key, key}, muts)
	return err
}

func (a *app) fixedCache(ctx context.Context, key string) error {
	var muts [2]*bigtable.Mutation
	muts[0] = bigtable.NewMutation()
	muts[0].Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	muts[1] = bigtable.NewMutation()
	muts[1].Set("val", "b", bigtable.Time(time.Now().Add(time.Hour)), nil)
	_, err := a.cache.ApplyBulk(ctx, []string{key, key}, muts[:])
	return err
}

type batch struct {
	keys []string
	muts []*bigtable.Mutation
}

func (a *app) inStruct(ctx context.Context, keys []string) error {
	b := batch{keys: keys, muts: make([]*bigtable.Mutation, len(keys))}
	for i := range keys {
		m := bigtable.NewMutation()
		m.Set("token", "x", bigtable.Now(), nil)
		b.muts[i] = m
	}
	_, err := a.other.ApplyBulk(ctx, b.keys, b.muts)
	return err
}

func (a *app) inMap(ctx context.Context, keys []string) error {
	byKey := map[string]*bigtable.Mutation{}
	for _, k := range keys {
		m := byKey[k]
		if m == nil {
			m = bigtable.NewMutation()
			byKey[k] = m
		}
		m.Set("token", "x", bigtable.Now(), nil)
	}
	for k, m := range byKey {
		if err := a.other.Apply(ctx, k, m); err != nil {
			return err
		}
	}
	return nil
}

func fill(keys []string) []*bigtable.Mutation {
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		muts[i] = bigtable.NewMutation()
		muts[i].Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	}
	return muts
}

func (a *app) filled(ctx context.Context, keys []string) error {
	_, err := a.cache.ApplyBulk(ctx, keys, fill(keys))
	return err
}

// target is a table with what goes to it.
type target struct {
	tbl  *bigtable.Table
	name string
}

func store(ctx context.Context, t target, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "x", bigtable.Now(), nil)
	return t.tbl.Apply(ctx, key, mut)
}

func (a *app) storeOther(ctx context.Context, key string) error {
	return store(ctx, target{tbl: a.other, name: "other"}, key)
}

func storeBad(ctx context.Context, t *target, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return t.tbl.Apply(ctx, key, mut)
}

func (a *app) storeCache(ctx context.Context, key string) error {
	return storeBad(ctx, &target{tbl: a.cache, name: "cache"}, key)
}

func (a *app) stamped(ctx context.Context, items []jobs.Item) error {
	keys, muts := jobs.Stamped(items)
	_, err := a.cache.ApplyBulk(ctx, keys, muts) // want `write-time: .*"val" of table "cache"`
	return err
}

func (a *app) stampedOther(ctx context.Context, items []jobs.Item) error {
	keys, muts := jobs.Stamped(items)
	_, err := a.other.ApplyBulk(ctx, keys, muts)
	return err
}

func (a *app) rows(ctx context.Context, items []jobs.Item) error {
	for _, r := range jobs.Rows(items) {
		if err := a.history.Apply(ctx, r.Key, r.Mut); err != nil { // want `clock-in-sequence: .*"val" of table "history"`
			return err
		}
	}
	return nil
}

func (a *app) one(ctx context.Context, it jobs.Item) error {
	r := jobs.One(it)
	return a.cache.Apply(ctx, r.Key, r.Mut) // want `write-time: .*"val" of table "cache"`
}

func (a *app) orNil(ctx context.Context, it jobs.Item) error {
	mut, err := jobs.OrNil(it)
	if err != nil || mut == nil {
		return err
	}
	return a.cache.Apply(ctx, it.Key, mut) // want `write-time: .*"val" of table "cache"`
}
