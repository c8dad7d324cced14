package callers

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
	"github.com/ttlvet/ttlvet/internal/value"
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
	objects    *uses.Objects
	effects    map[*ssa.Function][]*effect
	effectKeys map[*ssa.Function]map[string]bool
	handed     map[*ssa.Function][]*handed // calls that hand a function over to one that calls it
	knownAt    map[ssa.Instruction]bool    // calls that are known to do something, whoever makes them
	reads      map[string][]*event.Event   // by the site of the read, or of the call that reaches it

	callbackSteps map[*event.Event]int // that were taken for what a callback becomes at calls
	maxCallback   int                  // bounds them
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
		objects:    uses.NewObjects(t.Eval),
		effects:    map[*ssa.Function][]*effect{},
		effectKeys: map[*ssa.Function]map[string]bool{},
		handed:     map[*ssa.Function][]*handed{},
		knownAt:    map[ssa.Instruction]bool{},
		reads:      map[string][]*event.Event{},

		callbackSteps: map[*event.Event]int{},
		maxCallback:   maxCallback,
	}
}

// Taken finds what the functions of a package that does nothing with the client do with
// times that they are given, and what they call with what they are given, themselves or by
// functions of its imports: somebody who has an object of which they call a method is told.
func (p *Tracer) Taken() { p.derive(append(p.Client.Taken(), p.callbacks()...)) }

// Events lists the client's own calls, and those that lead to them.
func (p *Tracer) Events() []*event.Event {
	return p.derive(append(p.Client.Own(), p.callbacks()...))
}

// ReadAt returns the read that an identity of a row names, or reports that there are
// several.
func (p *Tracer) ReadAt(id string) (e *event.Event, several bool) {
	at, _, _ := strings.Cut(id, ">")
	if events := p.reads[at]; len(events) == 1 {
		return events[0], false
	}
	return nil, len(p.reads[at]) > 1
}

// TablesRead returns the tables of the read that an identity of a row names, and whether
// there is such a read.
func (p *Tracer) TablesRead(id string) (tables []*value.Value, known bool) {
	e, several := p.ReadAt(id)
	if e == nil {
		return nil, several
	}
	for _, c := range e.Cases {
		tables = append(tables, c.Args[0])
	}
	return tables, true
}
