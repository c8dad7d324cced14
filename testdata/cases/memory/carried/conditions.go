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
