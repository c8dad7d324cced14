package trace

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/place"
	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/policy"
	"github.com/ttlvet/ttlvet/internal/trace/result"
	"github.com/ttlvet/ttlvet/internal/trace/uses"

	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxFactSize bounds the values that facts carry.
const maxFactSize = 120

// An exporter writes what tracing found in a package as facts.
type exporter struct {
	*callers.Tracer
	result   *result.Result
	exported map[*types.Func]*summary.Summary
	returns  map[*ssa.Function]bool // whether a result of a function may be known
}

// export writes the facts of the package's functions and variables.
func export(t *callers.Tracer, r *result.Result) {
	p := &exporter{t, r, map[*types.Func]*summary.Summary{}, map[*ssa.Function]bool{}}
	asked, some := p.Pass.ResultOf[Asked].(map[string]bool)
	for _, fn := range p.Funcs {
		obj := kind.Object(fn)
		if obj == nil || fn.Parent() != nil || obj.Pkg() != p.Pass.Pkg || !visible(obj) || p.IsTest(obj.Pos()) {
			continue
		}
		s := &summary.Summary{}
		if asked[obj.Name()] || !some {
			s.Results = p.exportedResults(fn)
		}
		for _, e := range p.Effects(fn) {
			if e, ok := p.portableEffect(e, fn); ok {
				s.Effects = append(s.Effects, e)
			}
		}
		s.Rows = p.exportedRows(fn)
		s.Flows, s.Checks = p.Flows.Of(fn), p.Rows.CheckedParams(fn)
		s.Sets, s.Writes, s.Hands = p.exportedSets(fn), p.Heap().Writes(fn), p.exportedHands(fn)
		if !s.Empty() {
			p.Pass.ExportObjectFact(obj, s)
			p.exported[obj] = s
		}
	}
	p.exportVariables()
	p.exportTables()
	p.exportLayouts()
	p.exportInterfaces()
}

// exportedSets returns what a function sets of the objects that it is given.
func (p *exporter) exportedSets(fn *ssa.Function) []summary.FieldSet {
	var out []summary.FieldSet
	for _, s := range p.Sets(fn) {
		e := summary.FieldSet{Param: s.Param, Field: s.Field}
		if s.Value != nil {
			e.Value = portable(s.Value, fn)
			for _, g := range s.Guards {
				e.Guards = append(e.Guards, p.portableGuard(g, fn))
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
		if kind.CarriesRow(param.Type()) {
			add("", p.Rows.UsesOfParam(fn, i, nil))
		}
		for _, f := range uses.RowsIn(param.Type()) {
			add(uses.FieldKey(param.Type(), f), p.Rows.UsesOfParam(fn, i, f))
		}
	}
	if uses.ReturnsParser(fn) {
		if uses := p.Rows.UsesOfReturned(fn); !uses.All || uses.Checked {
			out = append(out, summary.RowUse{Param: summary.ByReturned, Uses: portableUses(uses, fn)})
		}
	}
	return out
}

// visible reports whether other packages can call a function: it is
// exported, or a method that an exported name or an interface may lead to.
func visible(fn *types.Func) bool { return fn.Exported() }

// exportedResults returns what callers in other packages may know of a
// function's results: nothing, where no result can carry a meaning.
func (p *exporter) exportedResults(fn *ssa.Function) []summary.ResultCase {
	res := fn.Signature.Results()
	wanted := false
	for i := 0; i < res.Len(); i++ {
		wanted = wanted || p.tells(fn, i)
	}
	if !wanted || !p.knowable(fn) {
		return nil
	}
	var out []summary.ResultCase
	useful := false
	for _, c := range p.ResultsOf(fn) {
		n := summary.ResultCase{}
		for _, g := range c.Guards {
			n.Guards = append(n.Guards, p.portableGuard(g, fn))
		}
		for i, v := range c.Values {
			w := value.UnknownFor("an uninteresting result")
			if b := v.Base(); b.Kind == value.Bool {
				w = value.BoolOf(b.Num != 0) // whether there is such a thing, beside it
			} else if i < res.Len() && p.tells(fn, i) {
				w = portable(p.withMethods(p.UniquelyClosed(v), res.At(i).Type()), fn)
			}
			w.Class = v.Class
			useful = useful || w.Base().Kind != value.Unknown && w.Kind != value.Bool || w.Kind == value.Via || res.Len() == 1
			n.Values = append(n.Values, w)
		}
		out = append(out, n)
	}
	if !useful {
		return nil
	}
	return out
}

// meaningful reports whether a value, or what it hands out, carries a meaning.
func meaningful(t types.Type) bool {
	return memory.Meaningful(t, 3) || slices.ContainsFunc(handsOut(t), func(t types.Type) bool { return memory.Meaningful(t, 3) })
}

// handsOut returns the types of what a function hands out: the first
// result of one such as sync.OnceValue returns, what an iterator yields; other types as
// they are.
func handsOut(t types.Type) []types.Type {
	var out []types.Type
	if yielded := kind.Yielded(t); yielded != nil && yielded.Len() > 0 {
		for v := range yielded.Variables() {
			out = append(out, v.Type())
		}
		return out
	}
	if sig, ok := t.Underlying().(*types.Signature); ok && sig.Results().Len() > 0 {
		t = sig.Results().At(0).Type()
	}
	return append(out, t)
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
			u := value.UnknownFor("a parameter of another function")
			u.Class = leaf.Class
			return u
		}
		return nil
	})
	if w.Size() > maxFactSize {
		return value.UnknownFor("a value too large for a fact")
	}
	return w.Portable()
}

