// Package counters gives counters away as functions.
package counters

import (
	"sync/atomic"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/counters/lib"
)

type numbers struct {
	n    int64
	seqs map[string]int64
}

func (d *numbers) next() int64 {
	d.n++
	return d.n
}

func (d *numbers) of(key string) int64 {
	d.seqs[key]++
	return d.seqs[key]
}

type counts struct {
	family string
	next   func() int64
}

func (c counts) put(m *bigtable.Mutation) {
	m.Set(c.family, "c", bigtable.Timestamp(c.next()), nil)
}

func put(m *bigtable.Mutation, next func() int64) {
	m.Set("entry", "c", bigtable.Timestamp(next()), nil)
}

func putScaled(m *bigtable.Mutation, next func() int64) {
	m.Set("entry", "c", bigtable.Timestamp(next()*1000), nil)
}

func (d *numbers) direct(m *bigtable.Mutation) {
	m.Set("entry", "c", bigtable.Timestamp(d.next()), nil) // want `unscaled-sequence`
}

func (d *numbers) given(m *bigtable.Mutation) {
	put(m, d.next) // want `unscaled-sequence`
	putScaled(m, d.next)
}

func (d *numbers) local(m *bigtable.Mutation) {
	f := d.next
	m.Set("entry", "c", bigtable.Timestamp(f()), nil) // want `unscaled-sequence`
}

func (d *numbers) keyed(m *bigtable.Mutation, key string) {
	put(m, func() int64 { return d.of(key) })               // want `unscaled-sequence`
	m.Set("entry", "d", bigtable.Timestamp(d.of(key)), nil) // want `unscaled-sequence`
	m.Set("entry", "e", bigtable.Timestamp(d.of(key)*1000), nil)
}

func (d *numbers) literal(m *bigtable.Mutation) {
	counts{"entry", d.next}.put(m) // want `unscaled-sequence`
}

func (d *numbers) across(m *bigtable.Mutation) {
	lib.Put(m, d.next) // want `unscaled-sequence`
	lib.PutScaled(m, d.next)
	lib.Appender{Family: "entry", Next: d.next}.Append(m) // want `unscaled-sequence`
}

var sequence atomic.Int64

type ids struct {
	c *lib.Counter
	a lib.Atomic
	n lib.Numberer
}

func newIDs() *ids { return &ids{c: &lib.Counter{}, n: new(lib.Counter)} }

func (s *ids) put(m *bigtable.Mutation) {
	m.Set("entry", "a", bigtable.Timestamp(s.c.Next()), nil) // want `unscaled-sequence`
	m.Set("entry", "b", bigtable.Timestamp(s.a.Next()), nil) // want `unscaled-sequence`
	m.Set("entry", "c", bigtable.Timestamp(s.n.Next()), nil) // want `unscaled-sequence`
	lib.Put(m, s.c.Next)                                     // want `unscaled-sequence`
	lib.Put(m, s.a.Next)                                     // want `unscaled-sequence`
	lib.PutNumber(m, s.c)                                    // want `unscaled-sequence`
	lib.PutNumber(m, &s.a)                                   // want `unscaled-sequence`
	lib.PutNumber(m, s.n)                                    // want `unscaled-sequence`
	put(m, func() int64 { return sequence.Add(1) })          // want `unscaled-sequence`
	put(m, s.c.Next)                                         // want `unscaled-sequence`
	m.Set("entry", "a", bigtable.Timestamp(s.c.Next()*1000), nil)
	m.Set("entry", "b", bigtable.Timestamp(s.a.Next())*1000, nil)
}
