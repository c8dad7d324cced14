package result

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// tablesOf finds the tables to which mutations are applied and from which
// rows were read, by the sites that made them.
func (p *finder) tablesOf(events []*event.Event) *tableSet {
	set := p.newTableSet()
	p.importedTables(set)
	p.raw = map[any][]*value.Value{}
	var chosen []summary.Case
	for _, e := range events {
		set.inTest = p.prog.IsTest(e.Pos())
		switch {
		case e.Op == event.New+"bigtablepb.MutateRowRequest", e.Op == event.New+"bigtablepb.MutateRowsRequest",
			e.Op == event.New+"bigtablepb.CheckAndMutateRowRequest", e.Op == event.New+"bigtablepb.ReadModifyWriteRowRequest":
			for _, c := range e.Cases {
				table := policy.TableID(c.Args[0].Get("TableName"))
				p.inRequest(c.Args[0], table, nil)
			}
		case event.Applies(e.Op):
			for _, c := range e.Cases {
				if p.ofCallers(e, c) {
					continue // each caller's own
				}
				addMade(set, c)
				if chosenOutside(e, c) {
					chosen = append(chosen, c)
				}
			}
		case e.Op == btapi.ReadRow || e.Op == btapi.ReadRows:
			for _, c := range e.Cases {
				if e.Depth == 0 {
					set.add(p.prog.Sites.Site(e.Instr), p.suppliedTable(e, c.Args[0]), c.Picks())
				}
			}
		}
	}
	set.inTest = false
	for _, c := range chosen {
		c.Args[3].Walk(func(v *value.Value) {
			if id := kind.Root(v); id != "" && severalTables(set.tables[id]) {
				set.tables[id] = []*pickedTable{{Value: value.UnknownFor("a table that a parameter chooses")}}
			}
		})
	}
	p.ofEdits(set)
	return set
}

// severalTables reports whether tables are more than one: what the object of a method has,
// whoever made it, is none beside the one that it is known to have.
func severalTables(tables []*pickedTable) bool {
	n := 0
	for _, t := range tables {
		if event.OpenedByName(t.Value) || !t.AwaitsOthers() {
			n++
		}
	}
	return n > 1
}

// chosenOutside reports whether a case of what a function literal does hangs on a
// parameter of the function around it: whoever made the mutation does not know it.
func chosenOutside(e *event.Event, c summary.Case) bool {
	return slices.ContainsFunc(c.Conditions(), func(g summary.Guard) bool {
		return g.Cond.Has(func(v *value.Value) bool {
			fn, ok := v.Site.(*ssa.Function)
			return ok && v.Kind == value.Param && kind.Within(e.Instr.Parent(), fn)
		})
	})
}

// A madeByCall is a message of which calls make several: whose it is, they say.
type madeByCall struct{ site any }

// inRequest records the table of a request for the messages in it, by where they
// are made and by the calls that make them.
func (p *finder) inRequest(v, table *value.Value, by *ast.CallExpr) {
	if v.Kind == value.Struct {
		if call, ok := v.Expr.(*ast.CallExpr); ok {
			by = call
			p.raw[call] = append(p.raw[call], table)
		}
		if v.Site != nil {
			p.raw[v.Site] = append(p.raw[v.Site], table)
			if by != nil {
				p.raw[madeByCall{v.Site}] = []*value.Value{}
			}
		}
	}
	for _, a := range v.Args {
		p.inRequest(a, table, by)
	}
}

// importedTables adds the tables to which functions of other packages apply
// what they make themselves, so that what they are known to do wrong is told
// from what a call makes of it.
func (p *finder) importedTables(set *tableSet) {
	seen := map[*types.Func]bool{}
	for abroad := range p.client.Abroad {
		if seen[abroad.Target.Obj] {
			continue
		}
		seen[abroad.Target.Obj] = true
		for _, e := range abroad.Does.Effects {
			for _, c := range e.Cases {
				if event.Applies(e.Op) && len(c.Args) > 3 {
					addMade(set, c)
				}
			}
		}
	}
}

// addMade adds the table of an application for every mutation in it.
func addMade(set *tableSet, c summary.Case) {
	c.Args[3].Walk(func(v *value.Value) {
		if id := kind.Root(v); id != "" {
			set.add(id, c.Args[0], c.Picks())
		}
	})
}

// ofCallers reports whether the table of an application is what callers in
// view supply. Calls that only tests make leave it open which table others do.
func (p *finder) ofCallers(e *event.Event, c summary.Case) bool {
	return c.Args[0].HasParams() && !event.OpenedByName(c.Args[0]) && slices.ContainsFunc(e.Link.Derived, func(d *event.Event) bool { return !p.prog.IsTest(d.Pos()) })
}

// Tables returns the tables that a mutation is applied to, or that a row was
// read from; nil when that is not known.
func (r *Result) Tables(v *value.Value) []*value.Value {
	id := kind.Root(v)
	if t := anyOf(r.tables[id]); t != nil || !v.Base().Is(kind.Row) {
		return t
	}
	// A row that a call returns, by way of other functions: a helper, a decorator
	// around the table. Its table is what the call supplies, or else the callee's own.
	for ; id != ""; id = r.tracer.prog.Sites.Parent[id] {
		if r.tables[id] != nil {
			return anyOf(r.tables[id])
		}
		if tables, known := r.tracer.callers.TablesRead(id); known {
			return tables
		}
	}
	if read := v.Base().Args; len(read) > 1 { // as the package that reads it says
		return read[:1]
	}
	return nil
}

