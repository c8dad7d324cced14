// Package instant reads abstract values as moments: a constant, the clock
// plus so much, a counter. It is the time domain on which the rules and the
// filter algebra judge timestamps.
package instant

import (
	"math"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A Kind says what an Instant is known to be.
type Kind = strategy.Kind

// The kinds.
const (
	Unknown   = strategy.Unknown
	Zero      = strategy.Never
	Fixed     = strategy.Fixed
	Now       = strategy.Now
	Counter   = strategy.Counter
	WrongUnit = strategy.WrongUnit
)

// An Instant is what is known of a time.Time or of a bigtable.Timestamp.
type Instant = strategy.Instant

// OfTime reads a value of type time.Time.
func OfTime(v *value.Value) Instant {
	v = v.Base()
	if z := unlocated(v); z.Is(value.ZeroTime) || z.Is(value.Zero) {
		return Instant{Kind: Zero}
	}
	return number(v, value.Time).scaled(1e-3).instant()
}

// keepsZero are the methods that return the zero time for the zero time.
var keepsZero = map[string]bool{
	"time.Time.UTC": true, "time.Time.Local": true, "time.Time.In": true, "time.Time.Truncate": true, "time.Time.Round": true,
}

// unlocated returns the time of which methods that keep the zero time as it is
// are called.
func unlocated(v *value.Value) *value.Value {
	for v.Kind == value.Call && keepsZero[v.Name] && len(v.Args) > 0 {
		v = v.Args[0].Base()
	}
	return v
}

// OfTimestamp reads a value of type bigtable.Timestamp, or an int64 of
// microseconds.
func OfTimestamp(v *value.Value) Instant {
	v = v.Base()
	if n, ok := v.IsInt(); ok {
		return Instant{Kind: Fixed, Micros: n}
	}
	if v.Is("bigtable.Time") {
		if i := OfTime(v.Args[0]); i.Kind == Zero || i.Kind == Fixed {
			return i
		}
	}
	return number(v, value.NoClass).instant()
}

// OfDuration reads a value of type time.Duration. ok reports whether it is a
// constant.
func OfDuration(v *value.Value) (d time.Duration, ok bool) {
	if b := v.Base(); b.Kind == value.Int {
		return time.Duration(b.Num), true
	}
	n := number(v.Base(), value.Duration)
	if n.bad || len(n.terms) > 0 || n.lo != n.hi || math.Abs(n.lo) >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(n.lo), true
}

// instant classifies a number of microseconds.
func (n linear) instant() Instant {
	var now, kept, times, counters, others float64
	var step float64
	var counted linear
	wrong := ""
	for t, c := range n.terms {
		switch t.of {
		case theClock:
			if t.key == once {
				kept = c
			} else {
				now = c
			}
		case aTime:
			times++
			wrong = first(wrong, unitOfTime(c))
		case aDuration:
			others++
			wrong = first(wrong, unitOfDuration(c))
		case aCounter:
			counters++
			if s := math.Abs(c * t.step); step == 0 || math.Mod(step, 1000) == 0 && math.Mod(s, 1000) != 0 {
				step = s
			}
			// A counter that grows moves the number one way.
			from, to := c*t.from, math.Inf(1)
			if c*t.step < 0 {
				to = math.Inf(-1)
			}
			if t.from == math.Inf(-1) {
				from = -to
			}
			counted.lo += math.Min(from, to)
			counted.hi += math.Max(from, to)
		default:
			others++
		}
	}
	if kept != 0 && now != 0 {
		others++ // the time that has passed since
	} else if kept != 0 {
		i := n.read("").instant()
		i.Once = i.Kind == Now
		return i
	}
	if now != 0 {
		wrong = first(unitOfTime(now), wrong)
	}
	switch {
	case n.bad:
	case wrong != "":
		return Instant{Kind: WrongUnit, Unit: wrong}
	case now != 0 && math.Abs(now-1e-3) > 1e-12:
		return Instant{} // the clock backwards, or a multiple of it
	case len(n.terms) == 0 && n.lo == n.hi:
		return Instant{Kind: Fixed, Micros: micros(n.lo)}
	case counters > 0 && len(n.terms) == int(counters):
		return Instant{Kind: Counter, Step: step}
	case counters > 0 && n.onlyNumbers():
		return Instant{Step: step}
	case now != 0 && times == 0 && counters == 0 && others == 0:
		return Instant{Kind: Now, Lo: n.lo * 1e3, Hi: n.hi * 1e3}
	case now != 0 && times == 0 && others == 0:
		return Instant{Kind: Now, Lo: (n.lo + counted.lo) * 1e3, Hi: (n.hi + counted.hi) * 1e3}
	case now != 0 && times == 0:
		return Instant{Kind: Now, Lo: math.Inf(-1), Hi: math.Inf(1)}
	}
	return Instant{}
}

// onlyNumbers reports whether no clock and no time goes into a number, and no
// length.
func (n linear) onlyNumbers() bool {
	for t := range n.terms {
		if t.of != aNumber && t.of != aCounter || strings.HasPrefix(t.key, "len ") {
			return false
		}
	}
	return true
}

// micros returns a constant number of microseconds. Beyond 2^50 the sum of
// nanoseconds that it comes from is exact to a microsecond only: what lies
// that near a millisecond is one.
func micros(f float64) int64 {
	n := int64(math.Round(f))
	if n > 1<<50 || n < -1<<50 {
		if near := int64(math.Round(f/1000)) * 1000; near-n == 1 || n-near == 1 {
			return near
		}
	}
	return n
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// unitOfTime names the unit in which a time since 1970 is counted when
// c of it make a nanosecond, or "" for microseconds and for what is no unit:
// a negative count is a reversed timestamp, which is deliberate.
func unitOfTime(c float64) string { return unit(c) }

// unitOfDuration is like unitOfTime for a duration that is added.
func unitOfDuration(c float64) string { return unit(math.Abs(c)) }

func unit(c float64) string {
	for _, u := range []struct {
		scale float64
		name  string
	}{{1, "nanoseconds"}, {1e-6, "milliseconds"}, {1e-9, "seconds"}} {
		if math.Abs(c-u.scale) < u.scale*1e-9 {
			return u.name
		}
	}
	return ""
}
