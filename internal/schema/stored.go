package schema

import (
	"fmt"
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Sample is the timestamps of a few cells of one family, in microseconds.
type Sample struct {
	Table   string // the full name
	Family  string
	Taken   time.Time
	Micros  []int64
	Several bool // a column had several at times other than 0
}

// skew is how far clocks may differ.
const skew = 2 * time.Minute

// since2001 is the first timestamp, in microseconds, that is a time rather
// than a number.
const since2001 = int64(1e15)

// Stored reports samples that contradict the strategy of their family. What
// was not sampled may be otherwise, so that shares are named.
func Stored(model *registry.Model, samples []*Sample) []*Finding {
	var out []*Finding
	for _, s := range samples {
		table := evidence.TableID(s.Table)
		f, t := model.Family(registry.Ref{Name: table}, s.Family)
		if f == nil || len(s.Micros) == 0 {
			continue
		}
		now := s.Taken.UnixMicro()
		n := func(is func(int64) bool) (n int) {
			for _, ts := range s.Micros {
				if is(ts) {
					n++
				}
			}
			return n
		}
		number := n(func(ts int64) bool { return ts > 0 && ts < since2001 })
		zero := n(func(ts int64) bool { return ts == 0 })
		clock := n(func(ts int64) bool { return ts >= since2001 })
		past := n(func(ts int64) bool { return ts >= since2001 && ts < now-f.MaxAge.Microseconds() })
		future := n(func(ts int64) bool { return ts > now+skew.Microseconds() })
		say := func(count int, what string) {
			if count == 0 {
				return
			}
			place := evidence.Place{Address: s.Table + " family " + s.Family}
			out = append(out, &Finding{Analyzer: "ttlschema", Category: "stored", Place: place, Table: table, Family: s.Family,
				Message: fmt.Sprintf("%d of %d sampled cells of %s %s", count, len(s.Micros), name(f, t, table), what)})
		}
		switch f.Strategy {
		case registry.OneSecond:
			say(number+zero, "have a timestamp before 2001: they are no moments of expiry")
			if past == clock && future == 0 && clock > 0 {
				say(past, "lie in the past, and none in the future: they are times of writing, or nothing was written lately")
			}
		case registry.Default:
			say(number+zero, "have a timestamp before 2001: they are no times")
		case registry.Sequence:
			say(clock, "have a clock reading as timestamp: they outrank every number")
		case registry.Zero:
			what := "have a timestamp other than 0: they hide what is written at 0"
			if s.Several {
				what += ", and one column has several of them"
			}
			say(number+clock, what)
		case registry.Real:
			say(future, "lie in the future: they are moments of expiry, which the strategy does not mean")
			say(number+zero, "have a timestamp before 2001: they are no times of writing")
		}
	}
	return out
}
