package heap

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// generate makes the constraints of a function's instructions.
func (h *Heap) generate(in *instance) {
	if _, isWhole := in.of.(ssa.CallInstruction); !isWhole && h.roots[in.fn] {
		for _, p := range in.fn.Params {
			h.fromOutside(in, nil, h.value(in, p), p.Type())
		}
	}
	in.results = h.space.nodes(h.space.layouts.of(in.fn.Signature.Results()).size())
	for instr := range kind.Instructions(in.fn) {
		h.instruction(in, instr)
	}
}

// fromOutside makes a value's nodes point to objects from outside, found in another
// one or in none.
func (h *Heap) fromOutside(in *instance, found *Object, n int, t types.Type) {
	for i, leaf := range h.space.layouts.of(t).cells {
		if points(leaf) {
			if o := h.space.outside(leaf, found, in); o != nil {
				h.solver.add(n+i, o.start)
			}
		}
	}
}

// instruction makes the constraints of one instruction.
func (h *Heap) instruction(in *instance, instr ssa.Instruction) {
	switch v := instr.(type) {
	case *ssa.Alloc:
		h.solver.add(h.value(in, v), h.space.object(v, kind.Deref(v.Type()), in).start)
	case *ssa.MakeSlice:
		h.solver.add(h.value(in, v), h.space.object(v, types.NewArray(kind.Core(v.Type()).(*types.Slice).Elem(), 1), in).start)
	case *ssa.MakeMap:
		h.solver.add(h.value(in, v), h.space.object(v, entry(kind.Core(v.Type()).(*types.Map)), in).start)
	case *ssa.MakeChan:
		h.solver.add(h.value(in, v), h.space.object(v, kind.Core(v.Type()).(*types.Chan).Elem(), in).start)
	case *ssa.MakeClosure:
		h.closure(in, v)
	case *ssa.MakeInterface:
		h.box(in, v)
	case *ssa.FieldAddr:
		s := h.space.layouts.of(kind.Deref(v.X.Type()))
		h.offset(h.value(in, v.X), h.value(in, v), s.part(v.Field))
	case *ssa.IndexAddr:
		h.offset(h.value(in, v.X), h.value(in, v), h.space.elements(v.X.Type()))
	case *ssa.Field:
		from := h.value(in, v.X) + h.space.layouts.of(v.X.Type()).part(v.Field)
		h.assign(from, h.value(in, v), v.Type())
	case *ssa.Index:
		if _, text := v.X.Type().Underlying().(*types.Basic); !text {
			h.assign(h.value(in, v.X)+h.space.layouts.of(v.X.Type()).part(0), h.value(in, v), v.Type())
		}
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			h.load(h.value(in, v.X), h.value(in, v), v.Type(), 0)
		case token.ARROW:
			h.load(h.value(in, v.X), h.value(in, v), kind.Core(v.X.Type()).(*types.Chan).Elem(), 0)
		}
	case *ssa.Store:
		h.store(h.value(in, v.Addr), h.value(in, v.Val), v.Val.Type(), 0)
	case *ssa.Send:
		h.store(h.value(in, v.Chan), h.value(in, v.X), v.X.Type(), 0)
	case *ssa.Select:
		h.selects(in, v)
	case *ssa.MapUpdate:
		m := kind.Core(v.Map.Type()).(*types.Map)
		h.store(h.value(in, v.Map), h.value(in, v.Key), v.Key.Type(), 0)
		h.store(h.value(in, v.Map), h.value(in, v.Value), v.Value.Type(), h.space.layouts.of(m.Key()).size())
	case *ssa.Lookup:
		if m, ok := kind.Core(v.X.Type()).(*types.Map); ok {
			h.load(h.value(in, v.X), h.value(in, v), m.Elem(), h.space.layouts.of(m.Key()).size())
		}
	case *ssa.Next:
		h.next(in, v)
	case *ssa.Extract:
		tuple := h.space.layouts.of(v.Tuple.Type())
		h.assign(h.value(in, v.Tuple)+tuple.part(v.Index), h.value(in, v), v.Type())
	case *ssa.Phi:
		for _, e := range v.Edges {
			h.assign(h.value(in, e), h.value(in, v), v.Type())
		}
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Slice, *ssa.SliceToArrayPointer:
		h.pass(in, v.(ssa.Value))
	case *ssa.Convert, *ssa.MultiConvert:
		if points(v.(ssa.Value).Type()) {
			h.pass(in, v.(ssa.Value))
		}
	case *ssa.TypeAssert:
		h.asserted(in, v)
	case *ssa.Return:
		h.returned(in, v)
	case ssa.CallInstruction:
		h.call(in, v)
	}
}

