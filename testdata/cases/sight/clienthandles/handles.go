// Package clienthandles reads and writes by handles of tables whose client another
// package keeps.
package clienthandles

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clienthandles/db"
)

func named(ctx context.Context) {
	fmt.Println(db.History.Put(ctx, "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(db.Cache.Put(ctx, "k", "val"))   // want `write-time: .*"val" of table "cache"`
	fmt.Println(db.Metrics.Put(ctx, "k", "sample"))
	fmt.Println(db.Table("history").Put(ctx, "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
}

func handles(ctx context.Context) {
	fmt.Println(db.Numbers.PutIn(ctx, "k", "val"))                        // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(db.Notes.PutIn(ctx, "k", "val"))                          // want `write-time: .*"val" of table "cache"`
	fmt.Println(db.Write(ctx, db.Numbers, "k", bigtable.Now()))           // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(db.Write(ctx, &db.Notes, "k", bigtable.Time(time.Now()))) // want `write-time: .*"val"`
	fmt.Println(db.Write(ctx, db.Numbers, "k", bigtable.Timestamp(7)))    // want `unscaled-sequence: .*"val" of table "history"`
}

func okHandles(ctx context.Context, number int64) {
	fmt.Println(db.Samples.PutIn(ctx, "k", "sample"))
	fmt.Println(db.Write(ctx, db.Samples, "k", bigtable.Now()))
	fmt.Println(db.Write(ctx, db.Numbers, "k", bigtable.Timestamp(number*1000)))
}

func fields(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
	if err := db.D.History.Apply(ctx, "k", m); err != nil {
		return err
	}
	m = bigtable.NewMutation()
	m.Set("val", "n", bigtable.Time(time.Now().Add(time.Minute)), nil)
	return db.D.Cache.Apply(ctx, "k", m)
}

func callbacks(ctx context.Context) error {
	return db.Do(ctx, func(c *bigtable.Client) error {
		m := bigtable.NewMutation()
		m.Set("val", "n", bigtable.Now(), nil) // want `clock-in-sequence: .*"val" of table "history"`
		return c.Open("history").Apply(ctx, "k", m)
	})
}

func tables(ctx context.Context, id string) error {
	err := db.In("cache", func(t *bigtable.Table) error {
		m := bigtable.NewMutation()
		m.Set("val", "n", bigtable.Now(), nil) // not seen: write-time
		return t.Apply(ctx, "k", m)
	})
	if err != nil {
		return err
	}
	return db.Retried(ctx, db.Numbers, func(ctx context.Context, t *bigtable.Table) error {
		m := bigtable.NewMutation()
		m.Set("val", "n", bigtable.Now(), nil) // not seen: clock-in-sequence
		return t.Apply(ctx, id, m)
	})
}

func okTables(ctx context.Context, first bool) error {
	err := db.In("metrics", func(t *bigtable.Table) error {
		m := bigtable.NewMutation()
		m.Set("val", "n", bigtable.Now(), nil)
		return t.Apply(ctx, "k", m)
	})
	if err != nil {
		return err
	}
	return db.Either(first, func(t *bigtable.Table) error {
		m := bigtable.NewMutation()
		m.Set("val", "n", bigtable.Now(), nil)
		return t.Apply(ctx, "k", m)
	})
}

func synced(ctx context.Context) {
	fmt.Println(db.PutCached(ctx, "history", "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
	fmt.Println(db.PutCached(ctx, "metrics", "k", "sample"))
}

func behindInterface(ctx context.Context) {
	fmt.Println(db.Repo.Put(ctx, "k", "val")) // want `clock-in-sequence: .*"val" of table "history"`
}

func all(ctx context.Context) {
	fmt.Println(db.PutAll(ctx, "k", "val")) // want `clock-in-sequence: .*"val" of table "history"` `write-time: .*"val" of table "cache"`
}
