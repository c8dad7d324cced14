// Package impl implements the interfaces of dao. Its types are its own.
package impl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/abstractports/dao"
)

type saver struct{ table *bigtable.Table }

// NewSaver returns one behind an interface of another package.
func NewSaver(c *bigtable.Client) dao.Saver { return &saver{c.Open("sessions")} }

func (s *saver) SaveUntil(key string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.Time(at), nil)
	return s.table.Apply(context.Background(), key, m)
}

type dated struct{ table *bigtable.Table }

// NewDated keeps what was written when.
func NewDated(c *bigtable.Client) dao.Keeper { return dated{c.Open("sessions")} }

func (s dated) Keep(key string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("profile", "c", bigtable.Time(at), nil)
	return s.table.Apply(context.Background(), key, m)
}

type expiring struct{ table *bigtable.Table }

// NewExpiring keeps until.
func NewExpiring(c *bigtable.Client) dao.Keeper { return expiring{c.Open("sessions")} }

func (s expiring) Keep(key string, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Time(at), nil)
	return s.table.Apply(context.Background(), key, m)
}

type memory map[string]time.Time

// NewMemory is no Bigtable.
func NewMemory() dao.Saver { return memory{} }

func (m memory) SaveUntil(key string, at time.Time) error { m[key] = at; return nil }
