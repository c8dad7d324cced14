package trace

import (
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/btapi"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Uses says what a program does with the rows of a read.
type Uses struct {
	Families []string // families that are looked up by name
	All      bool     // all families may be used: the row is ranged over or handed on
	Exists   bool     // the row is compared with nil or its length is asked
	Keys     bool     // the row's key is asked
	Checked  bool     // timestamps of cells are compared with a time
	Returned bool     // the row is returned to callers, which use it further
	Callback int      // rows go to the callback that is this parameter, counted from 1
	// FamilyParams are the parameters that name further families that are
	// looked up.
	FamilyParams []int
}

func (u Uses) with(v Uses) Uses {
	u.All = u.All || v.All
	u.Exists = u.Exists || v.Exists
	u.Keys = u.Keys || v.Keys
	u.Checked = u.Checked || v.Checked
	u.Returned = v.Returned
	if v.Callback != 0 {
		u.Callback = v.Callback
	}
	for _, f := range v.Families {
		u.Families = insert(u.Families, f)
	}
	return u
}

func (u *Uses) familyParam(i int) {
	if !slices.Contains(u.FamilyParams, i) {
		u.FamilyParams = append(u.FamilyParams, i)
	}
}

func insert(list []string, s string) []string {
	i := sort.SearchStrings(list, s)
	if i < len(list) && list[i] == s {
		return list
	}
	out := append(append(append([]string(nil), list[:i]...), s), list[i:]...)
	return out
}

// usesOf finds what is done with the rows of a read.
func (p *program) usesOf(call ssa.CallInstruction, t target) Uses {
	u := p.newUseFinder(call.Parent())
	switch {
	case t.api == btapi.ReadRows && t.recv == nil && len(t.args) > 3:
		u.callback(t.args[3])
	case t.api == btapi.ReadRows && t.recv != nil && len(t.args) > 2:
		u.callback(t.args[2])
	default:
		u.result(call)
	}
	return u.finish()
}

// usesOfResult finds what is done with the row that a call returns.
func (p *program) usesOfResult(call ssa.CallInstruction) Uses {
	u := p.newUseFinder(call.Parent())
	u.result(call)
	return u.finish()
}

// usesOfCallback finds what a function does with a row that a call passes to
// it: its i-th argument, receiver first.
func (p *program) usesOfCallback(call ssa.CallInstruction, t target, i int) Uses {
	if t.recv != nil {
		i--
	}
	if i < 0 || i >= len(t.args) {
		return Uses{All: true}
	}
	u := p.newUseFinder(call.Parent())
	u.callback(t.args[i])
	return u.finish()
}

// usesOfParam finds what a function of this package does with a row that it
// is given as its i-th parameter.
func (p *program) usesOfParam(fn *ssa.Function, i int) Uses {
	key := paramOf{fn, i}
	if u, ok := p.paramUses[key]; ok {
		return u
	}
	p.paramUses[key] = Uses{} // recursion adds nothing
	u := p.newUseFinder(fn)
	u.follow(fn.Params[i])
	p.paramUses[key] = u.finish()
	return p.paramUses[key]
}

// A paramOf is a parameter of a function, receiver first.
type paramOf struct {
	fn    *ssa.Function
	index int
}

// usesByCallers finds what the callers of a function do with the rows that it
// returns, or passes to the callback that they give it. Callers in other
// packages may do anything.
func (p *program) usesByCallers(fn *ssa.Function, uses Uses, depth int) Uses {
	callers := p.callers[origin(fn)]
	if depth == 0 || len(callers) == 0 || uses.Returned && uses.Callback != 0 {
		return Uses{All: true}
	}
	var u Uses
	for _, call := range callers {
		v := Uses{All: true}
		if uses.Returned {
			v = p.usesOfResult(call)
		} else if t, ok := p.target(call.Common()); ok {
			v = p.usesOfCallback(call, t, uses.Callback-1)
		}
		if v.Returned || v.Callback != 0 {
			v = v.with(p.usesByCallers(call.Parent(), v, depth-1))
			v.Returned, v.Callback = false, 0
		}
		u = u.with(v)
	}
	return u
}

// A useFinder follows a row forwards.
type useFinder struct {
	p       *program
	fn      *ssa.Function // in whose terms the uses are
	uses    Uses
	seen    map[ssa.Value]bool
	touched map[*ssa.Function]bool // functions that see the row or its cells
	depth   int
}

func (p *program) newUseFinder(fn *ssa.Function) *useFinder {
	return &useFinder{p: p, fn: origin(outermost(fn)), seen: map[ssa.Value]bool{}, touched: map[*ssa.Function]bool{}}
}

func (u *useFinder) finish() Uses {
	for fn := range u.touched {
		if u.p.checksTime(fn, 3) {
			u.uses.Checked = true
		}
	}
	return u.uses
}

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
		if e, ok := r.(*ssa.Extract); ok && carriesRow(e.Type()) {
			u.follow(e)
		}
	}
}

