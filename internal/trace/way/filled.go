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
			return !ok || !fills(w, s, v) || !w.Program.Precedes(s, v)
		})
		w.later[v] = later
	}
	return later
}

// fillers lists what writes to the elements of a new slice.
func fillers(w *Way, v *ssa.Slice) []ssa.Instruction {
	return w.Program.Heap().At(v.X, kind.PathTo{kind.AnyElement}).Writers()
}

// fills reports whether the function that makes a slice stores to one of its elements.
func fills(w *Way, s *ssa.Store, v *ssa.Slice) bool {
	root, _ := w.Program.Address(s.Addr)
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
		t, ok := w.Program.Target(&at.Call)
		done = ok && t.API != ""
	default:
		return false
	}
	return !slices.ContainsFunc(fillers(w, v), func(instr ssa.Instruction) bool {
		s, ok := instr.(*ssa.Store)
		return !ok || !fills(w, s, v) || !done && w.Program.MayPrecede(at, s)
	})
}
