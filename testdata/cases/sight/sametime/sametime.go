// Package sametime makes the timestamps of several writes of one time, each
// by a conversion of its own.
package sametime

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/sametime/moments"
)

type clock interface{ Now() time.Time }

type writer struct {
	now   func() time.Time
	clock clock
}

func local(mut *bigtable.Mutation) {
	at := time.Now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
}

func okReadTwice(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), []byte("b"))
}

func shifted(mut *bigtable.Mutation) {
	now := time.Now()
	mut.Set("token", "jwt", bigtable.Time(now.Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(now.Add(60*time.Minute)), []byte("b")) // want `same-timestamp: .*"token"`
}

func okShiftedApart(mut *bigtable.Mutation) {
	now := time.Now()
	mut.Set("token", "jwt", bigtable.Time(now.Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(now.Add(2*time.Hour)), []byte("b"))
}

func microseconds(mut *bigtable.Mutation) {
	at := time.Now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Timestamp(at.UnixMilli()*1000), []byte("a"))
	mut.Set("token", "jwt", bigtable.Timestamp(at.UnixMilli()*1000), []byte("b")) // want `same-timestamp: .*"token"`
}

func byHelpers(mut *bigtable.Mutation) {
	at := moments.Deadline()
	mut.Set("token", "jwt", moments.Stamp(at), []byte("a"))
	mut.Set("token", "jwt", moments.Stamp(at), []byte("b")) // want `same-timestamp: .*"token"`
}

func okDeadlines(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", moments.Stamp(moments.Deadline()), []byte("a"))
	mut.Set("token", "jwt", moments.Stamp(moments.Deadline()), []byte("b"))
}

func soon() time.Time { return time.Now().Add(time.Minute) }

func soonTwice(mut *bigtable.Mutation) {
	at := soon()
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
}

func okSoonTwice(mut *bigtable.Mutation) {
	a, b := soon(), soon()
	mut.Set("token", "jwt", bigtable.Time(a), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(b), []byte("b"))
}

func put(mut *bigtable.Mutation, at time.Time, value string) {
	mut.Set("token", "jwt", bigtable.Time(at), []byte(value))
}

func given(mut *bigtable.Mutation) {
	at := time.Now().Add(time.Hour)
	put(mut, at, "a")
	put(mut, at, "b") // want `same-timestamp: .*"token"`
}

func okGivenTwo(mut *bigtable.Mutation) {
	put(mut, time.Now().Add(time.Hour), "a")
	put(mut, time.Now().Add(time.Hour), "b")
}

func fresh(mut *bigtable.Mutation, value string) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), []byte(value))
}

func okFresh(mut *bigtable.Mutation) {
	fresh(mut, "a")
	fresh(mut, "b")
}

func (w *writer) byField(mut *bigtable.Mutation) {
	at := w.now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
}

func (w *writer) okByFieldTwice(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(w.now().Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(w.now().Add(time.Hour)), []byte("b"))
}

func (w *writer) byInterface(mut *bigtable.Mutation) {
	at := w.clock.Now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
}

func (w *writer) okByInterfaceTwice(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(w.clock.Now().Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(w.clock.Now().Add(time.Hour)), []byte("b"))
}

