// Package writetime writes with the current time into families whose
// timestamp is the moment of expiry.
package writetime

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

func now(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now(), nil) // want `write-time: .*"token"`
}

func timeNow(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now()), nil) // want `write-time: .*"token"`
}

func okNowPlus(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

func okNowPlusMicroseconds(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now()+bigtable.Timestamp(time.Hour.Microseconds()), nil)
}

func okNowPlusDays(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().AddDate(0, 0, 7)), nil)
}

func okDefaultExpiration(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Now(), nil)
}

func okReal(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.Now(), nil)
}

func utc(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().UTC()), nil) // want `write-time: .*"token"`
}

func micros(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(time.Now().UnixMicro()), nil) // want `write-time: .*"token"`
}

func nanosDivided(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(time.Now().UnixNano()/1000), nil) // want `write-time: .*"token"`
}

func millisScaled(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(time.Now().UnixMilli()*1000), nil) // want `write-time: .*"token"`
}

func truncated(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Now().TruncateToMilliseconds(), nil) // want `write-time: .*"token"`
}

func plusNothing(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(0)), nil) // want `write-time: .*"token"`
}

// The most common form: one local for all writes of the function.
func local(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	mut.Set("profile", "name", ts, nil)
	mut.Set("profile", "mail", ts, nil)
	mut.Set("token", "jwt", ts, nil) // want `write-time: .*"token"`
}

func localTime(mut *bigtable.Mutation) {
	now := time.Now()
	mut.Set("profile", "name", bigtable.Time(now), nil)
	mut.Set("token", "jwt", bigtable.Time(now), nil) // want `write-time: .*"token"`
	mut.Set("token", "csrf", bigtable.Time(now.Add(time.Hour)), nil)
}

func okLifetimeParameter(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
}

func okExpiryParameter(mut *bigtable.Mutation, expires time.Time) {
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

type session struct {
	expires time.Time
	issued  time.Time
}

func okExpiryField(mut *bigtable.Mutation, s *session) {
	mut.Set("token", "jwt", bigtable.Time(s.expires), nil)
}

// A field that only ever holds the current time.
func login() *session {
	return &session{issued: time.Now(), expires: time.Now().Add(time.Hour)}
}

func issuedField(mut *bigtable.Mutation) {
	s := login()
	mut.Set("token", "jwt", bigtable.Time(s.issued), nil) // want `write-time: .*"token"`
	mut.Set("token", "csrf", bigtable.Time(s.expires), nil)
}

func branch(mut *bigtable.Mutation) {
	expires := time.Now()
	if os.Getenv("REMEMBER") != "" {
		expires = expires.Add(time.Hour)
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil) // want `write-time: .*"token"`
}

func okAddsOnEveryBranch(mut *bigtable.Mutation) {
	expires := time.Now()
	if os.Getenv("REMEMBER") != "" {
		expires = expires.Add(time.Hour)
	} else {
		expires = expires.Add(time.Minute)
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

func okGuardedZeroTime(mut *bigtable.Mutation) {
	until(mut, time.Time{})
}

func until(mut *bigtable.Mutation, expires time.Time) {
	if expires.IsZero() {
		expires = time.Now().Add(time.Hour)
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

func guardedIntoNow(mut *bigtable.Mutation) {
	orNow(mut, time.Time{}) // want `write-time: .*"token"`
	orNow(mut, time.Now().Add(time.Hour))
}

func orNow(mut *bigtable.Mutation, expires time.Time) {
	if expires.IsZero() {
		expires = time.Now()
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

// Zero times of a variable that gets a value later.
func okDeclaredFirst(mut *bigtable.Mutation, long bool) {
	var expires time.Time
	if long {
		expires = time.Now().Add(time.Hour)
	} else {
		expires = time.Now().Add(time.Minute)
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

func clockPassedIn(mut *bigtable.Mutation) {
	stamp(mut, time.Now())                // want `write-time: .*"token"`
	stamp(mut, time.Now().Add(time.Hour)) // a deadline
}

func stamp(mut *bigtable.Mutation, t time.Time) {
	mut.Set("token", "jwt", bigtable.Time(t), nil)
}

// A clock that nobody in view gives is one by its name.
type clock interface{ Now() time.Time }

func ownClock(mut *bigtable.Mutation, c clock) {
	mut.Set("token", "jwt", bigtable.Time(c.Now()), nil) // want `write-time`
}
