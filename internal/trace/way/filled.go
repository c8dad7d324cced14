package way

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// array returns what has the elements of a list: the array that a slice is made of, the
// call that makes one, by append or as a copy, or make where copy fills it, or a function
// of another package; nil of other values.
func (w *Way) array(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Slice:
		if a, ok := v.X.(*ssa.Alloc); ok {
			return a
		}
	case *ssa.Call:
		if kind.Builtin(v, "append") != nil || btapi.Copies(kind.CalledFunc(&v.Call)) || isForeign(w.Prog, v) {
			return v
		}
	case *ssa.Extract:
		if isForeign(w.Prog, v) {
			return v
		}
	case *ssa.MakeSlice:
		if copied(v) != nil {
			return v
		}
	}
	return nil
}

// isForeign reports whether a value is a list that a function of another package returns.
func isForeign(p *program.Program, v ssa.Value) bool {
	call, ok := kind.CallOf(v).(*ssa.Call)
	if _, list := kind.Core(v.Type()).(*types.Slice); !ok || !list {
		return false
	}
	t, ok := p.Target(&call.Call)
	return ok && t.API == "" && t.Obj != nil
}

// copied returns the call of copy that fills a new list at once; nil where none does.
func copied(v *ssa.MakeSlice) *ssa.Call {
	for _, r := range *v.Referrers() {
		if call := kind.Builtin(r, "copy"); call != nil && call.Block() == v.Block() && call.Call.Args[0] == ssa.Value(v) {
			return call
		}
	}
	return nil
}

// copies resolves a new list that is filled by copy: as long as what is copied.
func copies(w *Way, v *ssa.MakeSlice, from *ssa.Call) *value.Value {
	src := from.Call.Args[1]
	list := w.Eval(src, from).Base()
	if n := kind.Builtin(v.Len, "len"); n != nil && n.Call.Args[0] == src && list.Kind == value.List {
		return value.ListOf(list.Args...)
	}
	if n, ok := w.Eval(v.Len, v).IsInt(); ok && value.Apply(value.Len, list).Kind == value.Int && value.Apply(value.Len, list).Num == n && list.Kind == value.List {
		return value.ListOf(list.Args...)
	}
	return filledElsewhere()
}

// filledLater reports whether a value is a new list whose elements are stored after it
// is made, by way of whatever list or pointer: make([]T, 2) is a slice of an array too.
func (w *Way) filledLater(v ssa.Value) bool {
	if w.array(v) == nil {
		return false
	}
	later, known := w.later[v]
	if !known {
		later = slices.ContainsFunc(fillers(w, v), func(instr ssa.Instruction) bool {
			s, ok := instr.(*ssa.Store)
			return !ok || !fills(w, s, v) || !w.Prog.Graphs.Precedes(s, v.(ssa.Instruction))
		})
		w.later[v] = later
	}
	return later
}

// refilled returns a list that a call makes with what is stored to its elements until an
// instruction uses it.
func (w *Way) refilled(v ssa.Value, made *value.Value, at ssa.Instruction) *value.Value {
	list := value.ListOf(slices.Clone(made.Base().Args)...)
	isList := made.Base().Kind == value.List
	switch {
	case !isList && isForeign(w.Prog, v):
		return made
	case !isList, !w.takes(at, v):
		return filledElsewhere()
	}
	for _, instr := range fillers(w, v) {
		s := instr.(*ssa.Store)
		if !w.Prog.Graphs.MayPrecede(s, at) {
			continue
		}
		i := len(list.Args)
		if index, ok := s.Addr.(*ssa.IndexAddr).Index.(*ssa.Const); ok {
			i = int(index.Int64())
		}
		if i >= len(list.Args) || slices.ContainsFunc(list.Args[:i+1], func(e *value.Value) bool { return e.Is(value.Spread) }) {
			return filledElsewhere()
		}
		list.Args[i] = value.UnknownFor("an element that may be stored")
		if s.Block().Dominates(at.Block()) && w.Prog.Graphs.Precedes(s, at) {
			list.Args[i] = w.Eval(s.Val, s)
		}
	}
	return list
}

// fillers lists what writes to the elements of a new list. What appends to a slice as it
// was made writes behind them; functions of other packages put what a call has made into
// an order.
func fillers(w *Way, v ssa.Value) []ssa.Instruction {
	of, isSlice := v.(*ssa.Slice)
	var fill ssa.Instruction
	if made, ok := v.(*ssa.MakeSlice); ok {
		fill = copied(made)
	}
	place := w.Prog.Heap().At(w.array(v), kind.PathTo{kind.AnyElement})
	if place.Empty() {
		place = w.Prog.Heap().Place(v) // from another package
	}
	return slices.DeleteFunc(slices.Clone(place.Writers()), func(instr ssa.Instruction) bool {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return false
		}
		b, ok := call.Call.Value.(*ssa.Builtin)
		if !isSlice {
			return !ok || instr == fill
		}
		return ok && b.Name() == "append" && of.High == nil && isWhole(w, call.Call.Args[0], of)
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
	if !ok || len(w.Prog.AddressTaken[g]) > 0 {
		return false
	}
	stores := w.Prog.Assigned(g)
	return len(stores) == 1 && len(stores[0].Path) == 0 && stores[0].Val == ssa.Value(v)
}

// fills reports whether the function that makes a list stores to one of its elements.
func fills(w *Way, s *ssa.Store, v ssa.Value) bool {
	if _, isSlice := v.(*ssa.Slice); !isSlice {
		ia, ok := s.Addr.(*ssa.IndexAddr)
		return ok && ia.X == v
	}
	root, _ := w.Prog.Address(s.Addr)
	return root == w.array(v) && s.Parent() == v.Parent()
}

// takes reports whether an instruction takes the elements of a new list as they are
// then: nobody but its function stores there before it, nor after it, unless the
// instruction is a call of the client or copies them. What is appended to a list may
// share its elements.
func (w *Way) takes(at ssa.Instruction, v ssa.Value) bool {
	if at == nil || at.Parent() != v.Parent() || !slices.ContainsFunc(at.Operands(nil), func(o *ssa.Value) bool { return *o == v }) {
		return false
	}
	done := false
	switch at := at.(type) {
	case *ssa.Return:
	case *ssa.Call:
		t, ok := w.Prog.Target(&at.Call)
		done = ok && t.API != "" || w.array(at) != nil && at.Call.Args[0] != v
	default:
		return false
	}
	return !slices.ContainsFunc(fillers(w, v), func(instr ssa.Instruction) bool {
		s, ok := instr.(*ssa.Store)
		if done && ok && s.Parent() == at.Parent() && !w.Prog.Graphs.MayPrecede(s, at) {
			return false
		}
		return !ok || !fills(w, s, v) || !done && w.Prog.Graphs.MayPrecede(at, s)
	})
}
