// Package ports hands what wraps a table to another package.
package ports

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/ports/dal"
)

type gateway struct{ dal.Reader }

func newGateway(c *bigtable.Client) *gateway { return &gateway{c.Open("cache")} }

var val = dal.Column{Family: "val", Name: "v"}

func (g *gateway) whole(ctx context.Context) string { return dal.Load(ctx, g, val) }        // want `missing-filter`
func (g *gateway) part(ctx context.Context) string  { return dal.Load(ctx, g.Reader, val) } // want `missing-filter`

type byValue struct{ dal.Table }

func newByValue(c *bigtable.Client) byValue { return byValue{Table: c.Open("cache")} }

func (b byValue) load(ctx context.Context) string { return dal.Load(ctx, b, val) } // want `missing-filter`

func (b byValue) save(ctx context.Context) error {
	return dal.Save(ctx, b, val, bigtable.Now(), nil) // want `write-time`
}

type sequence struct{ dal.Table }

func newSequence(c *bigtable.Client) *sequence { return &sequence{c.Open("history")} }

func (s *sequence) save(ctx context.Context) error {
	return dal.Save(ctx, s, val, bigtable.Now(), nil) // want `clock-in-sequence`
}

func (s *sequence) direct(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return s.Apply(ctx, "k", m)
}

func (s *sequence) load(ctx context.Context) string {
	return dal.Load(ctx, s, val, bigtable.RowFilter(bigtable.FamilyFilter("val"))) // want `version-limit`
}

type store struct{ a dal.Putter }

func newStore(c *bigtable.Client) *store {
	return &store{a: dal.Logged{Putter: dal.Stays{W: c.Open("sessions"), Family: "token"}}}
}

func (s *store) put(ctx context.Context) error { return s.a.Put(ctx) } // want `server-timestamp`

type store2 struct{ a dal.Putter }

func newStore2(c *bigtable.Client) *store2 {
	return &store2{a: dal.Stays{W: c.Open("sessions"), Family: "token"}}
}

func (s *store2) put(ctx context.Context) error { return s.a.Put(ctx) } // want `server-timestamp`

// What is written goes through decorators to a table of which the family has
// two meanings.
func timed(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `write-time`
	w := &dal.Timed{Writer: c.Open("cache")}
	return w.Apply(ctx, "k", m)
}

func timedNew(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Now(), nil) // want `clock-in-sequence`
	return dal.NewTimed(c.Open("history")).Apply(ctx, "k", m)
}

func timedSave(ctx context.Context, c *bigtable.Client) error {
	w := dal.NewTimed(dal.NewPlain(c.Open("cache")))
	return dal.Save(ctx, w, val, bigtable.Now(), nil) // want `write-time`
}

func plain(ctx context.Context, c *bigtable.Client) string {
	p := dal.NewPlain(c.Open("cache"))
	return dal.Load(ctx, p, val) // want `missing-filter`
}

type service struct {
	w dal.Writer
	r dal.Reader
}

func newService(c *bigtable.Client) *service {
	t := dal.NewPlain(c.Open("cache"))
	return &service{w: dal.NewTimed(t), r: t}
}

func (s *service) save(ctx context.Context) error {
	return dal.Save(ctx, s.w, val, bigtable.Now(), nil) // want `write-time`
}

func (s *service) saveOwn(ctx context.Context, ttl time.Duration) error {
	m := bigtable.NewMutation()
	m.Set("val", "v", bigtable.Time(time.Now().Add(ttl)), nil)
	m.Set("val", "w", bigtable.Now(), nil) // want `write-time`
	return s.w.Apply(ctx, "k", m)
}

func (s *service) load(ctx context.Context) string {
	return dal.Load(ctx, s.r, val) // want `missing-filter`
}

// Silent.
func (s *service) good(ctx context.Context) (string, error) {
	err := dal.Save(ctx, s.w, val, bigtable.Time(time.Now().Add(time.Minute)), nil)
	return dal.Load(ctx, s.r, val, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))), err
}
