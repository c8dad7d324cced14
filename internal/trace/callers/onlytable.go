package callers

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A constructor may be given nothing but the table of which its object's methods
// read and write. What they do may be wrong for one table and right for another
// — a family of that name in several tables, a read that names no family — and
// is judged in other packages, where the constructor is called with a table that
// is known there.

// maxOnlyTable bounds the effects of one function that hang on nothing but the
// table.
const maxOnlyTable = 48

// tableOf returns which argument of an operation is its table: of a read the
// receiver, of a write what its mutation is applied to, of the time of a cell what
// [Tracer.withTables] puts behind it.
func tableOf(op string, args []*value.Value) (i int, ok bool) {
	switch i = event.TableArg(op); {
	case op == btapi.NewCondMutation:
		i = event.WriteArgs
	case event.AsDate(op):
		i = len(args) - 1
	}
	return i, i >= 0 && i < len(args) && !event.Applies(op)
}

// onlyTables lists the cases of an event that hang, by way of a field, on
// nothing but the table that a constructor is given.
func (p *Tracer) onlyTables(e *event.Event) []summary.Case {
	var out []summary.Case
	if !e.OnlyTable && built(e) {
		return nil
	}
	passes := e.OnlyTable || e.ViaField && event.IsWrite(e.Op) // a constructor that calls another
	for _, c := range p.withTables(e) {
		i, ok := tableOf(e.Op, c.Args)
		if !ok || !c.Args[i].HasParams() {
			continue
		}
		if name := kind.OpenedName(c.Args[i]); name != nil && !name.HasParams() {
			continue // it is known here which table that is
		}
		owner := giver(c.Args[i])
		if owner == nil || passes == (kind.Outermost(owner) != kind.Outermost(e.In)) {
			continue
		}
		if !passes {
			obj := kind.Object(owner)
			if obj == nil || !ast.IsExported(obj.Name()) && len(p.Prog.Callers[owner]) == 0 {
				continue
			}
		}
		if only, ok := p.withOnly(c, i, e); ok && !p.oneOfSeveral(e, c) {
			out = append(out, only)
		}
	}
	return out
}

// oneOfSeveral reports whether a parameter of a method decides by which of its calls it
// comes to a call of the client: whoever calls the method says what is read, not who makes
// the object.
//
//	if f == nil { return t.Get(ctx, key) }
//	return t.Get(ctx, key, bigtable.RowFilter(f))
func (p *Tracer) oneOfSeveral(e *event.Event, c summary.Case) bool {
	return slices.ContainsFunc(c.When, func(g summary.Guard) bool {
		return g.Cond.HasParams() && slices.ContainsFunc(p.effects[e.In], func(other *effect) bool {
			return other.Op == e.Op && other.Where == e.Where && other.src != e && slices.ContainsFunc(other.Cases, func(o summary.Case) bool {
				return slices.ContainsFunc(o.Conditions(), func(h summary.Guard) bool { return h.Want != g.Want && h.Cond.String() == g.Cond.String() })
			})
		})
	})
}

// withTables returns the cases of an event with the table to which it belongs: a
// conditional mutation that writes gets its from the call that applies it, the time of a
// cell that of its row.
func (p *Tracer) withTables(e *event.Event) (cases []summary.Case) {
	if event.AsDate(e.Op) && !e.OnlyTable {
		for _, c := range e.Cases {
			if table := p.tableOfCell(c); table != nil {
				c.Args = append(slices.Clip(c.Args), table)
				cases = append(cases, c)
			}
		}
		return cases
	}
	table, by := p.Client.AppliedTo(e)
	if table == nil || !allWrite(e.Cases) {
		return e.Cases
	}
	written := e.Cases[0].Args[event.CondWritten]
	return p.Eval.Cases(true, func(q *eval.Path) []*value.Value {
		args := slices.Insert(e.Resolve(q), event.CondWritten, written)
		for len(args) < event.WriteArgs {
			args = append(args, value.UnknownFor("an argument that no rule looks at"))
		}
		return append(args[:event.WriteArgs:event.WriteArgs], q.Settler.Force(q.Reader.Argument(table, by), 4))
	})
}

// tableOfCell returns the table from which the cells of a case were read; nil where that
// is not known, or several. Of a row that a call returns it is what the call supplies, or
// else the callee's own.
func (p *Tracer) tableOfCell(c summary.Case) (table *value.Value) {
	tables := map[string]bool{}
	for _, a := range c.Args {
		a.Walk(func(v *value.Value) {
			if !v.Is(kind.Row) {
				return
			}
			for id, known := kind.Root(v), false; id != "" && !known; id = p.Prog.Sites.Parent[id] {
				var read []*value.Value
				for read, known = p.TablesRead(id); len(read) > 0; read = read[1:] {
					table, tables[read[0].String()] = read[0], true
				}
			}
		})
	}
	if len(tables) != 1 {
		return nil
	}
	return table
}

// allWrite reports whether a conditional mutation is known to write in its
// branches: one that only deletes may do so to what is dead.
func allWrite(cases []summary.Case) bool {
	for _, c := range cases {
		if len(event.Written(c)) == 0 {
			return false
		}
	}
	return len(cases) > 0
}

// withOnly returns a case with nothing open in it but its table; false where
// something else hangs on a constructor too.
func (p *Tracer) withOnly(c summary.Case, table int, e *event.Event) (summary.Case, bool) {
	only := without(summary.Case{Args: c.Args}, "a parameter", ofFunction(e.In))
	only.Args[table] = value.UnknownFor("the table")
	if !event.AsDate(e.Op) {
		only.Args[made(e.Op)] = value.UnknownFor("what a method makes") // the mutation
	}
	if slices.ContainsFunc(only.Args, (*value.Value).HasParams) || slices.ContainsFunc(c.Guards, func(g summary.Guard) bool { return hangsOn(e, g) }) {
		return only, false
	}
	only.Args[table] = c.Args[table]
	return only, true
}

