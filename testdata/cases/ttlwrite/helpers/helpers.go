// Package helpers writes through functions of its own: those that return a
// timestamp, those that take one, and several calls deep. A finding stands at
// the outermost call that supplies the bad value.
package helpers

import (
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

// Functions that return a timestamp.

func nowTS() bigtable.Timestamp { return bigtable.Now() }

func expiry(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl))
}

func toTS(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixNano() / int64(time.Microsecond))
}

func toMillis(t time.Time) bigtable.Timestamp {
	return bigtable.Timestamp(t.UnixMilli()) * 1000
}

func returnsNow(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", nowTS(), nil) // want `write-time: .*"token"`
}

func okReturnsExpiry(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", expiry(time.Hour), nil)
}

func expiryOfNothing(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", expiry(0), nil) // want `write-time: .*"token"`
}

func expiryInThePast(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", expiry(-time.Minute), nil) // want `already-expired: .*"token"`
}

func convertsNow(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", toTS(time.Now()), nil) // want `write-time: .*"token"`
}

func convertsNowByMillis(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", toMillis(time.Now()), nil) // want `write-time: .*"token"`
}

func okConvertsExpiry(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", toTS(time.Now().Add(time.Hour)), nil)
	mut.Set("token", "csrf", toMillis(time.Now().Add(time.Hour)), nil)
}

// Several results.

func stamped() (string, bigtable.Timestamp, error) {
	return "token", bigtable.Now(), nil
}

func okStamped() (string, bigtable.Timestamp, error) {
	return "profile", bigtable.Now(), nil
}

func severalResults(mut *bigtable.Mutation) error {
	family, ts, err := stamped()
	if err != nil {
		return err
	}
	mut.Set(family, "value", ts, nil) // want `write-time: .*"token"`
	return nil
}

func okSeveralResults(mut *bigtable.Mutation) error {
	family, ts, err := okStamped()
	if err != nil {
		return err
	}
	mut.Set(family, "value", ts, nil)
	return nil
}

func either(login bool) (string, bigtable.Timestamp) {
	if login {
		return "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return "profile", bigtable.Now()
}

func okResultsGoTogether(mut *bigtable.Mutation) {
	family, ts := either(len(family0) > 0)
	mut.Set(family, "value", ts, nil)
}

var family0 = "token"

// A timestamp beside an error: the zero value of the failure is not written.
func parse(s string) (bigtable.Timestamp, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("no duration")
	}
	return bigtable.Time(time.Now().Add(d)), nil
}

func okErrorChecked(mut *bigtable.Mutation, s string) error {
	ts, err := parse(s)
	if err != nil {
		return err
	}
	mut.Set("token", "jwt", ts, nil)
	return nil
}

// Functions that write.

func put(mut *bigtable.Mutation, family, column string, ts bigtable.Timestamp, value []byte) {
	mut.Set(family, column, ts, value)
}

func putNow(mut *bigtable.Mutation, family, column string, value []byte) {
	put(mut, family, column, bigtable.Now(), value)
}

func putToken(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	put(mut, "token", "jwt", ts, nil)
}

func putFor(mut *bigtable.Mutation, family string, ttl time.Duration) {
	put(mut, family, "value", expiry(ttl), nil)
}

func takesBoth(mut *bigtable.Mutation) {
	put(mut, "token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
	put(mut, "profile", "name", bigtable.ServerTime, nil)
	put(mut, "token", "csrf", expiry(time.Hour), nil)
}

func takesFamily(mut *bigtable.Mutation) {
	putNow(mut, "token", "jwt", nil) // want `write-time: .*"token"`
	putNow(mut, "profile", "name", nil)
	putNow(mut, "entry", "amount", nil) // want `clock-in-sequence: .*"entry"`
	putNow(mut, "latest", "price", nil) // want `clock-in-zero: .*"latest"`
	putNow(mut, "event", "url", nil)
}

func takesTimestamp(mut *bigtable.Mutation) {
	putToken(mut, bigtable.Now()) // want `write-time: .*"token"`
	putToken(mut, expiry(time.Hour))
}

func takesLifetime(mut *bigtable.Mutation) {
	putFor(mut, "token", time.Hour)
	putFor(mut, "ticket", 0)          // want `write-time: .*"ticket"`
	putFor(mut, "entry", time.Minute) // want `clock-in-sequence: .*"entry"`
	putFor(mut, "profile", 0)
}

// Deeper.

func one(mut *bigtable.Mutation, ts bigtable.Timestamp)   { two(mut, ts) }
func two(mut *bigtable.Mutation, ts bigtable.Timestamp)   { three(mut, ts) }
func three(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("token", "deep", ts, nil) }

func deep(mut *bigtable.Mutation) {
	one(mut, bigtable.ServerTime) // want `server-timestamp: .*"token"`
	one(mut, expiry(time.Hour))
}

// A time that travels two calls before it becomes a timestamp.

func issue(mut *bigtable.Mutation, expires time.Time) { save(mut, expires.UTC()) }

func save(mut *bigtable.Mutation, expires time.Time) {
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

func timeTwoCallsUp(mut *bigtable.Mutation) {
	issue(mut, time.Now()) // want `write-time: .*"token"`
	issue(mut, time.Now().Add(time.Hour))
}

// Methods.

type store struct{ family string }

func (s store) put(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set(s.family, "value", ts, nil)
}

func receiver(mut *bigtable.Mutation) {
	store{"token"}.put(mut, bigtable.ServerTime) // want `server-timestamp: .*"token"`
	store{"profile"}.put(mut, bigtable.ServerTime)
}

// Variadic parameters.

func putAll(mut *bigtable.Mutation, ts bigtable.Timestamp, families ...string) {
	for _, f := range families {
		mut.Set(f, "value", ts, nil)
	}
}

func variadic(mut *bigtable.Mutation) {
	putAll(mut, bigtable.Now(), "profile", "token") // want `write-time: .*"token"`
	putAll(mut, bigtable.Now(), "profile", "event")
}

// A callback that chooses the timestamp.

func putBy(mut *bigtable.Mutation, ts func() bigtable.Timestamp) {
	mut.Set("token", "value", ts(), nil)
}

func callback(mut *bigtable.Mutation) {
	putBy(mut, bigtable.Now) // want `write-time: .*"token"`
	putBy(mut, func() bigtable.Timestamp { return expiry(time.Hour) })
}

// Recursion ends.

func recursive(mut *bigtable.Mutation, n int, ts bigtable.Timestamp) {
	if n == 0 {
		return
	}
	mut.Set("profile", "value", ts, nil)
	recursive(mut, n-1, ts)
}

func okRecursive(mut *bigtable.Mutation) { recursive(mut, 3, bigtable.ServerTime) }
