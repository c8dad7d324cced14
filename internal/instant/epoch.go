package instant

import (
	"math"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// earliest is the first time that bigtable.Time can convert, by way of an int64
// of nanoseconds: in the year 1678.
const earliest = math.MinInt64 / 1000

// BeforeEpoch reports whether a timestamp is a constant time before 1970 that
// bigtable.Time can convert: a negative number, which no cell can have.
func BeforeEpoch(ts *value.Value) bool {
	if _, number := ts.IsInt(); number {
		return false
	}
	latest := int64(-1000) // what lies behind is cut to 0
	ts.Walk(func(v *value.Value) {
		if v.Is("time.Date") && len(v.Args) == 8 && v.Args[7].Base().Name != "time.UTC" {
			latest = -(14 * time.Hour).Microseconds() // in a place far in the west, perhaps
		}
	})
	i := OfTimestamp(ts)
	return i.Kind == Fixed && earliest <= i.Micros && i.Micros <= latest
}
