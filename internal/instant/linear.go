package instant

import (
	"fmt"
	"math"
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
)

// linear is a number written as a sum: of unknown terms with coefficients,
// and of a constant that lies between lo and hi. A time.Time counts as the
// nanoseconds since 1970, a time.Duration as nanoseconds, a
// bigtable.Timestamp as microseconds, another number as itself.
//
// Constants of up to 104 days in nanoseconds, and multiples of a millisecond
// of up to 18 years, are exact in a float64; what is compared exactly (the
// sub-millisecond part of a timestamp) is folded as integer before.
type linear struct {
	terms  map[term]float64
	lo, hi float64
	bad    bool // not a linear number
}

// A term is something unknown that a number depends on.
type term struct {
	of   kindOfTerm
	key  string  // tells apart terms of a kind
	step float64 // of a counter
	from float64 // where a counter starts, −Inf if that is not known
	date bool    // of a time: it is a time.Time, not a timestamp
}

type kindOfTerm uint8

const (
	aNumber   kindOfTerm = iota
	theClock             // nanoseconds since 1970: now, or, keyed [once], when it was read once
	aTime                // nanoseconds since 1970, of some other time
	aDuration            // nanoseconds
	aCounter
)

// once is the key of a reading of the clock that was taken once and kept.
const once = "once"

func constant(c float64) linear { return linear{lo: c, hi: c} }

func atom(t term) linear { return linear{terms: map[term]float64{t: 1}} }

func bad() linear { return linear{bad: true} }

// scaled returns n times c.
func (n linear) scaled(c float64) linear {
	m := linear{bad: n.bad, lo: n.lo * c, hi: n.hi * c}
	if c < 0 {
		m.lo, m.hi = m.hi, m.lo
	}
	for t, k := range n.terms {
		m.add(t, k*c)
	}
	return m
}

// read returns n with the clock read when the key says.
func (n linear) read(key string) linear {
	m := linear{bad: n.bad, lo: n.lo, hi: n.hi}
	for t, k := range n.terms {
		if t.of == theClock {
			t.key = key
		}
		m.add(t, k)
	}
	return m
}

func (n *linear) add(t term, k float64) {
	if n.terms == nil {
		n.terms = map[term]float64{}
	}
	if n.terms[t] += k; math.Abs(n.terms[t]) < 1e-15 {
		delete(n.terms, t)
	}
}

// plus returns n plus c times m.
func (n linear) plus(m linear, c float64) linear {
	s := n.scaled(1)
	d := m.scaled(c)
	s.bad = s.bad || d.bad
	s.lo += d.lo
	s.hi += d.hi
	for t, k := range d.terms {
		s.add(t, k)
	}
	return s
}

// blurred returns n with the constant widened by what rounding may change.
func (n linear) blurred(down, up float64) linear {
	n.lo -= down
	n.hi += up
	return n
}

// isConst reports whether n is one constant.
func (n linear) isConst() bool { return !n.bad && len(n.terms) == 0 && n.lo == n.hi }

const day = 24 * 3600 * 1e9

// number reads v. class says what a leaf counts whose own class is not
// known.
func number(v *value.Value, class value.Class) linear {
	v = v.Base()
	if v.Class != value.NoClass {
		class = v.Class
	}
	switch v.Kind {
	case value.Int:
		return constant(float64(v.Num))
	case value.Float:
		return constant(v.Float64())
	case value.Call:
		if op := operations[v.Name]; op != nil {
			return op(v.Args, class)
		}
	}
	return leaf(v, class)
}

// leaf reads v as something unknown of a class.
func leaf(v *value.Value, class value.Class) linear {
	switch key := identity(v); class {
	case value.Time:
		return atom(term{of: aTime, key: key, date: true})
	case value.Duration:
		return atom(term{of: aDuration, key: key})
	case value.Timestamp:
		return atom(term{of: aTime, key: key}).scaled(1e-3)
	default:
		return atom(term{of: aNumber, key: key})
	}
}

// identity tells apart values that are not known: what nobody knows is equal
// to nothing but itself.
func identity(v *value.Value) string {
	unknown := false
	v.Walk(func(w *value.Value) { unknown = unknown || w.Kind == value.Unknown })
	if unknown {
		return fmt.Sprintf("%s at %p", v, v)
	}
	return v.String()
}

type operation func(args []*value.Value, class value.Class) linear

