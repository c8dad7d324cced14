package event

import (
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// A Result is what tracing found in a package.
type Result struct {
	// Reaches reports whether the package can reach Bigtable. If not, all
	// else is empty.
	Reaches bool
	Events  []*Event
	// Declared and Shown are the declarations and the telling policies of
	// this package and of those that it imports.
	Declared []summary.Declared
	Shown    []summary.Shown
	// Variables are those of this package, and of those that it imports, that
	// hold what is declared with the runtime package.
	Variables []Variable

	tables   map[string][]*value.Value // of the mutations and rows, by the sites that made them
	possible map[string][]*value.Value // the tables that mutations may be applied to
	raw      map[any][]*value.Value    // of raw requests, by the messages in them
	about    map[string][]Happening    // by the site of what the events are about

	tracer *Tracer
}

// Fill finds the events of the tracer's program, and the tables that they are
// about.
func (p *Tracer) Fill(r *Result) {
	own := p.collectEvents()
	p.findWritten(own)
	r.Events = p.derive(append(own, p.uncalled()...))
	p.sortEvents(r.Events)
	p.findHolds(r.Events)
	r.Variables = p.variables()
	p.findAgain(r.Events)
	p.findSweeps(r.Events)
	r.tables = p.tablesOf(r.Events)
	r.possible = p.possibleTables(r.Events)
	r.raw = p.raw
	r.about = about(r.Events)
	r.tracer = p
}

// A Happening is one case of an event.
type Happening struct {
	Event *Event
	Case  summary.Case
}

// about lists what happens to mutations and rows, the first arguments of
// events, by the sites that made them.
func about(events []*Event) map[string][]Happening {
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

// About lists what happens to an object, where it was made or in the
// function that made it.
func (r *Result) About(object *value.Value) []Happening {
	if r.tracer == nil {
		return nil
	}
	var out []Happening
	for id := kind.Root(object); id != ""; id = r.tracer.Sites.Parent[id] {
		out = append(out, r.about[id]...)
	}
	return out
}

// Release drops everything but whether the package reaches Bigtable. A driver
// that keeps the results of all packages until it ends would otherwise hold
// the SSA form of them all.
func (r *Result) Release() { *r = Result{Reaches: r.Reaches} }
