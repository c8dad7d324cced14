// Package carried has helpers that hand on what they are given by way of memory: each
// call of one returns its own.
package carried

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func put(ts bigtable.Timestamp, out *bigtable.Timestamp) { *out = ts }

func byOutParameter(ts bigtable.Timestamp) bigtable.Timestamp {
	var out bigtable.Timestamp
	put(ts, &out)
	return out
}

func outParameter(mut *bigtable.Mutation) {
	mut.Set("token", "a", byOutParameter(later()), nil)
	mut.Set("token", "b", byOutParameter(bigtable.Now()), nil) // want `write-time`
}

func outParameterHere(mut *bigtable.Mutation) {
	var a, b bigtable.Timestamp
	put(later(), &a)
	put(bigtable.Now(), &b)
	mut.Set("token", "a", a, nil)
	mut.Set("token", "b", b, nil) // want `write-time`
}

type box struct{ ts bigtable.Timestamp }

func bySliceOfPointers(ts bigtable.Timestamp) bigtable.Timestamp {
	list := []*box{{}, {}}
	for _, b := range list {
		b.ts = ts
	}
	return list[0].ts
}

func sliceOfPointers(mut *bigtable.Mutation) {
	mut.Set("token", "a", bySliceOfPointers(later()), nil)
	mut.Set("token", "b", bySliceOfPointers(bigtable.Now()), nil) // want `write-time`
}

func textByChannel(family string) string {
	c := make(chan string, 1)
	c <- family
	return <-c
}

func textChannel(mut *bigtable.Mutation) {
	mut.Set(textByChannel("token"), "a", later(), nil)
	mut.Set(textByChannel("token"), "b", bigtable.Now(), nil) // want `write-time`
}

func seq(ts bigtable.Timestamp) func(func(bigtable.Timestamp) bool) {
	return func(yield func(bigtable.Timestamp) bool) { yield(ts) }
}

func byIterator(ts bigtable.Timestamp) bigtable.Timestamp {
	var out bigtable.Timestamp
	for x := range seq(ts) {
		out = x
	}
	return out
}

func iterator(mut *bigtable.Mutation) {
	mut.Set("token", "a", byIterator(later()), nil)
	mut.Set("token", "b", byIterator(bigtable.Now()), nil) // want `write-time`
}

type holder interface {
	get() bigtable.Timestamp
	put(ts bigtable.Timestamp)
}

func (b *box) get() bigtable.Timestamp   { return b.ts }
func (b *box) put(ts bigtable.Timestamp) { b.ts = ts }

type other struct{ at bigtable.Timestamp }

func (o *other) get() bigtable.Timestamp   { return o.at }
func (o *other) put(ts bigtable.Timestamp) { o.at = ts }

func held(mut *bigtable.Mutation) {
	x, y := &box{ts: bigtable.Now()}, &box{ts: later()}
	var h holder = x
	mut.Set("token", "a", h.get(), nil) // want `write-time`
	mut.Set("token", "b", y.get(), nil)
	h = &other{bigtable.Now()}
	mut.Set("token", "c", h.get(), nil) // want `write-time`
	h.put(later())
	mut.Set("token", "d", h.get(), nil)
}

func heldBeside(mut *bigtable.Mutation) {
	x, y := &box{ts: bigtable.Now()}, &box{ts: later()}
	list := []*box{x, y}
	var h holder = x
	list[1].ts = bigtable.Now()
	mut.Set("token", "a", h.get(), nil) // want `write-time`
}

func heldChanged(mut *bigtable.Mutation) {
	x := &box{ts: later()}
	var h holder = x
	h.put(bigtable.Now())
	mut.Set("token", "a", h.get(), nil) // want `write-time`
	h.put(later())
	mut.Set("token", "b", h.get(), nil)
	x.put(bigtable.Now())
	mut.Set("token", "c", h.get(), nil) // want `write-time`
	x.ts = bigtable.ServerTime
	mut.Set("token", "d", h.get(), nil) // want `server-timestamp`
}

func heldCaptured(mut *bigtable.Mutation) {
	x := &box{ts: bigtable.Now()}
	var h holder = x
	func() {
		mut.Set("token", "a", h.get(), nil) // want `write-time`
	}()
	h = &other{later()}
	mut.Set("token", "b", h.get(), nil)
}

func elements(mut *bigtable.Mutation) {
	x, y := &box{ts: bigtable.Now()}, &box{ts: later()}
	list := []*box{x, y}
	list[1].ts = bigtable.Now()
	mut.Set("token", "a", list[0].ts, nil) // want `write-time`
	mut.Set("token", "b", list[1].ts, nil) // want `write-time`
	list[0].ts = later()
	mut.Set("token", "c", list[0].ts, nil)
	mut.Set("token", "d", x.ts, nil)
	mut.Set("token", "e", y.ts, nil) // want `write-time`
}

func replacedElements(mut *bigtable.Mutation) {
	x, y := &box{ts: bigtable.Now()}, &box{ts: later()}
	list := []*box{x, y}
	list[1] = list[0]
	mut.Set("token", "a", list[1].ts, nil) // want `write-time`
	list[0] = y
	mut.Set("token", "b", list[0].ts, nil)
}

func mapped(mut *bigtable.Mutation, key string) {
	m := map[string]bigtable.Timestamp{"a": later(), "b": bigtable.Now()}
	m["a"] = bigtable.Now()
	mut.Set("token", "a", m["a"], nil) // not seen: write-time
	m["a"] = later()
	mut.Set("token", "b", m["a"], nil)
	mut.Set("token", "c", m["b"], nil) // not seen: write-time
	n := m
	n["b"] = later()
	mut.Set("token", "d", m["b"], nil)
	m[key] = bigtable.Now()
	mut.Set("token", "e", m["b"], nil)
	mut.Set("token", "f", m["a"], nil)
}

