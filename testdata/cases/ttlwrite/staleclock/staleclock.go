// Package staleclock writes with clock readings that were taken once.
package staleclock

import (
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/cases/ttlwrite/staleclock/clock"
)

var (
	started = time.Now()
	stamp   = bigtable.Now()
	expiry  = bigtable.Time(time.Now().Add(time.Hour))
	utc     = now().UTC()
	value   = sync.OnceValue(func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) })
	direct  = sync.OnceValue(time.Now)
	boot    = struct{ at time.Time }{time.Now()}
)

func now() time.Time { return time.Now() }

func declared(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(started.Add(time.Hour)), nil) // want `stale-clock: .*"token"`
	mut.Set("token", "id", expiry, nil)                                 // want `stale-clock: .*"token"`
	mut.Set("token", "at", stamp+3600e6, nil)                           // want `stale-clock: .*"token"`
	mut.Set("token", "by", bigtable.Time(utc.Add(time.Hour)), nil)      // want `stale-clock: .*"token"`
	mut.Set("token", "n", bigtable.Time(boot.at.Add(time.Hour)), nil)   // want `stale-clock: .*"token"`
}

// It outranks write-time: the current time is not what is written.
func plusNothing(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", stamp, nil) // want `stale-clock: .*"token"`
}

func unknownLifetime(mut *bigtable.Mutation, ttl time.Duration) {
	mut.Set("token", "jwt", bigtable.Time(started.Add(ttl)), nil) // want `stale-clock: .*"token"`
}

// A time before the start of the program is past anyway.
func before(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(started.Add(-time.Hour)), nil) // want `already-expired: .*"token"`
}

// With default expiration the lifetime runs from the timestamp too.
func defaultExpiration(mut *bigtable.Mutation) {
	mut.Set("event", "url", stamp, nil)                                 // want `stale-clock: .*"event"`
	mut.Set("event", "at", bigtable.Time(started.Add(-time.Hour)), nil) // want `stale-clock: .*"event"`
}

var inInit, inOnce, byName time.Time

func init() { inInit = time.Now() }

var once sync.Once

func load() { byName = time.Now() }

func assigned(mut *bigtable.Mutation) {
	once.Do(func() { inOnce = time.Now() })
	once.Do(load)
	mut.Set("token", "jwt", bigtable.Time(inInit.Add(time.Hour)), nil) // want `stale-clock: .*"token"`
	mut.Set("token", "id", bigtable.Time(inOnce.Add(time.Hour)), nil)  // want `stale-clock: .*"token"`
	mut.Set("token", "at", bigtable.Time(byName.Add(time.Hour)), nil)  // want `stale-clock: .*"token"`
}

func onceValues(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", value(), nil)                               // want `stale-clock: .*"token"`
	mut.Set("token", "id", bigtable.Time(direct().Add(time.Hour)), nil) // want `stale-clock: .*"token"`
}

func otherPackage(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(clock.Started.Add(time.Hour)), nil) // want `stale-clock: .*"token"`
	mut.Set("token", "id", clock.Stamp+3600e6, nil)                           // want `stale-clock: .*"token"`
	mut.Set("token", "at", bigtable.Time(clock.First().Add(time.Hour)), nil)  // want `stale-clock: .*"token"`
}

// The call that supplies the reading is where it is wrong.
func put(mut *bigtable.Mutation, at time.Time) {
	mut.Set("token", "jwt", bigtable.Time(at.Add(time.Hour)), nil)
}

func puts(mut *bigtable.Mutation) {
	put(mut, started) // want `stale-clock: .*"token"`
	put(mut, time.Now())
}

func raw() *bigtablepb.Mutation_SetCell {
	return &bigtablepb.Mutation_SetCell{FamilyName: "token", TimestampMicros: started.Add(time.Hour).UnixMicro()} // want `stale-clock: .*"token"`
}

// What is not one-second or default expiration has rules of its own.
func others(mut *bigtable.Mutation) {
	mut.Set("entry", "n", stamp, nil)  // want `clock-in-sequence: .*"entry"`
	mut.Set("latest", "n", stamp, nil) // want `clock-in-zero: .*"latest"`
}

func okReal(mut *bigtable.Mutation) {
	mut.Set("profile", "name", stamp, nil)
}

func okRead(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), nil)
}

// A variable that holds the clock, not a reading of it.
var clockFunc = time.Now

func okFunction(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(clockFunc().Add(time.Hour)), nil)
}

// Something may refresh what is assigned again, by whoever calls a function
// that is not known to run once, in a goroutine, after a reset.
var refreshed, ticking, reset = time.Now(), time.Time{}, time.Time{}

var again sync.Once

func init() {
	go func() {
		for {
			ticking = time.Now()
			time.Sleep(time.Second)
		}
	}()
}

func refresh() {
	refreshed = time.Now()
	again = sync.Once{}
}

func okRefreshed(mut *bigtable.Mutation) {
	again.Do(func() { reset = time.Now() })
	mut.Set("token", "jwt", bigtable.Time(refreshed.Add(time.Hour)), nil)
	mut.Set("token", "id", bigtable.Time(ticking.Add(time.Hour)), nil)
	mut.Set("token", "at", bigtable.Time(reset.Add(time.Hour)), nil)
	mut.Set("token", "by", bigtable.Time(clock.Ticking.Add(time.Hour)), nil)
}

// An object may be made for one request, with its sync.Once and its clock.
type request struct {
	once  sync.Once
	at    time.Time
	first func() time.Time
}

func newRequest() *request { return &request{at: time.Now(), first: sync.OnceValue(time.Now)} }

func (r *request) okField(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(r.at.Add(time.Hour)), nil)
	mut.Set("token", "id", bigtable.Time(r.first().Add(time.Hour)), nil)
}

var perRequest time.Time

func (r *request) okOnce(mut *bigtable.Mutation) {
	r.once.Do(func() { perRequest = time.Now() })
	mut.Set("token", "jwt", bigtable.Time(perRequest.Add(time.Hour)), nil)
}

// A deadline by the time that has passed is made of the clock of now.
func okElapsed(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Since(started))), nil)
}

// A time from elsewhere.
var configured, _ = time.Parse(time.RFC3339, "2050-01-01T00:00:00Z")

func okConfigured(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(configured), nil)
}

// A table of rows is filled when the program starts.
type fixture struct {
	column string
	ts     bigtable.Timestamp
}

var fixtures = []fixture{{"a", bigtable.Now()}, {"b", bigtable.Now()}}

func seed(mut *bigtable.Mutation) {
	for _, f := range fixtures {
		mut.Set("ticket", f.column, f.ts, nil) // want `stale-clock: .*"ticket"`
	}
}

var columns = []struct {
	name string
	at   func() time.Time
}{{"a", time.Now}}

func okEach(mut *bigtable.Mutation) {
	for _, c := range columns {
		mut.Set("ticket", c.name, bigtable.Time(c.at().Add(15*time.Minute)), nil)
	}
}
