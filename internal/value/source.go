package value

import (
	"strings"
	"time"
)

// infix are the operations that Go writes between their operands, with how
// strongly they bind.
var infix = map[string]int{
	Or: 1, "&&": 2,
	Eql: 3, Neq: 3, Lss: 3, Leq: 3, Gtr: 3, Geq: 3,
	Add: 4, Sub: 4, BitOr: 4, BitXor: 4, Mul: 5, Quo: 5, Rem: 5, Shl: 5, Shr: 5, BitAnd: 5, BitClear: 5,
}

// negated are the comparisons that say the opposite.
var negated = map[string]string{Eql: Neq, Neq: Eql, Lss: Geq, Geq: Lss, Gtr: Leq, Leq: Gtr}

// Source writes a condition or value as Go does, for people to read: v == "".
// What has no name in the program is written "…".
func Source(v *Value) string { return source(v, 0) }

// SourceOf writes a condition that holds, or does not.
func SourceOf(cond *Value, want bool) string {
	if want {
		return Source(cond)
	}
	return source(&Value{Kind: Call, Name: Not, Args: []*Value{cond}}, 0)
}

func source(v *Value, binding int) string {
	switch v = v.Base(); v.Kind {
	case Int:
		if v.Class == Duration {
			return time.Duration(v.Num).String()
		}
	case Float:
		return strings.TrimSuffix(v.String(), "f")
	case Field:
		return source(v.Args[0], 9) + "." + FieldName(v.Name)
	case Global:
		return v.Name[strings.LastIndexByte(v.Name, '/')+1:]
	case Unknown, Param, Struct, List, Map, Tuple, Func:
		return "…"
	case Call:
		return callSource(v, binding)
	}
	return v.String()
}

func callSource(v *Value, binding int) string {
	list := func(args []*Value) string {
		// What is passed to ...T is a list.
		if n := len(args); n > 0 && args[n-1].Base().Kind == List {
			args = append(args[:n-1:n-1], args[n-1].Base().Args...)
		}
		var parts []string
		for _, a := range args {
			parts = append(parts, source(a, 0))
		}
		return strings.Join(parts, ", ")
	}
	switch {
	case v.Is(Turn):
		return source(v.Args[0], binding)
	case v.Is(Not) && len(v.Args) == 1:
		c := v.Args[0].Base()
		if c.Is(Turn) {
			c = c.Args[0].Base()
		}
		if op := negated[c.Name]; c.Kind == Call && op != "" && len(c.Args) == 2 {
			return source(&Value{Kind: Call, Name: op, Args: c.Args}, binding)
		}
		if c.Is(Not) {
			return source(c.Args[0], binding)
		}
		return "!" + source(c, 9)
	case infix[v.Name] > 0 && len(v.Args) == 2:
		s := operand(v.Args[0], infix[v.Name]) + " " + v.Name + " " + operand(v.Args[1], infix[v.Name]+1)
		if infix[v.Name] < binding {
			return "(" + s + ")"
		}
		return s
	case v.Is(Zero):
		return "0"
	case strings.HasSuffix(v.Name, "{}"): // a zero struct
		return v.Name
	case v.Is(Len):
		return "len(" + list(v.Args) + ")"
	case v.Is(Min), v.Is(Max):
		return v.Name + "(" + list(v.Args) + ")"
	case v.Is(Index) && len(v.Args) == 2:
		return source(v.Args[0], 9) + "[" + source(v.Args[1], 0) + "]"
	case v.Is(Has) && len(v.Args) == 2:
		return source(v.Args[0], 9) + "[" + source(v.Args[1], 0) + "]"
	case len(v.Args) > 0 && v.Args[0].Base().Kind == Func && !strings.Contains(v.Name, "."): // the outcome of a function
		name := v.Args[0].Base().Name
		return name[strings.LastIndexByte(name, '.')+1:] + "(" + list(v.Args[1:]) + ")"
	case strings.Count(v.Name, ".") == 2 && len(v.Args) > 0: // a method
		return source(v.Args[0], 9) + v.Name[strings.LastIndexByte(v.Name, '.'):] + "(" + list(v.Args[1:]) + ")"
	case strings.Contains(v.Name, "."):
		return v.Name + "(" + list(v.Args) + ")"
	}
	return "…"
}

// operand writes one side of an operation; a duration of 0 as 0.
func operand(v *Value, binding int) string {
	if v.Kind == Int && v.Num == 0 {
		return "0"
	}
	return source(v, binding)
}
