//go:build go1.25

package ttl

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"cloud.google.com/go/bigtable"
)

func TestPlainFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock stands still
		now := bigtable.Now()
		for _, test := range []struct {
			name      string
			got, want bigtable.Timestamp
		}{
			{"in an hour", ExpiresIn(time.Hour), now + 3600e6},
			{"in a millisecond", ExpiresIn(time.Millisecond), now + 1000},
			{"in less", ExpiresIn(time.Millisecond - 1), rejected},
			{"in no time", ExpiresIn(0), rejected},
			{"before now", ExpiresIn(-time.Hour), rejected},
			{"in 292 years", ExpiresIn(math.MaxInt64), rejected},
			{"at", ExpiresAt(someTime), bigtable.Timestamp(someTime.UnixMilli() * 1000)},
			{"at a past time", ExpiresAt(time.Unix(1, 0)), 1e6},
			{"at the zero time", ExpiresAt(time.Time{}), rejected},
			{"before 1970", ExpiresAt(time.Unix(-1, 0)), rejected},
			{"number 0", SequenceNumber(0), 0},
			{"number 1", SequenceNumber(1), 1000},
			{"last number", SequenceNumber(maxNumber), maxNumber * 1000},
			{"too large a number", SequenceNumber(maxNumber + 1), rejected},
			{"negative number", SequenceNumber(-1), rejected},
		} {
			if test.got != test.want {
				t.Errorf("%s: got %d, want %d", test.name, test.got, test.want)
			}
		}
	})
}
