// Package wrongbase adds the default lifetime to a timestamp to which garbage
// collection adds it again.
package wrongbase

import (
	"time"

	"cloud.google.com/go/bigtable"
)

const lifetime = 720 * time.Hour

func twice(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(lifetime)), nil) // want `wrong-base: .*"event"`
}

func okNow(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Now(), nil)
}

func okShorter(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(time.Hour-lifetime)), nil)
}

func okLonger(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.Time(time.Now().Add(2*lifetime-lifetime/2)), nil)
}

func okOneSecond(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(30*time.Minute)), nil)
}
