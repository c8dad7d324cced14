package ttlguard

import (
	"math"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// latency is how long before a request is sent its timestamps and bounds may
// have been made of the clock.
const latency = 5 * time.Second

// thisAge is how far from the clock a number can lie that is one of its
// readings.
const thisAge = 20 * 365 * 24 * time.Hour

// A moment is a timestamp on the wire, seen from now.
type moment struct {
	micros int64
	now    int64 // the clock, in microseconds
}

// clock reports whether the timestamp can be a reading of the clock, or a time
// reckoned from one.
func (m moment) clock() bool { return near(m.micros, m.now, int64(thisAge/time.Microsecond)) }

func near(a, b, within int64) bool { return a > b-within && a < b+within }

// distance is how far the timestamp lies from now, in nanoseconds.
func (m moment) distance() float64 { return float64(m.micros-m.now) * 1e3 }

// written returns the timestamp of a cell as the strategies judge it.
func (m moment) written(of strategy.Strategy) strategy.Instant {
	if !m.clock() {
		if of == strategy.Sequence && m.unit() != "" {
			return strategy.Instant{Kind: strategy.Now}
		}
		return strategy.Instant{Kind: strategy.Fixed, Micros: m.micros}
	}
	d := m.distance()
	if of == strategy.OneSecond && d <= 0 && d > -float64(latency) {
		d = 0
	}
	return strategy.Instant{Kind: strategy.Now, Lo: d, Hi: d}
}

// step is how exactly the bounds of reads are seen, in nanoseconds: far below latency, so
// that most reads are as the last was.
const step = 1e7

// bound is the distance of the bound of a read, rounded down to a step.
func (m moment) bound() float64 { return math.Floor(m.distance()/step) * step }

// start returns the start of a time range, which was made of the clock some
// time before it is sent, or not long before.
func (m moment) start() strategy.Instant {
	if !m.clock() {
		return strategy.Instant{Kind: strategy.Fixed, Micros: m.micros}
	}
	d := m.bound()
	return strategy.Instant{Kind: strategy.Now, Lo: d, Hi: d + step + float64(latency)}
}

// end returns the end of a time range, 0 for none. One that has passed has
// passed, whatever it was made of.
func (m moment) end() strategy.Instant {
	if m.micros < 1000 && m.micros >= 0 {
		return strategy.Instant{Kind: strategy.Never}
	}
	i := m.start()
	if i.Kind == strategy.Now && i.Lo <= 0 {
		i.Hi = i.Lo
	}
	return i
}

// unit names the unit in which a timestamp counts the present time, if it is
// not microseconds. As a number in a sequence it must be this very hour: a
// counter can be at any number, but hardly at that one.
func (m moment) unit() string {
	for _, u := range units {
		if near(m.micros/u.scale, m.now/1e6*u.perSecond/u.scale, 3600*u.perSecond/u.scale) {
			return u.name
		}
	}
	return ""
}

// units are those in which times since 1970 are counted, other than
// microseconds. A sequence of seconds may have been multiplied by 1000, as its
// numbers are.
var units = []struct {
	name      string
	perSecond int64
	scale     int64 // against overflow
}{
	{"seconds", 1, 1},
	{"milliseconds", 1000, 1},
	{"nanoseconds", 1e9, 1e6},
}

// countedIn names the unit of an expiry that is no time of these years in
// microseconds, but one in that unit: "" for none.
func (m moment) countedIn() string {
	year := int64(365 * 24 * 3600)
	for _, u := range units {
		if near(m.micros/u.scale, m.now/1e6*u.perSecond/u.scale, 10*year*u.perSecond/u.scale) {
			return u.name
		}
	}
	return ""
}
