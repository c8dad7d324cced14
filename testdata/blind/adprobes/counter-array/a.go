// Package counterarray: a counter that is an element of an array, indexed by a variable.
package counterarray

import "cloud.google.com/go/bigtable"

type sequencer struct{ per [16]int64 }

type local struct {
	seq *sequencer
	own [16]int64
	sl  []int64
	m   map[int]int64
}

var global [16]int64

func newLocal() *local { return &local{seq: &sequencer{}, sl: make([]int64, 16), m: map[int]int64{}} }

func (l *local) behindPointer(i int, v []byte) *bigtable.Mutation {
	l.seq.per[i%16]++
	n := l.seq.per[i%16]
	m := bigtable.NewMutation()
	m.Set("model", "a", bigtable.Timestamp(n), v)      // want ttlwrite/unscaled-sequence
	m.Set("model", "b", bigtable.Timestamp(n*1000), v) // ok ttlwrite/unscaled-sequence
	return m
}

func (l *local) own1(i int, v []byte) *bigtable.Mutation {
	l.own[i]++
	m := bigtable.NewMutation()
	m.Set("model", "a", bigtable.Timestamp(l.own[i]), v) // want ttlwrite/unscaled-sequence
	return m
}

func (l *local) ownConst(v []byte) *bigtable.Mutation {
	l.own[3]++
	m := bigtable.NewMutation()
	m.Set("model", "a", bigtable.Timestamp(l.own[3]), v) // want ttlwrite/unscaled-sequence
	return m
}

func (l *local) slice(i int, v []byte) *bigtable.Mutation {
	l.sl[i]++
	m := bigtable.NewMutation()
	m.Set("model", "a", bigtable.Timestamp(l.sl[i]), v) // want ttlwrite/unscaled-sequence
	return m
}

func (l *local) mapped(i int, v []byte) *bigtable.Mutation {
	l.m[i]++
	m := bigtable.NewMutation()
	m.Set("model", "a", bigtable.Timestamp(l.m[i]), v) // want ttlwrite/unscaled-sequence
	return m
}

func pkg(i int, v []byte) *bigtable.Mutation {
	global[i]++
	m := bigtable.NewMutation()
	m.Set("model", "a", bigtable.Timestamp(global[i]), v) // want ttlwrite/unscaled-sequence
	return m
}

func inFunction(is []int, v []byte) *bigtable.Mutation {
	var c [4]int64
	m := bigtable.NewMutation()
	for _, i := range is {
		c[i&3]++
		m.Set("model", "a", bigtable.Timestamp(c[i&3]), v) // want ttlwrite/unscaled-sequence
	}
	return m
}

var _ = []any{newLocal, (*local).behindPointer, (*local).own1, (*local).ownConst, (*local).slice, (*local).mapped, pkg, inFunction}
