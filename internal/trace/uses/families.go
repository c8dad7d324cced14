package uses

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/control"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// lookup records row[family] and follows the cells.
func (u *useFinder) lookup(l *ssa.Lookup) {
	if keyOnly(l) {
		u.uses.Keys = true
		return
	}
	family := ""
	if c, ok := l.Index.(*ssa.Const); ok && c.Value != nil && c.Value.Kind() == constant.String {
		family = constant.StringVal(c.Value)
	}
	u.cells[family] = append(u.cells[family], l)
	u.families(l.Index, l)
}

// families records the families that a value names, or a list of them.
func (u *useFinder) families(v ssa.Value, at ssa.Instruction) {
	u.named(func(q *eval.Path) *value.Value { return q.Way.Eval(v, at) })
}

// named records the families that a value names, or a list of them. What
// callers supply is kept as such: in the field of a receiver, too.
func (u *useFinder) named(resolve func(*eval.Path) *value.Value) {
	names := u.names(false, resolve)
	open := slices.ContainsFunc(names, u.supplied)
	for _, n := range names {
		if s, ok := n.IsStr(); ok && open {
			u.uses.Families = summary.Insert(u.uses.Families, s)
		} else if u.supplied(n) {
			u.uses.AddGiven(n)
		}
	}
	for _, n := range u.names(true, resolve) {
		switch s, ok := n.IsStr(); {
		case ok && open:
			u.uses.InView = summary.Insert(u.uses.InView, s)
		case ok:
			u.uses.Families = summary.Insert(u.uses.Families, s)
		case n.Kind == value.Param && n.Site == any(u.fn) && !n.IsType():
			u.uses.AddFamilyParam(int(n.Num))
		case open && u.inView(n, 3):
		case open:
			u.uses.AnyInView = true
		default:
			u.uses.All = true
		}
	}
}

// maxNames bounds the ways on which a name is looked for: an object whose table
// is wrapped in this or that comes on many, with one family.
const maxNames = 48

// names lists what a family's name, or each of a list, may be.
func (u *useFinder) names(closed bool, resolve func(*eval.Path) *value.Value) (all []*value.Value) {
	complete := u.p.eval.Explore(closed, maxNames, func(q *eval.Path) []*value.Value {
		return []*value.Value{resolve(q)}
	}, func(_ *eval.Path, vs []*value.Value) {
		names := []*value.Value{vs[0].Base()}
		switch {
		case names[0].Is(value.Elem):
			names[0] = names[0].Args[0].Base() // each of a list
		case names[0].Kind == value.List:
			names = names[0].Args
		}
		for _, n := range names {
			all = append(all, n.Base())
		}
	})
	if !complete || len(all) == 0 {
		all = append(all, value.UnknownFor("a family"))
	}
	return all
}

// supplied reports whether a family is a field of a parameter, what the type that a
// call supplies is asked for, or what a method of a parameter returns: callers know.
func (u *useFinder) supplied(family *value.Value) bool {
	v := family
	asked := v.Is(value.Method) && len(v.Args) == 2
	if asked {
		v = v.Args[1].Base()
	}
	for v.Is(value.After) {
		v = v.Args[1].Base()
	}
	field := v.Kind == value.Field
	for v.Kind == value.Field {
		v = v.Args[0].Base()
	}
	return (asked || field) && v.Kind == value.Param && v.Site == any(u.fn)
}

// keyOnly reports whether of cells that are looked up, or of one of them,
// nothing but the row's key is used.
func keyOnly(l *ssa.Lookup) bool {
	only, used := true, l.CommaOk
	cells := func(v ssa.Value) {
		control.CellUses(v, func(field string, _ ssa.Instruction) { only, used = only && field == "Row", true })
	}
	if !l.CommaOk {
		cells(l)
	}
	for _, r := range *l.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == 0 {
			cells(e)
		}
	}
	return only && used
}

// ranged records the families of which a loop over a row uses the cells: all
// of them, unless it asks for the family's name first.
func (u *useFinder) ranged(r *ssa.Range) {
	for _, ref := range *r.Referrers() {
		next, ok := ref.(*ssa.Next)
		if !ok {
			u.uses.All = true
			return
		}
		loop := control.RowLoopOf(next)
		u.uses.All = u.uses.All || len(loop.Cells) == 0
		u.cells[""] = append(u.cells[""], loop.Cells...)
		for _, a := range loop.Asks {
			if a.Column { // whether there is one
				u.uses.Families = summary.Insert(u.uses.Families, a.Family)
			}
		}
		for _, use := range loop.Uses {
			names := loop.FamiliesAt(use.Block())
			for _, name := range names {
				u.uses.Families = summary.Insert(u.uses.Families, name)
			}
			u.uses.All = u.uses.All || names == nil
		}
	}
}

// inView records the families that the callers of a constructor in view name by
// its parameter, or by a field of that: of a configuration. It reports whether
// the family is such a one; what callers out of view name is judged there.
func (u *useFinder) inView(family *value.Value, depth int) bool {
	v := family
	for v.Kind == value.Field {
		v = v.Args[0].Base()
	}
	fn, ok := v.Site.(*ssa.Function)
	if v.Kind != value.Param || !ok || depth == 0 {
		return false
	}
	for _, call := range u.p.prog.Callers[fn] {
		if u.p.prog.IsTest(call.Pos()) && !u.p.prog.IsTest(fn.Pos()) {
			continue
		}
		for _, t := range u.p.eval.Targets(call) {
			if t.Fn != fn {
				continue
			}
			for _, n := range u.names(true, func(q *eval.Path) *value.Value {
				return q.Settler.Force(q.Settler.Settle(family.Subst(q.Reader.Arguments(t, call).Binder(fn)), call), 4)
			}) {
				if s, ok := n.IsStr(); ok {
					u.uses.InView = summary.Insert(u.uses.InView, s)
				} else if !u.inView(n, depth-1) {
					return false
				}
			}
		}
	}
	return true
}

// ByMaker returns the uses of rows, in terms of a method, in terms of the
// constructor that is given the families which the method takes from a field of its
// receiver. Families that come from elsewhere stay what they are.
func (p *Rows) ByMaker(maker *ssa.Function, uses summary.Uses) summary.Uses {
	given := uses.Given
	uses.Given = nil
	u := p.newUseFinder(maker)
	for _, g := range given {
		found := false
		for _, n := range u.names(true, func(q *eval.Path) *value.Value { return q.Settler.Settle(g, nil) }) {
			switch {
			case n.Kind == value.Param && n.Site == any(maker) && !n.IsType():
				uses.FamilyParams = slices.Clone(uses.FamilyParams)
				uses.AddFamilyParam(int(n.Num))
				found = true
			case u.supplied(n):
				uses.AddGiven(n)
				found = true
			}
		}
		if !found {
			uses.AddGiven(g)
		}
	}
	return uses
}
