package result

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Together reports whether two events are of one run of the package's code:
// they stand at one call or in one function, or some function leads to both, not
// to one or the other as a command line that has commands does.
func (r *Result) Together(e, f *event.Event) bool {
	// What one call leads to in this package is asked in what it calls.
	within := e.Node == f.Node && e.Source != nil && f.Source != nil
	if e.Node == f.Node && !within {
		return true
	}
	if r.tracer == nil || e.In == nil || f.In == nil || e.Instr == nil || f.Instr == nil {
		return false
	}
	if kind.Outermost(e.In) == kind.Outermost(f.In) && !within {
		return true
	}
	// Analyzers run side by side.
	r.tracer.prog.Order.Lock()
	defer r.tracer.prog.Order.Unlock()
	toE, toF := r.tracer.leading(e), r.tracer.leading(f)
	for fn, sites := range toE {
		for _, a := range sites {
			for _, b := range toF[fn] {
				if r.tracer.oneRun(a, b) {
					return true
				}
			}
		}
	}
	return false
}

// oneRun reports whether one run of a function may come to both of two places in
// it. A call that runs one of several functions runs one, and one once.
func (p *finder) oneRun(a, b site) bool {
	if a.at.Parent() != b.at.Parent() {
		return true
	}
	if a.at == b.at && a.to == nil && b.to == nil {
		return true // two of one call of another package's function
	}
	if a.at == b.at {
		// What one call runs is one run of the function that it calls, and asked there.
		return a.to != b.to && !p.callers.Dispatches(a.at.(ssa.CallInstruction)) || p.prog.Graphs.MayPrecede(a.at, a.at)
	}
	return !p.prog.Graphs.Exclusive(a.at.Block(), b.at.Block())
}

// A site is a place in a function from which a run comes to an event: the event
// itself, or the call of a function that leads to it.
type site struct {
	at ssa.Instruction
	to *ssa.Function // which is called
}

// leading returns the functions that lead to an event by calls in this package,
// with its own and those that it leads to, and from where.
func (p *finder) leading(e *event.Event) map[*ssa.Function][]site {
	own := kind.Origin(kind.Outermost(e.In))
	out := map[*ssa.Function][]site{}
	for d := e; d != nil; d = d.Source {
		here := site{at: d.Instr}
		if d.Source != nil && d.Source.In != nil {
			here.to = kind.Origin(kind.Outermost(d.Source.In))
		}
		if fn := kind.Origin(kind.Outermost(d.In)); here.at != nil {
			out[fn] = append(out[fn], here)
		}
	}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		for _, call := range p.prog.Callers[fn] {
			if p.prog.IsTest(call.Pos()) {
				continue
			}
			caller := kind.Origin(kind.Outermost(call.Parent()))
			_, seen := out[caller]
			out[caller] = append(out[caller], site{call, fn})
			if !seen {
				visit(caller)
			}
		}
	}
	visit(own)
	return out
}
