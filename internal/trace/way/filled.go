package way

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// filledLater reports whether a value is a new slice whose elements are stored after it
// is made, by way of whatever slice or pointer: make([]T, 2) is a slice of an array too.
func (w *Way) filledLater(value ssa.Value) bool {
	v, ok := value.(*ssa.Slice)
	if !ok {
		return false
	}
	if _, anew := v.X.(*ssa.Alloc); !anew {
		return false
	}
	later, known := w.later[v]
	if !known {
		later = slices.ContainsFunc(fillers(w, v), func(instr ssa.Instruction) bool {
			s, ok := instr.(*ssa.Store)
			return !ok || !fills(w, s, v) || !w.Prog.Graphs.Precedes(s, v)
		})
		w.later[v] = later
	}
	return later
}

// fillers lists what writes to the elements of a new slice. What appends to it as it was
// made writes behind them.
func fillers(w *Way, v *ssa.Slice) []ssa.Instruction {
	return slices.DeleteFunc(slices.Clone(w.Prog.Heap().At(v.X, kind.PathTo{kind.AnyElement}).Writers()), func(instr ssa.Instruction) bool {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return false
		}
		b, ok := call.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "append" && v.High == nil && isWhole(w, call.Call.Args[0], v)
	})
}

// isWhole reports whether a list is a new slice, or what a variable holds to which nothing
// else is assigned.
func isWhole(w *Way, list ssa.Value, v *ssa.Slice) bool {
	load, ok := list.(*ssa.UnOp)
	if !ok {
		return list == ssa.Value(v)
	}
	g, ok := load.X.(*ssa.Global)
	if !ok || w.Prog.AddressTaken[g] {
		return false
	}
	stores := w.Prog.Assigned(g)
	return len(stores) == 1 && len(stores[0].Path) == 0 && stores[0].Val == ssa.Value(v)
}

// fills reports whether the function that makes a slice stores to one of its elements.
func fills(w *Way, s *ssa.Store, v *ssa.Slice) bool {
	root, _ := w.Prog.Address(s.Addr)
	return root == v.X && s.Parent() == v.Parent()
}

// takes reports whether an instruction takes the elements of a new slice as they are
// then: nobody but its function stores there, and not after it, unless the instruction
// is a call of the client.
func (w *Way) takes(at ssa.Instruction, v *ssa.Slice) bool {
	if at == nil || at.Parent() != v.Parent() || !slices.ContainsFunc(at.Operands(nil), func(o *ssa.Value) bool { return *o == v }) {
		return false
	}
	done := false
	switch at := at.(type) {
	case *ssa.Return:
	case *ssa.Call:
		t, ok := w.Prog.Target(&at.Call)
		done = ok && t.API != ""
	default:
		return false
	}
	return !slices.ContainsFunc(fillers(w, v), func(instr ssa.Instruction) bool {
		s, ok := instr.(*ssa.Store)
		return !ok || !fills(w, s, v) || !done && w.Prog.Graphs.MayPrecede(at, s)
	})
}
