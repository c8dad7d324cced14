package uses

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A useFinder follows rows forwards.
type useFinder struct {
	*forward
	p        *Rows
	fn       *ssa.Function // in whose terms the uses are
	from     *ssa.Function // where the rows come from: fn, or a literal in it
	asked    *ssa.Function // of what it is given, if that is what is asked
	uses     summary.Uses
	touched  map[*ssa.Function]bool // functions that see the row or its cells
	cells    map[string][]ssa.Value // what is looked up in rows, by the family; "" where that is not known
	gone     bool                   // a row went where it is not followed
	anywhere bool                   // it is in a field of whatever object
	failed   []*ssa.BasicBlock      // where what is followed is no row: it comes with an error
}

func (p *Rows) newUseFinder(fn *ssa.Function) *useFinder {
	u := &useFinder{p: p, fn: kind.Origin(kind.Outermost(fn)), from: fn, touched: map[*ssa.Function]bool{}, cells: map[string][]ssa.Value{}}
	u.forward = newForward(p.prog, u)
	return u
}

func (u *useFinder) finish() summary.Uses {
	u.run()
	if u.anywhere && len(u.uses.Families)+len(u.uses.FamilyParams)+len(u.uses.Given) == 0 {
		u.handedOn() // nothing in view is what it is kept for
	}
	lost := u.gone
	for _, family := range slices.Sorted(maps.Keys(u.cells)) {
		c := u.p.Times.Comparison(u.asked)
		for _, v := range u.cells[family] {
			c.add(v, cellTime)
		}
		if family == "" {
			u.compared(c)
		} else {
			u.compared(c, family)
		}
		lost = lost || c.lostCells
	}
	if !lost {
		return u.uses
	}
	// Whatever the functions check that see the row may be its cells.
	for fn := range u.touched {
		for ; fn != nil; fn = fn.Parent() {
			if u.p.Times.ChecksTime(fn) {
				u.uses.Checked, u.uses.CheckedOf = true, nil
			}
		}
	}
	return u.uses
}

// handedOn records that a row goes where it is not followed: it is used
// whole.
func (u *useFinder) handedOn() { u.uses.All, u.gone = true, true }

func (u *useFinder) lost(t thing) {
	if t.field == nil {
		u.handedOn()
	} else {
		u.inAny(FieldKey(t.v.Type(), t.field))
	}
}

func (u *useFinder) carries(of types.Type, field *types.Var) bool {
	if field != nil {
		return holdsField(of, field)
	}
	return kind.CarriesRow(of) || yieldsRow(of) > 0
}

// yieldsRow returns which of the values that an iterator yields are rows, counted from 1.
func yieldsRow(of types.Type) int {
	if yielded := kind.Yielded(of); yielded != nil {
		for i := range yielded.Len() {
			if kind.CarriesRow(yielded.At(i).Type()) {
				return i + 1
			}
		}
	}
	return 0
}

func isRow(v ssa.Value) bool { return btapi.Type(v.Type()) == "bigtable.Row" }

func (u *useFinder) visit(t thing) bool {
	if fn := t.v.Parent(); fn != nil {
		u.touched[fn] = true
	}
	if t.field == nil && !isRow(t.v) && kind.CarriesCells(t.v.Type()) {
		u.cells[""] = append(u.cells[""], t.v)
	}
	u.failed = kind.Failures(t.v)
	return true
}

func (u *useFinder) use(t thing, r ssa.Instruction) bool {
	if slices.ContainsFunc(u.failed, func(b *ssa.BasicBlock) bool { return b.Dominates(r.Block()) }) {
		return true
	}
	if t.field != nil {
		mc, ok := r.(*ssa.MakeClosure)
		return ok && u.bound(t, mc)
	}
	switch r := r.(type) {
	case *ssa.BinOp:
		u.uses.Exists = true
	case *ssa.Lookup:
		if !isRow(t.v) {
			return false
		}
		u.lookup(r)
	case *ssa.Range:
		if !isRow(t.v) {
			return false
		}
		u.ranged(r)
	case *ssa.MakeInterface:
		for _, use := range *r.Referrers() {
			if call, ok := use.(ssa.CallInstruction); !ok || !u.sorted(call) {
				u.handedOn()
			}
		}
	default:
		return false
	}
	return true
}

