package value

import "strings"

// Substring is the part of the string Args[0] from Args[1] to before Args[2]:
// s[i:j], such as what stringer generates takes a name out of all names.
const Substring = "substring"

func substring(a []*Value) *Value {
	s := a[0].Base()
	low, okLow := a[1].IsInt()
	high, okHigh := a[2].IsInt()
	if s.Kind != Str || !okLow || !okHigh || low < 0 || low > high || high > int64(len(s.Name)) {
		return nil
	}
	return StrOf(s.Name[low:high])
}

// text2 folds a function of two strings.
func text2(f func(s, t string) string) func([]*Value) *Value {
	return func(a []*Value) *Value {
		if len(a) != 2 || a[0].Base().Kind != Str || a[1].Base().Kind != Str {
			return nil
		}
		return StrOf(f(a[0].Base().Name, a[1].Base().Name))
	}
}

func replaceAll(a []*Value) *Value {
	if len(a) != 3 || a[0].Base().Kind != Str || a[1].Base().Kind != Str || a[2].Base().Kind != Str {
		return nil
	}
	return StrOf(strings.ReplaceAll(a[0].Base().Name, a[1].Base().Name, a[2].Base().Name))
}
