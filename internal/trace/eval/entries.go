package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A program keeps its commands and handlers in a map of functions, and looks up by
// name which to run: each of them runs. Of a function in a struct of a map the rest of
// the struct is chosen with it, as memory chooses one for all its fields.

// An entryOf is the key of the choice of an element of a map.
type entryOf struct {
	call   ssa.Instruction
	lookup string
}

// entry returns, of what is looked up in a literal under a key that is not
// known, one of the elements; v where it is anything else.
func (p *Path) entry(v *value.Value, call ssa.Instruction) *value.Value {
	b := v.Base()
	if !b.Is(value.Index) || b.Args[0].Base().Kind != value.Map {
		return v
	}
	m := b.Args[0].Base()
	var elements []*value.Value
	for i := 1; i < len(m.Args); i += 2 {
		if m.Args[i].Base().Kind != value.Unknown {
			elements = append(elements, m.Args[i])
		}
	}
	if len(elements) == 0 {
		return v
	}
	return elements[p.Way.Choose(entryOf{call, b.String()}, len(elements))]
}

// LookedUpAs returns the condition under which a call that looks its function up in
// a literal, by a key that callers say, runs that function; nil where it is no such
// call.
func (p *Evaluator) LookedUpAs(call ssa.CallInstruction, t program.Target) *value.Value {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return nil
	}
	b := p.path(true).Way.Eval(common.Value, call).Base() // with what the package keeps there
	for b.Kind == value.Field {
		b = b.Args[0].Base()
	}
	if !b.Is(value.Index) || b.Args[0].Base().Kind != value.Map || !b.Args[1].HasParams() {
		return nil
	}
	m := b.Args[0].Base()
	var cond *value.Value
	for i := 0; i+1 < len(m.Args); i += 2 {
		f := value.Apply(value.Index, m, m.Args[i])
		if runs, ok := p.runs(f.Function(), common.Args); ok && runs.Fn == t.Fn && runs.Obj == t.Obj && runs.API == t.API {
			is := value.Apply("==", b.Args[1], m.Args[i])
			if cond != nil {
				is = value.Apply(value.Or, cond, is)
			}
			cond = is
		}
	}
	return cond
}
