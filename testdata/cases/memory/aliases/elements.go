package aliases

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/memory/aliases/times"
)

type moment struct {
	at   time.Time
	next *moment
}

func (m *moment) put(t time.Time) { m.at = t }

// A time is one value, not a struct of what its package keeps in it.
func timesInFields(mut *bigtable.Mutation) {
	x, y := &moment{at: time.Now()}, &moment{at: time.Now().Add(time.Hour)}
	p := &x
	y.next = *p
	mut.Set("token", "a", bigtable.Time((*p).at), nil) // want `write-time`
	y.next.put(time.Now().Add(time.Hour))
	mut.Set("token", "b", bigtable.Time(x.at), nil)
}

func okSetAbroad(mut *bigtable.Mutation) {
	x := &moment{at: time.Now()}
	times.Set(&x.at, time.Now().Add(time.Hour))
	mut.Set("token", "a", bigtable.Time(x.at), nil)
}

type named struct{ family string }

func (n *named) name() string { return n.family }

type holders struct{ ptrs []*named }

// Which elements a list has that was copied onto itself is not known: what other objects of
// the type hold says nothing of them.
func okCopied(mut *bigtable.Mutation) {
	x, y := &named{family: "profile"}, &named{family: "token"}
	o := &holders{ptrs: []*named{x, y}}
	same := o
	for range twice {
		*o = *same
	}
	mut.Set(o.ptrs[0].name(), "c", bigtable.Now(), nil)
}

// sentTime hands a time over in a channel of its own.
func sentTime(t time.Time) time.Time {
	c := make(chan time.Time, 1)
	c <- t
	return <-c
}

func sentFor(d time.Duration) time.Duration {
	c := make(chan time.Duration, 1)
	c <- d
	return <-c
}

func sentTimes(mut *bigtable.Mutation) {
	mut.Set("token", "a", bigtable.Time(sentTime(time.Now())), nil)                // want `write-time`
	mut.Set("token", "b", bigtable.Time(time.Now().Add(sentFor(-time.Hour))), nil) // want `already-expired`
	mut.Set("token", "c", bigtable.Time(sentTime(time.Now().Add(time.Hour))), nil)
	mut.Set("token", "d", bigtable.Time(time.Now().Add(sentFor(time.Hour))), nil)
}

func okTicks(mut *bigtable.Mutation, c <-chan time.Time) {
	mut.Set("token", "a", bigtable.Time((<-c).Add(time.Hour)), nil)
	mut.Set("token", "b", bigtable.Time(<-c), nil)
}
