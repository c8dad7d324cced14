package ttlread

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// predicate judges the predicate of a conditional mutation: it is a read, of
// which the service acts on the outcome.
func predicate(p *check.Pass, e *trace.Event, c trace.Case, cond *value.Value, tables []*value.Value) []check.Finding {
	r := &read{p: p, e: e, c: c, known: true, predicate: true, uses: trace.Uses{All: true}, tree: filter.Of(cond), refs: check.Refs(tables)}
	if cond.Base().Kind != value.Nil && r.tree == nil || onlyDeletes(p, e, c) {
		return nil
	}
	if r.tree == nil {
		r.tree = &filter.Tree{Op: filter.PassAll}
	}
	// On a table that is not known, it looks at what its branches write.
	r.uses.Families = writes(p, e, c)
	var out []check.Finding
	for _, ref := range check.Refs(tables) {
		var bad []check.Target
		var js []judged
		for _, t := range r.families(ref) {
			if t.Table == nil && t.Family.Strategy == registry.Sequence && !r.tree.Has(filter.Cell) && !r.tree.Has(filter.CellRange) {
				continue // a superseded version implies a newer one
			}
			res := filter.Judge(r.tree, t.Family)
			if t.Family.Strategy == registry.Sequence && r.tree.Exists() {
				continue // a superseded version implies a newer one
			}
			if e.OnlyTable && !slices.Contains(r.uses.Families, t.Family.Name) {
				continue // methods of one object may be for different tables
			}
			if res.Verdict == filter.Unbounded && t.Family.Strategy.NeedsFilter() {
				bad, js = append(bad, t), append(js, judged{t, res})
			}
		}
		if len(bad) == 0 {
			continue
		}
		f := check.Finding{
			Category: "conditional-mutation", Family: names(bad),
			Message: "predicate on " + describe(bad) + " can match " + dead(bad) + ", and chooses the wrong mutation; chain it after " + list(bad),
			Wrong:   cond,
		}
		if cond.Expr != nil && r.at(cond.Expr) {
			f.At = cond.Expr
		}
		f.Fix = r.predicateFix(cond, js)
		out = append(out, f)
	}
	// Of a table that is known on one way only, the finding of all its families
	// stands for that of the written ones, too.
	slices.SortStableFunc(out, func(a, b check.Finding) int {
		return strings.Count(b.Family, ",") - strings.Count(a.Family, ",")
	})
	return out
}

// predicateFix bounds a predicate; one that is nil, which any cell matches, gives way to
// what the families need.
func (r *read) predicateFix(cond *value.Value, js []judged) *analysis.SuggestedFix {
	if !r.oneTable() {
		return nil
	}
	if cond.Base().Kind != value.Nil {
		return r.boundFix(js)
	}
	if id, ok := cond.Expr.(*ast.Ident); !ok || id.Name != "nil" || !r.at(id) {
		return nil
	}
	b := fix.New(r.p.Pass, cond.Expr)
	if b == nil {
		return nil
	}
	p, ok := r.before(b, r.tree, js, cond.Expr.Pos())
	if !ok {
		return nil
	}
	return b.Replace(cond.Expr, p.text).Done("Keep out dead cells")
}

// writes returns the families that the branches of a conditional mutation
// write.
func writes(p *check.Pass, e *trace.Event, c trace.Case) []string {
	if e.Op != btapi.NewCondMutation {
		return nil
	}
	out := trace.Written(c)
	for _, branch := range c.Args[1:3] {
		for _, h := range p.Trace.About(branch) {
			switch h.Event.Op {
			case btapi.Set, btapi.AddIntToCell, btapi.MergeBytesToCell:
				if family, ok := h.Case.Args[1].IsStr(); ok {
					out = append(out, family)
				}
			}
		}
	}
	return out
}

// onlyDeletes reports whether the branches of a conditional mutation delete
// and do nothing else: to act on dead cells is then deliberate.
func onlyDeletes(p *check.Pass, e *trace.Event, c trace.Case) bool {
	if e.Op != btapi.NewCondMutation || len(trace.Written(c)) > 0 {
		return false
	}
	deletes := false
	for _, branch := range c.Args[1:3] {
		if branch.Base().Kind == value.Nil || branch.Base().Is(value.Zero) {
			continue
		}
		if trace.Root(branch) == "" {
			return true // whatever it is, it may be a deletion
		}
		for _, h := range p.Trace.About(branch) {
			switch h.Event.Op {
			case btapi.DeleteCellsInColumn, btapi.DeleteCellsInFamily, btapi.DeleteRow, btapi.DeleteTimeRange:
				deletes = true
			case btapi.Set, btapi.AddIntToCell, btapi.MergeBytesToCell:
				return false
			}
		}
	}
	return deletes
}

// rawPredicate judges a raw google.bigtable.v2.CheckAndMutateRowRequest.
func rawPredicate(p *check.Pass, e *trace.Event, c trace.Case) []check.Finding {
	m := c.Args[0].Base()
	if m.Kind != value.Struct {
		return nil
	}
	get := func(name string) *value.Value {
		f := value.FieldOf(m, m.Name+"."+name, value.NoClass)
		if f.Is(value.Zero) {
			return value.NilValue()
		}
		return f
	}
	deletes, writes := false, false
	for _, name := range []string{"TrueMutations", "FalseMutations"} {
		get(name).Walk(func(v *value.Value) {
			switch {
			case v.Kind == value.Struct && (v.Name == "bigtablepb.Mutation_SetCell_" || v.Name == "bigtablepb.Mutation_AddToCell_" || v.Name == "bigtablepb.Mutation_MergeToCell_"):
				writes = true
			case v.Kind == value.Struct && strings.HasPrefix(v.Name, "bigtablepb.Mutation_Delete"):
				deletes = true
			case v.Kind == value.Unknown, v.Kind == value.Param:
				deletes = true // whatever it is, it may be a deletion
			}
		})
	}
	if deletes && !writes {
		return nil
	}
	return predicate(p, e, c, get("PredicateFilter"), []*value.Value{trace.TableID(get("TableName"))})
}
