// Package valuetypes has types of times and of numbers behind one interface: each is
// known by what is made an interface.
package valuetypes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/cases/sight/valuetypes/lib"
)

type instant time.Time

func (i instant) Timestamp() bigtable.Timestamp { return bigtable.Time(time.Time(i)) }

type expiry time.Time

func (e expiry) Timestamp() bigtable.Timestamp {
	return bigtable.Time(time.Time(e).Add(30 * time.Minute))
}

type seq int64

func (s *seq) Timestamp() bigtable.Timestamp { return bigtable.Timestamp(int64(*s) * 1000) }

type stamped interface{ Timestamp() bigtable.Timestamp }

func setAt(m *bigtable.Mutation, family string, at stamped) { m.Set(family, "c", at.Timestamp(), nil) }

func write(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	setAt(m, "token", instant(time.Now())) // want `write-time: .*"token"`
	setAt(m, "profile", instant(time.Now()))
	setAt(m, "token", instant(time.Now().Add(time.Hour)))
	setAt(m, "token", expiry(time.Now()))
	lib.Put(m, "token", instant(time.Now())) // want `write-time: .*"token"`
	lib.Put(m, "token", expiry(time.Now()))
	lib.Put(m, "token", lib.Micros(time.Now().UnixMicro())) // want `write-time: .*"token"`
	lib.Put(m, "token", lib.Micros(time.Now().Add(time.Hour).UnixMicro()))
	return c.Open("sessions").Apply(ctx, "k", m)
}

func publish(ctx context.Context, c *bigtable.Client, n seq) error {
	m := bigtable.NewMutation()
	setAt(m, "entry", &n)
	setAt(m, "entry", instant(time.Now())) // want `clock-in-sequence: .*"entry"`
	return c.Open("north-ledger").Apply(ctx, "k", m)
}

// either gives one of two types.
func either(ctx context.Context, c *bigtable.Client, key string) error {
	var at stamped = expiry(time.Now())
	if _, ok := tables()[key]; ok {
		at = instant(time.Now())
	}
	m := bigtable.NewMutation()
	m.Set("token", "c", at.Timestamp(), nil) // want `write-time: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", m)
}

// okGiven is given what nobody in view makes.
func okGiven(ctx context.Context, c *bigtable.Client, at stamped) error {
	m := bigtable.NewMutation()
	setAt(m, "token", at)
	return c.Open("sessions").Apply(ctx, "k", m)
}

func tables() map[string]bool { return map[string]bool{} }
