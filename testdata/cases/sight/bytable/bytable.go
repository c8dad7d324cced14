// Package bytable makes mutations that are right for one table and wrong for
// another: who applies them supplies the table.
package bytable

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// Correction is right for "diaries" and wrong for a diary of its own.
func Correction(why string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "why", bigtable.Now(), []byte(why))
	return m
}

func both(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("diaries").Apply(ctx, key, Correction("u")); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, Correction("t")) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func kinds(ctx context.Context, c *bigtable.Client, key string, mine bool) error {
	m := Correction("u") // want `clock-in-sequence: .*"page" of table "\*-diary"`
	if mine {
		return c.Open("my-diary").Apply(ctx, key, m)
	}
	return nil
}

// Of two tables that are wrong in two ways, each has its own finding.
func stamp() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil)
	return m
}

func all(ctx context.Context, c *bigtable.Client, key string) {
	_ = c.Open("cache").Apply(ctx, key, stamp())   // want `write-time: .*"val" of table "cache"`
	_ = c.Open("history").Apply(ctx, key, stamp()) // want `clock-in-sequence: .*"val" of table "history"`
	_ = c.Open("plain").Apply(ctx, key, stamp())
}

// What another function hands on is told where it is applied, too.
func noted(why string) *bigtable.Mutation { return note(why) }

func note(why string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "why", bigtable.Now(), []byte(why))
	m.Set("page", "at", bigtable.Now(), nil)
	return m
}

func notes(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("diaries").Apply(ctx, key, noted("u")); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, noted("t")) // want `clock-in-sequence: .*"page"`
}

// The table is given, the mutation is the helper's own.
func write(ctx context.Context, tbl *bigtable.Table, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, key, m)
}

func writes(ctx context.Context, c *bigtable.Client, key string) error {
	if err := write(ctx, c.Open("diaries"), key); err != nil {
		return err
	}
	return write(ctx, c.Open("my-diary"), key) // want `clock-in-sequence: .*"page"`
}

// Write is given its table by other packages.
func Write(ctx context.Context, tbl *bigtable.Table, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, key, m)
}

// In view, there is nothing but the wrong table: it is wrong where it is made.
func entry() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page"`
	return m
}

func entries(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("your-diary").Apply(ctx, key, entry()); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, entry())
}

// Of a table of which nothing is known, it is not known that it is right.
func line() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page"`
	return m
}

// Lines applies lines.
func Lines(ctx context.Context, c *bigtable.Client, tbl *bigtable.Table, key string) error {
	if err := tbl.Apply(ctx, key, line()); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, line())
}

// A helper that hands on a table of which nothing is known says nothing of it.
func page() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page"`
	return m
}

func same(t *bigtable.Table) *bigtable.Table { return t }

// Pages applies pages.
func Pages(ctx context.Context, c *bigtable.Client, tbl *bigtable.Table, key string) error {
	if err := same(tbl).Apply(ctx, key, page()); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, page())
}

// What the maker applies itself is the maker's.
func kept(ctx context.Context, c *bigtable.Client, key string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page"`
	_ = c.Open("my-diary").Apply(ctx, key, m)
	return m
}

func copied(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("diaries").Apply(ctx, key, kept(ctx, c, key)); err != nil {
		return err
	}
	return c.Open("your-diary").Apply(ctx, key, kept(ctx, c, key))
}

// What is wrong in every table is the maker's, whoever applies it.
func session() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Now(), nil) // want `write-time: .*"token"`
	return m
}

func sessions(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("sessions").Apply(ctx, key, session()); err != nil {
		return err
	}
	return c.Open("sessions").Apply(ctx, "copy#"+key, session())
}

// Right for each.
func okUntil(d time.Duration) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Timestamp(7000), nil)
	return m
}

func okUntils(ctx context.Context, c *bigtable.Client, key string) error {
	if err := c.Open("diaries").Apply(ctx, key, okUntil(time.Hour)); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, key, okUntil(time.Hour))
}
