// Package alreadyexpired writes with timestamps that have expired before the
// write, in families with one-second and with default expiration.
package alreadyexpired

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

const month = 720 * time.Hour

// One-second expiration.

func zero(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", 0, nil) // want `already-expired: .*"token"`
}

func zeroVariable(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	mut.Set("token", "jwt", ts, nil) // want `already-expired: .*"token"`
}

func constant(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(1500000000000000), nil) // want `already-expired: .*"token"`
}

func smallConstant(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", 1000, nil) // want `already-expired: .*"token"`
}

func date(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)), nil) // want `already-expired: .*"token"`
}

func truncatedDate(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Date(2019, 1, 1, 12, 41, 34, 0, time.UTC).Truncate(time.Hour)), nil) // want `already-expired: .*"token" .*2019-01-01T12:00:00Z`
}

func millisecondsOfDate(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Date(2019, 1, 1, 12, 41, 34, 0, time.UTC)).TruncateToMilliseconds(), nil) // want `already-expired: .*"token"`
}

func okTruncatedDateToCome(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Date(2219, 1, 1, 12, 41, 34, 0, time.UTC).Truncate(time.Hour)), nil)
}

func epoch(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Unix(0, 0)), nil) // want `already-expired: .*"token"`
}

func zeroTime(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Time{}), nil) // want `already-expired: .*"token"`
}

func zeroTimeVariable(mut *bigtable.Mutation) {
	var expires time.Time
	mut.Set("token", "jwt", bigtable.Time(expires), nil) // want `already-expired: .*"token"`
}

func zeroTimeOnOneBranch(mut *bigtable.Mutation) {
	var expires time.Time
	if os.Getenv("EXPIRES") != "" {
		expires = time.Now().Add(time.Hour)
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil) // want `already-expired: .*"token"`
}

func zeroTimeField(mut *bigtable.Mutation) {
	s := session{id: "x"}
	mut.Set("token", "jwt", bigtable.Time(s.expires), nil) // want `already-expired: .*"token"`
}

type session struct {
	id      string
	expires time.Time
}

func okFieldOfParameter(mut *bigtable.Mutation, s session) {
	mut.Set("token", "jwt", bigtable.Time(s.expires), nil)
}

func nowMinus(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(-time.Hour)), nil) // want `already-expired: .*"token"`
}

func nowMinusDays(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().AddDate(0, 0, -1)), nil) // want `already-expired: .*"token"`
}

func nowMinusMicroseconds(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now()-60_000_000, nil) // want `already-expired: .*"token"`
}

func okPlusThenMinus(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour).Add(-time.Minute)), nil)
}

func okFarFuture(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC)), nil)
}

func okFarFutureConstant(mut *bigtable.Mutation) {
	const never bigtable.Timestamp = 7_226_582_400_000_000 // 2199-01-01
	mut.Set("token", "jwt", never, nil)
}

func okZeroElsewhere(mut *bigtable.Mutation) {
	mut.Set("profile", "name", 0, nil)
	mut.Set("latest", "price", 0, nil)
}

func okFarFutureTimeUnix(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Unix(7226582400, 0)), nil)
}

// Default expiration, 720h: the timestamp may lie in the past, but not by as
// much as the lifetime.

func okDefaultNow(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Now(), nil)
}

func okDefaultShorter(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(-month+time.Hour)), nil)
}

func okDefaultSlightlyBack(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(-24*time.Hour)), nil)
}

func okDefaultLonger(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(24*time.Hour)), nil)
}

func okDefaultUnknownLifetime(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(ttl-month)), nil)
}

func defaultBackByTTL(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(-month)), nil) // want `already-expired: .*"event"`
}

func defaultBackByMore(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().AddDate(-1, 0, 0)), nil) // want `already-expired: .*"event"`
}

func defaultZero(mut *bigtable.Mutation) {
	mut.Set("event", "url", 0, nil) // want `already-expired: .*"event"`
}

func defaultOldDate(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Date(2015, 6, 1, 0, 0, 0, 0, time.UTC)), nil) // want `already-expired: .*"event"`
}

func defaultOldSeconds(mut *bigtable.Mutation) {
	imported := time.Unix(1400000000, 0)
	mut.Set("event", "url", bigtable.Time(imported), nil) // want `already-expired: .*"event"`
}

func okDefaultEventTime(mut *bigtable.Mutation, at time.Time) {
	mut.Set("event", "url", bigtable.Time(at), nil)
}
