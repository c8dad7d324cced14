package instant

import "github.com/ttlvet/ttlvet/internal/value"

// product multiplies numbers of which one is constant.
func product(a []*value.Value, class value.Class) linear {
	for i := range a {
		if c := number(a[i], value.NoClass); c.isConst() {
			if isUnit(a[i]) && counted(a[1-i]) {
				return atom(term{of: aDuration, key: value.ListOf(a...).String()})
			}
			if class == value.Timestamp {
				class = value.NoClass // of the product: what it is made of says so itself
			}
			return number(a[1-i], class).scaled(c.lo)
		}
	}
	// A duration of unknown length times an unknown count is a duration.
	if class == value.Duration {
		return atom(term{of: aDuration, key: value.ListOf(a...).String()})
	}
	return unclear(a)
}

// isUnit reports whether v is a constant duration of a unit or more: n times
// that is a duration, whatever n is.
func isUnit(v *value.Value) bool {
	v = v.Base()
	return v.Kind == value.Int && v.Class == value.Duration && v.Num >= 1000
}

// counted reports whether v is a number that nobody knows, and no duration or
// time: how many of a unit there are.
func counted(v *value.Value) bool {
	if v = v.Base(); v.Is(value.Mul) {
		// A factor has the type of the whole: time.Duration(n) * 60 * time.Second.
		for i, c := range v.Args {
			if number(c, value.NoClass).isConst() {
				return !isUnit(c) && counted(v.Args[1-i])
			}
		}
	}
	n := number(v, value.NoClass)
	if n.bad || len(n.terms) == 0 {
		return false
	}
	for t := range n.terms {
		if t.of != aNumber {
			return false
		}
	}
	return true
}
