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

// A useFinder follows a row forwards.
type useFinder struct {
	p       *Rows
	fn      *ssa.Function // in whose terms the uses are
	from    *ssa.Function // where the rows come from: fn, or a literal in it
	asked   *ssa.Function // of what it is given, if that is what is asked
	uses    summary.Uses
	seen    map[ssa.Value]bool
	places  map[placeOf]bool       // the parts of variables that are followed
	touched map[*ssa.Function]bool // functions that see the row or its cells
	cells   []ssa.Value            // what is looked up in rows
	ofName  map[string][]ssa.Value // the same, where the family is known
	lost    bool                   // a row went where it is not followed
	depth   int
}

func (p *Rows) NewUseFinder(fn *ssa.Function) *useFinder {
	return &useFinder{p: p, fn: kind.Origin(kind.Outermost(fn)), from: fn, seen: map[ssa.Value]bool{}, places: map[placeOf]bool{}, touched: map[*ssa.Function]bool{}, ofName: map[string][]ssa.Value{}}
}

func (u *useFinder) Finish() summary.Uses {
	all := u.p.CheckedCells(u.cells, u.asked)
	u.uses = u.uses.With(summary.Uses{Checked: all.Checked, Perhaps: all.Perhaps, Returned: u.uses.Returned})
	lost := all.Lost
	for _, family := range slices.Sorted(maps.Keys(u.ofName)) {
		of := u.p.CheckedCells(u.ofName[family], u.asked)
		lost = lost || of.Lost
		u.uses.Perhaps = u.uses.Perhaps || of.Perhaps
		if of.Checked {
			u.uses = u.uses.With(summary.Uses{Checked: true, CheckedOf: []string{family}, Returned: u.uses.Returned})
		}
	}
	if !lost && !u.lost {
		return u.uses
	}
	// Whatever the functions check that see the row may be its cells.
	for fn := range u.touched {
		for ; fn != nil; fn = fn.Parent() {
			if u.p.ChecksTime(fn, 3) {
				u.uses.Checked, u.uses.CheckedOf = true, nil
			}
		}
	}
	return u.uses
}

// handedOn records that a row goes where it is not followed: it is used
// whole.
func (u *useFinder) handedOn() { u.uses.All, u.lost = true, true }

// result follows the row among the results of a call.
func (u *useFinder) result(call ssa.CallInstruction) {
	v, ok := call.(*ssa.Call)
	if !ok {
		return
	}
	if _, isTuple := v.Type().(*types.Tuple); !isTuple {
		u.follow(v)
		return
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && kind.CarriesRow(e.Type()) {
			u.follow(e)
		}
	}
}

// callback follows the rows that are passed to a callback.
func (u *useFinder) callback(v ssa.Value) {
	if u.body(v, 0) {
		return
	}
	switch f := v.(type) {
	case *ssa.Parameter:
		u.passed(f)
		return
	case *ssa.FreeVar:
		if b := u.p.Binding(f); b != nil {
			u.callback(b)
			return
		}
	case *ssa.UnOp:
		// A parameter that a function literal captures.
		if root, path := u.p.Address(f.X); len(path) == 0 && len(u.p.Stores[root]) == 1 {
			u.callback(u.p.Stores[root][0].Val)
			return
		}
	case *ssa.ChangeType:
		u.callback(f.X)
		return
	case *ssa.Call:
		if u.made(f) {
			return
		}
	}
	found := false
	u.p.Explore(true, 8, func(q *eval.Path) []*value.Value {
		if f := q.Eval(v, nil).Base(); f.Kind == value.Func {
			if fn, ok := f.Site.(*ssa.Function); ok && u.p.HasBody(kind.Origin(fn)) {
				found = true
				u.parameter(kind.Origin(fn), len(kind.Origin(fn).Params)-1, 0)
			}
		}
		return nil
	}, func(*eval.Path, []*value.Value) {})
	u.uses.All = u.uses.All || !found
}

