package trace

import (
	"go/types"
	"path/filepath"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// maxFactSize bounds the values that facts carry.
const maxFactSize = 120

// export writes the facts of the package's functions and variables.
func (p *program) export(r *Result) {
	for _, fn := range p.funcs {
		obj := object(fn)
		if obj == nil || fn.Parent() != nil || obj.Pkg() != p.pass.Pkg || !visible(obj) || p.isTest(obj.Pos()) {
			continue
		}
		s := &Summary{Results: p.exportedResults(fn)}
		for _, e := range p.effects[fn] {
			if e, ok := p.portableEffect(e, fn); ok {
				s.Effects = append(s.Effects, e)
			}
		}
		s.Rows = p.exportedRows(fn)
		s.Flows, s.Checks = p.flows(fn), p.checkedParams(fn)
		s.Sets = p.exportedSets(fn)
		if len(s.Results)+len(s.Effects)+len(s.Rows)+len(s.Flows)+len(s.Checks)+len(s.Sets) > 0 {
			p.pass.ExportObjectFact(obj, s)
			p.exported[obj] = s
		}
	}
	p.exportVariables()
	p.exportInterfaces()
}

// exportedSets returns what a function sets of the objects that it is given.
func (p *program) exportedSets(fn *ssa.Function) []FieldSet {
	var out []FieldSet
	for _, s := range p.sets(fn) {
		e := FieldSet{Param: s.Param, Field: s.Field}
		if s.Value != nil {
			e.Value = portable(s.Value, fn)
			for _, g := range s.Guards {
				e.Guards = append(e.Guards, Guard{portable(g.Cond, fn), g.Want})
			}
		}
		out = append(out, e)
	}
	return out
}

// exportedRows returns what a function does with the rows that it is given,
// where that is less than anything.
func (p *program) exportedRows(fn *ssa.Function) []RowUse {
	var out []RowUse
	for i, param := range fn.Params {
		if !carriesRow(param.Type()) {
			continue
		}
		uses := p.usesOfParam(fn, i)
		if uses.All && !uses.Checked {
			continue
		}
		out = append(out, RowUse{i, uses})
	}
	return out
}

// exportInterfaces writes the facts of the methods of interfaces that one
// type of the package implements, so that callers who hold the interface
// know what it does.
func (p *program) exportInterfaces() {
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() || tn.IsAlias() || p.isTest(tn.Pos()) {
			continue
		}
		iface, ok := tn.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		impls := p.implementersOf(iface)
		if len(impls) != 1 {
			continue
		}
		for i := 0; i < iface.NumExplicitMethods(); i++ {
			m := iface.ExplicitMethod(i)
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(impls[0]), true, m.Pkg(), m.Name())
			if impl, ok := obj.(*types.Func); ok && p.exported[impl.Origin()] != nil {
				p.pass.ExportObjectFact(m, p.exported[impl.Origin()])
			}
		}
	}
}

// visible reports whether other packages can call a function: it is
// exported, or a method that an exported name or an interface may lead to.
func visible(fn *types.Func) bool { return fn.Exported() }

// exportedResults returns what callers in other packages may know of a
// function's results: nothing, where no result can carry a meaning.
func (p *program) exportedResults(fn *ssa.Function) []ResultCase {
	res := fn.Signature.Results()
	wanted := false
	for i := 0; i < res.Len(); i++ {
		wanted = wanted || meaningful(res.At(i).Type(), 3)
	}
	if !wanted {
		return nil
	}
	var out []ResultCase
	useful := false
	for _, c := range p.resultsOf(fn) {
		n := ResultCase{}
		for _, g := range c.Guards {
			n.Guards = append(n.Guards, Guard{portable(g.Cond, fn), g.Want})
		}
		for i, v := range c.Values {
			w := unknown("an uninteresting result")
			if i < res.Len() && meaningful(res.At(i).Type(), 3) {
				w = portable(p.uniquelyClosed(v), fn)
			}
			w.Class = v.Class
			useful = useful || w.Base().Kind != value.Unknown || w.Kind == value.Via
			n.Values = append(n.Values, w)
		}
		out = append(out, n)
	}
	if !useful {
		return nil
	}
	return out
}

// meaningful reports whether a result of that type can tell a rule anything.
func meaningful(t types.Type, depth int) bool {
	if interesting(t, depth) || tableLike(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsInteger|types.IsFloat) != 0
	case *types.Slice:
		return depth > 0 && meaningful(u.Elem(), depth-1)
	case *types.Map:
		return depth > 0 && meaningful(u.Elem(), depth-1)
	case *types.Signature, *types.Interface:
		name := optionType(t)
		return depth > 0 && name != nil && meaningful(name.Type(), depth-1)
	case *types.Pointer:
		return depth > 0 && meaningful(u.Elem(), depth-1)
	case *types.Struct:
		if btapi.Type(t) == "time.Time" {
			return true
		}
		for i := 0; depth > 0 && i < u.NumFields(); i++ {
			if meaningful(u.Field(i).Type(), depth-1) {
				return true
			}
		}
	}
	return false
}