// carriesRow reports whether a type is a row or a list of rows.
func carriesRow(t types.Type) bool {
	if btapi.Type(t) == "bigtable.Row" {
		return true
	}
	switch e := t.Underlying().(type) {
	case *types.Slice:
		return btapi.Type(e.Elem()) == "bigtable.Row" || btapi.Type(e.Elem()) == "bigtable.ReadItem"
	case *types.Map:
		return btapi.Type(e.Elem()) == "bigtable.Row"
	}
	return false
}

// callback follows the rows that are passed to a callback.
func (u *useFinder) callback(v ssa.Value) {
	switch f := v.(type) {
	case *ssa.MakeClosure:
		u.parameter(f.Fn.(*ssa.Function), 0, len(f.Bindings))
		return
	case *ssa.Function:
		u.parameter(f, 0, 0)
		return
	case *ssa.Parameter:
		u.passed(f)
		return
	case *ssa.FreeVar:
		if b := u.p.binding(f); b != nil {
			u.callback(b)
			return
		}
	case *ssa.UnOp:
		// A parameter that a function literal captures.
		if root, path := u.p.address(f.X); len(path) == 0 && len(u.p.stores[root]) == 1 {
			u.callback(u.p.stores[root][0].val)
			return
		}
	case *ssa.ChangeType:
		u.callback(f.X)
		return
	}
	found := false
	u.p.explore(true, 8, func(q *path) []*value.Value {
		if f := q.eval(v, nil).Base(); f.Kind == value.Func {
			if fn, ok := f.Site.(*ssa.Function); ok && u.p.hasBody(origin(fn)) {
				found = true
				u.parameter(origin(fn), len(origin(fn).Params)-1, 0)
			}
		}
		return nil
	}, func(*path, []*value.Value) {})
	u.uses.All = u.uses.All || !found
}

// parameter follows a parameter of a function; of a bound method the one
// after its receiver.
func (u *useFinder) parameter(fn *ssa.Function, i, bindings int) {
	if isBound(fn) && bindings == 1 {
		if decl := u.p.pkg.Prog.FuncValue(object(fn)); decl != nil {
			fn, i = decl, i+1
		}
	}
	fn = origin(fn)
	if !u.p.hasBody(fn) || i >= len(fn.Params) {
		u.uses.All = true
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
		u.uses.All = true
		return
	}
	isRow := btapi.Type(v.Type()) == "bigtable.Row"
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.Lookup:
			if r.X == v && isRow {
				u.lookup(r)
			}
		case *ssa.Range:
			u.ranged(r)
		case *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.Slice:
			u.follow(r.(ssa.Value))
		case *ssa.MakeInterface:
			u.uses.All = true
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
			u.uses.Returned = true
		case ssa.CallInstruction:
			u.call(r, v)
		case *ssa.DebugRef, *ssa.FieldAddr, *ssa.If:
		default:
			u.uses.All = true
		}
	}
}

// passed records that a row is passed to a function that is a parameter.
func (u *useFinder) passed(f *ssa.Parameter) {
	if f.Parent() != u.fn || u.uses.Callback != 0 && u.uses.Callback != paramIndex(f)+1 {
		u.uses.All = true
		return
	}
	u.uses.Callback = paramIndex(f) + 1
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
	t, ok := u.p.target(common)
	if !ok {
		ts := u.p.targets(call)
		if len(ts) == 0 && !common.IsInvoke() && len(common.Args) == 1 {
			u.callback(common.Value)
			return
		}
		if len(ts) != 1 {
			u.uses.All = true
			return
		}
		t = ts[0]
	}
	if t.api == "bigtable.Row.Key" {
		u.uses.Keys = true
		return
	}
	for i, a := range t.args {
		if a != v {
			continue
		}
		uses := Uses{All: true}
		switch {
		case t.fn != nil && i < len(t.fn.Params):
			uses = u.p.usesOfParam(t.fn, i)
		case t.obj != nil:
			if s := u.p.imported(t.obj); s != nil {
				for _, r := range s.Rows {
					if r.Param == i {
						uses = r.Uses
					}
				}
			}
		}
		u.bind(call, t, uses)
	}
}

// bind adds what a callee does with a row, in terms of the caller.
func (u *useFinder) bind(call ssa.CallInstruction, t target, uses Uses) {
	returned, callback, params := uses.Returned, uses.Callback, uses.FamilyParams
	uses.Returned, uses.Callback, uses.FamilyParams = u.uses.Returned, 0, nil
	u.uses = u.uses.with(uses)
	for _, i := range params {
		if i >= len(t.args) {
			u.uses.All = true
			continue
		}
		u.families(t.args[i], call)
	}
	if returned {
		u.result(call)
	}
	if callback > 0 && callback <= len(t.args) {
		u.callback(t.args[callback-1])
	} else if callback > 0 {
		u.uses.All = true
	}
}
