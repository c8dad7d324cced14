package ifaceclock

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type clock interface{ Now() time.Time }

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

type fake struct{ t time.Time }

func (f *fake) Now() time.Time { return f.t }

type store struct{ clk clock }

func newStore() *store { return &store{clk: wall{}} }

func (s *store) put(m *bigtable.Mutation) {
	m.Set("token", "a", bigtable.Time(s.clk.Now()), nil) // want `write-time: .*"token"`
}

func Use(m *bigtable.Mutation) {
	newStore().put(m)
	var c clock = wall{}
	m.Set("token", "b", bigtable.Time(c.Now()), nil) // want `write-time: .*"token"`
}
