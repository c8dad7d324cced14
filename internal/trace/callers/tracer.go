package callers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/program"
)

// A Tracer hands events on to the callers of their functions.
type Tracer struct {
	Prog   *program.Program
	Eval   *eval.Evaluator
	Client *event.Tracer // finds the client's own calls

	// Edits are the mutations that function literals are given, by the identity of
	// what those are given: see package eval.
	Edits map[string][]string

	receivers  *Receivers
	effects    map[*ssa.Function][]effect
	effectKeys map[*ssa.Function]map[string]bool
	handed     map[*ssa.Function][]*handed // calls that hand a function over to one that calls it
}

// New returns a tracer of a program.
func New(p *program.Program) *Tracer {
	t := event.NewTracer(p)
	return &Tracer{
		Prog:       p,
		Eval:       t.Eval,
		Client:     t,
		Edits:      map[string][]string{},
		receivers:  NewReceivers(t.Eval),
		effects:    map[*ssa.Function][]effect{},
		effectKeys: map[*ssa.Function]map[string]bool{},
		handed:     map[*ssa.Function][]*handed{},
	}
}

// Taken finds what the functions of a package that does nothing with the client do with
// times that they are given, and what they call with what they are given,
// themselves or by functions of its imports.
func (p *Tracer) Taken() {
	ofObject := func(e *event.Event) bool { return e.Instr.(ssa.CallInstruction).Common().IsInvoke() }
	p.derive(append(p.Client.Taken(), slices.DeleteFunc(p.callbacks(), ofObject)...))
}

// HandedOn is [Tracer.Taken] for a package that reaches the client by its imports alone:
// what it calls a method of an object with, somebody who has that object is told.
func (p *Tracer) HandedOn() { p.derive(append(p.Client.Taken(), p.callbacks()...)) }

// Events lists the client's own calls, and those that lead to them.
func (p *Tracer) Events() []*event.Event {
	return p.derive(append(p.Client.Own(), p.callbacks()...))
}
