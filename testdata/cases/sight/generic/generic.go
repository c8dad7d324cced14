// Package generic has repositories whose entity's type names the family.
package generic

import (
	"context"
	"reflect"
	"time"

	"cloud.google.com/go/bigtable"
)

type entity interface {
	Family() string
}

type jwt struct{ s string }

func (jwt) Family() string { return "token" }

type user struct{ s string }

func (user) Family() string { return "profile" }

type event struct{}

func (*event) Family() string { return "event" }

func familyOf[T entity]() string {
	var z T
	return z.Family()
}

func stamp[T entity](ctx context.Context, tbl *bigtable.Table, key string) error {
	m := bigtable.NewMutation()
	m.Set(familyOf[T](), "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, key, m)
}

func read[T entity](ctx context.Context, tbl *bigtable.Table, key string) (out []T, err error) {
	var z T
	row, err := tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	for range row[z.Family()] {
		out = append(out, z)
	}
	return out, nil
}

func uses(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open("sessions")
	if err := stamp[user](ctx, tbl, "k"); err != nil {
		return err
	}
	if err := stamp[jwt](ctx, tbl, "k"); err != nil { // want `write-time: .*"token"`
		return err
	}
	if _, err := read[user](ctx, tbl, "k"); err != nil {
		return err
	}
	_, err := read[jwt](ctx, tbl, "k") // want `missing-filter: .*"token"`
	return err
}

// With the table in the repository, and an options struct per type.

type repo[T entity] struct {
	tbl *bigtable.Table
	ttl time.Duration
}

func newRepo[T entity](c *bigtable.Client, table string, ttl time.Duration) *repo[T] {
	return &repo[T]{c.Open(table), ttl}
}

func (r *repo[T]) put(ctx context.Context, key string) error {
	var z T
	m := bigtable.NewMutation()
	m.Set(z.Family(), "v", bigtable.Time(time.Now().Add(r.ttl)), nil)
	return r.tbl.Apply(ctx, key, m)
}

type stores struct {
	jwts  *repo[jwt]
	users *repo[user]
	bad   *repo[jwt]
}

func open(c *bigtable.Client) *stores {
	return &stores{
		jwts:  newRepo[jwt](c, "sessions", time.Hour),
		users: newRepo[user](c, "sessions", 0),
		bad:   newRepo[jwt](c, "sessions", 0), // want `write-time: .*"token"`
	}
}

func (s *stores) okAll(ctx context.Context) error {
	if err := s.jwts.put(ctx, "k"); err != nil {
		return err
	}
	return s.users.put(ctx, "k")
}

func (s *stores) wrong(ctx context.Context) error { return s.bad.put(ctx, "k") }

// By reflection or by a type switch it is not known.
func okReflected[T any](ctx context.Context, tbl *bigtable.Table) error {
	var z T
	m := bigtable.NewMutation()
	m.Set(reflect.TypeOf(z).Name(), "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, "k", m)
}

func switched[T any](ctx context.Context, tbl *bigtable.Table) error {
	var z T
	family := "profile"
	switch any(z).(type) {
	case jwt:
		family = "token"
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", bigtable.Now(), nil)
	return tbl.Apply(ctx, "k", m)
}

// A pointer's type.
func pointers(ctx context.Context, c *bigtable.Client) error {
	m := bigtable.NewMutation()
	m.Set(familyOf[*event](), "v", bigtable.Time(time.Now().Add(-800*time.Hour)), nil) // want `already-expired: .*"event"`
	m.Set(familyOf[*event](), "w", bigtable.Now(), nil)
	return c.Open("clicks").Apply(ctx, "k", m)
}

// The constraint names type and pointer.
type ptr[T any] interface {
	*T
	entity
}

func zero[T any, P ptr[T]](ctx context.Context, tbl *bigtable.Table) error {
	var z T
	m := bigtable.NewMutation()
	m.Set(P(&z).Family(), "v", bigtable.Time(time.Now().Add(-800*time.Hour)), nil)
	return tbl.Apply(ctx, "k", m)
}

func zeros(ctx context.Context, c *bigtable.Client) error {
	return zero[event](ctx, c.Open("clicks")) // want `already-expired: .*"event"`
}
