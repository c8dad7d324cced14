package event

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/control"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/program"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// tableSet lists tables by the sites that made what goes to them.
type tableSet struct {
	parent map[string]string
	tables map[string][]*value.Value
	seen   map[string]map[string]bool
}

func (p *Tracer) newTableSet() *tableSet {
	return &tableSet{p.Sites.Parent, map[string][]*value.Value{}, map[string]map[string]bool{}}
}

// add records a table of what was made at a site, and at those of its callees.
func (s *tableSet) add(id string, table *value.Value) {
	for ; id != ""; id = s.parent[id] {
		if s.seen[id] == nil {
			s.seen[id] = map[string]bool{}
		}
		if key := table.String(); !s.seen[id][key] {
			s.seen[id][key] = true
			s.tables[id] = append(s.tables[id], table)
		}
	}
}

// applies reports whether a call of the client applies mutations to a table.
func applies(op string) bool {
	return op == btapi.Apply || op == btapi.ApplyBulk || op == btapi.ApplyReadModifyWrite
}

// tablesOf finds the tables to which mutations are applied and from which
// rows were read, by the sites that made them.
func (p *Tracer) tablesOf(events []*Event) map[string][]*value.Value {
	set := p.newTableSet()
	p.importedTables(set)
	p.raw = map[any][]*value.Value{}
	for _, e := range events {
		switch {
		case e.Op == New+"bigtablepb.MutateRowRequest", e.Op == New+"bigtablepb.MutateRowsRequest",
			e.Op == New+"bigtablepb.CheckAndMutateRowRequest", e.Op == New+"bigtablepb.ReadModifyWriteRowRequest":
			for _, c := range e.Cases {
				table := TableID(c.Args[0].Get("TableName"))
				c.Args[0].Walk(func(v *value.Value) {
					if v.Kind != value.Struct {
						return
					}
					if v.Site != nil {
						p.raw[v.Site] = append(p.raw[v.Site], table)
					}
					if call, ok := v.Expr.(*ast.CallExpr); ok { // that makes the message
						p.raw[call] = append(p.raw[call], table)
					}
				})
			}
		case applies(e.Op):
			for _, c := range e.Cases {
				if p.ofCallers(e, c) {
					continue // each caller's own
				}
				addMade(set, c)
			}
		case (e.Op == btapi.ReadRow || e.Op == btapi.ReadRows) && e.Depth == 0:
			for _, c := range e.Cases {
				set.add(p.Site(e.instr), c.Args[0])
			}
		}
	}
	return set.tables
}

// importedTables adds the tables to which functions of other packages apply
// what they make themselves, so that what they are known to do wrong is told
// from what a call makes of it.
func (p *Tracer) importedTables(set *tableSet) {
	seen := map[*types.Func]bool{}
	for _, fn := range p.Funcs {
		for _, call := range p.Calls[fn] {
			for _, t := range p.Targets(call) {
				s := p.Imported(t.Obj)
				if s == nil || seen[t.Obj] {
					continue
				}
				seen[t.Obj] = true
				for _, e := range s.Effects {
					for _, c := range e.Cases {
						if applies(e.Op) && len(c.Args) > 3 {
							addMade(set, c)
						}
					}
				}
			}
		}
	}
}

// addMade adds the table of an application for every mutation in it.
func addMade(set *tableSet, c summary.Case) {
	c.Args[3].Walk(func(v *value.Value) {
		if id := kind.Root(v); id != "" {
			set.add(id, c.Args[0])
		}
	})
}

// PossibleTables finds the tables to which mutations may be applied by way of
// what holds them.
func (p *Tracer) possibleTables(events []*Event) map[string][]*value.Value {
	set := p.newTableSet()
	for _, e := range events {
		for _, held := range e.applied {
			for _, id := range p.Flows.ContentsOf(held).SortedSites() {
				for _, c := range e.Cases {
					if p.ofCallers(e, c) {
						continue // each caller's own
					}
					set.add(id, c.Args[0])
				}
			}
		}
	}
	return set.tables
}

// ofCallers reports whether the table of an application is what callers in
// view supply. Calls that only tests make leave it open which table others do.
func (p *Tracer) ofCallers(e *Event, c summary.Case) bool {
	return c.Args[0].HasParams() && !openedByName(c.Args[0]) && slices.ContainsFunc(e.derived, func(d *Event) bool { return !p.IsTest(d.Pos()) })
}

// An application is a call that applies a mutation to a table.
type application struct {
	call ssa.CallInstruction
	args []ssa.Value
	fake bool // to a test's fake
}

// writeArgs is the number of a write's own arguments, receiver first. What
// follows is the table to which its function applies the mutation, so that
// the two are never of different rows of a table of tables.
const writeArgs = 5

// own returns a call's own arguments.
func own(op string, args []*value.Value) []*value.Value {
	if isWrite(op) && len(args) > writeArgs {
		return args[:writeArgs]
	}
	return args
}

