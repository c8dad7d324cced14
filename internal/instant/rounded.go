package instant

import (
	"math"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// rounded reads Truncate or Round: of a constant by what exact does, of another number by
// how far it may move that. They round to nothing that is not positive.
func rounded(class value.Class, down, up float64, exact func(n float64, unit time.Duration) float64) operation {
	return func(a []*value.Value, _ value.Class) linear {
		n, d := number(a[0], class), number(a[1], value.Duration)
		switch {
		case !d.isConst():
			return n.blurred(math.Inf(1), math.Inf(1))
		case n.isConst() && math.Abs(n.lo) < math.MaxInt64:
			return constant(exact(n.lo, time.Duration(d.lo)))
		}
		unit := max(d.lo, 0)
		return n.blurred(unit*down, unit*up)
	}
}

// ofTime is a method that rounds times, which counts from the year 1, over nanoseconds
// since 1970.
func ofTime(round func(time.Time, time.Duration) time.Time) func(float64, time.Duration) float64 {
	return func(n float64, unit time.Duration) float64 {
		return sinceEpoch(round(time.UnixMicro(micros(n*1e-3)), unit))
	}
}

func ofDuration(round func(time.Duration, time.Duration) time.Duration) func(float64, time.Duration) float64 {
	return func(n float64, unit time.Duration) float64 { return float64(round(time.Duration(n), unit)) }
}

func sinceEpoch(t time.Time) float64 { return float64(t.Unix())*1e9 + float64(t.Nanosecond()) }
