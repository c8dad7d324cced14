// Package relatedconditions has conditions that tell of other variables.
package relatedconditions

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type seen struct {
	n     int
	until time.Time
}

func (s *seen) add(t time.Time) {
	s.n++
	s.until = t
}

func okCounted(mut *bigtable.Mutation, deadlines []time.Time, v []byte) {
	var until time.Time
	n := 0
	for _, d := range deadlines {
		n++
		until = d
	}
	if n > 0 {
		mut.Set("token", "a", bigtable.Time(until), v)
	}
	if n == 0 {
		return
	}
	mut.Set("token", "b", bigtable.Time(until), v)
}

func okLen(mut *bigtable.Mutation, deadlines []time.Time, v []byte) {
	var until time.Time
	for _, d := range deadlines {
		if d.After(until) {
			until = d
		}
	}
	if len(deadlines) > 0 {
		mut.Set("token", "a", bigtable.Time(until), v)
	}
}

func okFound(mut *bigtable.Mutation, deadlines map[string]time.Time, key string, v []byte) {
	var until time.Time
	found := false
	for k, d := range deadlines {
		if k == key {
			until, found = d, true
		}
	}
	if found {
		mut.Set("token", "a", bigtable.Time(until), v)
	}
}

func okStruct(mut *bigtable.Mutation, deadlines []time.Time, v []byte) {
	var s seen
	for _, d := range deadlines {
		s.add(d)
	}
	if s.n > 0 {
		mut.Set("token", "a", bigtable.Time(s.until), v)
	}
}

func okFields(mut *bigtable.Mutation, deadlines []time.Time, v []byte) {
	s := &seen{}
	for _, d := range deadlines {
		s.n++
		s.until = d
	}
	if s.n == 0 {
		return
	}
	mut.Set("token", "a", bigtable.Time(s.until), v)
}

func okFlag(mut *bigtable.Mutation, at *time.Time, v []byte) {
	var until time.Time
	has := at != nil
	if has {
		until = *at
	}
	if has {
		mut.Set("token", "a", bigtable.Time(until), v)
	}
}

// bad sets nothing on any way.
func bad(mut *bigtable.Mutation, n int, v []byte) {
	var until time.Time
	if n > 0 {
		mut.Set("token", "a", bigtable.Time(until), v) // want `already-expired: .*"token"`
	}
}

// Write writes.
func Write(mut *bigtable.Mutation, at *time.Time, ds []time.Time, m map[string]time.Time, v []byte) {
	okCounted(mut, ds, v)
	okLen(mut, ds, v)
	okFound(mut, m, "k", v)
	okStruct(mut, ds, v)
	okFields(mut, ds, v)
	okFlag(mut, at, v)
	bad(mut, 1, v)
}