// applicationOf returns the one call beside a write that applies its mutation,
// or nil.
func (p *Tracer) applicationOf(t program.Target) *application {
	if !isWrite(t.API) || t.Recv != nil || len(t.Args) != writeArgs {
		return nil
	}
	mut := t.Args[0]
	found, ok := p.applications[mut]
	if ok || mut.Referrers() == nil {
		return found
	}
	several := false
	for _, r := range *mut.Referrers() {
		call, ok := r.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if a, ok := p.Target(call.Common()); ok && a.API == btapi.Apply && len(a.Args) > 3 && a.Args[3] == mut {
			several = several || found != nil
			found = &application{call: call, args: a.Args}
		} else if p.toFake(call, a, mut) {
			several = several || found != nil
			found = &application{call: call, args: a.Args, fake: true}
		}
	}
	if several {
		found = nil
	}
	p.applications[mut] = found
	return found
}

// usedAt returns the block without which what a write puts into its mutation is
// never sent, or what a conversion makes of a time for such writes; nil where
// that is not known.
func (p *Tracer) usedAt(t program.Target, result *ssa.Call) *ssa.BasicBlock {
	switch {
	case t.API == "bigtable.Time" && result != nil:
		var out *ssa.BasicBlock
		for _, r := range *result.Referrers() {
			if _, ok := r.(*ssa.DebugRef); ok {
				continue
			}
			call, ok := r.(*ssa.Call)
			if !ok {
				return nil
			}
			w, ok := p.Target(call.Common())
			if !ok || w.API == "bigtable.Time" {
				return nil
			}
			used := p.usedAt(w, nil)
			if used == nil || out != nil && out != used {
				return nil
			}
			out = used
		}
		return out
	case !isWrite(t.API) || t.Recv != nil || len(t.Args) == 0:
		return nil
	}
	made, ok := t.Args[0].(*ssa.Call)
	if !ok {
		return nil
	}
	return control.Reaches(made, func(call *ssa.Call) bool {
		w, ok := p.Target(call.Common())
		return ok && w.API == btapi.NewCondMutation
	})
}

// feedsOf returns the parameters of a function that hold what an application
// in it applies.
func (p *Tracer) feedsOf(e *Event, owner *ssa.Function) []int {
	var out []int
	seen := map[int]bool{}
	for _, v := range e.applied {
		for _, i := range p.Flows.ContentsOf(v).Of(owner) {
			if !seen[i] {
				seen[i] = true
				out = append(out, i)
			}
		}
	}
	return out
}

// Tables returns the tables that a mutation is applied to, or that a row was
// read from; nil when that is not known.
func (r *Result) Tables(v *value.Value) []*value.Value { return r.tables[kind.Root(v)] }

// RawTables returns the tables that the request names in which a raw message
// stands: one that a call makes, in the request that it is made for.
func (r *Result) RawTables(e *Event, message *value.Value) []*value.Value {
	if e.Depth > 0 && e.Call != nil {
		if t := r.raw[e.Call]; t != nil {
			return t
		}
	}
	if message.Site == nil {
		return nil
	}
	return r.raw[message.Site]
}

// EventTables returns the tables to which the mutation of a write is
// applied: by its own events, or, of a parameter, by those of the calls that
// supply it.
func (r *Result) EventTables(e *Event, c summary.Case) []*value.Value {
	if e.Table != nil {
		return []*value.Value{e.Table}
	}
	if len(c.Args) > writeArgs && isWrite(e.Op) {
		if openedByName(c.Args[writeArgs]) || c.Args[writeArgs].Is(Fake) {
			return c.Args[writeArgs:]
		}
	}
	return eventTables(r.tables, e, c)
}

// openedByName reports whether a table is opened under a name of which
// something is known, whoever supplies the client.
func openedByName(table *value.Value) bool {
	name := kind.OpenedName(table)
	return name != nil && value.Glob(name) != ""
}

func isWrite(op string) bool {
	return op == btapi.Set || op == btapi.AddIntToCell || op == btapi.MergeBytesToCell
}

// findHolds finds the mutations that writes may be to, where their values do
// not say which it is: an element of a list, of a map.
func (p *Tracer) findHolds(events []*Event) {
	for _, e := range events {
		if e.Depth > 0 || !strings.HasPrefix(e.Op, "bigtable.Mutation.") || e.target.Recv != nil || len(e.target.Args) == 0 {
			continue
		}
		for _, c := range e.Cases {
			if kind.Root(c.Args[0]) == "" && c.Args[0].Base().Kind != value.Param {
				e.holds = p.Flows.ContentsOf(e.target.Args[0]).SortedSites()
				break
			}
		}
	}
}

// PossibleTables returns tables one of which is the one that the mutation of
// a write is applied to, where [Result.EventTables] knows none; nil when
// nothing is known of it.
func (r *Result) PossibleTables(e *Event, c summary.Case) []*value.Value {
	if out := eventTables(r.possible, e, c); len(out) > 0 || len(c.Args) == 0 || c.Args[0].Base().Kind == value.Param {
		return out
	}
	var out []*value.Value
	for _, id := range e.holds {
		out = append(out, r.possible[id]...)
	}
	return out
}

func eventTables(tables map[string][]*value.Value, e *Event, c summary.Case) []*value.Value {
	if len(c.Args) == 0 {
		return nil
	}
	if t := tables[kind.Root(c.Args[0])]; t != nil {
		return t
	}
	var out []*value.Value
	for _, d := range e.derived {
		for _, dc := range d.Cases {
			out = append(out, eventTables(tables, d, dc)...)
		}
	}
	return out
}
