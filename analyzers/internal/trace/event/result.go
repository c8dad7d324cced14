package event

import (
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

	tables   map[string][]*value.Value // of the mutations and rows, by the sites that made them
	possible map[string][]*value.Value // the tables that mutations may be applied to
	raw      map[any][]*value.Value    // of raw requests, by the messages in them

	tracer *Tracer
}

// Fill finds the events of the tracer's program, and the tables that they are
// about.
func (p *Tracer) Fill(r *Result) {
	r.Events = p.derive(p.collectEvents())
	p.sortEvents(r.Events)
	p.findHolds(r.Events)
	r.tables = p.tablesOf(r.Events)
	r.possible = p.possibleTables(r.Events)
	r.raw = p.raw
	r.tracer = p
}

// Release drops everything but whether the package reaches Bigtable. A driver
// that keeps the results of all packages until it ends would otherwise hold
// the SSA form of them all.
func (r *Result) Release() { *r = Result{Reaches: r.Reaches} }