// body follows the i-th argument of a function that stands here; false of other
// values.
func (u *useFinder) body(v ssa.Value, i int) bool {
	switch f := v.(type) {
	case *ssa.MakeClosure:
		u.parameter(f.Fn.(*ssa.Function), i, len(f.Bindings))
	case *ssa.Function:
		u.parameter(f, i, 0)
	default:
		return false
	}
	return true
}

// parameter follows a parameter of a function; of a bound method the one
// after its receiver.
func (u *useFinder) parameter(fn *ssa.Function, i, bindings int) {
	if kind.IsBound(fn) && bindings == 1 {
		if decl := u.p.Pkg.Prog.FuncValue(kind.Object(fn)); decl != nil {
			fn, i = decl, i+1
		}
	}
	fn = kind.Origin(fn)
	if !u.p.HasBody(fn) || i >= len(fn.Params) {
		u.handedOn()
		return
	}
	u.follow(fn.Params[i])
}

// follow records what happens to a row, or a list of rows or cells.
func (u *useFinder) follow(v ssa.Value) {
	if u.seen[v] || u.depth > 20 {
		return
	}
	u.seen[v] = true
	u.depth++
	defer func() { u.depth-- }()
	if fn := v.Parent(); fn != nil {
		u.touched[fn] = true
	}
	refs := v.Referrers()
	if refs == nil {
		u.handedOn()
		return
	}
	isRow := btapi.Type(v.Type()) == "bigtable.Row"
	if !isRow && kind.CarriesCells(v.Type()) {
		u.cells = append(u.cells, v)
	}
	failed := kind.Failures(v)
	for _, r := range *refs {
		if slices.ContainsFunc(failed, func(b *ssa.BasicBlock) bool { return b.Dominates(r.Block()) }) {
			continue // what comes with an error is no row
		}
		switch r := r.(type) {
		case *ssa.Lookup:
			switch {
			case r.X != v:
			case isRow:
				u.lookup(r)
			case holdsRows(v.Type()):
				u.element(r)
			}
		case *ssa.Range:
			if holdsRows(v.Type()) {
				u.elements(r)
			} else {
				u.ranged(r)
			}
		case *ssa.MapUpdate:
			if r.Value == v {
				u.mapped(r.Map)
			}
		case *ssa.Send:
			u.sent(r.Chan)
		case *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert, *ssa.Slice:
			u.follow(r.(ssa.Value))
		case *ssa.MakeInterface:
			for _, use := range *r.Referrers() {
				if call, ok := use.(ssa.CallInstruction); !ok || !u.sorted(call) {
					u.handedOn()
				}
			}
		case *ssa.IndexAddr:
			// One row of a list of rows.
			for _, l := range *r.Referrers() {
				if load, ok := l.(*ssa.UnOp); ok {
					u.follow(load)
				}
			}
		case *ssa.BinOp:
			u.uses.Exists = true
		case *ssa.Store:
			u.stored(r, v)
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == v {
					u.follow(r.Fn.(*ssa.Function).FreeVars[i])
				}
			}
		case *ssa.Return:
			u.returned(r)
		case ssa.CallInstruction:
			u.call(r, v)
		case *ssa.DebugRef, *ssa.FieldAddr, *ssa.If:
		default:
			u.handedOn()
		}
	}
}

// returned records that a row is returned: by the function that it comes from, or
// by the one around that, which a closure assigned it to a variable of.
func (u *useFinder) returned(ret *ssa.Return) {
	if fn := ret.Parent(); fn != u.from && u.from.Parent() != nil && kind.Origin(fn) == u.fn {
		u.uses.Around = true
		return
	}
	u.uses.Returned = true
}

// around records that a literal which is given the row assigns it to a variable
// that the function around it returns.
func (u *useFinder) around(literal *ssa.Function) {
	switch {
	case literal == nil || kind.Outermost(literal) != u.fn:
		u.handedOn()
	case u.from.Parent() == nil:
		u.uses.Returned = true
	default:
		u.uses.Around = true
	}
}

