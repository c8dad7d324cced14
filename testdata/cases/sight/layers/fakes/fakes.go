// Package fakes has something else to decorate, too, that writes nothing.
package fakes

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type mutator interface {
	Mutate(context.Context, string, *bigtable.Mutation) error
}

type table struct{ raw *bigtable.Table }

func (t *table) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	return t.raw.Apply(ctx, key, m)
}

type metered struct{ next mutator }

func (d metered) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	return d.next.Mutate(ctx, key, m)
}

type audited struct {
	next mutator
	log  func(string)
}

func (d *audited) Mutate(ctx context.Context, key string, m *bigtable.Mutation) error {
	d.log(key)
	return d.next.Mutate(ctx, key, m)
}

// recorded keeps what it is given, for tests.
type recorded struct{ last *bigtable.Mutation }

func (r *recorded) Mutate(_ context.Context, _ string, m *bigtable.Mutation) error {
	r.last = m
	return nil
}

type service struct{ diary, diaries, fake mutator }

func newService(c *bigtable.Client) *service {
	return &service{
		diary:   &audited{next: metered{&table{c.Open("my-diary")}}},
		diaries: &audited{next: metered{&table{c.Open("diaries")}}},
		fake:    &audited{next: metered{&recorded{}}},
	}
}

func (s *service) write(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // not seen: clock-in-sequence
	return s.diary.Mutate(ctx, "k", m)
}

func (s *service) okOther(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return s.diaries.Mutate(ctx, "k", m)
}

func (s *service) okFake(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return s.fake.Mutate(ctx, "k", m)
}

func okRecorded(ctx context.Context) error {
	var w mutator = &audited{next: metered{&recorded{}}}
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return w.Mutate(ctx, "k", m)
}
