package uses

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A frame is a call by which what is followed has come into a function. What one call of
// a helper gives beside a cell — a function, a checker, another time — is no matter of
// another call, and what the helper returns goes back to the one it was given by. Where
// there is no frame, it may be any call.
type frame struct {
	entry
	args  []ssa.Value // for the parameters of fn; nil where one is not given by the call
	depth int
}

// An entry tells frames apart.
type entry struct {
	call   ssa.CallInstruction // nil of whoever calls a method of an object
	fn     *ssa.Function
	caller *frame // in which the call stands
	made   *frame // in which fn was made, if it is a literal
}

// maxFrames bounds the calls that are told apart one within the other.
const maxFrames = 5

// enter returns the frame of a call that stands in the frame of what is followed.
func (w *forward) enter(call ssa.CallInstruction, t program.Target, made *frame) *frame {
	return w.frame(entry{call, t.Fn, w.at.in, made}, argumentsOf(t))
}

// enterWith follows a thing into the parameters of a function of the package for which a
// call gives it.
func (w *forward) enterWith(t thing, call ssa.CallInstruction, target program.Target, made *frame) {
	for i, a := range argumentsOf(target) {
		if a == t.v && i < len(target.Fn.Params) {
			w.within(w.enter(call, target, made), func() { w.add(target.Fn.Params[i], t.field) })
		}
	}
}

// entered returns the frame of the call by which what is followed has come into a function;
// nil where it may be any.
func (w *forward) entered(fn *ssa.Function) *frame {
	for x := w.at.in; x != nil; x = x.made {
		if x.call != nil && x.fn == kind.Origin(fn) {
			return x
		}
	}
	return nil
}

// argumentsOf returns what a target is given, receiver first; nil where the receiver is
// known by its value.
func argumentsOf(t program.Target) []ssa.Value {
	if t.Recv != nil {
		return append([]ssa.Value{nil}, t.Args...)
	}
	return t.Args
}

// frame returns the frame of an entry; nil of a recursion, and where too many are one
// within the other.
func (w *forward) frame(e entry, args []ssa.Value) *frame {
	depth := 1
	for _, outer := range []*frame{e.caller, e.made} {
		if outer != nil {
			depth = max(depth, outer.depth+1)
		}
	}
	for x := e.caller; x != nil; x = x.caller {
		if x.fn == e.fn {
			return nil
		}
	}
	if depth > maxFrames {
		return nil
	}
	f := w.frames[e]
	if f == nil {
		f = &frame{e, args, depth}
		w.frames[e] = f
	}
	return f
}

// of returns the frame of those around in whose function a value stands.
func (in *frame) of(v ssa.Value) *frame {
	fn := v.Parent()
	if fn == nil {
		return nil
	}
	for x := in; x != nil; x = x.made {
		for f := fn; f != nil; f = f.Parent() {
			if kind.Origin(f) == x.fn {
				return x
			}
		}
	}
	return nil
}

// argument returns what a frame's call gives for a parameter, and the frame of that;
// nil where that is not known.
func (in *frame) argument(param *ssa.Parameter) (ssa.Value, *frame) {
	x, i := in.of(param), kind.ParamIndex(param)
	if x == nil || x.fn != kind.Origin(param.Parent()) || i >= len(x.args) {
		return nil, nil
	}
	return x.args[i], x.caller
}

// source goes back from a value to where it comes from: through parameters in a frame, and
// variables that are set once.
func source(p *program.Program, v ssa.Value, in *frame) (ssa.Value, *frame) {
	for range 16 {
		var from ssa.Value
		of := in
		switch v := v.(type) {
		case *ssa.ChangeType:
			from = v.X
		case *ssa.ChangeInterface:
			from = v.X
		case *ssa.Parameter:
			from, of = in.argument(v)
		case *ssa.FreeVar:
			from = p.Binding(v)
		case *ssa.UnOp:
			if root, path := p.Address(v.X); len(path) == 0 && p.Holds(root) != v {
				from = p.Holds(root)
			}
		}
		if from == nil {
			return v, in
		}
		v, in = from, of.of(from)
	}
	return v, in
}

// A callee is a function that a call may run, of which only values tell.
type callee struct {
	program.Target              // without arguments
	made           *frame       // in which it was made, if it is a literal
	bound          bool         // its receiver is not among what the call gives
	of             *value.Value // the object whose method it is, where that is known
	maker          *types.Func  // of another package, if it is a literal which that returns
}

// given returns the callee as the target of a call.
func (f callee) given(common *ssa.CallCommon) program.Target {
	t := f.Target
	switch {
	case common.IsInvoke():
		t.Args = append([]ssa.Value{common.Value}, common.Args...)
	case f.bound:
		t.Args = append([]ssa.Value{nil}, common.Args...)
	default:
		t.Args = common.Args
	}
	return t
}

