package mutation

import (
	"go/ast"
	"slices"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// read makes mutants of a read whose filter bounds a registered family.
func (f *finder) read(e *trace.Event) {
	for _, c := range e.Cases {
		if len(c.Args) == 0 {
			continue
		}
		applies := filter.OptionsOf(c.Args[len(c.Args)-1]).Last()
		if applies == nil {
			continue
		}
		tree := filter.Of(applies)
		if tree == nil {
			continue
		}
		bounded := f.bounded(e, c, tree)
		if len(bounded) == 0 {
			continue
		}
		if s := f.at(e.Node); s != nil && e.Call != nil {
			f.add(f.noFilter(s, e.Call))
		}
		if unsure(tree) {
			// What else restricts the read may be to other families, of which
			// another bound is right: no finding by the rules.
			continue
		}
		for _, family := range bounded {
			f.nodes(tree, family)
		}
	}
}

// unsure reports whether it is not known which families a filter lets pass:
// some of it is not known, or a family's name.
func unsure(t *filter.Tree) bool {
	if t == nil {
		return false
	}
	if t.Op == filter.Any || t.Op == filter.Family && !t.Pattern.Known {
		return true
	}
	return slices.ContainsFunc(t.Sub, unsure)
}

// bounded returns the families that the read uses and that its filter
// bounds as it should.
func (f *finder) bounded(e *trace.Event, c trace.Case, tree *filter.Tree) []*registry.Family {
	uses := e.RowUses()
	if uses.Checked {
		return nil // by hand
	}
	var out []*registry.Family
	add := func(family *registry.Family) {
		if family == nil || !family.Strategy.NeedsFilter() {
			return
		}
		if r := filter.Judge(tree, family); r.Verdict == filter.Bounded && r.Problem == filter.None {
			out = append(out, family)
		}
	}
	for _, ref := range check.Refs(c.Args[:1]) {
		if table, _ := f.p.Model.Table(ref); table != nil && uses.All {
			for _, family := range table.Families {
				add(family)
			}
			continue
		}
		for _, name := range uses.Families {
			family, _ := f.p.Model.Family(ref, name)
			add(family)
		}
	}
	return out
}

// noFilter removes the options of a read.
func (f *finder) noFilter(s *spot, call *ast.CallExpr) *Mutant {
	if call.Ellipsis.IsValid() {
		return nil
	}
	var edits []Edit
	was := ""
	for i, a := range call.Args {
		if i == 0 || btapi.Type(f.pass.TypesInfo.TypeOf(a)) != "bigtable.ReadOption" {
			continue
		}
		if made, ok := a.(*ast.CallExpr); ok {
			if sel, ok := made.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "LimitRows" || sel.Sel.Name == "ReverseScan") {
				continue
			}
		}
		edits = append(edits, Edit{s.offset(call.Args[i-1].End()), s.offset(a.End()), ""})
		was += s.text(a) + " "
	}
	if edits == nil {
		return nil
	}
	return s.mutant(NoFilter, call, was, "no option", edits...)
}

// nodes makes mutants of the ranges and limits of a filter.
func (f *finder) nodes(t *filter.Tree, family *registry.Family) {
	if t == nil || filter.Judge(t, family).Verdict == filter.Excluded {
		return
	}
	for i, sub := range t.Sub {
		if t.Op == filter.Chain && sub.Op == filter.LatestN {
			rest := *t
			rest.Sub = slices.Delete(slices.Clone(t.Sub), i, i+1)
			if r := filter.Judge(&rest, family); r.Verdict == filter.Bounded && r.Problem == filter.None {
				continue // the others are enough, such as a declared live filter
			}
		}
		f.nodes(sub, family)
	}
	switch {
	case t.Op == filter.TimeRange && family.Strategy.Expires():
		call, s := f.callAt(filter.ValueOf(t), "TimestampRangeFilter", "TimestampRangeFilterMicros")
		if call == nil || len(call.Args) != 2 {
			return
		}
		start, end := call.Args[0], call.Args[1]
		f.add(s.mutant(Inverted, call, s.text(call), "start and end exchanged",
			Edit{s.offset(start.Pos()), s.offset(start.End()), s.text(end)},
			Edit{s.offset(end.Pos()), s.offset(end.End()), s.text(start)}))
		bound := timePkg + ".Now()"
		if family.Strategy == registry.OneSecond {
			bound += ".Add(-720 * " + timePkg + ".Hour)"
		}
		if btapi.Type(f.pass.TypesInfo.TypeOf(start)) == "bigtable.Timestamp" {
			bound = btPkg + ".Time(" + bound + ")"
		}
		f.add(s.replace(OtherBound, start, bound))
	case t.Op == filter.LatestN && family.Strategy == registry.Sequence:
		if call, s := f.callAt(filter.ValueOf(t), "LatestNFilter"); call != nil {
			f.add(s.replace(NoLimit, call, btPkg+".PassAllFilter()"))
		}
	}
}

// policy makes mutants of the policies that are nothing but an age or a
// number of versions.
func (f *finder) policy(e *trace.Event) {
	for _, u := range trace.Policies(e) {
		if u.Policy == nil || u.Family == "" {
			continue
		}
		p := gcpolicy.Of(u.Policy)
		if p == nil {
			continue
		}
		for _, t := range f.p.Targets([]*value.Value{u.Table}, u.Family) {
			switch strategy := t.Family.Strategy; {
			case t.Family.Source == registry.FromGuess:
				// The policy is all that tells of the family.
			case p.Op == gcpolicy.MaxAge && strategy.Expires():
				if call, s := f.callAt(gcpolicy.ValueOf(p), "MaxAgePolicy", "MaxAgeGCPolicy"); call != nil {
					f.add(s.replace(AgeToVersions, call, btPkg+".MaxVersionsPolicy(1)"))
				}
			case p.Op == gcpolicy.MaxVersions && (strategy == registry.Sequence || strategy == registry.Zero):
				if call, s := f.callAt(gcpolicy.ValueOf(p), "MaxVersionsPolicy", "MaxVersionsGCPolicy"); call != nil {
					f.add(s.replace(VersionsToAge, call, btPkg+".MaxAgePolicy("+timePkg+".Hour)"))
				}
			}
		}
	}
}
