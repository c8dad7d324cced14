package uses

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Rows in maps, on channels, and through what the standard library does with
// lists.

// holdsRows reports whether elements of a map or list are rows.
func holdsRows(t types.Type) bool {
	if btapi.Type(t) == "bigtable.Row" {
		return false
	}
	switch e := t.Underlying().(type) {
	case *types.Map:
		return kind.CarriesRow(e.Elem())
	case *types.Slice:
		return kind.CarriesRow(e.Elem())
	}
	return false
}

// mapped follows a row that becomes an element of a map.
func (u *useFinder) mapped(m ssa.Value) {
	if !holdsRows(m.Type()) {
		u.handedOn()
		return
	}
	u.follow(m)
	u.again(m)
}

// element follows what is looked up in a map of rows.
func (u *useFinder) element(l *ssa.Lookup) {
	if !l.CommaOk {
		u.follow(l)
		return
	}
	u.extracted(l, 0)
}

// elements follows what a loop over a map of rows yields.
func (u *useFinder) elements(r *ssa.Range) {
	for _, ref := range *r.Referrers() {
		if next, ok := ref.(*ssa.Next); ok {
			u.extracted(next, 2)
		}
	}
}

// extracted follows the i-th of several values.
func (u *useFinder) extracted(tuple ssa.Value, i int) {
	for _, r := range *tuple.Referrers() {
		if e, ok := r.(*ssa.Extract); ok && e.Index == i {
			u.follow(e)
		}
	}
}

// sent follows a row that is sent on a channel to where the package receives from
// it.
func (u *useFinder) sent(ch ssa.Value) {
	if u.seen[ch] {
		return
	}
	u.seen[ch] = true
	switch v := ch.(type) {
	case *ssa.MakeChan:
	case *ssa.ChangeType:
		u.sent(v.X)
		return
	case *ssa.UnOp:
		root, path := u.p.Address(v.X)
		a, ok := root.(*ssa.Alloc)
		if !ok || len(path) > 0 || len(u.p.Stores[a]) != 1 {
			u.handedOn()
			return
		}
		u.sent(u.p.Stores[a][0].Val)
		return
	default:
		u.handedOn()
		return
	}
	u.received(ch)
}

// received follows what comes out of a channel.
func (u *useFinder) received(ch ssa.Value) {
	for _, r := range *ch.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			switch {
			case r.Op != token.ARROW:
			case r.CommaOk:
				u.extracted(r, 0)
			default:
				u.follow(r)
			}
		case *ssa.ChangeType:
			u.received(r)
		case *ssa.Store:
			a, ok := r.Addr.(*ssa.Alloc)
			if !ok {
				u.handedOn()
				continue
			}
			for _, load := range u.p.Loads(a) {
				u.received(load)
			}
		case ssa.CallInstruction:
			if _, ok := r.Common().Value.(*ssa.Builtin); !ok {
				u.handedOn()
			}
		case *ssa.Send, *ssa.DebugRef:
		default:
			u.handedOn()
		}
	}
}

// sorted follows rows that the standard library sorts or filters into the
// function literals that it is given, and out again; false of other calls.
func (u *useFinder) sorted(call ssa.CallInstruction) bool {
	fn := kind.CalledFunc(call.Common())
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sort" && fn.Pkg().Path() != "slices" {
		return false
	}
	for _, a := range call.Common().Args {
		a = kind.Stripped(a)
		sig, ok := a.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		for i := range sig.Params().Len() {
			if kind.CarriesRow(sig.Params().At(i).Type()) && !u.body(a, i) {
				u.handedOn()
			}
		}
	}
	switch v, ok := call.(*ssa.Call); {
	case !ok:
	case kind.CarriesRow(v.Type()):
		u.follow(v)
	case kind.Yielded(v.Type()) != nil:
		u.handedOn()
	}
	return true
}