// Read returns the read that a row comes from; nil where that is not known.
func (r *Result) Read(row *value.Value) *event.Event {
	if r.tracer == nil {
		return nil
	}
	e, _ := r.tracer.callers.ReadAt(kind.Root(row))
	return e
}

// TableRead returns the table that a case of a read reads. An object that a call
// hands on says less of its table than the function that uses it knows.
func (r *Result) TableRead(e *event.Event, c summary.Case) *value.Value {
	table := c.Args[0]
	if e.Source == nil || event.OpenedByName(table) {
		return table
	}
	var same *value.Value
	for _, used := range e.Source.Cases {
		t := r.TableRead(e.Source, used)
		if !event.OpenedByName(t) || same != nil && same.String() != t.String() {
			return table
		}
		same = t
	}
	if same == nil {
		return table
	}
	return same
}

// RawTables returns the tables that the request names in which a raw message
// stands: one that a call makes, in the request that it is made for.
func (r *Result) RawTables(e *event.Event, message *value.Value) []*value.Value {
	if e.Depth > 0 && e.Call != nil {
		if t := r.raw[e.Call]; t != nil {
			return t
		}
		if r.raw[madeByCall{message.Site}] != nil {
			return nil // others are made by other calls
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
func (r *Result) EventTables(e *event.Event, c summary.Case) []*value.Value {
	if e.Table != nil {
		return []*value.Value{e.Table}
	}
	if len(c.Args) > event.WriteArgs && (event.Fills(e.Op) || e.OnlyTable) {
		table := c.Args[event.WriteArgs]
		if event.OpenedByName(table) || table.Is(event.Fake) || e.OnlyTable && table.Kind == value.Via { // the registry may name the field
			return c.Args[event.WriteArgs:]
		}
		if t := r.tablesAt(e, c); len(t) > 0 || c.Args[event.WriteArgs].Kind != value.Via {
			return t
		}
		return c.Args[event.WriteArgs:] // of a handle: applied by the callee itself
	}
	return r.tablesAt(e, c)
}

// OfTests reports whether a table of an event is one that tests alone give, and the event
// stands in none: others may give another.
func (r *Result) OfTests(e *event.Event, table *value.Value) bool {
	return r.tests[table.String()] && !r.tracer.prog.IsTest(e.Pos())
}

// findHolds finds the mutations that writes may be to, where their values do
// not say which it is: an element of a list, of a map.
func (p *finder) findHolds(events []*event.Event) {
	for _, e := range events {
		if e.Depth > 0 || !strings.HasPrefix(e.Op, "bigtable.Mutation.") || e.Target.Recv != nil || len(e.Target.Args) == 0 {
			continue
		}
		for _, c := range e.Cases {
			if kind.Root(c.Args[0]) == "" && c.Args[0].Base().Kind != value.Param {
				p.holds[e] = p.client.Flows.ContentsOf(e.Target.Args[0]).SortedSites()
				break
			}
		}
	}
}

// PossibleTables returns tables one of which is the one that the mutation of
// a write is applied to, where [Result.EventTables] knows none; nil when
// nothing is known of it.
func (r *Result) PossibleTables(e *event.Event, c summary.Case) []*value.Value {
	if out := eventTables(r.possible, e, c); len(out) > 0 || len(c.Args) == 0 || c.Args[0].Base().Kind == value.Param {
		return out
	}
	var out []*value.Value
	for _, id := range r.holds[e] {
		out = append(out, beside(r.possible[id], c)...)
	}
	return out
}

func eventTables(tables map[string][]*pickedTable, e *event.Event, c summary.Case) []*value.Value {
	if len(c.Args) == 0 {
		return nil
	}
	if t := beside(tables[kind.Root(c.Args[0])], c); t != nil {
		return t
	}
	if t := beside(tables[e.Edits(c)], c); t != nil {
		return t
	}
	var out []*value.Value
	for _, d := range e.Link.Derived {
		for _, dc := range d.Cases {
			if t := given(d, dc); len(t) > 0 {
				out = append(out, t...)
			} else {
				out = append(out, eventTables(tables, d, dc)...)
			}
		}
	}
	return out
}

// given returns the tables that belong to the values of a write, if all are known: that to
// which its function applies the mutation, or what the calls give that supply it. Of
// several kinds of records behind an interface, each has its own.
func given(e *event.Event, c summary.Case) (out []*value.Value) {
	switch {
	case !event.Fills(e.Op) || len(c.Args) <= event.WriteArgs:
		return nil
	case event.OpenedByName(c.Args[event.WriteArgs]):
		return c.Args[event.WriteArgs:]
	}
	for _, d := range e.Link.Derived {
		for _, dc := range d.Cases {
			t := given(d, dc)
			if len(t) == 0 {
				return nil
			}
			out = append(out, t...)
		}
	}
	return out
}
