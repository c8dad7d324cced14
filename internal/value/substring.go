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

// text folds a function of a string.
func text(f func(string) string) func([]*Value) *Value {
	return func(a []*Value) *Value {
		if a[0].Kind == Str {
			return StrOf(f(a[0].Name))
		}
		return nil
	}
}

func join(a []*Value) *Value {
	if a[0].Kind != List || a[1].Kind != Str {
		return nil
	}
	out := StrOf("")
	for i, e := range a[0].Args {
		if e.Is(Spread) {
			return nil
		}
		if i > 0 {
			out = Apply(Add, out, a[1])
		}
		out = Apply(Add, out, e)
	}
	return out
}

// text2 folds a function of two strings, whose result result makes a value.
func text2[T any](f func(s, t string) T, result func(T) *Value) func([]*Value) *Value {
	return func(a []*Value) *Value {
		if len(a) != 2 {
			return nil
		}
		s, okS := a[0].IsStr()
		t, okT := a[1].IsStr()
		if !okS || !okT {
			return nil
		}
		return result(f(s, t))
	}
}

// indexByte folds where in a text a character stands.
func indexByte(a []*Value) *Value {
	s, okS := a[0].IsStr()
	c, okC := a[1].IsInt()
	if !okS || !okC {
		return nil
	}
	return intOf(strings.IndexRune(s, rune(c)))
}

func splitN(a []*Value) *Value {
	n, ok := a[2].IsInt()
	if !ok {
		return nil
	}
	return text2(func(s, sep string) []string { return strings.SplitN(s, sep, int(n)) }, textsOf)(a[:2])
}

func splitFields(a []*Value) *Value {
	s, ok := a[0].IsStr()
	if !ok {
		return nil
	}
	return textsOf(strings.Fields(s))
}

func intOf(n int) *Value { return IntOf(int64(n)) }

func textsOf(texts []string) *Value {
	list := ListOf()
	for _, t := range texts {
		list.Args = append(list.Args, StrOf(t))
	}
	return list
}

// The results of strings.Cut, each as an operation on its arguments.
const (
	CutBefore = "strings.Cut"
	CutAfter  = "what strings.Cut leaves"
	CutFound  = "whether strings.Cut finds"
)

func cut(part func(before, after string, found bool) *Value) func([]*Value) *Value {
	return text2(func(s, sep string) *Value { return part(strings.Cut(s, sep)) }, func(v *Value) *Value { return v })
}

func replaceAll(a []*Value) *Value {
	if len(a) != 3 || a[0].Base().Kind != Str || a[1].Base().Kind != Str || a[2].Base().Kind != Str {
		return nil
	}
	return StrOf(strings.ReplaceAll(a[0].Base().Name, a[1].Base().Name, a[2].Base().Name))
}
