package value

import "slices"

// steady are the operations of Go that return the same whenever they are given
// the same.
var steady = map[string]bool{
	Add: true, Sub: true, Mul: true, Quo: true, Rem: true, Shl: true, Shr: true, BitAnd: true, BitOr: true, BitXor: true, BitClear: true,
	Eql: true, Neq: true, Lss: true, Leq: true, Gtr: true, Geq: true,
	Not: true, Or: true, Len: true, Zero: true, ZeroTime: true, Index: true, Has: true, Holds: true, Is: true, Offers: true,
}

// Steady reports whether an operation returns the same whenever it is given the same.
func Steady(op string) bool { return steady[op] }

// Lasting reports whether a value over parameters is the same whenever a call asks for
// it: nothing is unknown of it, and no function is called for it.
func (v *Value) Lasting() bool {
	switch v.Kind {
	case Unknown, Global, Map:
		return false
	case Call:
		if !steady[v.Name] {
			return false
		}
	}
	return !slices.ContainsFunc(v.Args, func(a *Value) bool { return !a.Lasting() })
}
