package app

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/memory/outparam/lib"
)

func later() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

// What a function stores that is not seen is not known, whatever was there before.
func okUnseen(mut *bigtable.Mutation, f func(*bigtable.Timestamp)) {
	ts := bigtable.Now()
	f(&ts)
	mut.Set("token", "a", ts, nil)
}

type filler interface{ Fill(*bigtable.Timestamp) }

type one struct{}

func (one) Fill(ts *bigtable.Timestamp) { *ts = later() }

func okIface(mut *bigtable.Mutation, f filler) {
	ts := bigtable.Now()
	f.Fill(&ts)
	mut.Set("token", "a", ts, nil)
}

func okOne(mut *bigtable.Mutation) {
	var f filler = one{}
	ts := bigtable.Now()
	f.Fill(&ts)
	mut.Set("token", "a", ts, nil)
}

func okScan(mut *bigtable.Mutation, s string) {
	ts := bigtable.Now()
	fmt.Sscan(s, &ts)
	mut.Set("token", "a", ts, nil)
}

// S has a field that another package sets.
type S struct{ ts, other bigtable.Timestamp }

func (s *S) Init()                        { lib.Expiry(time.Hour, &s.ts); s.other = bigtable.Now() }
func (s *S) Put(mut *bigtable.Mutation)   { mut.Set("token", "a", s.ts, nil) }
func (s *S) Other(mut *bigtable.Mutation) { mut.Set("token", "a", s.other, nil) } // want `write-time`

func okTwice(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	lib.Expiry(0, &ts)
	lib.Expiry(time.Hour, &ts)
	mut.Set("token", "a", ts, nil)
}

func okGo(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	go lib.Expiry(0, &ts)
	mut.Set("token", "a", ts, nil)
}

func okDefer(mut *bigtable.Mutation) {
	ts := later()
	defer lib.Expiry(0, &ts)
	mut.Set("token", "a", ts, nil)
}

func alias(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	p := &ts
	lib.Expiry(time.Hour, p)
	mut.Set("token", "a", ts, nil)
	lib.Expiry(0, p)
	mut.Set("token", "b", ts, nil) // want `write-time`
}

func okElem(mut *bigtable.Mutation) {
	list := []bigtable.Timestamp{bigtable.Now(), bigtable.Now()}
	for i := range list {
		lib.Expiry(time.Hour, &list[i])
	}
	mut.Set("token", "a", list[0], nil)
}

func okMapped(mut *bigtable.Mutation) {
	m := map[string]*bigtable.Timestamp{"a": new(bigtable.Timestamp)}
	lib.Expiry(time.Hour, m["a"])
	mut.Set("token", "a", *m["a"], nil)
}

func mapped(mut *bigtable.Mutation) {
	p := new(bigtable.Timestamp)
	lib.Expiry(0, p)
	mut.Set("token", "a", *p, nil) // want `write-time`
}
