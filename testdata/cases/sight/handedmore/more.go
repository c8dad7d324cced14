// Package handedmore hands rows over with their times, in other ways.
package handedmore

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/handedmore/rt"
)

type token struct{ key string }

func (t *token) Key() string { return t.key }

func (t *token) Encode(mut *bigtable.Mutation, ts bigtable.Timestamp) error {
	if t.key == "" {
		return nil
	}
	mut.Set("token", "key", ts, []byte(t.key))
	return nil
}

type profile struct{ key string }

func (p profile) Key() string { return p.key }

func (p profile) Encode(mut *bigtable.Mutation, ts bigtable.Timestamp) error {
	mut.Set("profile", "key", ts, nil)
	return nil
}

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func batch(ctx context.Context, c *bigtable.Client, keys []string) error {
	b := rt.NewBatch[*token]()
	for _, k := range keys {
		if err := b.Add(&token{k}, bigtable.Now()); err != nil { // want `write-time: .*"token" of table "sessions"`
			return err
		}
		if err := b.Add(&token{k}, later()); err != nil {
			return err
		}
	}
	p := new(rt.Batch[profile])
	p.Add(profile{"a"}, bigtable.Now())
	if err := p.Flush(ctx, c.Open("sessions")); err != nil {
		return err
	}
	return b.Flush(ctx, c.Open("sessions"))
}

func writes(ctx context.Context, c *bigtable.Client) error {
	t := c.Open("sessions")
	if err := rt.WriteAll(ctx, t, rt.Write{Row: profile{"a"}, At: bigtable.Now()}, rt.Write{Row: &token{"b"}, At: later()}); err != nil {
		return err
	}
	return rt.WriteAll(ctx, t, rt.Write{Row: profile{"a"}, At: later()}, rt.Write{Row: &token{"b"}, At: bigtable.Now()}) // want `write-time: .*"token" of table "sessions"`
}

func collected(ctx context.Context, c *bigtable.Client, keys []string) error {
	var all []rt.Write
	for _, k := range keys {
		all = append(all, rt.Write{Row: &token{k}, At: bigtable.Now()})
	}
	return rt.WriteAll(ctx, c.Open("sessions"), all...) // want `write-time: .*"token" of table "sessions"`
}

func encodeToken(mut *bigtable.Mutation, ts bigtable.Timestamp, v []byte) {
	mut.Set("token", "t", ts, v)
}

type stores struct{ tokens, profiles *rt.Table }

func newStores(c *bigtable.Client) *stores {
	return &stores{
		tokens: rt.NewTable(c.Open("sessions"), encodeToken),
		profiles: rt.NewTable(c.Open("sessions"), func(mut *bigtable.Mutation, ts bigtable.Timestamp, v []byte) {
			mut.Set("profile", "p", ts, v)
		}),
	}
}

func (s *stores) put(ctx context.Context) {
	s.tokens.Put(ctx, "k", nil, bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
	s.tokens.Put(ctx, "k", nil, later())
	s.profiles.Put(ctx, "k", nil, bigtable.Now())
}

func orNow(mut *bigtable.Mutation) {
	rt.OrNow(mut, &token{"a"}, 0) // want `write-time: .*"token"`
	rt.OrNow(mut, &token{"a"}, later())
	rt.OrNow(mut, profile{"a"}, 0)
}

func (t *token) mutation(ts bigtable.Timestamp) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("token", "m", ts, nil)
	return mut
}

func build(ctx context.Context, c *bigtable.Client, t *token) {
	rt.Build(ctx, c.Open("sessions"), "k", t.mutation, bigtable.Now()) // want `write-time: .*"token" of table "sessions"`
	rt.Build(ctx, c.Open("sessions"), "k", t.mutation, later())
	rt.Build(ctx, c.Open("undeclared"), "k", t.mutation, bigtable.Now())
	rt.Build(ctx, c.Open("sessions"), "k", func(ts bigtable.Timestamp) *bigtable.Mutation { // want `write-time: .*"token" of table "sessions"`
		mut := bigtable.NewMutation()
		mut.Set("token", "m", ts, nil)
		return mut
	}, bigtable.Now())
}
