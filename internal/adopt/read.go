package adopt

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ttlvet/ttlvet/analyzers/ttlgc"
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

const undeclared = "families that are not declared are not read then"

// declared returns the only table that values may be, where a variable in view
// declares it.
func (a *adopter) declared(tables []*value.Value) (*registry.Table, *types.Var) {
	var found *registry.Table
	for _, ref := range check.Refs(tables) {
		t, _ := a.Model.Table(ref)
		if t == nil || ref.Name != t.Pattern || found != nil && found != t {
			return nil, nil
		}
		found = t
	}
	v := a.TableVar(found)
	if v != nil && a.odd(v) {
		return nil, nil
	}
	return found, v
}

// odd reports whether a declaration says more than its strategy: a policy of
// its own, of which the live filter is another.
func (a *adopter) odd(v *types.Var) bool {
	return a.says(v, "ttl.RealTimeFamily.Policy")
}

// says reports whether the declaration that a variable holds uses one of the
// options.
func (a *adopter) says(v *types.Var, options ...string) bool {
	found := false
	for _, declared := range a.Trace.Variables {
		if declared.Object == v {
			declared.Value.Walk(func(w *value.Value) { found = found || w.Kind == value.Call && slices.Contains(options, w.Name) })
		}
	}
	return found
}

// tablesOf returns the tables that an event reads: those that its callers say,
// where it does not.
func tablesOf(e *trace.Event, depth int) []*value.Value {
	var own []*value.Value
	for _, c := range e.Cases {
		if len(c.Args) > 0 && check.Ref(c.Args[0]).Name != "" {
			own = append(own, c.Args[0])
		}
	}
	if len(own) > 0 || depth == 0 {
		return own
	}
	for _, d := range e.Link.Derived {
		own = append(own, tablesOf(d, depth-1)...)
	}
	return own
}

// read rewrites the RowFilter option of a read to Live or LiveAnd.
func (a *adopter) read(e *trace.Event, c trace.Case) *analysis.SuggestedFix {
	t, v := a.declared(tablesOf(e, 4))
	uses := e.RowUses()
	if v == nil || e.Call.Ellipsis.IsValid() || !uses.All && slices.ContainsFunc(uses.Families, func(name string) bool { return t.Family(name) == nil }) {
		return nil
	}
	var option *ast.CallExpr
	for _, arg := range e.Call.Args {
		call, ok := ast.Unparen(arg).(*ast.CallExpr)
		if ok && a.calls(call, "bigtable.RowFilter") && len(call.Args) == 1 {
			if option != nil {
				return nil
			}
			option = call
		} else if named := btapi.Type(a.TypesInfo.TypeOf(arg)); named == "bigtable.ReadOption" && !ok {
			return nil // it may be a filter
		}
	}
	b := fix.New(a.Pass.Pass, e.Call)
	if option == nil || b == nil {
		return nil
	}
	tree := a.filterOf(c, option)
	if tree == nil || !b.Plain(option.Args[0]) {
		return nil
	}
	if isLive(tree, t) {
		return done(b.Replace(option, b.Object(v, option.Pos())+".Live()"), "Read by "+v.Name()+".Live", undeclared)
	}
	chain, ok := ast.Unparen(option.Args[0]).(*ast.CallExpr)
	if !ok || !a.liveFirst(tree, chain, t) {
		return nil
	}
	b.Replace(option, b.Object(v, option.Pos())+".LiveAnd("+b.Source(sliceOf(chain))+")")
	return done(b, "Read by "+v.Name()+".LiveAnd", undeclared)
}

// predicate rewrites the live filter in a predicate to LiveFilter.
func (a *adopter) predicate(e *trace.Event, c trace.Case) *analysis.SuggestedFix {
	t, v := a.declared(a.Trace.Tables(c.Args[len(c.Args)-1]))
	b := fix.New(a.Pass.Pass, e.Call)
	if v == nil || b == nil || len(e.Call.Args) != 3 {
		return nil
	}
	tree := filter.Of(c.Args[0])
	cond := e.Call.Args[0]
	if tree == nil || filter.ValueOf(tree) == nil || filter.ValueOf(tree).Expr != ast.Unparen(cond) || !b.Plain(cond) {
		return nil
	}
	at := cond
	if chain, ok := ast.Unparen(cond).(*ast.CallExpr); ok && !isLive(tree, t) {
		if !a.liveFirst(tree, chain, t) {
			return nil
		}
		at = chain.Args[0]
	} else if !isLive(tree, t) {
		return nil
	}
	return done(b.Replace(at, b.Object(v, at.Pos())+".LiveFilter()"), "Ask by "+v.Name()+".LiveFilter", undeclared)
}

