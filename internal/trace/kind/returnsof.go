package kind

import "golang.org/x/tools/go/ssa"

// ReturnsOf lists the instructions by which a function returns.
func ReturnsOf(fn *ssa.Function) func(yield func(*ssa.Return) bool) {
	return func(yield func(*ssa.Return) bool) {
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !yield(ret) {
				return
			}
		}
	}
}
