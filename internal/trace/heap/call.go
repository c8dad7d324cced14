package heap

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// call makes the constraints of a call, a go or a defer.
func (h *Heap) call(in *instance, call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		h.builtin(in, b.Name(), call)
		return
	}
	if common.IsInvoke() {
		h.invoke(in, call)
		return
	}
	callee := common.StaticCallee()
	if _, literal := common.Value.(*ssa.MakeClosure); literal || callee == nil {
		h.dynamic(in, call)
		return
	}
	fn := kind.Origin(callee)
	if v := call.Value(); v != nil && btapi.Copies(kind.Object(fn)) {
		h.copied(in, v, common.Args[0])
		return
	}
	if !h.space.has(fn) {
		h.foreign(in, call)
		return
	}
	var of any
	if h.cloned(fn) && len(h.byFunc[fn]) < maxClones {
		of = call
	}
	h.bind(in, call, h.instance(fn, of), h.arguments(in, common.Args))
}

// An operand is a value's first node, with its type.
type operand struct {
	n int
	t types.Type
}

// arguments are those of a call.
func (h *Heap) arguments(in *instance, args []ssa.Value) []operand {
	out := make([]operand, len(args))
	for i, a := range args {
		out[i] = operand{h.value(in, a), a.Type()}
	}
	return out
}

// give makes one operand hold what another does. Inside a generic function a value
// of a type parameter is one cell.
func (h *Heap) give(from, to operand) {
	a, b := h.space.layouts.of(from.t), h.space.layouts.of(to.t)
	if a.size() == b.size() {
		h.assign(from.n, to.n, to.t)
		return
	}
	for i, leaf := range a.cells {
		for j, other := range b.cells {
			if points(leaf) && points(other) {
				h.solver.copy(from.n+i, to.n+j)
			}
		}
	}
}

// bind gives a callee its arguments, and the call what it returns. What takes or returns
// another number of values is not what it calls: no more is told apart of what all hold.
func (h *Heap) bind(in *instance, call ssa.CallInstruction, to *instance, args []operand) {
	if results := to.fn.Signature.Results(); len(args) != len(to.fn.Params) || results.Len() != call.Common().Signature().Results().Len() {
		return
	}
	if !in.runs(call, to) {
		return
	}
	h.runs[to.fn] = true
	for i, p := range to.fn.Params {
		if i < len(args) {
			h.give(args[i], operand{h.value(to, p), p.Type()})
		}
	}
	v := call.Value()
	if v == nil || to.fn.Signature.Results().Len() == 0 {
		return
	}
	h.after(to, func() {
		results := to.fn.Signature.Results()
		l := h.space.layouts.of(results)
		tuple, several := v.Type().(*types.Tuple)
		if !several {
			h.give(operand{to.results + l.part(0), results.At(0).Type()}, operand{h.value(in, v), v.Type()})
			return
		}
		for i := range results.Len() {
			at := h.space.layouts.of(tuple).part(i)
			h.give(operand{to.results + l.part(i), results.At(i).Type()}, operand{h.value(in, v) + at, tuple.At(i).Type()})
		}
	})
}

// runs notes that a call runs another instance, and reports whether that was not known.
func (in *instance) runs(call ssa.CallInstruction, to *instance) bool {
	if slices.Contains(in.calls[call], to) {
		return false
	}
	in.calls[call] = append(in.calls[call], to)
	return true
}

// after runs f once an instance has its results.
func (h *Heap) after(in *instance, f func()) {
	if in.results != 0 {
		f()
		return
	}
	h.later = append(h.later, f)
}

// dynamic binds a call to each function that its value may be.
func (h *Heap) dynamic(in *instance, call ssa.CallInstruction) {
	done := map[*Object]bool{}
	h.solver.when(h.value(in, call.Common().Value), func(cell int) {
		o := h.space.owner[cell]
		if done[o] {
			return
		}
		done[o] = true
		if o.fn == nil || !h.space.has(o.fn) {
			h.foreign(in, call)
			return
		}
		h.bind(in, call, h.code(o), h.arguments(in, call.Common().Args))
	})
}

// code returns the instance that a function value runs.
func (h *Heap) code(o *Object) *instance {
	if o.in == nil {
		return h.instance(o.fn, nil) // not a nil *instance
	}
	return h.instance(o.fn, o.in)
}

