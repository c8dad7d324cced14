package instant

import (
	"math"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// future is later than any reading of the clock.
var future = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// extreme reads min, of sign −1, and max: of numbers that are apart by a constant, and
// of those of which one lies before the other whenever the clock is read. The later of a
// reading of the clock and of what is not known is no earlier than the reading.
func extreme(name string, sign float64) operation {
	return func(a []*value.Value, class value.Class) linear {
		most := number(a[0], class)
		for _, v := range a[1:] {
			n := number(v, class)
			switch lo, hi := n.plus(most, -1).scaled(sign).bounds(); {
			case lo >= 0:
				most = n
			case hi <= 0:
			case n.apart(most):
				most.lo = sign * math.Max(sign*most.lo, sign*n.lo)
				most.hi = sign * math.Max(sign*most.hi, sign*n.hi)
			default:
				m, ok := most.orLater()
				if !ok {
					m, ok = n.orLater()
				}
				if !ok || name != value.Max {
					return leaf(value.Apply(name, a...), class)
				}
				most = m
			}
		}
		return most
	}
}

// apart reports whether n and m differ by a constant.
func (n linear) apart(m linear) bool {
	d := n.plus(m, -1)
	return !d.bad && len(d.terms) == 0
}

// orLater returns n, the clock as it is now and so far from it, where what is not known
// may take its place if it is later; ok is false of other numbers. The earlier of both
// need not come from the clock.
func (n linear) orLater() (m linear, ok bool) {
	ok = !n.bad && len(n.terms) == 1 && n.terms[term{of: theClock}] > 0 && !math.IsInf(n.lo, 0)
	return n.blurred(0, math.Inf(1)), ok
}

// bounds returns what a number lies between whenever the clock is read, and at
// infinity where that is not known.
func (n linear) bounds() (lo, hi float64) {
	lo, hi = n.lo, n.hi
	for t, k := range n.terms {
		if t.of != theClock {
			return math.Inf(-1), math.Inf(1)
		}
		from, to := k*float64(strategy.Past().UnixNano()), k*float64(future.UnixNano())
		lo, hi = lo+math.Min(from, to), hi+math.Max(from, to)
	}
	if n.bad || math.IsNaN(lo) || math.IsNaN(hi) {
		return math.Inf(-1), math.Inf(1)
	}
	return lo, hi
}
