package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// withOptions returns a field as it is after options that came later than
// the instruction from.
func (p *Reader) withOptions(v *value.Value, calls []OptionCall, from ssa.Instruction) *value.Value {
	for _, c := range calls {
		if (from == nil || p.p.Prog.Graphs.Precedes(from, c.Call)) && p.ran(c) {
			v = value.Apply(value.Optioned, v, p.options(c, from), value.StrOf(c.Field))
		}
	}
	return v
}

// ran chooses whether the options of a call were run before what asks for a field.
func (p *Reader) ran(c OptionCall) bool {
	switch {
	case c.Past == nil:
		return true
	case p.Way.Choose(c.Call, 2) == 0:
		p.Way.AssumeBlock(OptionLoop(c.Call).Block(), nil, &p.Way.Guards)
		return true
	}
	p.Way.AssumeSkipped([]ssa.Instruction{OptionLoop(c.Call)}, nil, c.Past)
	return false
}

// Options returns the list of the functions that a call runs on its object:
// those over which a loop runs, or one.
func (p *Reader) Options(call ssa.CallInstruction) *value.Value {
	return p.options(OptionCall{Call: call}, nil)
}

// options returns the list of the functions that a call has run on its object since an
// instruction: those over which a loop runs, up to the turn that asks, or one.
func (p *Reader) options(c OptionCall, from ssa.Instruction) *value.Value {
	one := c.Call.Common().Value
	ia, turns := optionLoop(c.Call.Common())
	if turns == nil {
		return value.ListOf(p.Way.Eval(one, c.Call))
	}
	list := p.Way.Eval(ia.X, ia)
	if c.At == nil {
		return list
	}
	p.Way.Eval(one, c.Call) // chooses the turn
	first := 0
	last, known := p.Way.Turn(turns)
	if from != nil && p.p.Prog.Graphs.InLoop(from.Block(), turns.Block()) {
		first = last
	}
	if p.p.Prog.Graphs.Precedes(c.Call, c.At) {
		last++
	}
	elements := list.Base()
	if !known || elements.Kind != value.List || last > len(elements.Args) || slices.ContainsFunc(elements.Args, func(e *value.Value) bool { return e.Is(value.Spread) }) {
		return kind.UnknownOf(ia.X.Type(), "functions of which it is not known which have run")
	}
	return value.ListOf(elements.Args[first:last]...)
}

// RunsOptions reports whether what sets any field is a call of options.
func RunsOptions(t Touch) bool {
	call, ok := t.At.(ssa.CallInstruction)
	return ok && t.Set == nil && t.Field == value.AnyField && runsOption(call.Common())
}

// Chosen returns the option that a value becomes where it is made an
// interface with one method, or x when it is none.
func (p *Reader) Chosen(mi *ssa.MakeInterface, x *value.Value) *value.Value {
	if !p.p.Objects.sets(OptionType(mi.Type())) {
		return x
	}
	m := mi.Type().Underlying().(*types.Interface).Method(0)
	obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, m.Pkg(), m.Name())
	method, ok := obj.(*types.Func)
	if !ok {
		return x
	}
	fn := p.p.Prog.Pkg.Prog.FuncValue(method)
	if fn == nil || !p.p.Prog.HasBody(fn) {
		if sets := p.p.Objects.SetsOf(program.Target{Obj: method}); len(sets) > 0 {
			return SetterOf(&value.Value{Kind: value.Func, Name: kind.FuncKey(method)}, sets, 1, nil).Subst(Binder([]*value.Value{x}, nil))
		}
		return x
	}
	if len(fn.Params) != 2 || runsReceiver(fn) {
		return x
	}
	if s := p.p.Objects.Setter(fn); s != nil && len(s.Keys) > 0 {
		return s.Subst(Binder([]*value.Value{x}, fn))
	}
	return x
}

// runsReceiver reports whether a method of a function type does nothing but
// run its receiver.
func runsReceiver(fn *ssa.Function) bool {
	for _, r := range *fn.Params[0].Referrers() {
		if call, ok := r.(*ssa.Call); ok && call.Call.Value == ssa.Value(fn.Params[0]) && len(fn.Blocks) == 1 {
			return len(call.Call.Args) == 1 && call.Call.Args[0] == ssa.Value(fn.Params[1])
		}
	}
	return false
}
