package strategy

import (
	"math"
	"time"
)

// A Kind says what an Instant is known to be.
type Kind uint8

// The kinds.
const (
	Unknown   Kind = iota // nothing certain
	Never                 // the zero time.Time
	Fixed                 // a constant: Micros
	Now                   // the clock at the time of the call, plus Lo to Hi
	Counter               // a number that grows by Step from one use to the next
	WrongUnit             // a clock reading, time or duration in a unit that is not microseconds: Unit
)

// An Instant is what is known of a time.Time or of a bigtable.Timestamp.
type Instant struct {
	Kind   Kind
	Micros int64 // of Fixed: microseconds since 1970
	// Lo and Hi bound, of Now, the distance from the clock in nanoseconds.
	// They are infinite where it is not known, and equal where it is known
	// exactly.
	Lo, Hi float64
	// Once reports, of Now, that the clock was read once, and the reading kept.
	Once bool
	Step float64 // of Counter; of what is not known, where a counter is added to it
	Unit string  // of WrongUnit: the unit that was found, such as "seconds"
}

// Past returns a time before which every constant timestamp has expired. It is
// fixed, so that findings do not come with the passing of time.
func Past() time.Time { return past }

var past = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Exact reports whether i is the clock plus exactly d.
func (i Instant) Exact() (d time.Duration, ok bool) {
	if i.Kind != Now || i.Lo != i.Hi {
		return 0, false
	}
	return time.Duration(math.Round(i.Lo)), true
}

// never is how far ahead a time lies that stands for one which does not come.
const never = 10 * 365 * 24 * time.Hour

// Stale reports whether i is counted from a clock reading that was kept, and so near that
// it matters when that was.
func (i Instant) Stale() bool { return i.Once && !(i.Kind == Now && i.Lo >= float64(never)) }

// Clock reports whether i is read from the clock, however far from it.
func (i Instant) Clock() bool { return i.Kind == Now }

// Bounded reports whether the distance of i from the clock has known bounds
// on both sides.
func (i Instant) Bounded() bool {
	return i.Kind == Now && !math.IsInf(i.Lo, 0) && !math.IsInf(i.Hi, 0)
}

// Server reports whether i is the constant -1, with which the server takes
// the time of writing.
func (i Instant) Server() bool { return i.Kind == Fixed && i.Micros == -1 }
