package callers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
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

// GivesNothing reports whether cases depend on nothing of their callers but what a call
// has from elsewhere: the receiver, rows, and, of a function that only this package calls
// and that runs nothing which it is given, times of cells and what is in objects that the
// calling function did not make.
func (p *Receivers) GivesNothing(call ssa.CallInstruction, t program.Target, callee *ssa.Function, cases []summary.Case) bool {
	if callee == nil {
		return false
	}
	method := callee.Signature.Recv() != nil
	open := ast.IsExported(callee.Name()) || slices.ContainsFunc(callee.Params, func(p *ssa.Parameter) bool { return kind.IsFunc(p.Type()) })
	given := func(w *value.Value) bool { return w.Kind == value.Param && (w.Num > 0 || !method) }
	found := func(w *value.Value) *value.Value {
		if !open && (ofGivenCell(w) || p.ofFound(w, call, t)) {
			return value.UnknownFor("what the call has from elsewhere")
		}
		return nil
	}
	// How many options there are is the caller's choice.
	counted := func(g summary.Guard) bool {
		return g.Cond.Has(func(v *value.Value) bool { return v.Is(value.Len) && v.Has(given) })
	}
	return !slices.ContainsFunc(cases, func(c summary.Case) bool {
		own := c.With(func(v *value.Value) *value.Value { return withoutRows(v.Rewrite(found)) })
		return own.Has(given) || slices.ContainsFunc(c.When, counted)
	})
}

// ofGivenCell reports whether a value is the time of a cell that a function is given, or of
// one among several.
func ofGivenCell(v *value.Value) bool {
	if v.Kind != value.Field || v.Name != "bigtable.ReadItem.Timestamp" {
		return false
	}
	of := v.Args[0].Base()
	for of.Is(value.Elem) || of.Is(value.Index) {
		of = of.Args[0].Base()
	}
	return of.Kind == value.Param
}

// ofFound reports whether a value is a field of an object which a call's function gives
// and did not make.
func (p *Receivers) ofFound(v *value.Value, call ssa.CallInstruction, t program.Target) bool {
	if v.Kind != value.Field || t.Recv != nil {
		return false
	}
	of := v.Args[0].Base()
	if of.Kind != value.Param || of.Num < 0 || of.Num >= int64(len(t.Args)) {
		return false
	}
	pointer := t.Args[of.Num]
	if load, ok := pointer.(*ssa.UnOp); ok && !kind.IsPointer(pointer.Type()) {
		pointer = load.X
	}
	if !kind.IsPointer(pointer.Type()) {
		return false
	}
	place := p.prog.Heap().Place(pointer)
	return !place.Empty() && !place.MadeIn(kind.Outermost(call.Parent()))
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

// ToldElsewhere reports whether what a call of another package's method does hangs
// on nothing but an object that another package has made, with what only packages of
// its own can put into it: what is wrong with that is told where it is made.
func (p *Receivers) ToldElsewhere(t program.Target, effect *summary.Effect, c summary.Case, args *memory.Arguments) bool {
	if t.Obj == nil || t.Recv != nil || len(t.Args) == 0 {
		return false
	}
	var of []*value.Value
	for i, a := range c.Args {
		if a.HasParams() && !(event.Fills(effect.Op) && i == event.Column) {
			of = append(of, a)
		}
	}
	for _, g := range c.Guards {
		of = append(of, g.Cond)
	}
	switch method := t.Obj.Signature().Recv() != nil; {
	case !slices.ContainsFunc(of, (*value.Value).HasParams):
		return false
	case effect.Stores && !method:
		object := int64(-1)
		if slices.ContainsFunc(of, func(v *value.Value) bool { return !fieldsOfOne(v, false, &object) }) || object >= int64(len(t.Args)) {
			return false
		}
		return p.madeElsewhere(args.At(int(object)), of, hiddenFrom)
	case effect.Stores || !method || slices.ContainsFunc(of, func(v *value.Value) bool { return !ofHidden(v) }):
		return false
	}
	return p.ofForeignVariable(t.Args[0]) || p.madeElsewhere(args.At(0), of, func(_ *value.Value, maker *types.Package) bool { return maker != t.Obj.Pkg() })
}

// madeElsewhere reports whether an object is what a call of another package's function
// made, which is given nothing of some values that are made of the object's fields.
func (p *Receivers) madeElsewhere(object *value.Value, of []*value.Value, such func(v *value.Value, maker *types.Package) bool) bool {
	made, ok := object.Expr.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, _ := typeutil.Callee(p.prog.Pass.TypesInfo, made).(*types.Func)
	return fn != nil && fn.Pkg() != nil && fn.Pkg() != p.prog.Pass.Pkg && !slices.ContainsFunc(of, func(v *value.Value) bool {
		return !such(v, fn.Pkg()) || p.gives(made, v)
	})
}

// hiddenFrom reports whether a value hangs on nothing but what stands in fields that a
// package cannot set itself: it has called another's constructor.
func hiddenFrom(v *value.Value, pkg *types.Package) bool {
	return hidden(v, func(f *value.Value) bool { return !strings.HasPrefix(f.Name, pkg.Path()+".") })
}

// ofHidden reports whether a value hangs on nothing but fields of a method's
// receiver that only its package can set.
func ofHidden(v *value.Value) bool {
	return hidden(v, func(f *value.Value) bool {
		of := f.Args[0].Base()
		return of.Kind == value.Param && of.Num == 0
	})
}

// hidden reports whether all parameters in a value stand there for what is in a field
// that is not exported, and is such a one.
func hidden(v *value.Value, such func(field *value.Value) bool) bool {
	hidden := true
	v.Rewrite(func(w *value.Value) *value.Value {
		hidden = hidden && w.Kind != value.Param
		if w.Kind != value.Field || !w.HasParams() {
			return nil
		}
		found := false
		for of := w; of.Kind == value.Field; of = of.Args[0].Base() {
			found = found || !ast.IsExported(value.FieldName(of.Name)) && such(of)
		}
		hidden = hidden && found
		return w
	})
	return hidden
}

// ofForeignVariable reports whether a value is what a variable of another package
// holds, or a field of that.
func (p *Receivers) ofForeignVariable(v ssa.Value) bool {
	for {
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		root, _ := p.prog.Address(load.X)
		if g, ok := root.(*ssa.Global); ok {
			return g.Pkg != p.prog.Pkg && len(p.prog.AddressTaken[g]) == 0 && len(p.prog.Assigned(g)) == 0
		}
		v = root
	}
}

// madeBy notes the call that made the object whose method an event calls.
func madeBy(e *event.Event, args *memory.Arguments, callee *ssa.Function) {
	if isMethod(e.Target, callee) && args.At(0) != nil {
		addMaker(e, args.At(0))
	}
}

func addMaker(e *event.Event, object *value.Value) {
	if call, ok := object.Expr.(*ast.CallExpr); ok && call != e.Call && !slices.Contains(e.Link.Makers, ast.Node(call)) {
		e.Link.Makers = append(e.Link.Makers, call)
	}
}

// handedBy notes the calls that made the objects in which what an event's call hands over
// is found: $0, and $0.service, of $0.service.store.
func handedBy(e *event.Event, q *eval.Path, of *value.Value, bind func(*value.Value) *value.Value) {
	of.Walk(func(v *value.Value) {
		if v.HasParams() {
			addMaker(e, q.Settler.Settle(v.Subst(bind), e.Instr))
		}
	})
}