var operations map[string]operation

func init() {
	// of reads the first argument as that class and scales it.
	of := func(class value.Class, scale float64) operation {
		return func(a []*value.Value, _ value.Class) linear { return number(a[0], class).scaled(scale) }
	}
	// whole is like of, for methods that return whole numbers.
	whole := func(class value.Class, scale float64) operation {
		return func(a []*value.Value, _ value.Class) linear {
			n := number(a[0], class).scaled(scale)
			if n.isConst() {
				return constant(truncated(n.lo))
			}
			return n
		}
	}
	same := func(class value.Class) operation { return of(class, 1) }
	clock := func(scale float64) operation {
		return func([]*value.Value, value.Class) linear { return atom(term{of: theClock}).scaled(scale) }
	}
	operations = map[string]operation{
		"time.Now":     clock(1),
		"bigtable.Now": clock(1e-3),
		value.Clock: func(_ []*value.Value, class value.Class) linear {
			if class == value.Timestamp {
				return atom(term{of: theClock}).scaled(1e-3)
			}
			return atom(term{of: theClock})
		},
		"bigtable.Time": func(a []*value.Value, _ value.Class) linear {
			if a[0].Base().Is(value.ZeroTime) {
				return bad() // overflows
			}
			return number(a[0], value.Time).scaled(1e-3)
		},
		value.Once: func(a []*value.Value, class value.Class) linear {
			return number(a[0], class).read(once)
		},
		value.Zero:     func([]*value.Value, value.Class) linear { return constant(0) },
		value.ZeroTime: func([]*value.Value, value.Class) linear { return bad() },

		"bigtable.Timestamp.Time": of(value.Timestamp, 1e3),
		"bigtable.Timestamp.TruncateToMilliseconds": func(a []*value.Value, _ value.Class) linear {
			n := number(a[0], value.Timestamp)
			if n.isConst() {
				return constant(float64(micros(n.lo) / 1000 * 1000))
			}
			return n.blurred(1000, 0)
		},

		"time.Time.Add": func(a []*value.Value, _ value.Class) linear {
			return number(a[0], value.Time).plus(number(a[1], value.Duration), 1)
		},
		"time.Time.Sub": func(a []*value.Value, _ value.Class) linear {
			return number(a[0], value.Time).plus(number(a[1], value.Time), -1)
		},
		"time.Since": func(a []*value.Value, _ value.Class) linear {
			return atom(term{of: theClock}).plus(number(a[0], value.Time), -1)
		},
		"time.Until": func(a []*value.Value, _ value.Class) linear {
			return number(a[0], value.Time).plus(atom(term{of: theClock}), -1)
		},
		"time.Time.AddDate":   addDate,
		"time.Date":           date,
		"time.Time.UTC":       same(value.Time),
		"time.Time.Local":     same(value.Time),
		"time.Time.In":        same(value.Time),
		"time.Time.Truncate":  rounded(value.Time, 1, 0, ofTime(time.Time.Truncate)),
		"time.Time.Round":     rounded(value.Time, 0.5, 0.5, ofTime(time.Time.Round)),
		"time.Time.Unix":      inUnit(whole(value.Time, 1e-9), 1e-9),
		"time.Time.UnixMilli": inUnit(whole(value.Time, 1e-6), 1e-6),
		"time.Time.UnixMicro": of(value.Time, 1e-3),
		"time.Time.UnixNano":  inUnit(same(value.Time), 1),
		"time.Unix": func(a []*value.Value, _ value.Class) linear {
			return number(a[0], value.NoClass).scaled(1e9).plus(number(a[1], value.NoClass), 1)
		},
		"time.UnixMilli": of(value.NoClass, 1e6),
		"time.UnixMicro": of(value.NoClass, 1e3),

		"time.Duration.Nanoseconds":  same(value.Duration),
		"time.Duration.Microseconds": whole(value.Duration, 1e-3),
		"time.Duration.Milliseconds": whole(value.Duration, 1e-6),
		"time.Duration.Seconds":      of(value.Duration, 1e-9),
		"time.Duration.Minutes":      of(value.Duration, 1e-9/60),
		"time.Duration.Hours":        of(value.Duration, 1e-9/3600),
		"time.Duration.Truncate":     rounded(value.Duration, 1, 0, ofDuration(time.Duration.Truncate)),
		"time.Duration.Round":        rounded(value.Duration, 0.5, 0.5, ofDuration(time.Duration.Round)),

		value.Add: func(a []*value.Value, c value.Class) linear { return number(a[0], c).plus(number(a[1], c), 1) },
		value.Sub: func(a []*value.Value, c value.Class) linear { return number(a[0], c).plus(number(a[1], c), -1) },
		value.Mul: func(a []*value.Value, c value.Class) linear { return product(a, c) },
		value.Min: extreme(value.Min, -1),
		value.Max: extreme(value.Max, 1),
		value.Quo: func(a []*value.Value, c value.Class) linear {
			if d := number(a[1], value.NoClass); d.isConst() && d.lo != 0 {
				n := number(a[0], c)
				if n.isConst() && !fractional(a[0]) && !fractional(a[1]) {
					return constant(truncated(n.lo / d.lo))
				}
				return n.scaled(1 / d.lo)
			}
			return unclear(a)
		},
		value.Shl: func(a []*value.Value, c value.Class) linear {
			if d := number(a[1], value.NoClass); d.isConst() && d.lo >= 0 && d.lo < 63 {
				return number(a[0], c).scaled(math.Exp2(d.lo))
			}
			return unclear(a)
		},
		value.Rem: func(a []*value.Value, c value.Class) linear {
			// x − x%n cuts x to a multiple of n: a small number either way.
			if d := number(a[1], value.NoClass); d.isConst() {
				return linear{}.blurred(math.Abs(d.lo), math.Abs(d.lo))
			}
			return unclear(a)
		},
		value.Count: func(a []*value.Value, _ value.Class) linear {
			if step := number(a[0], value.NoClass); step.isConst() {
				from := math.Inf(-1)
				if len(a) > 1 {
					from = number(a[1], value.NoClass).lo
				}
				return atom(term{of: aCounter, key: a[0].String(), step: step.lo, from: from})
			}
			return bad()
		},
		"atomic.Int64.Add":  step,
		"atomic.Uint64.Add": step,
		"atomic.Int32.Add":  step,
		"atomic.Uint32.Add": step,
		"atomic.AddInt64":   step,
		"atomic.AddUint64":  step,
		"atomic.AddInt32":   step,
		"atomic.AddUint32":  step,
		value.Len: func(a []*value.Value, _ value.Class) linear {
			return atom(term{of: aCounter, key: "len " + a[0].String(), step: 1, from: 0})
		},
	}
}

