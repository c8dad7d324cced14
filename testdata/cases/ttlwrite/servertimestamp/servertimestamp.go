// Package servertimestamp writes with the server's timestamp: the constant
// however it is spelled, and on each way by which it can reach Set.
package servertimestamp

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// Spellings of the constant.

const (
	serverSide                          = bigtable.ServerTime
	minusOne                            = -1
	typed            bigtable.Timestamp = -1
	tokenFamily                         = "token"
	lifetime                            = 30 * time.Minute
	sixtyFour        int64              = -1
	calculatedMinus1                    = 4 - 5
)

func plain(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okPlain(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(30*time.Minute)), nil)
}

func okOtherFamily(mut *bigtable.Mutation) {
	mut.Set("profile", "name", bigtable.ServerTime, nil)
}

func okDefaultExpiration(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.ServerTime, nil)
}

func okUnregisteredFamily(mut *bigtable.Mutation) {
	mut.Set("other", "name", bigtable.ServerTime, nil)
}

func spelledMinusOne(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", -1, nil) // want `server-timestamp: .*"token"`
}

func spelledConversion(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(-1), nil) // want `server-timestamp: .*"token"`
}

func spelledOwnConstant(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", serverSide, nil) // want `server-timestamp: .*"token"`
}

func spelledUntyped(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", minusOne, nil) // want `server-timestamp: .*"token"`
}

func spelledTyped(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", typed, nil) // want `server-timestamp: .*"token"`
}

func spelledInt64(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", bigtable.Timestamp(sixtyFour), nil) // want `server-timestamp: .*"token"`
}

func spelledCalculated(mut *bigtable.Mutation) {
	mut.Set(tokenFamily, "jwt", calculatedMinus1, nil) // want `server-timestamp: .*"token"`
}

// Families.

var families = []string{"profile", "token"}

var familyByName = map[string]string{"session": "token", "user": "profile"}

type family string

const typedFamily family = "token"

