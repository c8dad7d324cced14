package instant

import (
	"math"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// inUnit keeps the unit of a time that was made from a number of which nothing
// is known: what time.Unix(n, 0).Unix() returns counts seconds.
func inUnit(op operation, scale float64) operation {
	return func(a []*value.Value, c value.Class) linear {
		n := number(a[0], value.Time)
		numbers := len(n.terms) > 0
		for t := range n.terms {
			numbers = numbers && t.of == aNumber
		}
		if numbers && !n.bad {
			return atom(term{of: aTime, key: identity(a[0])}).scaled(scale)
		}
		return op(a, c)
	}
}

// date reads time.Date: of constants, or of the parts of a time. The location
// of constants moves them by half a day at most, which no rule depends on.
func date(a []*value.Value, _ value.Class) linear {
	var n [7]int
	for i := range n {
		c, ok := a[i].IsInt()
		if !ok {
			return dateOf(a)
		}
		n[i] = int(c)
	}
	return constant(sinceEpoch(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6], time.UTC)))
}

// The parts of a time, the largest first, with how long they last at least
// and at most.
var parts = []struct {
	name        string
	first       int64 // the number of the first
	short, long float64
}{
	{"time.Time.Year", 0, 365 * day, 366 * day},
	{"time.Time.Month", 1, 28 * day, 31 * day},
	{"time.Time.Day", 1, day, day},
	{"time.Time.Hour", 0, 3600e9, 3600e9},
	{"time.Time.Minute", 0, 60e9, 60e9},
	{"time.Time.Second", 0, 1e9, 1e9},
	{"time.Time.Nanosecond", 0, 1, 1},
}

// dateOf reads time.Date of the parts of one time, down to some part, and
// constants: the beginning of today, of the month, the end of the hour.
func dateOf(a []*value.Value) linear {
	var of *value.Value
	lo, hi := 0.0, 0.0
	add := func(n, short, long float64) {
		lo += math.Min(n*short, n*long)
		hi += math.Max(n*short, n*long)
	}
	cut := false
	for i, p := range parts {
		x, offset := partOf(a[i], p.name)
		switch {
		case x == nil && of == nil:
			return unclear(a) // another year
		case x == nil:
			n, ok := a[i].IsInt()
			if !ok {
				return unclear(a)
			}
			if !cut {
				// What lies behind is cut off.
				lo -= parts[i-1].long + 3600e9
				cut = true
			}
			add(float64(n-p.first), p.short, p.long)
		case cut || of != nil && of.String() != x.String():
			return unclear(a)
		default:
			of = x
			add(float64(offset), p.short, p.long)
		}
	}
	n := number(of, value.Time)
	if !sameLocation(of, a[7]) {
		lo, hi = lo-14*3600e9, hi+14*3600e9
	}
	n.lo += lo
	n.hi += hi
	return n
}

// partOf returns the time of which v is the part of that name, and what is
// added to it.
func partOf(v *value.Value, name string) (of *value.Value, offset int64) {
	v = v.Base()
	switch {
	case v.Is(name) && len(v.Args) == 1:
		return v.Args[0].Base(), 0
	case (v.Is(value.Add) || v.Is(value.Sub)) && len(v.Args) == 2:
		if n, ok := v.Args[1].IsInt(); ok {
			of, offset = partOf(v.Args[0], name)
			if v.Is(value.Sub) {
				n = -n
			}
			return of, offset + n
		}
	}
	return nil, 0
}

// sameLocation reports whether a time is known to be in a location.
func sameLocation(t, location *value.Value) bool {
	l := location.Base()
	switch {
	case l.Is("time.Time.Location") && len(l.Args) == 1:
		return l.Args[0].String() == t.String()
	case l.Kind == value.Global && l.Name == "time.UTC":
		return t.Is("time.Time.UTC")
	case l.Kind == value.Global && l.Name == "time.Local":
		return t.Is("time.Now") || t.Is("time.Time.Local")
	case t.Is("time.Time.In") && len(t.Args) == 2:
		return t.Args[1].String() == l.String()
	}
	return false
}