// uniquelyClosed resolves the fields in a value by what the package stores in
// them, where that is one known value: importers cannot see it.
func (p *program) uniquelyClosed(v *value.Value) *value.Value {
	if !hasFields([]Case{{Args: []*value.Value{v}}}) {
		return v
	}
	var found *value.Value
	unique := p.explore(true, 8, func(q *path) []*value.Value {
		return []*value.Value{q.force(q.settle(v, nil), 4)}
	}, func(_ *path, vs []*value.Value) {
		switch {
		case found == nil:
			found = vs[0]
		case found.String() != vs[0].String():
			found = v
		}
	})
	if !unique || found == nil || !usable(found) {
		return v
	}
	return found
}

// usable reports whether a value is known as far as a rule needs it: a table
// needs its name only.
func usable(v *value.Value) bool {
	if b := v.Base(); b.Is("bigtable.Client.Open") || b.Is("bigtable.Client.OpenTable") {
		_, ok := b.Args[1].IsStr()
		return ok
	}
	return v.Known()
}

// portable returns what a fact of fn may carry of a value: parameters of
// other functions are unknown to its callers.
func portable(v *value.Value, fn *ssa.Function) *value.Value {
	w := v.Subst(func(leaf *value.Value) *value.Value {
		if leaf.Kind == value.Param && leaf.Site != any(fn) {
			u := unknown("a parameter of another function")
			u.Class = leaf.Class
			return u
		}
		return nil
	})
	if w.Size() > maxFactSize {
		return unknown("a value too large for a fact")
	}
	return w.Portable()
}

func (p *program) portableEffect(e Effect, fn *ssa.Function) (Effect, bool) {
	out := Effect{Op: e.Op, Where: e.Where, Depth: e.Depth, Uses: e.Uses, Feeds: e.Feeds}
	for _, c := range e.Cases {
		n := Case{}
		for _, a := range c.Args {
			n.Args = append(n.Args, portable(p.uniquelyClosed(a), fn))
		}
		for _, g := range c.Guards {
			n.Guards = append(n.Guards, Guard{portable(g.Cond, fn), g.Want})
		}
		for _, g := range c.When {
			n.When = append(n.When, Guard{portable(g.Cond, fn), g.Want})
		}
		out.Cases = append(out.Cases, n)
	}
	return out, len(out.Cases) > 0
}

// exportVariables writes the facts of package variables.
func (p *program) exportVariables() {
	scope := p.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.Var)
		if !ok || !obj.Exported() || !meaningful(obj.Type(), 3) || p.isTest(obj.Pos()) {
			continue
		}
		g, ok := p.pkg.Members[name].(*ssa.Global)
		if !ok {
			continue
		}
		fact := &Variable{}
		seen := map[string]bool{}
		complete := p.explore(true, maxResults, func(q *path) []*value.Value {
			return []*value.Value{q.force(q.global(g, nil), 4)}
		}, func(_ *path, vs []*value.Value) {
			v := portable(vs[0], nil)
			if s := v.String(); !seen[s] && v.Base().Kind != value.Unknown {
				seen[s] = true
				fact.Values = append(fact.Values, v)
			}
		})
		if complete && len(fact.Values) > 0 {
			p.pass.ExportObjectFact(obj, fact)
		}
	}
}

// declarations adds what the package declares with the runtime package and
// what its policies show.
func (p *program) declarations(r *Result) {
	var shown []Shown
	var others []PolicyUse
	for _, e := range r.Events {
		if p.isTest(e.Pos()) {
			continue
		}
		pos := p.pass.Fset.Position(e.Pos())
		where := filepath.Base(pos.Filename) + ":" + strconv.Itoa(pos.Line)
		switch {
		case e.Op == btapi.NewTable && e.Depth == 0:
			for _, c := range e.Cases {
				r.Declared = append(r.Declared, Declared{
					Table: value.Apply(btapi.NewTable, c.Args...), Where: where, Pos: e.Pos(),
				})
			}
		default:
			for _, s := range Policies(e) {
				switch {
				case s.Family == "" || s.Policy == nil:
				case showsOneSecond(s.Policy):
					shown = append(shown, Shown{Table: s.Table, Family: s.Family, Policy: s.Policy, Where: where, Pos: e.Pos()})
				case gcpolicy.Of(s.Policy) == nil || gcpolicy.Of(s.Policy).Known():
					others = append(others, s)
				}
			}
		}
	}
	for _, s := range shown {
		if !contradictedBy(s, others) {
			r.Shown = append(r.Shown, s)
		}
	}
}

// contradictedBy reports whether code gives the family another policy too: a
// drain that is undone, or an age that a flag chooses. Neither then tells
// what the timestamps of the family are.
func contradictedBy(s Shown, others []PolicyUse) bool {
	for _, o := range others {
		a, b := value.Glob(s.Table), value.Glob(o.Table)
		if o.Family == s.Family && (a == b || a == "" || b == "") {
			return true
		}
	}
	return false
}

// showsOneSecond reports whether a policy tells the strategy of its family.
func showsOneSecond(v *value.Value) bool {
	p := gcpolicy.Of(v)
	return p != nil && p.OneSecond()
}

func portableDeclared(ds []Declared) []Declared {
	var out []Declared
	for _, d := range ds {
		out = append(out, Declared{Table: portable(d.Table, nil), Var: d.Var, Where: d.Where})
	}
	return out
}

func portableShown(ss []Shown) []Shown {
	var out []Shown
	for _, s := range ss {
		out = append(out, Shown{Table: portable(s.Table, nil), Family: s.Family, Policy: portable(s.Policy, nil), Where: s.Where})
	}
	return out
}
