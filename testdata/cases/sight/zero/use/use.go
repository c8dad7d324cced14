// Package use supplies the zero time from elsewhere.
package use

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/zero"
)

func never(mut *bigtable.Mutation) {
	zero.Put(mut, time.Time{}) // want `^out-of-range: .*rejects`
}

func okNow(mut *bigtable.Mutation) {
	zero.Put(mut, time.Now())
}
