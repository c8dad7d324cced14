// Package agree has interfaces with several implementations: what all of them
// do is known, whichever it is.
package agree

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type stamper interface{ stamp() bigtable.Timestamp }

type plain struct{}

func (plain) stamp() bigtable.Timestamp { return bigtable.Now() }

type logging struct{ n int }

func (l *logging) stamp() bigtable.Timestamp {
	l.n++
	return bigtable.Now()
}

func agreed(mut *bigtable.Mutation, s stamper) {
	mut.Set("token", "jwt", s.stamp(), nil) // want `write-time: .*"token"`
}

type clock interface{ now() bigtable.Timestamp }

type early struct{}

func (early) now() bigtable.Timestamp { return bigtable.Now() }

type late struct{}

func (late) now() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }

func okDifferent(mut *bigtable.Mutation, c clock) {
	mut.Set("token", "jwt", c.now(), nil)
}

type writer interface {
	write(mut *bigtable.Mutation, family string, ts bigtable.Timestamp)
}

type one struct{}

func (one) write(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	mut.Set(family, "v", ts, nil)
}

type two struct{ count int }

func (t *two) write(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	t.count++
	mut.Set(family, "v", ts, nil)
}

func effects(mut *bigtable.Mutation, w writer) {
	w.write(mut, "token", bigtable.ServerTime) // want `server-timestamp: .*"token"`
	w.write(mut, "profile", bigtable.ServerTime)
}
