// Package filledelsewhere fills maps, slices and fields elsewhere than where they are
// made.
package filledelsewhere

import (
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

func fill(m map[string]time.Duration) { m["a"] = time.Hour }

func okMap(mut *bigtable.Mutation) {
	m := map[string]time.Duration{}
	fill(m)
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["a"])), nil)
}

func read(m map[string]time.Duration) time.Duration { return m["a"] }

func notFilled(mut *bigtable.Mutation) {
	m := map[string]time.Duration{"b": time.Hour}
	_ = read(m)
	mut.Set("token", "a", bigtable.Time(time.Now().Add(m["a"])), nil) // want `write-time: .*"token"`
	mut.Set("token", "b", bigtable.Time(time.Now().Add(m["b"])), nil)
}

type config struct{ ttls map[string]time.Duration }

func (c *config) load() {
	for _, k := range []string{"a", "b"} {
		c.ttls[k] = time.Hour
	}
}

func okField(mut *bigtable.Mutation) {
	c := &config{ttls: map[string]time.Duration{}}
	c.load()
	mut.Set("token", "a", bigtable.Time(time.Now().Add(c.ttls["a"])), nil)
}

func fillTimes(l []bigtable.Timestamp) {
	for i := range l {
		l[i] = bigtable.Time(time.Now().Add(time.Hour))
	}
}

func okSlice(mut *bigtable.Mutation) {
	l := make([]bigtable.Timestamp, 2)
	fillTimes(l)
	mut.Set("token", "a", l[0], nil)
	k := []bigtable.Timestamp{bigtable.ServerTime}
	fillTimes(k)
	mut.Set("token", "b", k[0], nil)
	n := []bigtable.Timestamp{bigtable.ServerTime}
	mut.Set("token", "c", n[0], nil) // want `server-timestamp: .*"token"`
}

type state struct{ seconds int }

func (s *state) scan(text string) { fmt.Sscan(text, &s.seconds) }

func okScanned(mut *bigtable.Mutation, text string) {
	s := &state{}
	s.scan(text)
	mut.Set("token", "a", bigtable.Time(time.Now().Add(time.Duration(s.seconds)*time.Second)), nil)
	t := &state{seconds: -60}
	mut.Set("token", "b", bigtable.Time(time.Now().Add(time.Duration(t.seconds)*time.Second)), nil) // want `already-expired: .*"token"`
}

func scanned(s *state, mut *bigtable.Mutation, text string) {
	s.seconds = 0
	fmt.Sscan(text, &s.seconds)
	mut.Set("token", "a", bigtable.Time(time.Now().Add(time.Duration(s.seconds)*time.Second)), nil)
}
