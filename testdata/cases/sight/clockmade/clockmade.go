// Package clockmade gives a clock to what wraps mutations in another package:
// what is wrong is the family that is given its time.
package clockmade

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/clockmade/lib"
)

type store struct {
	t *bigtable.Table
	c lib.Clock
}

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions"), lib.System{}} }

func (s *store) field(ctx context.Context) error {
	m := lib.NewCells(s.c)
	m.Expiring("token", "a", time.Minute)
	m.Stamped("token", "b") // want `write-time: .*"token" of table "sessions"`
	m.Stamped("profile", "c")
	return s.t.Apply(ctx, "k", m.Mutation)
}

func (s *store) made(ctx context.Context) error {
	m := lib.NewCells(lib.System{})
	m.Stamped("token", "b")     // want `write-time: .*"token" of table "sessions"`
	m.Expiring("token", "b", 0) // want `write-time: .*"token" of table "sessions"`
	return s.t.Apply(ctx, "k", m.Mutation)
}

func (s *store) function(ctx context.Context) error {
	mut := bigtable.NewMutation()
	w := lib.NewWriter(mut, time.Now)
	w.Put("profile")
	w.Put("token") // want `write-time: .*"token" of table "sessions"`
	return s.t.Apply(ctx, "k", mut)
}

// family is the constructor's.
func family(mut *bigtable.Mutation) {
	f := lib.NewFamily(lib.System{}, "token") // want `write-time: .*"token"`
	f.Put(mut)
	lib.NewFamily(lib.System{}, "profile").Put(mut)
}

// stamp is a time that is the constructor's.
func stamp(mut *bigtable.Mutation) {
	s := lib.NewStamp(time.Now()) // want `write-time: .*"token"`
	s.Put(mut, "token")
}