func familyLocal(mut *bigtable.Mutation) {
	fam := "token"
	mut.Set(fam, "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func familyIndexed(mut *bigtable.Mutation) {
	fam := families[1]
	mut.Set(fam, "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okFamilyIndexed(mut *bigtable.Mutation) {
	fam := families[0]
	mut.Set(fam, "name", bigtable.ServerTime, nil)
}

func familyMapped(mut *bigtable.Mutation) {
	mut.Set(familyByName["session"], "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okFamilyMapped(mut *bigtable.Mutation) {
	mut.Set(familyByName["user"], "name", bigtable.ServerTime, nil)
}

func okFamilyMappedByUnknown(mut *bigtable.Mutation, key string) {
	mut.Set(familyByName[key], "name", bigtable.ServerTime, nil)
}

func familyTyped(mut *bigtable.Mutation) {
	mut.Set(string(typedFamily), "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func familyConcatenated(mut *bigtable.Mutation) {
	const prefix = "tok"
	mut.Set(prefix+"en", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okFamilyFromEnvironment(mut *bigtable.Mutation) {
	mut.Set(os.Getenv("FAMILY"), "jwt", bigtable.ServerTime, nil)
}

// Flow.

func local(mut *bigtable.Mutation) {
	ts := bigtable.ServerTime
	mut.Set("token", "jwt", ts, nil) // want `server-timestamp: .*"token"`
}

func localTwice(mut *bigtable.Mutation) {
	ts := bigtable.ServerTime
	same := ts
	mut.Set("token", "jwt", same, nil) // want `server-timestamp: .*"token"`
}

func branch(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	if os.Getenv("SERVER_TIME") != "" {
		ts = bigtable.ServerTime
	}
	mut.Set("token", "jwt", ts, nil) // want `server-timestamp: .*"token"`
}

func switched(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	switch os.Getenv("MODE") {
	case "short":
		ts = bigtable.Time(time.Now().Add(time.Minute))
	case "long":
		ts = bigtable.Time(time.Now().Add(time.Hour))
	default:
		ts = bigtable.ServerTime
	}
	mut.Set("token", "jwt", ts, nil) // want `server-timestamp: .*"token"`
}

func okBranches(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	if os.Getenv("LONG") != "" {
		ts = bigtable.Time(time.Now().Add(10 * lifetime))
	}
	mut.Set("token", "jwt", ts, nil)
}

func okReassigned(mut *bigtable.Mutation) {
	ts := bigtable.ServerTime
	mut.Set("profile", "name", ts, nil)
	ts = bigtable.Time(time.Now().Add(lifetime))
	mut.Set("token", "jwt", ts, nil)
}

func reassigned(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	mut.Set("token", "jwt", ts, nil)
	ts = bigtable.ServerTime
	mut.Set("token", "csrf", ts, nil) // want `server-timestamp: .*"token"`
}

func okPairsOfBranch(mut *bigtable.Mutation) {
	fam, ts := "profile", bigtable.ServerTime
	if os.Getenv("LOGIN") != "" {
		fam, ts = "token", bigtable.Time(time.Now().Add(lifetime))
	}
	mut.Set(fam, "value", ts, nil)
}

func pairsOfBranch(mut *bigtable.Mutation) {
	fam, ts := "profile", bigtable.Time(time.Now().Add(lifetime))
	if os.Getenv("LOGIN") != "" {
		fam, ts = "token", bigtable.ServerTime
	}
	mut.Set(fam, "value", ts, nil) // want `server-timestamp: .*"token"`
}

func closure() func(*bigtable.Mutation) {
	ts := bigtable.ServerTime
	return func(mut *bigtable.Mutation) {
		mut.Set("token", "jwt", ts, nil) // want `server-timestamp: .*"token"`
	}
}

func okClosure() func(*bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	return func(mut *bigtable.Mutation) {
		mut.Set("token", "jwt", ts, nil)
	}
}

func closureReassigns(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	reset := func() { ts = bigtable.ServerTime }
	reset()
	mut.Set("token", "jwt", ts, nil) // want `server-timestamp: .*"token"`
}

func deferred(mut *bigtable.Mutation) {
	defer mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func inGoroutine(mut *bigtable.Mutation, done chan<- struct{}) {
	go func() {
		mut.Set("token", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
		close(done)
	}()
}

func okImmediately(mut *bigtable.Mutation) {
	func(ts bigtable.Timestamp) {
		mut.Set("token", "jwt", ts, nil)
	}(bigtable.Time(time.Now().Add(lifetime)))
}

// Guards.

func okUnknownParameter(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
}

func okGuarded(mut *bigtable.Mutation) {
	guarded(mut, bigtable.ServerTime)
	guarded(mut, bigtable.Time(time.Now().Add(2*lifetime)))
}

func guarded(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	if ts == bigtable.ServerTime {
		ts = bigtable.Time(time.Now().Add(lifetime))
	}
	mut.Set("token", "jwt", ts, nil)
}

func unguarded(mut *bigtable.Mutation) {
	withoutGuard(mut, bigtable.ServerTime) // want `server-timestamp: .*"token"`
	withoutGuard(mut, bigtable.Time(time.Now().Add(lifetime)))
}

func withoutGuard(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "csrf", ts, nil)
}

func okNegativeMeansDefault(mut *bigtable.Mutation) {
	negativeMeansDefault(mut, -1)
}

func negativeMeansDefault(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	if ts < 0 {
		ts = bigtable.Time(time.Now().Add(lifetime))
	}
	mut.Set("token", "jwt", ts, nil)
}

func okReturnsEarly(mut *bigtable.Mutation) {
	returnsEarly(mut, bigtable.ServerTime)
}

func returnsEarly(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	if ts == bigtable.ServerTime {
		return
	}
	mut.Set("token", "jwt", ts, nil)
}

func okChosenByUnknownParameter(mut *bigtable.Mutation, serverTime bool) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	if serverTime {
		ts = bigtable.ServerTime
	}
	mut.Set("token", "jwt", ts, nil)
}

func okChoosesTheRightOne(mut *bigtable.Mutation) {
	chosen(mut, false)
}

func choosesTheWrongOne(mut *bigtable.Mutation) {
	chosen(mut, true) // want `server-timestamp: .*"token"`
}

func chosen(mut *bigtable.Mutation, serverTime bool) {
	ts := bigtable.Time(time.Now().Add(lifetime))
	if serverTime {
		ts = bigtable.ServerTime
	}
	mut.Set("token", "jwt", ts, nil)
}