// result follows the row among the results of a call.
func (u *useFinder) result(call ssa.CallInstruction) {
	for _, v := range resultsOf(call) {
		if v == call.Value() || kind.CarriesRow(v.Type()) {
			u.add(v, nil)
		}
	}
}

// callback follows the rows that are passed to a callback.
func (u *useFinder) callback(v ssa.Value) {
	v, _ = source(u.p.prog, v, u.at.in.of(v))
	if u.given(v, nil) {
		return
	}
	if f := u.p.prog.ParamOf(v); f != nil {
		u.passed(f)
		return
	}
	if made, ok := v.(*ssa.Call); ok && u.made(made) {
		return
	}
	object, method := v, ""
	if f, ok := v.(*ssa.MakeClosure); ok { // a method of what is known to be an interface
		if m := kind.Object(f.Fn.(*ssa.Function)); m != nil && kind.OfInterface(m) && len(f.Bindings) == 1 {
			object, method = f.Bindings[0], m.Name()
		}
	}
	found, open, known := u.runs(object, method, u.at.in)
	u.hand(summary.Handed{Method: method, Rows: true}, found, open, known)
}

// returned records that a row is returned: by the function that it comes from, or
// by the one around that, which a closure assigned it to a variable of.
func (u *useFinder) returned(t thing, ret *ssa.Return) {
	own := kind.Origin(ret.Parent()) == u.fn
	switch n := yieldsRow(t.v.Type()); {
	case t.field != nil && own && !isChan(t.v):
		u.keeps(0, t)
		return
	case t.field == nil && n > 0 && own:
		u.yieldsAs(n)
		return
	case n > 0 || t.field != nil || isChan(t.v):
		u.lost(t)
		return
	}
	if fn := ret.Parent(); fn != u.from && u.from.Parent() != nil && kind.Origin(fn) == u.fn {
		u.uses.Around = true
		return
	}
	u.uses.Returned = true
}

// passed records that a row is passed to a function that is a parameter: the body of a
// loop over the iterator that a function returns, or what it is given to call.
func (u *useFinder) passed(f *ssa.Parameter) {
	maker := f.Parent().Parent()
	switch i := kind.ParamIndex(f) + 1; {
	case maker != nil && kind.Origin(maker) == u.fn && kind.Yielded(f.Parent().Signature) != nil && kind.Returns(maker, f.Parent()):
		u.yieldsAs(1)
	case f.Parent() == u.from && u.from != u.fn: // those who call the literal tell
		u.uses.AddHanded(summary.Handed{To: &value.Value{Kind: value.Param, Num: int64(i - 1), Site: f.Parent()}, Rows: true})
	case f.Parent() != u.fn || u.uses.Callback != 0 && u.uses.Callback != i:
		u.handedOn()
	default:
		u.uses.Callback = i
	}
}

// yieldsAs records that the iterator which the function returns passes a row on as its
// n-th argument.
func (u *useFinder) yieldsAs(n int) {
	if u.uses.Yields != 0 && u.uses.Yields != n {
		u.handedOn()
	}
	u.uses.Yields = n
}

