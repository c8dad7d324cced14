// Package app puts another package's decorators around a table.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/layers/dal"
)

type service struct{ one, two, three, other dal.Mutator }

func newService(c *bigtable.Client) *service {
	t := dal.Open(c, "my-diary")
	return &service{
		one:   dal.Metered(t),
		two:   dal.Audited(dal.Metered(t)),
		three: dal.Retried(dal.Audited(dal.Metered(t))),
		other: dal.Audited(dal.Metered(dal.Open(c, "diaries"))),
	}
}

func (s *service) writeOne(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return s.one.Mutate(ctx, "k", m)
}

func (s *service) writeTwo(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return s.two.Mutate(ctx, "k", m)
}

func (s *service) writeThree(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return s.three.Mutate(ctx, "k", m)
}

func (s *service) okOther(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return s.other.Mutate(ctx, "k", m)
}

func direct(ctx context.Context, c *bigtable.Client) error {
	w := dal.Retried(dal.Audited(dal.Open(c, "my-diary")))
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return w.Mutate(ctx, "k", m)
}

func deep(ctx context.Context, c *bigtable.Client) error {
	w := dal.Retried(dal.Audited(dal.Metered(dal.Retried(dal.Audited(dal.Open(c, "my-diary"))))))
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return w.Mutate(ctx, "k", m)
}

func okDeep(ctx context.Context, c *bigtable.Client) error {
	w := dal.Retried(dal.Audited(dal.Metered(dal.Retried(dal.Audited(dal.Open(c, "diaries"))))))
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return w.Mutate(ctx, "k", m)
}

func okDirect(ctx context.Context, c *bigtable.Client) error {
	w := dal.Retried(dal.Audited(dal.Open(c, "diaries")))
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return w.Mutate(ctx, "k", m)
}
