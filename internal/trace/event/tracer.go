package event

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// A Tracer finds the client's own calls in a program.
type Tracer struct {
	Prog   *program.Program
	Eval   *eval.Evaluator
	Flows  *uses.Flows
	Rows   *uses.Rows
	Sweeps *uses.Sweeps

	applications map[ssa.Value]*application // of mutations
	asksTable    map[*ssa.Function]bool     // whether what a function answers is a table's to say
}

// NewTracer returns a tracer of a program.
func NewTracer(p *program.Program) *Tracer {
	e := eval.New(p)
	return &Tracer{
		Prog:         p,
		Eval:         e,
		Flows:        uses.NewFlows(e),
		Rows:         uses.NewRows(e),
		Sweeps:       uses.NewSweeps(p),
		applications: map[ssa.Value]*application{},
		asksTable:    map[*ssa.Function]bool{},
	}
}

// Own lists the events of the package that are the client's own calls and the
// like, in source order.
func (p *Tracer) Own() []*Event {
	own := p.collectEvents()
	p.findWritten(own)
	return own
}

// Abroad lists the calls of functions of other packages of which something is known,
// in the order of the program.
func (p *Tracer) Abroad(yield func(Abroad) bool) {
	for _, fn := range p.Prog.Funcs {
		for _, call := range p.Prog.Calls[fn] {
			for _, t := range p.Eval.Targets(call) {
				if s := p.Prog.Imported(t.Obj); s != nil && !yield(Abroad{call, t, s}) {
					return
				}
			}
		}
	}
}

// An Abroad is a call of a function of another package.
type Abroad struct {
	Call   ssa.CallInstruction
	Target program.Target
	Does   *summary.Summary
}