// call follows a row into the functions that it is given to.
func (u *useFinder) call(of thing, call ssa.CallInstruction) {
	common, v := call.Common(), of.v
	if b, ok := common.Value.(*ssa.Builtin); ok {
		u.uses.Exists = u.uses.Exists || b.Name() == "len"
		return
	}
	if of.field != nil {
		targets := u.p.eval.Targets(call)
		if len(targets) == 0 {
			u.lost(of)
		}
		for _, t := range targets {
			u.into(call, t, of)
		}
		return
	}
	if made, ok := common.Value.(*ssa.Call); ok && !common.IsInvoke() && len(common.Args) == 1 && u.made(made) {
		return
	}
	if u.sorted(call) {
		return
	}
	t, ok := u.p.prog.Target(common)
	switch maker, f := makerOf(u.p.prog, common), u.p.prog.ParamOf(common.Value); {
	case ok && !common.IsInvoke():
		u.into(call, t, of)
	case !ok && maker != nil && kind.Origin(maker) == u.fn:
		u.yieldsAs(slices.Index(common.Args, v) + 1)
	case !ok && f != nil && !common.IsInvoke() && (f.Parent() == u.fn || f.Parent() == u.from):
		u.passed(f) // those who give it tell
	case u.invoked(call, of):
	case ok:
		u.into(call, t, of)
	default:
		targets := u.p.eval.Targets(call)
		if len(targets) == 0 {
			u.handedOn()
		}
		for _, t := range targets {
			u.into(call, t, of)
		}
	}
}

// into follows a row, or a row in a field of an object, into one function that a call of
// it may run.
func (u *useFinder) into(call ssa.CallInstruction, t program.Target, of thing) {
	if t.API == "bigtable.Row.Key" {
		u.uses.Keys = true
		return
	}
	for i, a := range argumentsOf(t) {
		if a != of.v {
			continue
		}
		uses, known := u.does(t, i, of.field)
		if of.field == nil && t.Obj != nil || known {
			u.timesOut(call, t)
		}
		switch {
		case known:
			u.bind(call, t, uses)
		case t.Obj != nil && u.through(call, t, of):
		case of.field != nil:
			u.lost(of)
		default:
			u.uses.All = true
		}
	}
}

// does returns what a function does with the rows that it is given as its i-th argument,
// receiver first, or in a field of that; false where that is not known.
func (u *useFinder) does(t program.Target, i int, field *types.Var) (uses summary.Uses, known bool) {
	switch {
	case t.Fn != nil && i < len(t.Fn.Params):
		return u.p.UsesOfParam(t.Fn, i, field), true
	case t.Obj != nil:
		return u.imported(t.Obj, i, field)
	}
	return uses, false
}

// imported returns what a function of another package does with the rows that it is given
// as its i-th argument, or in a field of that.
func (u *useFinder) imported(fn *types.Func, i int, field *types.Var) (uses summary.Uses, ok bool) {
	if s := u.p.prog.Imported(fn); s != nil {
		for _, r := range s.Rows {
			if r.Param == i && (r.Field == "") == (field == nil) && (field == nil || u.fieldNamed(r.Field) == field) {
				return r.Uses, true
			}
		}
	}
	return uses, false
}

// bind adds what a callee does with a row, in terms of the caller.
func (u *useFinder) bind(call ssa.CallInstruction, t program.Target, does summary.Uses) {
	args := argumentsOf(t)
	argument := func(i int, follow func(a ssa.Value)) {
		if i < len(args) && args[i] != nil {
			follow(args[i])
		} else {
			u.handedOn()
		}
	}
	inside := does.Inside()
	inside.Returned = u.uses.Returned
	inside.FamilyParams, inside.Given, inside.InView, inside.AnyInView = nil, nil, nil, false
	u.uses = u.uses.With(inside)
	if does.Around {
		u.handedOn()
	}
	for _, g := range does.Given {
		u.named(func(q *eval.Path) *value.Value {
			return q.Settler.Settle(g.Subst(q.Reader.Arguments(t, call).Binder(t.Fn)), call)
		})
	}
	for _, i := range does.FamilyParams {
		argument(i, func(a ssa.Value) { u.families(a, call) })
	}
	for _, h := range does.Handed {
		u.handed(call, t, h)
	}
	for _, k := range does.Kept {
		u.leftIn(call, t, k)
	}
	if does.Returned {
		u.result(call)
	}
	if does.Yields > 0 {
		u.results(call, nil)
	}
	if does.Callback > 0 {
		argument(does.Callback-1, u.callback)
	}
}
