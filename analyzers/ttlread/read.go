package ttlread

import (
	"go/ast"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/helper"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/syntax"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A read is one way in which a call may read a table.
type read struct {
	p    *check.Pass
	e    *trace.Event
	c    trace.Case
	refs []registry.Ref
	uses trace.Uses

	known   bool           // whether the filter that applies is known
	tree    *filter.Tree   // that filter; nil for none
	filters int            // how many filters are given, of which the last applies
	given   []*value.Value // those of them that are known
	written bool           // whether all of them are written at the call
	own     bool           // whether one function makes all of them
	turns   bool           // whether a loop gives one in each turn
	raw     bool           // a raw request
	// predicate reports whether it is that of a conditional mutation; what it uses is what
	// its branches write.
	predicate bool
	live      *value.Value // the declared table whose live cells alone pass, where there is one
	// tableOnly reports whether the filter is that and nothing else.
	tableOnly bool
}

// options finds the filter that applies among the options of a read.
func (r *read) options(opts *value.Value) {
	o := filter.OptionsOf(opts)
	all := append(slices.Clone(o.Given), o.PerTurn...)
	r.known, r.given, r.turns = o.Known, o.Given, len(o.PerTurn) > 0
	r.filters = len(o.Given) + 2*len(o.PerTurn)
	for e := r.e; e != nil && !r.own; e = e.Source {
		r.own = !slices.ContainsFunc(all, func(o *value.Value) bool { return !r.ownOption(e, o) })
	}
	r.written = !r.turns && !slices.ContainsFunc(o.Given, func(o *value.Value) bool { return !r.at(o.Base().Expr) })
	if last := o.Last(); last != nil {
		r.tree, r.live = filter.Of(last), liveOf(last)
		r.tableOnly = last.Base().Is(helper.LiveFilter)
	}
}

// at reports whether an expression stands within the event's node.
func (r *read) at(e ast.Expr) bool {
	return e != nil && syntax.Within(e, r.e.Node)
}

// A judged is a family with the verdict on it.
type judged struct {
	target check.Target
	result filter.Result
}

func (r *read) judge() []check.Finding {
	var out []check.Finding
	for _, ref := range r.refs {
		found := r.judgeTable(ref)
		if len(found) == 0 {
			found = r.undeclared(ref)
		}
		out = append(out, found...)
	}
	if len(out) == 0 && r.filters > 1 && (r.own || r.loses()) {
		out = append(out, r.overriddenFinding(nil))
	}
	return out
}

func (r *read) judgeTable(ref registry.Ref) []check.Finding {
	families := r.families(ref)
	if len(families) == 0 && r.filters > 1 && (r.e.Depth == 0 || r.own) {
		// Which filter applies matters to a scan of keys too.
		if table, _ := r.p.Model.Table(ref); table != nil {
			for _, f := range table.Families {
				if f.Strategy.NeedsFilter() {
					families = append(families, check.Target{Family: f, Table: table, Ref: ref})
				}
			}
			if f, ok := r.overridden(families); ok && len(families) > 0 {
				return []check.Finding{f}
			}
		}
		return nil
	}
	counts := len(families) == 0 && r.counts()
	if counts {
		families = r.declared(ref)
	}
	if len(families) == 0 {
		return nil
	}
	if f, ok := r.overridden(families); ok {
		if r.e.OnlyTable { // whatever the table
			return nil
		}
		return []check.Finding{f}
	}
	if !r.known {
		return nil
	}
	var problems []judged
	var hidden []check.Target
	bare := r.tree.Has(filter.TimeRange) && !r.tree.NamesFamily()
	for _, t := range families {
		problems = append(problems, judged{t, filter.Judge(r.tree, t.Family)})
	}
	byCategory := map[string][]judged{}
	for _, j := range problems {
		if bare && r.hides(j, problems) {
			hidden = append(hidden, j.target)
			continue
		}
		if r.uses.Checks(j.target.Family.Name) && j.target.Family.Strategy.Expires() {
			continue
		}
		if category := r.category(j); category != "" && (!counts || ofBound[category]) {
			byCategory[category] = append(byCategory[category], j)
		}
	}
	var out []check.Finding
	for _, category := range sortedKeys(byCategory) {
		out = append(out, r.finding(category, byCategory[category]))
	}
	if r.e.OnlyTable && r.uses.All { // which families are wanted, the methods' callers say
		hidden = nil
	}
	if !r.uses.All && len(r.uses.Families) == 0 { // whether a live cell is there: no other is wanted
		hidden = nil
	}
	if len(hidden) > 0 {
		out = append(out, r.hidesFinding(hidden))
	}
	if !counts {
		out = append(out, r.unlimited(families)...)
	}
	return out
}

func sortedKeys(m map[string][]judged) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// hides reports whether a bare time range, right for another family that is read,
// drops the cells of this one.
func (r *read) hides(j judged, all []judged) bool {
	f := j.target.Family
	if f.Strategy.Expires() && (j.result.Problem == filter.None || j.result.Problem == filter.WrongBound) {
		return false // its live cells pass, and dead ones where the range begins too early for it
	}
	return slices.ContainsFunc(all, func(other judged) bool {
		switch s := other.target.Family.Strategy; {
		case s == f.Strategy:
			return false
		case s == registry.Real:
			return f.Strategy == registry.Zero && filter.FromClock(r.tree)
		}
		return other.target.Family.Strategy.Expires() && other.result.Verdict == filter.Bounded && other.result.Problem == filter.None
	})
}

// families returns the declared families that the read touches.
func (r *read) families(ref registry.Ref) []check.Target {
	model := r.p.Model
	table, known := model.Table(ref)
	var all []check.Target
	switch {
	case table != nil:
		for _, f := range table.Families {
			all = append(all, check.Target{Family: f, Table: table, Ref: ref})
		}
	case known:
		return nil
	default:
		all = r.byName(ref)
	}
	u := r.uses
	if u.All {
		return all
	}
	if len(u.Families) == 0 {
		// A row that is only asked for, or its key: does it exist? Scans
		// that collect keys, and reads of which nothing is used, are no
		// reads of cells.
		if r.e.Op != btapi.ReadRow || !u.Exists && !u.Keys || table == nil && !r.tree.NamesFamily() {
			return nil
		}
		if r.tree.Exists() {
			all = slices.DeleteFunc(all, func(t check.Target) bool {
				return t.Family.Strategy == registry.Sequence // a superseded version implies a newer one
			})
		}
		return all
	}
	var used []check.Target
	for _, t := range all {
		for _, name := range u.Families {
			if t.Family.Name == name {
				used = append(used, t)
			}
		}
	}
	return used
}

// byName returns the families that a read of an unknown table names: by its
// filter or by what it takes from its rows.
func (r *read) byName(ref registry.Ref) []check.Target {
	names := map[string]bool{}
	for _, name := range r.uses.Families {
		names[name] = true
	}
	if r.tree.NamesFamily() && filter.Judge(r.tree, &registry.Family{Name: "\x01", Strategy: registry.OneSecond}).Verdict == filter.Excluded {
		for _, t := range r.p.Model.Tables {
			for _, f := range t.Families {
				if filter.Judge(r.tree, f).Verdict != filter.Excluded {
					names[f.Name] = true
				}
			}
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	var out []check.Target
	for _, name := range sorted {
		if f, t := r.p.Model.Family(ref, name); f != nil {
			out = append(out, check.Target{Family: f, Table: t, Ref: ref})
		}
	}
	return out
}

// names lists the names of families, the same for the same ones: a read of a table that is
// not known finds them in another order than its caller, who knows it.
func names(ts []check.Target) string {
	var s []string
	for _, t := range ts {
		s = append(s, t.Family.Name)
	}
	slices.Sort(s)
	return strings.Join(s, ",")
}

// describe names families for messages.
func describe(ts []check.Target) string {
	if len(ts) == 1 {
		return ts[0].Name()
	}
	byStrategy := map[registry.Strategy][]string{}
	for _, t := range ts {
		byStrategy[t.Family.Strategy] = append(byStrategy[t.Family.Strategy], strconv.Quote(t.Family.Name))
	}
	var parts []string
	for _, s := range registry.Strategies {
		if n := byStrategy[s]; len(n) == 1 {
			parts = append(parts, string(s)+" family "+n[0])
		} else if len(n) > 1 {
			parts = append(parts, string(s)+" families "+strings.Join(n, ", "))
		}
	}
	if ts[0].Table == nil {
		return strings.Join(parts, " and ") + " (table not known)"
	}
	return strings.Join(parts, " and ") + ts[0].Of()
}