// invoke binds a call of an interface's method to that of each type that the
// interface may hold.
func (h *Heap) invoke(in *instance, call ssa.CallInstruction) {
	common := call.Common()
	h.solver.when(h.value(in, common.Value), func(cell int) {
		o := h.space.owner[cell]
		var t types.Type
		recv := 0
		switch {
		case o.boxed:
			t, recv = o.typ, o.start+1
		case o.fn == nil && h.space.typeAt(cell) != nil:
			t, recv = types.NewPointer(h.space.typeAt(cell)), 0
		}
		if t == nil || types.IsInterface(kind.Deref(t)) {
			h.foreign(in, call)
			return
		}
		fn := h.space.method(t, common.Method)
		if fn == nil || !h.space.has(fn) {
			h.foreign(in, call)
			return
		}
		to := h.instance(fn, nil)
		if recv == 0 {
			h.solver.add(h.value(to, fn.Params[0]), cell)
		} else {
			h.assign(recv, h.value(to, fn.Params[0]), t)
		}
		self := operand{h.space.nodes(h.space.layouts.of(fn.Params[0].Type()).size()), fn.Params[0].Type()}
		h.bind(in, call, to, append([]operand{self}, h.arguments(in, common.Args)...))
	})
}

// method returns the code of a type's method.
func (s *space) method(t types.Type, m *types.Func) *ssa.Function {
	sel := s.pkg.Prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil
	}
	fn := s.pkg.Prog.MethodValue(sel)
	if fn == nil {
		return nil
	}
	return kind.Origin(fn)
}

// foreign makes the constraints of a call of code that is not in view: it returns
// what comes from outside, and calls what it is given with that.
func (h *Heap) foreign(in *instance, call ssa.CallInstruction) {
	if h.called[foreignCall{in, call}] {
		return
	}
	h.called[foreignCall{in, call}] = true
	h.foreigners = append(h.foreigners, foreignCall{in, call})
	given := h.given(in, call)
	if v := call.Value(); v != nil {
		h.fromOutside(in, nil, h.value(in, v), v.Type())
		h.handBack(given, h.value(in, v), v.Type())
	}
	for _, a := range call.Common().Args {
		if _, ok := a.Type().Underlying().(*types.Signature); ok {
			h.solver.when(h.value(in, a), func(cell int) {
				if o := h.space.owner[cell]; o.fn != nil && h.space.has(o.fn) {
					h.callback(in, call, h.code(o), given)
				}
			})
		}
	}
}

type foreignCall struct {
	in   *instance
	call ssa.CallInstruction
}

// callback runs a function that code out of view is given.
func (h *Heap) callback(in *instance, call ssa.CallInstruction, to *instance, given int) {
	if !in.runs(call, to) {
		return
	}
	h.runs[to.fn] = true
	for _, p := range to.fn.Params {
		h.fromOutside(to, nil, h.value(to, p), p.Type())
		h.handBack(given, h.value(to, p), p.Type())
	}
}

// closure makes a function literal, with what it captures.
func (h *Heap) closure(in *instance, v *ssa.MakeClosure) {
	fn := v.Fn.(*ssa.Function)
	h.solver.add(h.value(in, v), h.space.funcObject(fn, in).start)
	to := h.instance(fn, in)
	for i, b := range v.Bindings {
		h.assign(h.value(in, b), h.value(to, fn.FreeVars[i]), b.Type())
	}
}

// builtin makes the constraints of a call of a built-in function.
func (h *Heap) builtin(in *instance, name string, call ssa.CallInstruction) {
	args := call.Common().Args
	switch name {
	case "append":
		v := call.Value()
		if v == nil {
			return
		}
		h.copied(in, v, args...)
		h.solver.copy(h.value(in, args[0]), h.value(in, v))
	case "copy":
		s, ok := kind.Core(args[0].Type()).(*types.Slice)
		if ok {
			h.transfer(h.value(in, args[1]), h.value(in, args[0]), args[1].Type(), s.Elem())
		}
	case "recover":
		if v := call.Value(); v != nil {
			h.fromOutside(in, nil, h.value(in, v), v.Type())
		}
	}
}

// copied makes a new list that holds what others do.
func (h *Heap) copied(in *instance, v ssa.Value, lists ...ssa.Value) {
	elem := kind.Core(v.Type()).(*types.Slice).Elem()
	to := h.value(in, v)
	h.solver.add(to, h.space.object(v, types.NewArray(elem, 1), in).start)
	for _, l := range lists {
		h.transfer(h.value(in, l), to, l.Type(), elem)
	}
}

// transfer makes the elements of one list hold what those of another do.
func (h *Heap) transfer(from, to int, t, elem types.Type) {
	if _, ok := kind.Core(t).(*types.Slice); !ok {
		return // the bytes of a text
	}
	l := h.space.layouts.of(elem)
	between := h.space.nodes(l.size())
	at := h.space.elements(t)
	h.load(from, between, elem, at)
	h.store(to, between, elem, at)
}
