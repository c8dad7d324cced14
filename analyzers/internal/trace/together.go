package trace

import "golang.org/x/tools/go/ssa"

// Together reports whether two events are of one run of the package's code:
// they stand at one call, or some function leads to both.
func (r *Result) Together(e, f *Event) bool {
	if e.Node == f.Node {
		return true
	}
	if r.program == nil || e.fn == nil || f.fn == nil {
		return false
	}
	leadingTo := r.program.ancestors(f.fn)
	for fn := range r.program.ancestors(e.fn) {
		if leadingTo[fn] {
			return true
		}
	}
	return false
}

// ancestors returns the functions that lead to fn by calls in this package,
// with itself.
func (p *program) ancestors(fn *ssa.Function) map[*ssa.Function]bool {
	seen := map[*ssa.Function]bool{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		fn = origin(outermost(fn))
		if seen[fn] {
			return
		}
		seen[fn] = true
		for _, call := range p.callers[fn] {
			if !p.isTest(call.Pos()) {
				visit(call.Parent())
			}
		}
	}
	visit(fn)
	return seen
}