func mappedCaptured(mut *bigtable.Mutation) {
	m := map[string]bigtable.Timestamp{"a": later()}
	m["a"] = bigtable.Now()
	f := func() bigtable.Timestamp { return m["a"] }
	mut.Set("token", "a", f(), nil) // not seen: write-time
}

func listed(mut *bigtable.Mutation) {
	o := &struct{ list []bigtable.Timestamp }{[]bigtable.Timestamp{later(), later()}}
	l := o.list
	l[1] = bigtable.Now()
	mut.Set("token", "a", o.list[1], nil) // want `write-time`
	mut.Set("token", "b", o.list[0], nil)
	func() { o.list[0] = bigtable.Now() }()
	mut.Set("token", "c", l[0], nil) // want `write-time`
	o.list = l[1:]
	o.list[0] = later()
	mut.Set("token", "d", l[1], nil)
}

func swap(a, b *bigtable.Timestamp) { *a, *b = *b, *a }

func swapped(mut *bigtable.Mutation) {
	x, y := &box{later()}, &box{bigtable.Now()}
	list := []*box{x, y}
	swap(&list[0].ts, &list[1].ts)
	mut.Set("token", "a", x.ts, nil) // want `write-time`
	mut.Set("token", "b", y.ts, nil)
}

func runOnce(mut *bigtable.Mutation) {
	x := &box{later()}
	list := []*box{x}
	var once sync.Once
	once.Do(func() { list[0].ts = bigtable.Now() })
	mut.Set("token", "a", x.ts, nil) // want `write-time`
}

func runTwice(mut *bigtable.Mutation, once *sync.Once) {
	x := &box{later()}
	list := []*box{x}
	once.Do(func() { list[0].ts = bigtable.Now() })
	mut.Set("token", "a", x.ts, nil)
}

func waited(mut *bigtable.Mutation) {
	x := &box{later()}
	list := []*box{x}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		list[0].ts = bigtable.Now()
	}()
	mut.Set("token", "a", x.ts, nil)
	wg.Wait()
	mut.Set("token", "b", x.ts, nil) // want `write-time`
}

func deferring(mut *bigtable.Mutation) {
	x := &box{later()}
	list := []*box{x}
	func() {
		defer func() { list[0].ts = bigtable.Now() }()
		list[0].ts = later()
	}()
	mut.Set("token", "a", x.ts, nil) // want `write-time`
}

func perhapsDeferring(mut *bigtable.Mutation, b bool) {
	x := &box{later()}
	list := []*box{x}
	func() {
		if b {
			defer func() { list[0].ts = bigtable.Now() }()
		}
	}()
	mut.Set("token", "a", x.ts, nil)
}

func unknownRunner(mut *bigtable.Mutation, run func(func())) {
	x := &box{later()}
	list := []*box{x}
	run(func() { list[0].ts = bigtable.Now() })
	mut.Set("token", "a", x.ts, nil)
}

func both(list []*box, ts bigtable.Timestamp) { put(ts, &list[0].ts) }

func handedOn(mut *bigtable.Mutation) {
	x := &box{later()}
	both([]*box{x}, bigtable.Now())
	mut.Set("token", "a", x.ts, nil) // want `write-time`
}

func rows(mut *bigtable.Mutation) {
	for _, row := range []struct {
		family string
		ts     bigtable.Timestamp
	}{{"token", later()}, {"latest", 0}} {
		mut.Set(func() string { return row.family }(), "c", func() bigtable.Timestamp { return row.ts }(), nil)
	}
}

type quote struct {
	carrier string
	until   time.Time
}

func save(mut *bigtable.Mutation, q quote) {
	if q.until.IsZero() {
		mut.Set("token", q.carrier, later(), nil)
	} else {
		mut.Set("token", q.carrier, func() bigtable.Timestamp { return bigtable.Time(q.until) }(), nil)
	}
}

func saved(mut *bigtable.Mutation) { save(mut, quote{carrier: "a"}) }

func madeInLoop(mut *bigtable.Mutation) {
	var h holder = &box{later()}
	for range 2 {
		m := bigtable.NewMutation()
		m.Set("token", "a", h.get(), nil)
		h = &other{later()}
	}
}

func madeOnCondition(mut *bigtable.Mutation, b bool) {
	var h holder = &box{later()}
	for range 2 {
		if b {
			h = &other{later()}
		}
	}
	mut.Set("token", "a", h.get(), nil)
}

type nested struct {
	in  box
	out *box
}

func heldPart(mut *bigtable.Mutation) {
	n, o := &nested{in: box{bigtable.Now()}}, &nested{out: &box{later()}}
	var h holder = &n.in
	f := func() bigtable.Timestamp { return h.get() }
	h = &n.in
	h.put(o.out.ts)
	mut.Set("token", "a", (&n.in).ts, nil)
	_ = f
}

func itself(ts bigtable.Timestamp) bigtable.Timestamp { return ts }

// okNumber hands a number on whose meaning its callers know, as it would be without the
// function around it.
func okNumber(mut *bigtable.Mutation, n int64) {
	mut.Set("latest", "a", itself(bigtable.Timestamp(n*1000)), nil)
	mut.Set("latest", "b", bigtable.Timestamp(n*1000), nil)
}

func twice(yield func() bool) {
	if yield() {
		yield()
	}
}

func sameBox(b *box) *box { return b }

// okPerhaps reads an object of which it is not known whether it is the one that was
// written to.
func okPerhaps(mut *bigtable.Mutation) {
	b, in := &box{later()}, &nested{in: box{later()}}
	b.ts = 0
	for range twice {
		b = &in.in
	}
	mut.Set("token", "a", sameBox(b).ts, nil)
}