// calledMethod returns the name of the interface's method that a call runs; "" of others.
func calledMethod(common *ssa.CallCommon) string {
	if common.IsInvoke() {
		return common.Method.Name()
	}
	return ""
}

// callees finds the functions that a value may be in a frame, or that an object's method
// may be, in terms of a function: what hangs on the parameters of that stays open. known
// reports whether that is all.
func (p *CellTimes) callees(w *forward, v ssa.Value, method string, in *frame, terms *ssa.Function) (found []callee, open []*value.Value, known bool) {
	v, in = source(p.prog, v, in)
	for range maxFrames {
		call, ok := v.(*ssa.Call)
		if !ok {
			break
		}
		t, _ := p.prog.Target(&call.Call)
		result := onlyResult(t.Fn)
		if result == nil {
			break
		}
		w.within(in, func() { in = w.enter(call, t, nil) })
		v, in = source(p.prog, result, in.of(result))
	}
	if f, ok := p.calleeOf(v, in); ok && method == "" {
		return []callee{f}, nil, true
	}
	at, _ := v.(ssa.Instruction)
	return p.runsOf(method, terms, func(q *eval.Path) *value.Value { return inFrame(q, q.Way.Eval(v, at), in) })
}

// onlyResult returns what a function returns, where it has one result and one return; nil
// of others.
func onlyResult(fn *ssa.Function) (result ssa.Value) {
	if fn == nil {
		return nil
	}
	for _, ret := range kind.ReturnsOf(fn) {
		if len(ret.Results) != 1 || result != nil {
			return nil
		}
		result = ret.Results[0]
	}
	return result
}

// runsOf is [CellTimes.callees] of what a value evaluates to.
func (p *CellTimes) runsOf(method string, terms *ssa.Function, resolve func(*eval.Path) *value.Value) (found []callee, open []*value.Value, known bool) {
	find := func(closed bool) {
		found, open, known = nil, nil, true
		complete := p.eval.Explore(closed, maxNames, func(q *eval.Path) []*value.Value {
			return []*value.Value{resolve(q)}
		}, func(q *eval.Path, vs []*value.Value) {
			x := vs[0].Base()
			if x.Kind == value.Nil {
				return // nobody calls it
			}
			if t, ok := p.eval.Callee(x, method); ok {
				f := callee{Target: t, bound: method == "" && t.Recv != nil}
				if method != "" {
					f.of = x
				}
				found = append(found, f)
			} else if maker := p.madeBy(x); maker != nil && method == "" {
				found = append(found, callee{maker: maker})
			} else if terms != nil && isOf(x, terms) {
				open = append(open, x)
			} else {
				known = false
			}
		})
		known = known && complete
	}
	if find(false); !known {
		find(true) // as the package shows
	}
	return found, open, known
}

// madeBy returns the function of another package that makes the literal which a value is.
func (p *CellTimes) madeBy(v *value.Value) *types.Func {
	name, _, literal := strings.Cut(v.Name, "$")
	if v.Kind != value.Func || v.Site != nil || !literal {
		return nil
	}
	return p.prog.Names.FuncNamed(name)
}

// calleeOf returns the function that an instruction makes.
func (p *CellTimes) calleeOf(v ssa.Value, in *frame) (f callee, ok bool) {
	if made, ok := v.(*ssa.MakeInterface); ok {
		v = made.X
	}
	fn := functionOf(p.prog, v)
	if fn == nil {
		return f, false
	}
	if mc, ok := v.(*ssa.MakeClosure); ok {
		f.bound = kind.IsBound(mc.Fn.(*ssa.Function))
		f.made = in
	}
	f.Target = p.prog.FunctionTarget(fn, nil)
	return f, true
}

// inFrame returns a value with what the calls around give in the place of parameters.
func inFrame(q *eval.Path, v *value.Value, in *frame) *value.Value {
	if in == nil || in.call == nil {
		return v
	}
	t := program.Target{Fn: in.fn, Args: in.args}
	for _, a := range t.Args {
		if a == nil {
			return v
		}
	}
	v = q.Settler.Settle(v.Subst(q.Reader.Arguments(t, in.call).Binder(in.fn)), in.call)
	return inFrame(q, inFrame(q, v, in.caller), in.made)
}

// isOf reports whether a value is a parameter of a function, or a field of one.
func isOf(v *value.Value, fn *ssa.Function) bool {
	for v.Kind == value.Field {
		v = v.Args[0].Base()
	}
	return v.Kind == value.Param && v.Site == any(fn) && !v.IsType()
}
