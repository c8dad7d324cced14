package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// An Evaluator resolves the values of a program.
type Evaluator struct {
	Prog   *program.Program
	Memory *memory.Memory

	// Clocks finds the calls that read the clock.
	Clocks *Clocks
	// Trace, where it is not nil, records how values are resolved.
	Trace *Log

	results     map[*ssa.Function]*results
	failing     map[*ssa.Function][]summary.ResultCase // under which conditions functions fail
	resolving   []*results                             // those that are being resolved, outermost first
	provisional []*ssa.Function                        // those that rest on what others return, which is not known to its end
	parts       map[part][]summary.ResultCase
	yielded     map[*ssa.Function][]summary.ResultCase               // what iterators yield
	dynamics    map[ssa.CallInstruction][]program.Target             // what calls run that only values tell
	deferred    map[*ssa.Function]map[ssa.Value][]summary.ResultCase // what deferred functions leave in variables
	deferrals   map[*ssa.Alloc][]*deferral
	steps       int // evaluated so far
}

// Steps is how many were taken so far.
func (e *Evaluator) Steps() int { return e.steps }

// New returns an evaluator of a program.
func New(p *program.Program) *Evaluator {
	e := &Evaluator{
		Prog:      p,
		results:   map[*ssa.Function]*results{},
		failing:   map[*ssa.Function][]summary.ResultCase{},
		parts:     map[part][]summary.ResultCase{},
		yielded:   map[*ssa.Function][]summary.ResultCase{},
		deferred:  map[*ssa.Function]map[ssa.Value][]summary.ResultCase{},
		deferrals: map[*ssa.Alloc][]*deferral{},
		dynamics:  map[ssa.CallInstruction][]program.Target{},
	}
	e.Memory = memory.New(memory.NewObjects(program.Of(p), e))
	e.Clocks = newClocks(p, e)
	return e
}
