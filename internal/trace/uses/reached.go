package uses

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// What a constructor is given may make one method of its object wrong and no other. Where a
// package calls that method of some objects, those of which it does not are right: they are
// followed to the methods that may run on them. A method that nobody in view calls waits for
// who does, and so does an object of which nobody calls any.

// Objects finds which methods run on objects.
type Objects struct {
	eval  *eval.Evaluator
	found map[reachedKey]*reached
	calls map[*types.TypeName]map[string]bool
}

type reachedKey struct {
	object ssa.Value
	by     *ssa.Function
}

// NewObjects returns a finder for what an evaluator knows.
func NewObjects(e *eval.Evaluator) *Objects {
	return &Objects{e, map[reachedKey]*reached{}, map[*types.TypeName]map[string]bool{}}
}

// Leading lists the methods of the object that a function makes which may run another of
// its methods on it: those by which others come to that. It is nil where they may come to
// it by other ways, or the object is not known.
func (p *Objects) Leading(maker, to *ssa.Function) (methods []string) {
	if to.Signature.Recv() == nil {
		return nil
	}
	of := kind.StructName(to.Signature.Recv().Type())
	for _, ret := range kind.ReturnsOf(maker) {
		made := p.madeAt(ret)
		if made == nil || of == nil || kind.StructName(made.Type()) != of || p.reached(made, maker).mayRun(to.Name()) {
			return nil
		}
	}
	for m := range of.Type().(*types.Named).Methods() {
		fn := p.eval.Prog.Pkg.Prog.FuncValue(m)
		if fn == to || fn != nil && len(fn.Params) > 0 && p.reached(fn.Params[0], fn).mayRun(to.Name()) {
			methods = append(methods, m.Name())
		}
	}
	return methods
}

// madeAt returns the object that a function returns first; nil where that is not known.
func (p *Objects) madeAt(ret *ssa.Return) *ssa.Alloc {
	if len(ret.Results) == 0 {
		return nil
	}
	v := kind.Stripped(ret.Results[0])
	if load, ok := v.(*ssa.UnOp); ok && !kind.IsPointer(v.Type()) {
		v = load.X
	}
	made, path := p.eval.Prog.Heap().Pointee(v)
	if len(path) > 0 {
		return nil
	}
	return made
}

// Spares reports whether none of some methods can run on the object that a call returns,
// but others do, and one of them runs on another object of its type.
func (p *Objects) Spares(call ssa.CallInstruction, methods []string) bool {
	results := resultsOf(call)
	if len(results) == 0 {
		return false
	}
	of := kind.StructName(results[0].Type())
	if of == nil || !slices.ContainsFunc(methods, func(m string) bool { return p.called(of)[m] }) {
		return false
	}
	r := p.reached(call.Value(), nil)
	return len(r.methods) > 0 && !r.mayRun(methods...)
}

// InView reports whether an object that a function makes does not go out of view.
func (p *Objects) InView(object ssa.Value) bool { return !p.reached(object, nil).any }

// called returns the methods of a type that others than its own methods call.
func (p *Objects) called(of *types.TypeName) map[string]bool {
	known := p.calls[of]
	if known != nil {
		return known
	}
	known = map[string]bool{}
	p.calls[of] = known
	for fn, calls := range p.eval.Prog.Calls {
		if receiverOf(kind.Object(kind.Outermost(fn))) == of || p.eval.Prog.IsTest(fn.Pos()) {
			continue
		}
		for _, call := range calls {
			if m := kind.CalledFunc(call.Common()); receiverOf(m) == of {
				known[m.Name()] = true
			}
		}
	}
	return known
}

// receiverOf returns the struct of which a function is a method; nil of others.
func receiverOf(fn *types.Func) *types.TypeName {
	if fn == nil || fn.Signature().Recv() == nil {
		return nil
	}
	return kind.StructName(fn.Signature().Recv().Type())
}

// reached follows an object; what a function returns of it, its callers follow.
func (p *Objects) reached(object ssa.Value, by *ssa.Function) *reached {
	key := reachedKey{object, by}
	r := p.found[key]
	if r == nil {
		r = &reached{p: p, by: by, methods: map[string]bool{}}
		r.forward = newForward(p.eval.Prog, r)
		p.found[key] = r
		if call, ok := object.(*ssa.Call); ok {
			r.results(call, nil)
		} else {
			r.add(object, nil)
		}
		r.run()
	}
	return r
}

// A reached follows an object to what runs on it.
type reached struct {
	*forward
	p       *Objects
	by      *ssa.Function
	methods map[string]bool
	any     bool // it goes out of view
}

func (r *reached) mayRun(methods ...string) bool {
	return r.any || slices.ContainsFunc(methods, func(m string) bool { return r.methods[m] })
}

func (r *reached) visit(thing) bool                { return true }
func (r *reached) use(thing, ssa.Instruction) bool { return false }

func (r *reached) carries(of types.Type, field *types.Var) bool {
	if field != nil {
		return holdsField(of, field)
	}
	_, basic := of.Underlying().(*types.Basic)
	return !basic && !kind.IsError(of)
}

func (r *reached) lost(thing) { r.any, r.done = true, true }

func (r *reached) returned(t thing, ret *ssa.Return) {
	fn := kind.Origin(ret.Parent())
	switch {
	case fn == r.by && t.field == nil && ret.Results[0] == t.v:
	case r.entered(fn) == nil && (fn == r.by || !r.onlyCalled(fn)):
		r.lost(t)
	default:
		r.toCallers(t, ret)
	}
}

// onlyCalled reports whether all that a function returns goes to calls in view.
func (r *reached) onlyCalled(fn *ssa.Function) bool {
	p := r.p.eval.Prog
	return fn.Parent() == nil && !ast.IsExported(fn.Name()) && len(p.Callers[fn]) > 0 && !p.Taken[fn] && len(p.Invokes[fn]) == 0
}

func (r *reached) filled(param *ssa.Parameter, field *types.Var) { r.lost(r.here(param, field)) }

func (r *reached) call(t thing, call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "copy" {
			r.lost(t)
		}
		return
	}
	asked := common.IsInvoke() && common.Value == t.v && t.field == nil
	if asked {
		r.methods[common.Method.Name()] = true
	}
	targets := r.p.eval.Targets(call)
	if len(targets) == 0 && !asked {
		r.lost(t)
	}
	for _, target := range targets {
		if target.Fn != nil {
			if slices.Contains(argumentsOf(target), t.v) {
				r.methods[target.Fn.Name()] = true
			}
			r.enterWith(t, call, target, nil)
			continue
		}
		for i, a := range argumentsOf(target) {
			switch {
			case a != t.v:
			case target.Obj != nil && i == 0 && t.field == nil && target.Obj.Signature().Recv() != nil && isObject(t.v):
				r.methods[target.Obj.Name()] = true
			default:
				r.lost(t)
			}
		}
	}
	for _, v := range resultsOf(call) {
		if t.field == nil && types.Identical(v.Type(), t.v.Type()) {
			r.add(v, nil) // itself, or another like it
		}
	}
}

// isObject reports whether a value is a struct, points to one, or is in an interface.
func isObject(v ssa.Value) bool {
	return kind.StructName(v.Type()) != nil || types.IsInterface(v.Type())
}