// pass makes a value hold what its only operand does.
func (h *Heap) pass(in *instance, v ssa.Value) {
	x := *v.(ssa.Instruction).Operands(nil)[0]
	if h.space.layouts.of(x.Type()).size() == h.space.layouts.of(v.Type()).size() || points(v.Type()) && points(x.Type()) {
		h.assign(h.value(in, x), h.value(in, v), v.Type())
	} else if points(x.Type()) {
		h.solver.copy(h.value(in, x), h.value(in, v))
	}
}

// assign makes the nodes of a value of type t hold what others hold.
func (h *Heap) assign(from, to int, t types.Type) {
	for i, leaf := range h.space.layouts.of(t).cells {
		if points(leaf) {
			h.solver.copy(from+i, to+i)
		}
	}
}

// offset makes to point to what lies n cells after what from points to.
func (h *Heap) offset(from, to, n int) {
	h.solver.when(from, func(cell int) { h.solver.add(to, h.space.shift(cell, n)) })
}

// load makes to hold what lies n cells after what from points to.
func (h *Heap) load(from, to int, t types.Type, n int) {
	for i, leaf := range h.space.layouts.of(t).cells {
		if points(leaf) {
			h.solver.when(from, func(cell int) {
				cell = h.space.shift(cell, n+i)
				h.reveal(cell)
				h.solver.copy(cell, to+i)
			})
		}
	}
}

// store makes what lies n cells after what to points to hold what from holds.
func (h *Heap) store(to, from int, t types.Type, n int) {
	for i, leaf := range h.space.layouts.of(t).cells {
		if points(leaf) {
			h.solver.when(to, func(cell int) { h.solver.copy(from+i, h.space.shift(cell, n+i)) })
		}
	}
}

// box makes an interface's value: of a pointer the pointer itself, of all else a box
// that holds it.
func (h *Heap) box(in *instance, v *ssa.MakeInterface) {
	t := v.X.Type()
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		h.solver.copy(h.value(in, v.X), h.value(in, v))
		return
	}
	l := h.space.layouts.of(t)
	o := &Object{Site: v, typ: t, in: in, boxed: true}
	h.space.lay(o, 1+l.size())
	h.solver.add(h.value(in, v), o.start)
	h.assign(h.value(in, v.X), o.start+1, t)
}

// asserted makes a value of what an interface holds.
func (h *Heap) asserted(in *instance, v *ssa.TypeAssert) {
	to := h.value(in, v)
	if types.IsInterface(v.AssertedType) {
		h.solver.copy(h.value(in, v.X), to)
		return
	}
	t := v.AssertedType
	_, pointer := t.Underlying().(*types.Pointer)
	done := map[*Object]bool{} // from outside
	h.solver.when(h.value(in, v.X), func(cell int) {
		o := h.space.owner[cell]
		switch {
		case o.boxed && cell == o.start:
			if types.Identical(o.typ, t) {
				h.assign(o.start+1, to, t)
			}
		case o.Outside && o.size == 1 && (types.IsInterface(o.typ) || !pointer):
			if !done[o] {
				done[o] = true
				h.fromOutside(in, o, to, t)
			}
		case pointer:
			if at := h.space.typeAt(cell); at == nil || types.Identical(at, kind.Deref(t)) {
				h.solver.add(to, cell)
			}
		}
	})
}

func (h *Heap) selects(in *instance, v *ssa.Select) {
	tuple := h.space.layouts.of(v.Type())
	received := 2
	for _, s := range v.States {
		elem := kind.Core(s.Chan.Type()).(*types.Chan).Elem()
		if s.Dir == types.SendOnly {
			h.store(h.value(in, s.Chan), h.value(in, s.Send), s.Send.Type(), 0)
			continue
		}
		h.load(h.value(in, s.Chan), h.value(in, v)+tuple.part(received), elem, 0)
		received++
	}
}

// next makes a loop's key and element those of the map that it runs over.
func (h *Heap) next(in *instance, v *ssa.Next) {
	r, ok := v.Iter.(*ssa.Range)
	if !ok || v.IsString {
		return
	}
	m := kind.Core(r.X.Type()).(*types.Map)
	tuple := h.space.layouts.of(v.Type())
	results := v.Type().(*types.Tuple)
	if t := results.At(1).Type(); points(t) || h.space.layouts.of(t).size() > 1 {
		h.load(h.value(in, r.X), h.value(in, v)+tuple.part(1), t, 0)
	}
	if t := results.At(2).Type(); types.Identical(t, m.Elem()) {
		h.load(h.value(in, r.X), h.value(in, v)+tuple.part(2), t, h.space.layouts.of(m.Key()).size())
	}
}

// returned makes a function's result hold what a return gives.
func (h *Heap) returned(in *instance, v *ssa.Return) {
	results := in.fn.Signature.Results()
	l := h.space.layouts.of(results)
	for i, r := range v.Results {
		h.assign(h.value(in, r), in.results+l.part(i), results.At(i).Type())
	}
}
