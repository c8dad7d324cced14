package trace

import (
	"cmp"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/result"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxFactSize bounds the values that facts carry.
const maxFactSize = 120

// An exporter writes what tracing found in a package as facts.
type exporter struct {
	prog     *program.Program
	eval     *eval.Evaluator
	callers  *callers.Tracer
	result   *result.Result
	exported map[*types.Func]*summary.Summary
	returns  *returns
}

// export writes the facts of the package's functions and variables.
func export(t *callers.Tracer, r *result.Result) {
	acts := map[*types.Func]bool{}
	for _, fn := range t.Prog.Funcs {
		acts[kind.Object(fn)] = acts[kind.Object(fn)] || len(t.Effects(fn)) > 0
	}
	p := &exporter{t.Prog, t.Eval, t, r, map[*types.Func]*summary.Summary{}, newReturns(t.Client, acts)}
	process, _ := p.prog.Pass.ResultOf[InProcess].(*Process)
	later := &later{pass: p.prog.Pass, process: process, acts: acts, returns: p.returns}
	defer later.done()
	for _, fn := range p.prog.Funcs {
		obj := kind.Object(fn)
		if obj == nil || fn.Parent() != nil || obj.Pkg() != p.prog.Pass.Pkg || !p.visible(obj) || p.prog.IsTest(obj.Pos()) {
			continue
		}
		s := &summary.Summary{}
		if p.returns.tellsAny(fn) {
			s.Results = later.results(obj, fn)
		}
		for _, e := range p.callers.Effects(fn) {
			if e, ok := p.portableEffect(e, fn); ok {
				s.Effects = append(s.Effects, e)
			}
		}
		s.Rows = p.exportedRows(fn)
		s.Flows, s.Checks = p.callers.Client.Flows.Of(fn), p.callers.Client.Rows.Times.CheckedParams(fn)
		s.Sets, s.Writes = p.exportedSets(fn), p.prog.Heap().Writes(fn)
		if s.Results != nil || !s.Empty() {
			p.prog.Pass.ExportObjectFact(obj, s)
			p.exported[obj] = s
		}
	}
	p.exportVariables()
	p.exportTables()
	p.exportInterfaces()
}

// exportedSets returns what a function sets of the objects that it is given.
func (p *exporter) exportedSets(fn *ssa.Function) []summary.FieldSet {
	var out []summary.FieldSet
	for _, s := range p.eval.Memory.Objects.Sets(fn) {
		e := summary.FieldSet{Param: s.Param, Field: s.Field}
		if s.Value != nil {
			e.Value = portable(s.Value, fn)
			for _, g := range s.Guards {
				e.Guards = append(e.Guards, p.returns.portableGuard(g, fn))
			}
		}
		out = append(out, e)
	}
	return out
}

// exportedRows returns what a function does with the rows that it is given,
// where that is less than anything.
func (p *exporter) exportedRows(fn *ssa.Function) []summary.RowUse {
	var out []summary.RowUse
	for i, param := range fn.Params {
		add := func(field string, uses summary.Uses) {
			if !uses.All || uses.Checked {
				out = append(out, summary.RowUse{Param: i, Field: field, Uses: portableUses(uses, fn)})
			}
		}
		if kind.CarriesRow(kind.Deref(param.Type())) {
			add("", p.callers.Client.Rows.UsesOfParam(fn, i, nil))
		}
		for _, f := range uses.RowsIn(param.Type()) {
			add(uses.FieldKey(param.Type(), f), p.callers.Client.Rows.UsesOfParam(fn, i, f))
		}
	}
	if uses.ReturnsParser(fn) {
		if uses := p.callers.Client.Rows.UsesOfReturned(fn); !uses.All || uses.Checked {
			out = append(out, summary.RowUse{Param: summary.ByReturned, Uses: portableUses(uses, fn)})
		}
	}
	return out
}

// visible reports whether other packages can call a function: it is
// exported, or a method that an exported name or an interface may lead to.
func (p *exporter) visible(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if fn.Exported() || recv == nil {
		return fn.Exported()
	}
	t, ok := types.Unalias(kind.Deref(recv.Type())).(*types.Named)
	return ok && t.Obj().Exported() && p.prog.Behind.Sealed(fn)
}

// ofCalls returns the uses of an effect, as far as they are known where the effect is:
// who calls a method of an object is not seen there where that is made.
func ofCalls(u summary.Uses, e summary.Effect) summary.Uses {
	if e.Stores || e.OnlyTable {
		return u.Cautious()
	}
	return u
}

// portableUses returns the uses of rows as a fact of fn may carry them. What is given
// to callers' functions, callers see.
func portableUses(u summary.Uses, fn *ssa.Function) summary.Uses {
	given, handed := u.Given, u.Handed
	u.Given, u.Handed, u.Perhaps = nil, nil, false
	for _, h := range handed {
		if h.To != nil {
			h.To = portable(h.To, fn)
		}
		u.AddHanded(h)
	}
	for _, g := range given {
		u.AddGiven(portable(g, fn))
	}
	return u
}

// portable returns what a fact of fn may carry of a value: parameters of
// other functions are unknown to its callers.
func portable(v *value.Value, fn *ssa.Function) *value.Value {
	w := v.Subst(func(leaf *value.Value) *value.Value {
		if leaf.Kind == value.Param && leaf.Site != any(fn) {
			return leaf.Forgotten("a parameter of another function")
		}
		return nil
	})
	if w.Size() > maxFactSize {
		return value.UnknownFor("a value too large for a fact")
	}
	return w.Portable()
}

func (p *exporter) portableEffect(e summary.Effect, fn *ssa.Function) (summary.Effect, bool) {
	out := summary.Effect{Op: e.Op, Where: e.Where, Depth: e.Depth, Uses: portableUses(ofCalls(e.Uses, e), fn), Feeds: e.Feeds, Stores: e.Stores, Again: e.Again, Helper: e.Helper, OnlyTable: e.OnlyTable, Method: e.Method, Methods: e.Methods, From: e.From}
	for _, c := range e.Cases {
		n := summary.Case{}
		for _, a := range p.withTable(e.Op, c.Args) {
			n.Args = append(n.Args, portable(p.withRead(p.eval.UniquelyClosed(a)), fn))
		}
		for _, g := range c.Guards {
			n.Guards = append(n.Guards, p.returns.portableGuard(g, fn))
		}
		for _, g := range c.When {
			n.When = append(n.When, p.returns.portableGuard(g, fn))
		}
		out.Cases = append(out.Cases, n)
	}
	said := map[string]bool{}
	for _, c := range out.Cases {
		said[summary.ArgString(c.Args)] = len(c.Guards)+len(c.When) == 0
	}
	for _, c := range e.Told {
		n := summary.Case{}
		for _, a := range p.withTable(e.Op, c.Args) {
			n.Args = append(n.Args, portable(p.withRead(a), fn))
		}
		if s := summary.ArgString(n.Args); !said[s] {
			said[s], out.ToldUses = true, portableUses(ofCalls(e.ToldUses, e), fn)
			out.Told = append(out.Told, n)
		}
	}
	return out, len(out.Cases) > 0
}

// withTable returns the arguments of a write with the table to which its function
// applies the mutation by way of others, which its callers do not see.
func (p *exporter) withTable(op string, args []*value.Value) []*value.Value {
	if !event.Fills(op) || len(args) == 0 || len(args) > event.WriteArgs {
		return args
	}
	table := p.result.OwnTable(args[0])
	if table == nil {
		return args
	}
	out := args[:len(args):len(args)]
	for len(out) < event.WriteArgs {
		out = append(out, value.UnknownFor("an argument that no rule looks at"))
	}
	return append(out, table)
}

// withRead returns a value in which rows have the table that they are read from, where the
// package itself opens that: callers see no more of the read than what they supply to it.
func (p *exporter) withRead(v *value.Value) *value.Value {
	return v.Rewrite(func(row *value.Value) *value.Value {
		if !row.Is(kind.Row) || len(row.Args) != 1 {
			return nil
		}
		table := p.result.OwnTable(row)
		if table == nil {
			return nil
		}
		with := *row
		with.Args = []*value.Value{table, row.Args[0]}
		return &with
	})
}

// exportVariables writes the facts of package variables.
func (p *exporter) exportVariables() {
	scope := p.prog.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.Var)
		if !ok || !obj.Exported() || p.prog.IsTest(obj.Pos()) {
			continue
		}
		// What is behind another interface says what its methods do.
		behind := !meaningful(obj.Type())
		if behind && !types.IsInterface(obj.Type()) {
			continue
		}
		g, ok := p.prog.Pkg.Members[name].(*ssa.Global)
		if !ok {
			continue
		}
		fact := &summary.Summary{}
		seen := map[string]bool{}
		complete := p.eval.Explore(true, eval.MaxResults, func(q *eval.Path) []*value.Value {
			return []*value.Value{q.Settler.Force(q.OnceGlobal(g), 4)}
		}, func(_ *eval.Path, vs []*value.Value) {
			v := portable(vs[0], nil)
			if s := v.String(); !seen[s] && v.Base().Kind != value.Unknown && (!behind || v.Base().Kind == value.Struct) {
				seen[s] = true
				fact.Holds = append(fact.Holds, v)
			}
		})
		if complete && len(fact.Holds) > 0 {
			p.prog.Pass.ExportObjectFact(obj, fact)
		}
	}
}

