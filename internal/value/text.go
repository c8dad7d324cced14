package value

import (
	"fmt"
	"strings"
	"time"
)

// sprintf folds fmt.Sprintf to the concatenation of its parts, so that a
// name made by it is known as far as its format is.
func sprintf(a []*Value) *Value {
	if len(a) != 2 || a[0].Kind != Str || a[1].Base().Kind != List {
		return nil
	}
	out, args := StrOf(""), a[1].Base().Args
	for format := a[0].Name; format != ""; {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return Apply(Add, out, StrOf(format))
		}
		out, format = Apply(Add, out, StrOf(format[:i])), format[i+1:]
		verb := strings.IndexFunc(format, func(r rune) bool { return r == '%' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		if verb < 0 {
			return nil
		}
		spec := format[:verb+1]
		format = format[verb+1:]
		if spec == "%" {
			out = Apply(Add, out, StrOf("%"))
			continue
		}
		if len(args) == 0 || args[0].Is(Spread) || strings.ContainsAny(spec, "[*") {
			return nil
		}
		out, args = Apply(Add, out, formatted(spec, args[0])), args[1:]
	}
	return out
}

// sprint folds fmt.Sprint to the concatenation of its parts: with a space between two
// of which neither is a text.
func sprint(a []*Value) *Value {
	if len(a) != 1 || a[0].Base().Kind != List {
		return nil
	}
	out, before := StrOf(""), Str
	for i, arg := range a[0].Base().Args {
		if arg.Is(Spread) {
			return nil
		}
		switch is := arg.Base().Kind; {
		case i == 0 || is == Str || before == Str:
		case isPlain(is) && isPlain(before):
			out = Apply(Add, out, StrOf(" "))
		default:
			out = Apply(Add, out, UnknownFor("a space, perhaps"))
		}
		out, before = Apply(Add, out, formatted("v", arg)), arg.Base().Kind
	}
	return out
}

// isPlain reports whether values of a kind are known to be no texts.
func isPlain(k Kind) bool { return k == Int || k == Bool }

// formatted returns the text of one argument of fmt.Sprintf.
func formatted(spec string, v *Value) *Value {
	switch v = v.Base(); {
	case v.Kind == Str:
		return StrOf(fmt.Sprintf("%"+spec, v.Name))
	case v.Kind == Int && v.Class == Duration:
		return StrOf(fmt.Sprintf("%"+spec, time.Duration(v.Num)))
	case v.Kind == Int && spec == "s":
		return UnknownFor("the text of a number") // its type has a method for it
	case v.Kind == Int:
		return StrOf(fmt.Sprintf("%"+spec, v.Num))
	case v.Kind == Bool:
		return StrOf(fmt.Sprintf("%"+spec, v.Num != 0))
	case spec == "s" || spec == "v":
		return v
	}
	return UnknownFor("a formatted value")
}

// Glob returns a string value with '*' for each part that is not known:
// prefix + "-ledger" is "*-ledger". It returns "" when nothing is known.
func Glob(v *Value) string {
	g := glob(v)
	for strings.Contains(g, "**") {
		g = strings.ReplaceAll(g, "**", "*")
	}
	if g == "*" {
		return ""
	}
	return g
}

func glob(v *Value) string {
	switch v = v.Base(); {
	case v.Kind == Str:
		return v.Name
	case v.Is(Add):
		return glob(v.Args[0]) + glob(v.Args[1])
	case v.Is(Zero):
		return ""
	}
	return "*"
}
