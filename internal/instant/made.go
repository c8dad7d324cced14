package instant

import (
	"math"

	"github.com/ttlvet/ttlvet/internal/value"
)

// MadeOfTime reports whether a timestamp is bigtable.Time of a time that is no
// number in disguise, whatever it is: a parameter, what was decoded, a date.
func MadeOfTime(v *value.Value) bool {
	n, ok := converted(v)
	var times float64
	for t, c := range n.terms {
		if t.of == aTime && t.date {
			times += c
		}
	}
	dated := false
	v.Walk(func(w *value.Value) { dated = dated || w.Is("time.Date") })
	return ok && (dated && n.isConst() || math.Abs(times-1e-3) < 1e-12)
}

// MadeOfNumber reports whether a timestamp is bigtable.Time of a time that was
// made of a number.
func MadeOfNumber(v *value.Value) bool {
	n, ok := converted(v)
	for t := range n.terms {
		ok = ok && (t.of == aNumber || t.of == aCounter)
	}
	return ok && !MadeOfTime(v)
}

// converted reads a timestamp that bigtable.Time makes.
func converted(v *value.Value) (n linear, ok bool) {
	v.Walk(func(w *value.Value) { ok = ok || w.Is("bigtable.Time") })
	n = number(v.Base(), value.NoClass)
	return n, ok && !n.bad
}

// Scaled reports whether a timestamp is a number of milliseconds that no
// clock and no time goes into: n * 1000, whatever n is, also where n is a
// bigtable.Timestamp already.
func Scaled(v *value.Value) bool {
	n := number(v.Base(), value.NoClass)
	if n.bad || len(n.terms) == 0 || n.lo != n.hi || math.Mod(n.lo, 1000) != 0 {
		return false
	}
	for t, c := range n.terms {
		converted := t.of == aTime && !t.date && math.Abs(c-1) < 1e-9
		if !converted && (t.of != aNumber && t.of != aCounter || math.Mod(c, 1000) != 0) {
			return false
		}
	}
	return true
}

// CountsOn reports whether a timestamp is another and a number that is no multiple
// of 1000: the next after a cell's, by one.
func CountsOn(v *value.Value) bool {
	n := number(v.Base(), value.NoClass)
	if n.bad || len(n.terms) != 1 || n.lo != n.hi || math.Mod(n.lo, 1000) == 0 {
		return false
	}
	for t, c := range n.terms {
		return t.of == aTime && math.Abs(c-1e-3) < 1e-12
	}
	return false
}