// truncated cuts a number to a whole one, as Go does. What a float64 lacks
// to a whole number is no fraction.
func truncated(f float64) float64 {
	if r := math.Round(f); math.Abs(f-r) <= math.Max(1e-9, math.Abs(f)*4e-16) {
		return r
	}
	return math.Trunc(f)
}

// fractional reports whether a number may have a fraction.
func fractional(v *value.Value) bool {
	found := false
	v.Walk(func(w *value.Value) {
		switch {
		case w.Kind == value.Float, w.Is("time.Duration.Seconds"), w.Is("time.Duration.Minutes"), w.Is("time.Duration.Hours"):
			found = true
		}
	})
	return found
}

// unclear is a number of which nothing is known but what it is made of.
func unclear(a []*value.Value) linear {
	return atom(term{of: aNumber, key: value.ListOf(a...).String()})
}

// step reads the atomic counters: what Add returns grows by what is added.
func step(a []*value.Value, _ value.Class) linear {
	if n := number(a[1], value.NoClass); n.isConst() {
		return atom(term{of: aCounter, key: a[0].String(), step: n.lo, from: math.Inf(-1)})
	}
	return unclear(a)
}

// addDate reads Time.AddDate: years and months have no fixed length, so the
// result is known within bounds that leave room for the longest and the
// shortest, and for a change to summer time.
func addDate(a []*value.Value, _ value.Class) linear {
	n := number(a[0], value.Time)
	lo, hi := -3600e9, 3600e9
	for i, length := range []struct{ short, long float64 }{{365, 366}, {28, 31}, {1, 1}} {
		c := number(a[i+1], value.NoClass)
		if !c.isConst() {
			return n.blurred(math.Inf(1), math.Inf(1))
		}
		lo += math.Min(c.lo*length.short, c.lo*length.long) * day
		hi += math.Max(c.lo*length.short, c.lo*length.long) * day
	}
	n.lo += lo
	n.hi += hi
	return n
}