// OkClock is given what tells the time.
func OkClock(mut *bigtable.Mutation, c clock) {
	mut.Set("token", "jwt", bigtable.Time(c.Now().Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(c.Now().Add(time.Hour)), []byte("b"))
}

// OkNow is given a function that tells the time.
func OkNow(mut *bigtable.Mutation, now func() time.Time) {
	mut.Set("token", "jwt", bigtable.Time(now().Add(time.Hour)), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(now().Add(time.Hour)), []byte("b"))
}

// Now is given a function that tells the time.
func Now(mut *bigtable.Mutation, now func() time.Time) {
	at := now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
}

type session struct{ expires time.Time }

func (s *session) renew() { s.expires = time.Now().Add(time.Hour) }

// What is not known is the same all the same.
func unknown(mut *bigtable.Mutation, load func() session) {
	s := load()
	mut.Set("token", "jwt", bigtable.Time(s.expires), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(s.expires), []byte("b")) // want `same-timestamp: .*"token"`
}

func okRenewed(mut *bigtable.Mutation, s *session) {
	mut.Set("token", "jwt", bigtable.Time(s.expires), []byte("a"))
	s.renew()
	mut.Set("token", "jwt", bigtable.Time(s.expires), []byte("b"))
}

func okAssigned(mut *bigtable.Mutation) {
	at := time.Now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	at = time.Now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b"))
}

func inLiteral(mut *bigtable.Mutation) func() {
	at := time.Now().Add(time.Hour)
	return func() {
		mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
		mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
	}
}

func okByLiteral(mut *bigtable.Mutation) {
	expiry := func() time.Time { return time.Now().Add(time.Hour) }
	mut.Set("token", "jwt", bigtable.Time(expiry()), []byte("a"))
	mut.Set("token", "jwt", bigtable.Time(expiry()), []byte("b"))
}

func okOtherTurn(mut *bigtable.Mutation, more func() bool) {
	var at time.Time
	for more() {
		at = time.Now().Add(time.Hour)
		if more() {
			mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
		}
	}
	if at.IsZero() {
		return
	}
	mut.Set("token", "jwt", bigtable.Time(at), []byte("b"))
}

func eachTurn(tbl func(*bigtable.Mutation), keys []string) {
	for range keys {
		mut := bigtable.NewMutation()
		at := time.Now().Add(time.Hour)
		mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
		mut.Set("token", "jwt", bigtable.Time(at), []byte("b")) // want `same-timestamp: .*"token"`
		tbl(mut)
	}
}

func okColumns(mut *bigtable.Mutation) {
	at := time.Now().Add(time.Hour)
	mut.Set("token", "jwt", bigtable.Time(at), []byte("a"))
	mut.Set("token", "kid", bigtable.Time(at), []byte("b"))
}

func okRealTime(mut *bigtable.Mutation) {
	at := time.Now()
	mut.Set("profile", "name", bigtable.Time(at), []byte("a"))
	mut.Set("profile", "name", bigtable.Time(at), []byte("b"))
}

func stamp(ts bigtable.Timestamp) bigtable.Timestamp { return ts }

// A helper hands back what it is given.
func handedBack(mut *bigtable.Mutation, load func() session) {
	s := load()
	mut.Set("token", "jwt", stamp(bigtable.Time(s.expires)), []byte("a"))
	mut.Set("token", "jwt", stamp(bigtable.Time(s.expires)), []byte("b")) // want `same-timestamp: .*"token"`
}

func laterBy(ts bigtable.Timestamp) bigtable.Timestamp {
	return ts + 1000*bigtable.Timestamp(len(late))
}

var late []string

func okLater(mut *bigtable.Mutation, load func() session) {
	s := load()
	mut.Set("token", "jwt", laterBy(bigtable.Time(s.expires)), []byte("a"))
	late = append(late, "a")
	mut.Set("token", "jwt", laterBy(bigtable.Time(s.expires)), []byte("b"))
}

type job struct{ generation int64 }

func putStatus(mut *bigtable.Mutation, column string, ts bigtable.Timestamp) {
	mut.Set("entry", column, ts, nil)
}

// One local goes to both calls of a helper.
func throughHelper(mut *bigtable.Mutation, j *job) {
	ts := bigtable.Timestamp(j.generation * 1000)
	putStatus(mut, "phase", ts)
	putStatus(mut, "phase", ts) // want `same-timestamp: .*"entry"`
	putStatus(mut, "state", ts)
}

func okNext(mut *bigtable.Mutation, j *job) {
	putStatus(mut, "phase", bigtable.Timestamp(j.generation*1000))
	j.generation++
	putStatus(mut, "phase", bigtable.Timestamp(j.generation*1000))
}
