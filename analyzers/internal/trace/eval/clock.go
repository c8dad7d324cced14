package eval

import (
	"go/token"
	"go/types"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/instant"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Clocks that code is given: a function in a field, an interface with a method
// Now. Which clock it is, somebody else says, but it tells the current time: a
// fault in what is made of that stands where it is made, not where the clock
// comes from.

// asClock returns the result r of a call of which it is not known what it runs
// as a reading of the clock, where it is one by its name or by what is called
// unless somebody puts something else in its place.
func (p *Path) asClock(v *ssa.Call, r *value.Value) *value.Value {
	class := program.ClassOf(v.Type())
	if len(v.Call.Args) > 0 || class != value.Time && class != value.Timestamp || r.Kind == value.Call && !r.Is(Invoke) && !r.Is(Method) {
		return r
	}
	called := p.Eval(v.Call.Value, v)
	usual := usually(called).Base()
	var says []*value.Value
	if usual.Kind == value.Func {
		says = append(says, p.invoked(&value.Value{Kind: value.Call, Name: Invoke, Args: []*value.Value{usual}, Class: class}))
	}
	for _, fn := range p.p.Implementations(&v.Call) {
		for _, c := range p.p.ResultsOf(fn) {
			says = append(says, c.Values...)
		}
	}
	switch now, known := tellNow(says, class); {
	case known && !now, usual == called.Base() && usual.Kind == value.Nil:
		return r
	case !now && !tellsTime(v):
		return r
	}
	if r.Kind != value.Call {
		r = &value.Value{Kind: value.Call, Name: Invoke, Args: []*value.Value{called}, Class: class}
		if v.Call.IsInvoke() {
			r.Name, r.Args = Method, []*value.Value{value.StrOf(v.Call.Method.Name()), called}
		}
	}
	return &value.Value{Kind: value.Call, Name: value.Clock, Args: []*value.Value{r}, Class: class, Expr: r.Expr}
}

// tellNow reports whether times are the current one, if that is known of one
// of them.
func tellNow(times []*value.Value, class value.Class) (now, known bool) {
	for _, v := range times {
		at := instant.OfTime(v)
		if class == value.Timestamp {
			at = instant.OfTimestamp(v)
		}
		if d, ok := at.Exact(); ok && !at.Once {
			if d != 0 {
				return false, true
			}
			now, known = true, true
		}
	}
	return now, known
}

// usually returns what a field holds that no option sets.
func usually(v *value.Value) *value.Value {
	for v.Base().Is(value.Optioned) {
		v = v.Base().Args[0]
	}
	return v
}

// tellsTime reports whether what a call runs tells the time by its name or by
// that of its type.
func tellsTime(v *ssa.Call) bool {
	if clockType(v.Call.Value.Type()) {
		return true
	}
	if v.Call.IsInvoke() {
		return clockName(v.Call.Method.Name())
	}
	return clockName(nameOf(v.Call.Value))
}

// nameOf returns the name of the variable, field or function that a value comes
// from; "" where it has none.
func nameOf(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return nameOf(v.X)
		}
	case *ssa.FieldAddr:
		return program.FieldOf(v).Name()
	case *ssa.Field:
		return program.StructField(v.X.Type(), v.Field).Name()
	case *ssa.Call:
		if v.Call.IsInvoke() {
			return v.Call.Method.Name()
		}
		return nameOf(v.Call.Value)
	case *ssa.Phi:
		return nameOf(v.Edges[0])
	case *ssa.Alloc:
		return v.Comment
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Function:
		return v.Name()
	}
	return ""
}

func clockType(t types.Type) bool {
	switch t := types.Unalias(program.Deref(t)).(type) {
	case *types.Named:
		return clockName(t.Obj().Name())
	case *types.TypeParam:
		return clockType(t.Constraint())
	}
	return false
}

// clockName reports whether a name is a clock's: one of its words is "now" or
// "clock", or it is that of a source of time.
func clockName(name string) bool {
	words := wordsOf(name)
	for i, w := range words {
		switch w {
		case "now", "clock", "clk":
			return true
		case "time":
			before := i > 0 && (words[i-1] == "current" || words[i-1] == "wall" || words[i-1] == "system")
			after := i+1 < len(words) && (words[i+1] == "source" || words[i+1] == "provider" || words[i+1] == "func" || words[i+1] == "fn")
			if before || after {
				return true
			}
		}
	}
	return false
}

// wordsOf splits a name into its words, in lower case.
func wordsOf(name string) []string {
	var words []string
	start := 0
	runes := []rune(name)
	cut := func(end int) {
		if w := strings.Trim(string(runes[start:end]), "_"); w != "" {
			words = append(words, strings.ToLower(w))
		}
		start = end
	}
	for i := 1; i < len(runes); i++ {
		upper := unicode.IsUpper(runes[i])
		if upper && !unicode.IsUpper(runes[i-1]) || upper && i+1 < len(runes) && unicode.IsLower(runes[i+1]) || runes[i-1] == '_' {
			cut(i)
		}
	}
	cut(len(runes))
	return words
}