// declarations adds what the package declares with the runtime package and
// what its policies show.
func declarations(p *callers.Tracer, r *result.Result) {
	for _, e := range r.Events {
		if p.Prog.IsTest(e.Pos()) {
			continue
		}
		pos := p.Prog.Pass.Fset.Position(e.Pos())
		where := place.Of(pos)
		switch {
		case e.Op == event.Conf: // shown where the table is created
		case e.Op == btapi.NewTable && e.Depth == 0:
			for _, c := range e.Cases {
				r.Declared = append(r.Declared, summary.Declared{
					Table: value.Apply(btapi.NewTable, c.Args...), Where: where, Pos: e.Pos(),
				})
			}
		default:
			for _, s := range policy.Policies(e) {
				if s.Family != "" {
					r.Shown = append(r.Shown, summary.Shown{Table: s.Table, Family: s.Family, Policy: cmp.Or(s.Policy, value.NilValue()), Where: where, Pos: e.Pos()})
				}
			}
		}
	}
}

func portableDeclared(ds []summary.Declared) []summary.Declared {
	var out []summary.Declared
	for _, d := range ds {
		out = append(out, summary.Declared{Table: portable(d.Table, nil), Var: d.Var, Where: d.Where})
	}
	return out
}

func portableShown(ss []summary.Shown) []summary.Shown {
	var out []summary.Shown
	for _, s := range ss {
		out = append(out, summary.Shown{Table: portable(s.Table, nil), Family: s.Family, Policy: portable(s.Policy, nil), Where: s.Where})
	}
	return out
}