// passed records that a row is passed to a function that is a parameter.
func (u *useFinder) passed(f *ssa.Parameter) {
	if u.iterated(f.Parent(), kind.ParamIndex(f)) {
		return
	}
	if f.Parent() != u.fn || u.uses.Callback != 0 && u.uses.Callback != kind.ParamIndex(f)+1 {
		u.handedOn()
		return
	}
	u.uses.Callback = kind.ParamIndex(f) + 1
}

// call follows a row into the functions that it is given to.
func (u *useFinder) call(call ssa.CallInstruction, v ssa.Value) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len":
			u.uses.Exists = true
		case "append":
			if r, ok := call.(*ssa.Call); ok {
				u.follow(r)
			}
		}
		return
	}
	if made, ok := common.Value.(*ssa.Call); ok && !common.IsInvoke() && len(common.Args) == 1 && u.made(made) {
		return
	}
	if u.sorted(call) {
		return
	}
	t, ok := u.p.Target(common)
	if !ok && u.yields(common, v) {
		return
	}
	if !ok {
		ts := u.p.Targets(call)
		if len(ts) == 0 && !common.IsInvoke() && len(common.Args) == 1 {
			u.callback(common.Value)
			return
		}
		if len(ts) == 0 {
			u.handedOn()
		}
		for _, t := range ts {
			u.into(call, t, v)
		}
		return
	}
	u.into(call, t, v)
}

// into follows a row into one function that a call of it may run.
func (u *useFinder) into(call ssa.CallInstruction, t program.Target, v ssa.Value) {
	if t.API == "bigtable.Row.Key" {
		u.uses.Keys = true
		return
	}
	for i, a := range t.Args {
		if a != v {
			continue
		}
		uses := summary.Uses{All: true}
		switch {
		case t.Fn != nil && i < len(t.Fn.Params):
			u.cellsOut(call)
			uses = u.p.UsesOfParam(t.Fn, i)
			u.keptOut(call, t)
		case t.Obj != nil:
			u.cellsOut(call)
			u.timesOut(call)
			u.objectsOut(call)
			if s := u.p.Imported(t.Obj); s != nil {
				for _, r := range s.Rows {
					if r.Param == i {
						uses = r.Uses
					}
				}
			}
		}
		u.Bind(call, t, uses)
	}
}

// cellsOut follows the cells that a function returns which is given the row: they
// may be checked here.
func (u *useFinder) cellsOut(call ssa.CallInstruction) {
	v, ok := call.(*ssa.Call)
	if !ok {
		return
	}
	if kind.CarriesCells(v.Type()) || kind.YieldsCells(v.Type()) {
		u.cells = append(u.cells, v)
	}
	for _, r := range *v.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && kind.CarriesCells(e.Type()) {
			u.cells = append(u.cells, e)
		}
	}
}

// Bind adds what a callee does with a row, in terms of the caller.
func (u *useFinder) Bind(call ssa.CallInstruction, t program.Target, uses summary.Uses) {
	returned, callback, yields, params, given := uses.Returned, uses.Callback, uses.Yields, uses.FamilyParams, uses.Given
	uses.Returned, uses.Callback, uses.Yields, uses.FamilyParams = u.uses.Returned, 0, 0, nil
	uses.Given, uses.InView, uses.AnyInView = nil, nil, false
	if uses.Around {
		u.around(t.Fn)
		uses.Around = false
	}
	u.uses = u.uses.With(uses)
	for _, g := range given {
		u.named(func(q *eval.Path) *value.Value {
			return q.Settle(g.Subst(q.Arguments(t, call).Binder(t.Fn)), call)
		})
	}
	for _, i := range params {
		if i >= len(t.Args) {
			u.handedOn()
			continue
		}
		u.families(t.Args[i], call)
	}
	if returned {
		u.result(call)
	}
	if yields > 0 {
		u.yielded(call, yields-1)
	}
	if callback > 0 && callback <= len(t.Args) {
		u.callback(t.Args[callback-1])
	} else if callback > 0 {
		u.handedOn()
	}
}
