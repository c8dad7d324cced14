// Package loopreturn uses tables that helpers return from within a loop.
package loopreturn

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/loopreturn/open"
)

type spec struct{ role, table string }

var specs = []spec{{"session", "sessions"}, {"metric", "metrics"}}

func table(c *bigtable.Client, role string) *bigtable.Table {
	for _, s := range specs {
		if s.role == role {
			return c.Open(s.table)
		}
	}
	return nil
}

// Nothing registered has role "metric".
func okHere(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return table(c, "metric").Apply(ctx, "k", mut)
}

func here(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	return table(c, "session").Apply(ctx, "k", mut)
}

func okAbroad(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	t, err := open.Table(c, "metric")
	if err != nil {
		return err
	}
	return t.Apply(ctx, "k", mut)
}

func abroad(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	t, err := open.Table(c, "session")
	if err != nil {
		return err
	}
	return t.Apply(ctx, "k", mut)
}

func okNamed(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return c.Open(open.Name("metric")).Apply(ctx, "k", mut)
}

func named(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	return c.Open(open.Name("session")).Apply(ctx, "k", mut)
}

func okFirst(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return open.First(c, "", "metrics", "sessions").Apply(ctx, "k", mut)
}

func first(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	return open.First(c, "", "sessions", "metrics").Apply(ctx, "k", mut)
}

type stores struct {
	c     *bigtable.Client
	specs []spec
}

func newStores(c *bigtable.Client) *stores {
	return &stores{c: c, specs: []spec{{"session", "sessions"}, {"metric", "metrics"}}}
}

func (s *stores) table(role string) *bigtable.Table {
	for _, sp := range s.specs {
		if sp.role == role {
			return s.c.Open(sp.table)
		}
	}
	return nil
}

func (s *stores) okMethod(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return s.table("metric").Apply(ctx, "k", mut)
}

func (s *stores) method(ctx context.Context) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	return s.table("session").Apply(ctx, "k", mut)
}

// Whose role is not known, is one of them.
func (s *stores) okAny(ctx context.Context, role string) error {
	mut := bigtable.NewMutation()
	mut.Set("profile", "a", bigtable.Now(), nil)
	mut.Set("sample", "a", bigtable.Now(), nil)
	return s.table(role).Apply(ctx, "k", mut)
}

// A helper that only tries to open them, and gives the one that worked.
func attempt(ctx context.Context, c *bigtable.Client) *bigtable.Table {
	for range 3 {
		t := c.Open("metrics")
		if _, err := t.SampleRowKeys(ctx); err == nil {
			return t
		}
	}
	return c.Open("gauges")
}

func okAttempt(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Now(), nil)
	return attempt(ctx, c).Apply(ctx, "k", mut)
}
