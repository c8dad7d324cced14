package uses

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A cellFinder follows the cells of one read, to see whether the time of any
// of them is compared with a time. A check exempts the read whose cells it
// looks at, not every read of the function.
type cellFinder struct {
	p       *CellTimes
	asked   *ssa.Function // what it returns, its callers follow, each its own
	seen    map[ssa.Value]bool
	work    []ssa.Value
	checked bool
	lost    bool // cells went where they are not followed
	times   *Comparison
}

// A Verdict says whether the time of some cells is compared with a time.
type Verdict struct {
	Checked bool
	Lost    bool // cells went where they are not followed
	Perhaps bool // see [Comparison]
}

// CheckedCells follows cells, or lists of them, not out of the function asked.
func (p *CellTimes) CheckedCells(cells []ssa.Value, asked *ssa.Function) Verdict {
	f := &cellFinder{p: p, asked: asked, seen: map[ssa.Value]bool{}, times: p.Comparison(asked)}
	for _, v := range cells {
		f.add(v)
	}
	for len(f.work) > 0 && !f.checked {
		v := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		refs := v.Referrers()
		if refs == nil {
			f.lost = true
			continue
		}
		for _, r := range *refs {
			f.use(v, r)
		}
	}
	p.Keep(asked, f.times)
	return Verdict{f.checked, f.lost, f.times.Perhaps}
}

func (f *cellFinder) add(v ssa.Value) {
	if !f.seen[v] && len(f.seen) < 500 {
		f.seen[v] = true
		f.work = append(f.work, v)
	}
}

// use follows one use of a cell, of an address of one, or of a list.
func (f *cellFinder) use(v ssa.Value, r ssa.Instruction) {
	switch r := r.(type) {
	case *ssa.FieldAddr:
		if kind.IsCellTimestamp(kind.Deref(r.X.Type()), r.Field) {
			for _, use := range *r.Referrers() {
				if load, ok := use.(*ssa.UnOp); ok {
					f.checked = f.checked || f.times.Compared(load, 6)
				}
			}
		}
	case *ssa.Field:
		f.checked = f.checked || kind.IsCellTimestamp(r.X.Type(), r.Field) && f.times.Compared(r, 6)
	case *ssa.IndexAddr:
		if r.X == v {
			f.add(r)
		}
	case *ssa.UnOp:
		if r.Op == token.MUL {
			f.add(r)
		}
	case *ssa.Extract, *ssa.Index, *ssa.Slice, *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.MultiConvert:
		f.add(r.(ssa.Value))
	case *ssa.Store:
		f.stored(v, r)
	case *ssa.MakeClosure:
		for i, b := range r.Bindings {
			if b == v {
				f.add(r.Fn.(*ssa.Function).FreeVars[i])
			}
		}
	case *ssa.Return:
		if f.asked != nil && r.Parent() == f.asked {
			return
		}
		for _, call := range f.p.Callers[kind.Origin(r.Parent())] {
			if c, ok := call.(*ssa.Call); ok {
				f.add(c)
			}
		}
	case *ssa.MakeInterface, *ssa.Send, *ssa.MapUpdate:
		f.lost = true
	case ssa.CallInstruction:
		f.call(v, r)
	}
}

// stored follows a cell that is stored in a variable or in a list.
func (f *cellFinder) stored(v ssa.Value, s *ssa.Store) {
	if s.Val != v {
		return
	}
	if ia, ok := s.Addr.(*ssa.IndexAddr); ok {
		f.add(ia.X)
		return
	}
	root, path := f.p.Address(s.Addr)
	if a, ok := root.(*ssa.Alloc); ok && len(path) == 0 {
		f.add(a)
		return
	}
	f.lost = true
}

// call follows cells into what is called, and out of it where it returns
// some.
func (f *cellFinder) call(v ssa.Value, call ssa.CallInstruction) {
	common := call.Common()
	result, _ := call.(*ssa.Call)
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && result != nil {
			f.add(result)
		}
		return
	}
	if common.Value == v && kind.YieldsCells(v.Type()) {
		f.ranged(common)
		return
	}
	t, ok := f.p.Target(common)
	if !ok {
		f.lost = f.lost || !f.yielded(call)
		return
	}
	for i, a := range t.Args {
		if a != v {
			continue
		}
		switch {
		case t.API != "":
			f.handed(common, result)
		case t.Fn != nil && i < len(t.Fn.Params):
			f.add(t.Fn.Params[i])
		case t.Obj != nil && f.p.checksParam(t.Obj, i):
			f.checked = true
		case t.Obj != nil && !f.p.Analysed(t.Obj):
			f.handed(common, result)
		}
	}
}

// handed follows cells that a function which is not traced, such as
// slices.DeleteFunc, hands to functions and returns.
func (f *cellFinder) handed(common *ssa.CallCommon, result *ssa.Call) {
	for _, a := range common.Args {
		if converted, ok := a.(*ssa.ChangeType); ok {
			a = converted.X
		}
		fn, ok := a.(*ssa.Function)
		if mc, isClosure := a.(*ssa.MakeClosure); isClosure {
			fn, ok = mc.Fn.(*ssa.Function)
		}
		if made, isCall := a.(*ssa.Call); isCall && f.p.makesCheck(made) {
			f.checked = true // slices.ContainsFunc(items, alive(now))
		}
		if !ok {
			continue
		}
		for _, param := range fn.Params {
			if kind.CarriesCells(param.Type()) {
				f.add(param)
			}
		}
	}
	if result != nil && (kind.CarriesCells(result.Type()) || kind.YieldsCells(result.Type())) {
		f.add(result)
	}
}
