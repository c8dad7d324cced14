// Package lib wraps mutations, with a clock.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type Clock interface{ Now() time.Time }

type System struct{}

func (System) Now() time.Time { return time.Now() }

type Cells struct {
	*bigtable.Mutation
	clock Clock
}

func NewCells(c Clock) Cells { return Cells{bigtable.NewMutation(), c} }

func (m Cells) Expiring(family, column string, d time.Duration) {
	m.Set(family, column, bigtable.Time(m.clock.Now().Add(d)), nil)
}

func (m Cells) Stamped(family, column string) {
	m.Set(family, column, bigtable.Time(m.clock.Now()), nil)
}

// A Writer has a function for a clock.
type Writer struct {
	mut *bigtable.Mutation
	now func() time.Time
}

func NewWriter(mut *bigtable.Mutation, now func() time.Time) *Writer {
	w := &Writer{mut: mut, now: time.Now}
	if now != nil {
		w.now = now
	}
	return w
}

func (w *Writer) Put(family string) { w.mut.Set(family, "c", bigtable.Time(w.now()), nil) }

// A Family has one, and the family.
type Family struct {
	clock Clock
	name  string
}

func NewFamily(c Clock, name string) *Family { return &Family{c, name} }

func (f *Family) Put(mut *bigtable.Mutation) { mut.Set(f.name, "c", bigtable.Time(f.clock.Now()), nil) }

// A Stamp has a time.
type Stamp struct{ at time.Time }

func NewStamp(at time.Time) Stamp { return Stamp{at} }

func (s Stamp) Put(mut *bigtable.Mutation, family string) {
	mut.Set(family, "c", bigtable.Time(s.at), nil)
}
