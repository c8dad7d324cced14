// Package parseloop fills an object by calls in a loop: what it was before a
// call is what the call before has left, without end.
package parseloop

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type line struct{ a, measured int64 }

// parse sets one field by what it was, and another.
func (l *line) parse(n int64) {
	if n > 7 {
		l.a = n
		l.measured |= 1
	}
}

func put(m *bigtable.Mutation, n int64) {
	l := &line{}
	for range n {
		l.parse(n)
	}
	m.Set("profile", "c", bigtable.Timestamp(l.measured), nil)
}

type stamp struct{ at time.Time }

func (s *stamp) extend(d time.Duration) {
	if d > 0 {
		s.at = s.at.Add(d)
	}
}

func extended(m *bigtable.Mutation, ds []time.Duration) {
	s := &stamp{at: time.Now()}
	for _, d := range ds {
		s.extend(d)
	}
	m.Set("profile", "c", bigtable.Time(s.at), nil)
}
