// Package layers writes through decorators of decorators of a table.
package layers

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

type retried struct{ next mutator }

func (d retried) Mutate(ctx context.Context, key string, m *bigtable.Mutation) (err error) {
	for range 3 {
		if err = d.next.Mutate(ctx, key, m); err == nil {
			return nil
		}
	}
	return err
}

type service struct{ none, one, two, three, twice, other mutator }

func newService(c *bigtable.Client) *service {
	t := &table{c.Open("my-diary")}
	return &service{
		none:  t,
		one:   metered{t},
		two:   &audited{next: metered{t}},
		three: retried{&audited{next: metered{t}}},
		twice: metered{metered{t}},
		other: &audited{next: metered{&table{c.Open("diaries")}}},
	}
}

func (s *service) writeNone(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return s.none.Mutate(ctx, "k", m)
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
	m.Set("page", "a", bigtable.Now(), nil) // not seen: clock-in-sequence
	return s.three.Mutate(ctx, "k", m)
}

func (s *service) writeTwice(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return s.twice.Mutate(ctx, "k", m)
}

func (s *service) okTwo(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", 1000, nil)
	return s.two.Mutate(ctx, "k", m)
}

func (s *service) okOther(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return s.other.Mutate(ctx, "k", m)
}

// direct has no field for them.
func direct(ctx context.Context, c *bigtable.Client) error {
	var w mutator = &table{c.Open("my-diary")}
	w = metered{w}
	w = &audited{next: w}
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return w.Mutate(ctx, "k", m)
}

func deep(ctx context.Context, c *bigtable.Client) error {
	var w mutator = retried{&audited{next: metered{retried{&audited{next: &table{c.Open("my-diary")}}}}}}
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // not seen: clock-in-sequence
	return w.Mutate(ctx, "k", m)
}

// known has no interface around the outermost.
func known(ctx context.Context, c *bigtable.Client) error {
	w := retried{metered{&audited{next: &table{c.Open("my-diary")}}}}
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil) // not seen: clock-in-sequence
	return w.Mutate(ctx, "k", m)
}

func okKnown(ctx context.Context, c *bigtable.Client) error {
	w := retried{metered{&audited{next: &table{c.Open("diaries")}}}}
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return w.Mutate(ctx, "k", m)
}

// okGiven does not know what it decorates.
func okGiven(ctx context.Context, w mutator, key string) error {
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return metered{metered{w}}.Mutate(ctx, key, m)
}

// A writer is decorated too, and writes itself.
type putter interface {
	Put(context.Context, string, bigtable.Timestamp) error
}

type direct1 struct{ raw *bigtable.Table }

func (d *direct1) Put(ctx context.Context, family string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(family, "c", ts, nil)
	return d.raw.Apply(ctx, "k", m)
}

type logged struct{ next putter }

func (l logged) Put(ctx context.Context, family string, ts bigtable.Timestamp) error {
	return l.next.Put(ctx, family, ts)
}

type counted struct{ next putter }

func (l *counted) Put(ctx context.Context, family string, ts bigtable.Timestamp) error {
	return l.next.Put(ctx, family, ts)
}

type puts struct{ diary, diaries putter }

func newPuts(c *bigtable.Client) *puts {
	return &puts{logged{&counted{&direct1{c.Open("my-diary")}}}, logged{&counted{&direct1{c.Open("diaries")}}}}
}

func (p *puts) put(ctx context.Context) {
	_ = p.diary.Put(ctx, "page", bigtable.Now()) // not seen: clock-in-sequence
	_ = p.diary.Put(ctx, "page", 1000)
	_ = p.diaries.Put(ctx, "page", bigtable.Now())
}

func okDirect(ctx context.Context, c *bigtable.Client) error {
	var w mutator = &table{c.Open("diaries")}
	w = &audited{next: retried{metered{w}}}
	m := bigtable.NewMutation()
	m.Set("page", "a", bigtable.Now(), nil)
	return w.Mutate(ctx, "k", m)
}
