package instant

import (
	"time"

	"github.com/ttlvet/ttlvet/internal/value"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// Decide returns whether a condition holds, where that is known: as a
// constant, as a comparison of times whose distance from the clock is, or as one of
// a cell's column, which names its family.
func Decide(v *value.Value) (holds, ok bool) {
	if holds, ok := v.IsBool(); ok {
		return holds, true
	}
	if v.Kind != value.Call || len(v.Args) == 0 {
		return false, false
	}
	if v.Name == value.Turn {
		return Decide(v.Args[0])
	}
	if v.Name == value.Not {
		holds, ok := Decide(v.Args[0])
		return !holds, ok
	}
	if len(v.Args) != 2 {
		return false, false
	}
	if v.Name == value.Or {
		x, okX := Decide(v.Args[0])
		y, okY := Decide(v.Args[1])
		return x && okX || y && okY, x && okX || y && okY || okX && okY
	}
	a, b := v.Args[0], v.Args[1]
	switch v.Name {
	case value.Eql:
		return decideColumn(a, b, false)
	case value.Neq:
		holds, ok := decideColumn(a, b, false)
		return !holds, ok
	case "strings.HasPrefix":
		return decideColumn(a, b, true)
	case "time.Time.Before":
		return sign(order(OfTime(a), OfTime(b)), -1)
	case "time.Time.After":
		return sign(order(OfTime(a), OfTime(b)), 1)
	case value.Lss:
		return sign(compare(a, b), -1)
	case value.Gtr:
		return sign(compare(a, b), 1)
	case value.Leq:
		holds, ok := sign(compare(a, b), 1)
		return !holds, ok
	case value.Geq:
		holds, ok := sign(compare(a, b), -1)
		return !holds, ok
	}
	return false, false
}

// unordered is the order of what cannot be compared.
const unordered = 2

// sign reports whether an order is the wanted one.
func sign(order, want int) (holds, ok bool) { return order == want, order != unordered }

// compare orders two timestamps, or how far two times lie apart and a duration.
func compare(a, b *value.Value) int {
	if a.Class == value.Timestamp || b.Class == value.Timestamp {
		return order(OfTimestamp(a), OfTimestamp(b))
	}
	if o := distance(a, b); o != unordered {
		return o
	}
	if o := distance(b, a); o != unordered {
		return -o
	}
	return unordered
}

// distance orders how far two times lie apart and a duration, as the one time and what
// is so much later than the other: t.Sub(u) < d.
func distance(apart, d *value.Value) int {
	now := value.Apply("time.Now")
	switch {
	case apart.Is("time.Time.Sub") && len(apart.Args) == 2:
		return order(OfTime(apart.Args[0]), later(apart.Args[1], d))
	case apart.Is("time.Until") && len(apart.Args) == 1:
		return order(OfTime(apart.Args[0]), later(now, d))
	case apart.Is("time.Since") && len(apart.Args) == 1:
		return order(OfTime(now), later(apart.Args[0], d))
	}
	return unordered
}

// later returns the instant that lies so much after a time: after the zero time, one
// long ago.
func later(t, d *value.Value) Instant {
	if i := OfTime(t); i.Kind == Zero {
		return i
	}
	return OfTime(value.Apply("time.Time.Add", t, d))
}

// order orders two instants. Readings of the clock that are less than a
// second apart count as equal.
func order(a, b Instant) int {
	switch {
	case a.Kind == Now && b.Kind == Now:
		switch {
		case a.Once || b.Once: // some time apart
		case a.Lo == a.Hi && b.Lo == b.Hi && a.Lo == b.Lo:
			return 0
		case a.Hi <= b.Lo-float64(time.Second):
			return -1
		case a.Lo >= b.Hi+float64(time.Second):
			return 1
		}
	case a.Kind == Now && b.Kind != Now:
		if o := order(b, a); o != unordered {
			return -o
		}
	case b.Kind == Now:
		switch {
		case a.Kind == Zero, a.Kind == Fixed && a.Micros < strategy.Past().UnixMicro():
			return -1
		}
	case a.Kind == Fixed && b.Kind == Fixed:
		switch {
		case a.Micros < b.Micros:
			return -1
		case a.Micros > b.Micros:
			return 1
		}
		return 0
	}
	return unordered
}
