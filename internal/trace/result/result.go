package result

import (
	"go/token"
	"sort"

	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Result is what tracing found in a package.
type Result struct {
	// Reaches reports whether the package can reach Bigtable. If not, all
	// else is empty.
	Reaches bool
	Events  []*event.Event
	// Declared and Shown are the declarations and the telling policies of
	// this package and of those that it imports.
	Declared []summary.Declared
	Shown    []summary.Shown
	// Variables are those of this package, and of those that it imports, that
	// hold what is declared with the runtime package.
	Variables []Variable

	tables   map[string][]*pickedTable // of the mutations and rows, by the sites that made them
	direct   map[string][]*value.Value // those of tables that are known without the calls that lead to the sites
	tests    map[string]bool           // the tables that tests alone give
	possible map[string][]*pickedTable // the tables that mutations may be applied to
	raw      map[any][]*value.Value    // of raw requests, by the messages in them
	holds    map[*event.Event][]string // of writes: the mutations that they may be to
	about    map[string][]Happening    // by the site of what the events are about
	edits    map[string][]string       // that a mutation is given to
	applied  map[string][]Happening    // the calls that apply a mutation, by the site that made it

	tracer *finder
}

// A finder finds what the events of a program are about.
type finder struct {
	prog    *program.Program
	eval    *eval.Evaluator
	client  *event.Tracer
	callers *callers.Tracer
	turns   *uses.Repeats
	raw     map[any][]*value.Value    // the tables of raw requests, by the messages in them
	holds   map[*event.Event][]string // of writes: the mutations that they may be to

	listed []policy.PolicyUse // by imported packages, once they were asked for
}

// Fill finds the events of a tracer's program, and the tables that they are
// about.
func (r *Result) Fill(t *callers.Tracer) {
	p := &finder{
		prog: t.Prog, eval: t.Eval, client: t.Client, callers: t,
		turns: uses.NewRepeats(t.Eval), holds: map[*event.Event][]string{},
	}
	r.Events = p.callers.Events()
	p.sortEvents(r.Events)
	p.findHolds(r.Events)
	r.Variables = p.variables()
	p.findAgain(r.Events)
	p.findSweeps(r.Events)
	made := p.tablesOf(r.Events)
	r.tables, r.direct, r.tests = made.tables, made.direct, made.tests
	r.possible = p.possibleTables(r.Events)
	r.raw, r.holds = p.raw, p.holds
	r.about, r.edits, r.applied = about(r.Events), p.editsOf(), p.applied(r.Events)
	r.tracer = p
}

// A Happening is one case of an event.
type Happening struct {
	Event *event.Event
	Case  summary.Case
}

// about lists what happens to mutations and rows, the first arguments of
// events, by the sites that made them.
func about(events []*event.Event) map[string][]Happening {
	out := map[string][]Happening{}
	for _, e := range events {
		for _, c := range e.Cases {
			if len(c.Args) == 0 {
				continue
			}
			if id := kind.Root(c.Args[0]); id != "" {
				out[id] = append(out[id], Happening{e, c})
			}
		}
	}
	return out
}

// About lists what happens to an object, where it was made, in the function
// that made it or in the edits that it is given to.
func (r *Result) About(object *value.Value) []Happening {
	if r.tracer == nil {
		return nil
	}
	return r.happenings(kind.Root(object), maxEdits)
}

func (r *Result) happenings(id string, edits int) (out []Happening) {
	for ; id != "" && edits >= 0; id = r.tracer.prog.Sites.Parent[id] {
		out = append(out, r.about[id]...)
		for _, edit := range r.edits[id] {
			out = append(out, r.happenings(edit, edits-1)...)
		}
	}
	return out
}

// Release drops everything but whether the package reaches Bigtable. A driver
// that keeps the results of all packages until it ends would otherwise hold
// the SSA form of them all.
func (r *Result) Release() { *r = Result{Reaches: r.Reaches} }

// sortEvents puts events in source order, the client's own calls before
// those that pass arguments on.
func (p *finder) sortEvents(events []*event.Event) {
	position := func(e *event.Event) token.Position { return p.prog.Pass.Fset.Position(e.Pos()) }
	sort.SliceStable(events, func(i, j int) bool {
		a, b := position(events[i]), position(events[j])
		if a.Filename != b.Filename {
			return a.Filename < b.Filename
		}
		if a.Offset != b.Offset {
			return a.Offset < b.Offset
		}
		return events[i].Depth < events[j].Depth
	})
}

// applied lists the calls that apply mutations, by the sites that made those, and by
// those of their callees.
func (p *finder) applied(events []*event.Event) map[string][]Happening {
	out := map[string][]Happening{}
	for _, e := range events {
		if !event.Applies(e.Op) || e.Node == nil {
			continue
		}
		for _, c := range e.Cases {
			c.Args[3].Walk(func(v *value.Value) {
				for id := kind.Root(v); id != ""; id = p.prog.Sites.Parent[id] {
					out[id] = append(out[id], Happening{e, c})
				}
			})
		}
	}
	return out
}

// Applied lists the calls by which a mutation is applied to tables, the first
// arguments of their cases.
func (r *Result) Applied(mutation *value.Value) []Happening { return r.applied[kind.Root(mutation)] }