// hangsOn reports whether somebody decides a condition of an event: who makes its object,
// or who calls its function. Of what that looks up in what it is given, a context, both
// happen.
func hangsOn(e *event.Event, g summary.Guard) bool {
	given := func(v *value.Value) bool {
		fn, _ := v.Site.(*ssa.Function)
		return v.Kind == value.Param && fn == e.In && (v.Num > 0 || fn.Signature.Recv() == nil)
	}
	maker := g.Cond.Has(func(v *value.Value) bool { return v.Kind == value.Param && !given(v) })
	return maker || g.Cond.HasParams() && e.Decides(g)
}

// made returns which argument of an operation is the mutation that its function
// makes.
func made(op string) int {
	if op == btapi.NewCondMutation {
		return event.CondWritten + 1
	}
	return 0
}

// built reports whether a read has a filter out of a field, clocks aside: whoever
// builds the object, and its other methods, may set it.
func built(e *event.Event) bool {
	if e.Op != btapi.ReadRow && e.Op != btapi.ReadRows {
		return false
	}
	return slices.ContainsFunc(e.Link.Open, func(c summary.Case) bool {
		return withoutClocks(c.Args[len(c.Args)-1]).Has(func(v *value.Value) bool { return v.Kind == value.Field && v.HasParams() })
	})
}

// giver returns the function whose parameters a value hangs on; nil of several.
func giver(v *value.Value) *ssa.Function {
	owner, mixed := owners("", summary.Case{Args: []*value.Value{v}})
	if mixed {
		return nil
	}
	return owner
}

// judgedHere reports whether a call in view, a test's too, supplies a known table
// to what an event does: it is judged with that.
func judgedHere(e *event.Event) bool {
	for _, d := range e.Link.Derived {
		for _, c := range d.Cases {
			if i, ok := tableOf(d.Op, c.Args); ok && event.OpenedByName(c.Args[i]) {
				return true
			}
		}
		if judgedHere(d) {
			return true
		}
	}
	return false
}

// onlyTableEffects returns what an event means to the callers of constructors
// that supply nothing but its table.
func (p *Tracer) onlyTableEffects(e *event.Event) []ownedEffect {
	if e.Depth >= maxEffectDepth || p.Prog.IsTest(e.Pos()) || judgedHere(e) {
		return nil
	}
	byOwner := map[*ssa.Function][]summary.Case{}
	var owners []*ssa.Function
	for _, c := range p.onlyTables(e) {
		i, _ := tableOf(e.Op, c.Args)
		owner := giver(c.Args[i])
		if byOwner[owner] == nil {
			owners = append(owners, owner)
		}
		byOwner[owner] = append(byOwner[owner], c)
	}
	method, from := exportedMethod(e.In), p.from(e)
	if e.OnlyTable {
		method, from = e.Link.Effect.Method, e.Link.Effect.From // a constructor that calls another
	}
	var out []ownedEffect
	for _, owner := range owners {
		n := 0
		for _, known := range p.effects[owner] {
			if known.OnlyTable {
				n++
			}
		}
		if n >= maxOnlyTable {
			continue
		}
		out = append(out, ownedEffect{owner, &effect{
			Effect: summary.Effect{
				Op: e.Op, Cases: byOwner[owner], Where: p.where(e), Depth: e.Depth,
				Uses: p.usesOfMade(e, owner), Stores: true, OnlyTable: true, Method: method, From: from,
			},
			src: e, viaField: true,
		}})
	}
	return out
}

// usesOfMade returns the uses of the rows that an event reads, in terms of the constructor
// that makes the object.
func (p *Tracer) usesOfMade(e *event.Event, maker *ssa.Function) summary.Uses {
	if e.OnlyTable {
		return e.RowUses()
	}
	if handed := e.Uses.OfObject().Handed; len(handed) > 0 {
		if held, known := p.Client.Rows.PutByMaker(maker, handed); known {
			return e.ObjectRowUses(&held)
		}
	}
	return e.ObjectRowUses(nil)
}

// from says in which file and line the call stands, of those by which a method comes to
// the client's, that supplies more than a table, a mutation, a column or a row: what is
// wrong is that one's. It is "" where none does.
func (p *Tracer) from(e *event.Event) string {
	for ; e != nil && e.Depth > 0; e = e.Source {
		first := int64(0)
		if isMethod(e.Target, e.Target.Fn) {
			first = 1
		}
		given := func(w *value.Value) bool { return w.Kind == value.Param && w.Num >= first }
		if slices.ContainsFunc(e.Link.Effect.Cases, func(c summary.Case) bool { return withoutObjects(e.Op, c).Has(given) }) {
			return place.Of(p.Prog.Pass.Fset.Position(e.Pos()))
		}
	}
	return ""
}

// withoutObjects returns a case without its table, mutation, column and rows.
func withoutObjects(op string, c summary.Case) summary.Case {
	c = c.With(withoutRows)
	if i, ok := tableOf(op, c.Args); ok && !event.AsDate(op) {
		c.Args[i] = value.UnknownFor("the table")
	}
	if event.Fills(op) {
		c.Args[0], c.Args[event.Column] = value.UnknownFor("the mutation"), value.UnknownFor("the column")
	}
	return c
}

// exportedMethod returns the name of the method that an event belongs to, "" where
// that is none that other packages call by its name.
func exportedMethod(fn *ssa.Function) string {
	fn = kind.Outermost(fn)
	if fn.Signature.Recv() == nil || !ast.IsExported(fn.Name()) {
		return ""
	}
	return fn.Name()
}
