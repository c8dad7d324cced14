// Package carefulwrites has writes whose fix would leave something wrong, or would be a
// guess.
package carefulwrites

import (
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

var stamp = bigtable.Now()

// What the fix puts in is not what is written: an hour less.
func early(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts-bigtable.Timestamp(time.Hour.Microseconds()), nil)
}

func callsEarly(mut *bigtable.Mutation) {
	early(mut, bigtable.Now()+bigtable.Timestamp(time.Hour.Microseconds())) // want `write-time: .*"token"`
}

func asItIs(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
}

func callsAsItIs(mut *bigtable.Mutation) {
	asItIs(mut, stamp) // want `stale-clock: .*"token"`
}

// Beside a lifetime that varies, the usual one is a guess: the row expires together.
func varied(mut *bigtable.Mutation, ttl time.Duration) {
	exp := bigtable.Time(time.Now().Add(ttl))
	mut.Set("token", "jwt", exp, nil)
	mut.Set("token", "ip", bigtable.Now(), nil)          // want `write-time: .*"token"`
	mut.Set("token", "agent", bigtable.ServerTime, nil)  // want `server-timestamp: .*"token"`
	mut.Set("ticket", "agent", bigtable.ServerTime, nil) // want `server-timestamp: .*"ticket"`
}

func written(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("token", "ip", bigtable.Now(), nil) // want `write-time: .*"token"`
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
}

// Which of several is meant is not certain, nor what a name was before.
func several(mut *bigtable.Mutation, ttl, longer time.Duration) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
	mut.Set("token", "refresh", bigtable.Time(time.Now().Add(longer)), nil)
	mut.Set("token", "ip", bigtable.Now(), nil) // want `write-time: .*"token"`
}

func changed(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
	ttl = ttl / 2
	mut.Set("token", "ip", bigtable.Now(), nil) // want `write-time: .*"token"`
}

func later(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("token", "ip", bigtable.Now(), nil) // want `write-time: .*"token"`
	exp := bigtable.Time(time.Now().Add(ttl))
	mut.Set("token", "jwt", exp, nil)
}

// Beside another that is fixed, it is what is registered.
func fixed(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
	mut.Set("token", "ip", bigtable.Now(), nil) // want `write-time: .*"token"`
}

// A reading of a counter is none that grows.
func last(mut *bigtable.Mutation, n *atomic.Int64) {
	mut.Set("entry", "amount", bigtable.Timestamp(n.Add(0)), nil) // want `unscaled-sequence: .*"entry"`
}

func next(mut *bigtable.Mutation, n *atomic.Int64) {
	mut.Set("entry", "amount", bigtable.Timestamp(n.Add(1)), nil) // want `unscaled-sequence: .*"entry"`
}

// Two values for one column: at one timestamp the first would be lost.
func two(mut *bigtable.Mutation) {
	mut.Set("latest", "eur", 0, nil)
	mut.Set("latest", "eur", bigtable.ServerTime, nil) // want `clock-in-zero: .*"latest"`
	mut.Set("latest", "usd", bigtable.ServerTime, nil) // want `clock-in-zero: .*"latest"`
}

func twoColumns(mut *bigtable.Mutation, ttl time.Duration) {
	exp := bigtable.Time(time.Now().Add(ttl))
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
	mut.Set("token", "jwt", exp, nil)
}

// In the right unit it would be the current time, which no family expires at.
func unit(mut *bigtable.Mutation) {
	mut.Set("code", "sms", bigtable.Timestamp(time.Now().Unix()), nil)                  // want `wrong-unit: `
	mut.Set("code", "app", bigtable.Timestamp(time.Now().Add(time.Minute).Unix()), nil) // want `wrong-unit: `
}