// liveFirst reports whether a chain, as it is written, begins with the live
// filter of a table.
func (a *adopter) liveFirst(tree *filter.Tree, chain *ast.CallExpr, t *registry.Table) bool {
	return tree.Op == filter.Chain && a.calls(chain, btapi.ChainFilters) && !chain.Ellipsis.IsValid() &&
		len(chain.Args) == len(tree.Sub) && len(tree.Sub) > 1 && isLive(tree.Sub[0], t)
}

// sliceOf stands for the links of a chain behind the first.
func sliceOf(chain *ast.CallExpr) ast.Node { return span{chain.Args[1], chain.Args[len(chain.Args)-1]} }

// filterOf returns the tree of the filter in an option that is written at the
// call.
func (a *adopter) filterOf(c trace.Case, option *ast.CallExpr) *filter.Tree {
	for _, o := range filter.OptionsOf(c.Args[len(c.Args)-1]).Given {
		if o.Base().Expr == ast.Expr(option) {
			return filter.Of(o.Base().Args[0])
		}
	}
	return nil
}

func (a *adopter) calls(call *ast.CallExpr, name string) bool {
	fn, ok := typeutil.Callee(a.TypesInfo, call).(*types.Func)
	return ok && btapi.Func(fn) == name
}

// isLive reports whether a filter passes what the live filter of a table
// passes, of its families: a branch for each, by its strategy.
func isLive(tree *filter.Tree, t *registry.Table) bool {
	if len(t.Families) == 1 {
		f := t.Families[0]
		return bounds(tree, f) || isBranch(tree, f)
	}
	if tree.Op != filter.Interleave || len(tree.Sub) != len(t.Families) {
		return false
	}
	for _, f := range t.Families {
		if !slices.ContainsFunc(tree.Sub, func(branch *filter.Tree) bool { return isBranch(branch, f) }) {
			return false
		}
	}
	return true
}

// isBranch reports whether a filter is that of one family.
func isBranch(tree *filter.Tree, f *registry.Family) bool {
	named := func(t *filter.Tree) bool { return t.Op == filter.Family && t.Pattern.Known && t.Pattern.S == f.Name }
	if named(tree) {
		return f.Strategy == registry.Real && f.MaxAge == 0 && f.Versions == 0
	}
	return tree.Op == filter.Chain && len(tree.Sub) == 2 && named(tree.Sub[0]) && bounds(tree.Sub[1], f)
}

// bounds reports whether a filter passes the live cells of a family that has
// a bound.
func bounds(tree *filter.Tree, f *registry.Family) bool {
	d, exact := tree.Start.Exact()
	since := tree.Op == filter.TimeRange && exact && !tree.Start.Once && filter.Open(tree.End)
	switch f.Strategy {
	case registry.OneSecond:
		return since && d == 0
	case registry.Default:
		return since && d == -f.TTL
	case registry.Sequence, registry.Zero:
		return latest(tree, max(f.Versions, 1))
	case registry.Real:
		return f.Versions == 0 && f.MaxAge > 0 && since && d == -f.MaxAge || f.MaxAge == 0 && f.Versions > 0 && latest(tree, f.Versions)
	}
	return false
}

func latest(tree *filter.Tree, n int) bool {
	return tree.Op == filter.LatestN && tree.NKnown && tree.N == n
}

// conf rewrites the configuration of a new table to that of its declaration.
func (a *adopter) conf(e *trace.Event, c trace.Case) *analysis.SuggestedFix {
	uses := trace.CasePolicies(e, c)
	if len(uses) == 0 {
		return nil
	}
	t, v := a.declared([]*value.Value{uses[0].Table})
	if v == nil {
		return nil
	}
	for _, u := range uses {
		if f := t.Family(u.Family); f == nil || !isPolicy(u.Policy, f) {
			return nil
		}
	}
	b, ok := ttlgc.Conf(a.Pass, e, c, t)
	if !ok {
		return nil
	}
	return done(b, "Create the table by "+v.Name()+".Conf", "policies follow the declaration then")
}

// isPolicy reports whether a policy is the one that a declared family has.
func isPolicy(v *value.Value, f *registry.Family) bool {
	var p *gcpolicy.Policy
	if v != nil {
		p = gcpolicy.Of(v)
	}
	if p == nil || p.Op == gcpolicy.None {
		return f.Strategy == registry.Real && f.MaxAge == 0 && f.Versions == 0 && p == nil
	}
	age := p.Op == gcpolicy.MaxAge && p.AgeKnown && p.Age == f.MaxAge
	versions := p.Op == gcpolicy.MaxVersions && p.N == max(f.Versions, 1)
	switch f.Strategy {
	case registry.OneSecond, registry.Default:
		return age
	case registry.Sequence, registry.Zero:
		return versions
	case registry.Real:
		return age && f.MaxAge > 0 && f.Versions == 0 || versions && f.Versions > 0 && f.MaxAge == 0
	}
	return false
}
