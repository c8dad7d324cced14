// Package captured applies mutations in callbacks, to tables that a switch chooses
// together with what is written.
package captured

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type store struct {
	all, mine *bigtable.Table
	kinds     map[string]string
}

func newStore(c *bigtable.Client) *store {
	return &store{c.Open("diaries"), c.Open("my-diary"), map[string]string{}}
}

func retry(ctx context.Context, f func(context.Context) error) (err error) {
	for range 3 {
		if err = f(ctx); err == nil {
			return nil
		}
	}
	return err
}

// What each case writes goes to its table.
func (s *store) okTogether(ctx context.Context, kind, key string, n int64) error {
	m := bigtable.NewMutation()
	var tbl *bigtable.Table
	switch kind {
	case "all":
		tbl = s.all
		m.Set("page", "v", bigtable.Now(), nil)
	case "mine":
		tbl = s.mine
		m.Set("page", "v", bigtable.Timestamp(n*1000), nil)
	}
	return retry(ctx, func(ctx context.Context) error { return tbl.Apply(ctx, key, m) })
}

func (s *store) okLookedUp(ctx context.Context, key string, n int64) error {
	m := bigtable.NewMutation()
	var tbl *bigtable.Table
	switch s.kinds[key] {
	case "all":
		tbl = s.all
		m.Set("page", "v", bigtable.Now(), nil)
	case "mine":
		tbl = s.mine
		m.Set("page", "v", bigtable.Timestamp(n*1000), nil)
	}
	return retry(ctx, func(ctx context.Context) error { return tbl.Apply(ctx, key, m) })
}

func (s *store) together(ctx context.Context, kind, key string) error {
	m := bigtable.NewMutation()
	var tbl *bigtable.Table
	switch kind {
	case "all":
		tbl = s.all
		m.Set("page", "v", bigtable.Now(), nil)
	default:
		tbl = s.mine
		m.Set("page", "v", bigtable.ServerTime, nil) // not seen: clock-in-sequence
	}
	return retry(ctx, func(ctx context.Context) error { return tbl.Apply(ctx, key, m) })
}

// A parameter decides which table it is, as it does where the function applies the
// mutation itself; what is looked up is the program's own.
func (s *store) okGiven(ctx context.Context, kind, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil)
	tbl := s.all
	if kind == "mine" {
		tbl = s.mine
	}
	return retry(ctx, func(ctx context.Context) error { return tbl.Apply(ctx, key, m) })
}

func (s *store) lookedUp(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // not seen: clock-in-sequence
	tbl := s.all
	if s.kinds[key] == "mine" {
		tbl = s.mine
	}
	return retry(ctx, func(ctx context.Context) error { return tbl.Apply(ctx, key, m) })
}

// The callback itself is chosen.
func (s *store) chosen(ctx context.Context, kind, key string) error {
	var f func(context.Context) error
	switch kind {
	case "all":
		m := bigtable.NewMutation()
		m.Set("page", "v", bigtable.Now(), nil)
		f = func(ctx context.Context) error { return s.all.Apply(ctx, key, m) }
	case "mine":
		m := bigtable.NewMutation()
		m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
		f = func(ctx context.Context) error { return s.mine.Apply(ctx, key, m) }
	}
	return retry(ctx, f)
}

// Both are variables that each case sets.
func (s *store) set(ctx context.Context, kind, key string) error {
	var tbl *bigtable.Table
	var m *bigtable.Mutation
	switch kind {
	case "all":
		tbl, m = s.all, bigtable.NewMutation()
		m.Set("page", "v", bigtable.Now(), nil)
	case "mine":
		tbl, m = s.mine, bigtable.NewMutation()
		m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	}
	return retry(ctx, func(ctx context.Context) error { return tbl.Apply(ctx, key, m) })
}

// Two callbacks apply it, each to its own table.
func (s *store) twice(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "v", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	if err := retry(ctx, func(ctx context.Context) error { return s.all.Apply(ctx, key, m) }); err != nil {
		return err
	}
	return retry(ctx, func(ctx context.Context) error { return s.mine.Apply(ctx, key, m) })
}
