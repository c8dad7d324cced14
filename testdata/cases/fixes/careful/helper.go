package careful

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// The helper writes an ordinary family with the same timestamp.
func both(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
	mut.Set("profile", "name", ts, nil)
}

func token(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "jwt", ts, nil)
}

func at(mut *bigtable.Mutation, now time.Time) {
	mut.Set("token", "jwt", bigtable.Time(now), nil)
	println(now.String())
}

func helped(mut *bigtable.Mutation) {
	both(mut, bigtable.Time(time.Now()))  // want `write-time: .*"token"`
	token(mut, bigtable.Time(time.Now())) // want `write-time: .*"token"`
	at(mut, time.Now())                   // want `write-time: .*"token"`
}
