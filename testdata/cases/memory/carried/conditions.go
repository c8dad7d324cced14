package carried

import (
	"os"

	"cloud.google.com/go/bigtable"
)

func asked(name string) bool { return os.Getenv(name) != "" }

func either(first bool, a, b bigtable.Timestamp) bigtable.Timestamp {
	if first {
		return a
	}
	return b
}

// What a function literal reads was stored under a condition of the function around it.
func storedUnderCondition(mut *bigtable.Mutation) {
	last := asked("LAST")
	b := &box{}
	b.ts = either(last, later(), bigtable.Now())
	mut.Set("token", "a", either(last, func() bigtable.Timestamp { return b.ts }(), later()), nil)
	mut.Set("token", "b", either(last, later(), func() bigtable.Timestamp { return b.ts }()), nil) // want `write-time`
}

// What stands in one branch, however deep, is run together or not at all.
func skippedTogether(mut *bigtable.Mutation) {
	first, second := &box{ts: later()}, &box{ts: bigtable.Now()}
	one := &first
	if asked("IN") {
		if asked("DEEPER") {
			*one = second
			(*one).ts = later()
		}
	}
	mut.Set("token", "a", (*one).ts, nil)
}

func skippedApart(mut *bigtable.Mutation) {
	first, second := &box{ts: later()}, &box{ts: bigtable.Now()}
	one := &first
	if asked("IN") {
		if asked("DEEPER") {
			*one = second
		}
		second.ts = later()
	}
	mut.Set("token", "a", (*one).ts, nil)
	mut.Set("token", "b", second.ts, nil) // want `write-time`
}
