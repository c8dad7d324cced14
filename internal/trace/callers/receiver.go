package callers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// RunsAnother reports whether the receiver of a call of an interface's method,
// as it is on one way, has another method of that name than the one that the
// call is taken to run: of several types in one list each has its own.
func (p *Receivers) RunsAnother(call ssa.CallInstruction, t program.Target, args *memory.Arguments) bool {
	common := call.Common()
	if !common.IsInvoke() || t.API != "" || args.At(0) == nil {
		return false
	}
	if kind.OpenedName(args.At(0)) != nil {
		return ofAnother(t)
	}
	m := p.prog.Names.MethodOf(args.At(0), common.Method)
	if m == nil {
		return false
	}
	if t.Fn != nil {
		fn := p.prog.Pkg.Prog.FuncValue(m)
		return fn == nil || kind.Origin(fn) != t.Fn
	}
	if t.Obj == nil || t.Obj.Signature().Recv() == nil {
		return false
	}
	return m.Origin() != t.Obj.Origin()
}

// runsAnotherFunction reports whether the function that a call runs is, on one way, another
// than the one that it is taken to run: in each turn over a list its own.
func (p *Tracer) runsAnotherFunction(q *eval.Path, call ssa.CallInstruction, t program.Target) bool {
	common := call.Common()
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	runs, ok := p.Eval.Callee(q.Way.Eval(common.Value, call), "")
	return ok && (runs.Fn != t.Fn || runs.Obj != t.Obj || runs.API != t.API)
}

// ofAnother reports whether what a call runs is the method of a type that is not
// the client's.
func ofAnother(t program.Target) bool {
	obj := t.Obj
	if t.Fn != nil {
		obj = kind.Object(t.Fn)
	}
	return obj != nil && obj.Signature().Recv() != nil && !types.IsInterface(obj.Signature().Recv().Type())
}

// TypedAs returns the condition that the receiver of a call of an interface's
// method is of one of the types whose method a function is; nil where that cannot be
// told. What the receiver is may be known only to callers, also in packages with types
// of their own; behind what only passes calls on, another of that kind may stand.
func (p *Receivers) TypedAs(call ssa.CallInstruction, callee *ssa.Function, args *memory.Arguments) *value.Value {
	common := call.Common()
	if !common.IsInvoke() || callee == nil || args.At(0) == nil || !args.At(0).HasParams() || p.prog.Decorates(kind.Outermost(call.Parent())) {
		return nil
	}
	var cond *value.Value
	for t, m := range p.prog.Behind.MethodsOf(common.Value.Type(), common.Method.Name()) {
		if fn := p.prog.Pkg.Prog.FuncValue(m); fn == nil || kind.Origin(fn) != callee {
			continue
		}
		is := value.Apply(value.Is, args.At(0), value.StrOf(kind.TypeKey(t)))
		if cond != nil {
			is = value.Apply(value.Or, cond, is)
		}
		cond = is
	}
	return cond
}

// Only reports whether cases depend on nothing of their callers but the
// receiver, and the rows out of which they take cells of families of their own.
func Only(cases []summary.Case) bool {
	given := func(w *value.Value) bool { return w.Kind == value.Param && w.Num > 0 }
	// How many options there are is the caller's choice.
	counted := func(g summary.Guard) bool {
		return g.Cond.Has(func(v *value.Value) bool { return v.Is(value.Len) && v.Has(given) })
	}
	return !slices.ContainsFunc(cases, func(c summary.Case) bool {
		return c.With(withoutRows).Has(given) || slices.ContainsFunc(c.When, counted)
	})
}

// withoutRows returns a value with the cells in it by nothing but their family: of
// which row a cell is, and which of them, makes nothing wrong.
func withoutRows(v *value.Value) *value.Value {
	return v.Rewrite(func(w *value.Value) *value.Value {
		switch {
		case w.Is(kind.Cells) && len(w.Args) == 2:
			return withoutRows(w.Args[1])
		case w.Is(value.Index) && w.Args[0].Base().Is(kind.Cells):
			return withoutRows(w.Args[0])
		}
		return nil
	})
}

// Receivers finds the objects whose methods calls run.
type Receivers struct {
	prog *program.Program
	eval *eval.Evaluator
}

// NewReceivers returns a finder for what an evaluator knows.
func NewReceivers(e *eval.Evaluator) *Receivers { return &Receivers{e.Prog, e} }