// portableGuard returns what a fact of fn may carry of a condition. Whether
// something succeeds that a call tries, and what a table answers, callers know no more
// of than of anything else that is tried.
func (p *exporter) portableGuard(g summary.Guard, fn *ssa.Function) summary.Guard {
	cond := g.Cond.Rewrite(func(v *value.Value) *value.Value {
		if !v.Is(eval.Outcome) || !p.Tries(v) && !p.AsksTable(v) {
			return nil
		}
		return value.UnknownFor("the outcome of " + v.Args[0].Base().Name)
	})
	return summary.Guard{Cond: portable(cond, fn), Want: g.Want}
}

func (p *exporter) portableEffect(e summary.Effect, fn *ssa.Function) (summary.Effect, bool) {
	out := summary.Effect{Op: e.Op, Where: e.Where, Depth: e.Depth, Uses: portableUses(ofCalls(e.Uses, e), fn), Feeds: e.Feeds, Stores: e.Stores, Again: e.Again, Helper: e.Helper, OnlyTable: e.OnlyTable, Method: e.Method}
	for _, c := range e.Cases {
		n := summary.Case{}
		for _, a := range p.withTable(e.Op, c.Args) {
			n.Args = append(n.Args, portable(p.UniquelyClosed(a), fn))
		}
		for _, g := range c.Guards {
			n.Guards = append(n.Guards, p.portableGuard(g, fn))
		}
		for _, g := range c.When {
			n.When = append(n.When, p.portableGuard(g, fn))
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
			n.Args = append(n.Args, portable(a, fn))
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

// exportVariables writes the facts of package variables.
func (p *exporter) exportVariables() {
	scope := p.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.Var)
		if !ok || !obj.Exported() || p.IsTest(obj.Pos()) {
			continue
		}
		// What is behind another interface says what its methods do.
		behind := !meaningful(obj.Type())
		if behind && !types.IsInterface(obj.Type()) {
			continue
		}
		g, ok := p.Pkg.Members[name].(*ssa.Global)
		if !ok {
			continue
		}
		fact := &summary.Variable{}
		seen := map[string]bool{}
		complete := p.Explore(true, eval.MaxResults, func(q *eval.Path) []*value.Value {
			return []*value.Value{q.Force(q.OnceGlobal(g), 4)}
		}, func(_ *eval.Path, vs []*value.Value) {
			v := portable(vs[0], nil)
			if s := v.String(); !seen[s] && v.Base().Kind != value.Unknown && (!behind || v.Base().Kind == value.Struct) {
				seen[s] = true
				fact.Values = append(fact.Values, v)
			}
		})
		if complete && len(fact.Values) > 0 {
			p.Pass.ExportObjectFact(obj, fact)
		}
	}
}

// declarations adds what the package declares with the runtime package and
// what its policies show.
func declarations(p *callers.Tracer, r *result.Result) {
	for _, e := range r.Events {
		if p.IsTest(e.Pos()) {
			continue
		}
		pos := p.Pass.Fset.Position(e.Pos())
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
