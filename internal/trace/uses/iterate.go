package uses

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// iterated follows rows that a function literal passes to its i-th parameter,
// where its function returns the literal, as iterators do: into the bodies of
// the loops that range over what callers in view get. It reports whether all
// of that was followed.
func (u *useFinder) iterated(literal *ssa.Function, i int) bool {
	maker := literal.Parent()
	if maker == nil || !kind.Returns(maker, literal) {
		return false
	}
	callers := u.p.Callers[kind.Origin(maker)]
	for _, call := range callers {
		iterator, ok := call.(*ssa.Call)
		if !ok || !u.ranges(iterator, i) {
			return false
		}
	}
	return len(callers) > 0
}

// ranges follows what is done with an iterator: it is called with the bodies
// of loops.
func (u *useFinder) ranges(iterator ssa.Value, i int) bool {
	for _, r := range *iterator.Referrers() {
		switch r := r.(type) {
		case *ssa.ChangeType:
			if !u.ranges(r, i) {
				return false
			}
		case ssa.CallInstruction:
			common := r.Common()
			if common.Value != iterator || i >= len(common.Args) {
				return false
			}
			u.callback(common.Args[i])
		default:
			return false
		}
	}
	return true
}
