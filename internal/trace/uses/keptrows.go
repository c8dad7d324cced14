package uses

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Rows are kept in variables, also such as function literals capture, in fields
// of local structs, in lists and in maps. Followed is what is read from there
// again, wherever in the function that is.

// A placeOf is a part of a value, or of what an address leads to.
type placeOf struct {
	v    ssa.Value
	path string
}

// visit reports whether the part of v at path was not followed before.
func (u *useFinder) visit(v ssa.Value, path kind.PathTo) bool {
	key := placeOf{v, fmt.Sprint(path)}
	fresh := !u.places[key]
	u.places[key] = true
	return fresh
}

// stored follows a row, or what holds rows, that is stored.
func (u *useFinder) stored(s *ssa.Store, v ssa.Value) {
	if s.Val != v {
		return
	}
	if ia, ok := s.Addr.(*ssa.IndexAddr); ok {
		u.list(ia.X)
		return
	}
	u.keptAt(s.Addr, nil)
}

// keptAt follows the part at path of what is at an address: of a local variable,
// or of an element of a list.
func (u *useFinder) keptAt(addr ssa.Value, path kind.PathTo) {
	root, within := u.p.Address(addr)
	path = append(within[:len(within):len(within)], path...)
	switch root := root.(type) {
	case *ssa.Alloc:
		u.loads(root, path)
		return
	case *ssa.IndexAddr:
		u.structs(root.X, path)
		return
	case *ssa.UnOp: // a pointer that a variable holds
		variable, within := u.p.Address(root.X)
		a, ok := variable.(*ssa.Alloc)
		if ok && len(within) == 0 && len(u.p.Stores[a]) == 1 {
			if made, ok := u.p.Stores[a][0].Val.(*ssa.Alloc); ok {
				u.loads(made, path)
				return
			}
		}
	}
	u.handedOn()
}

// list follows a list of which a row becomes an element: a slice, in whatever
// variable it is, or the array behind the arguments of append.
func (u *useFinder) list(v ssa.Value) {
	if _, isArray := v.Type().Underlying().(*types.Pointer); !isArray {
		u.follow(v)
		u.again(v)
		return
	}
	for _, r := range *v.Referrers() {
		if s, ok := r.(*ssa.Slice); ok {
			u.follow(s)
		}
	}
}

// again follows what else is read from the variable that holds the list or map v.
func (u *useFinder) again(v ssa.Value) {
	if load, ok := v.(*ssa.UnOp); ok {
		u.keptAt(load.X, nil)
	}
}

// loads follows what is read from a variable, or from the part of it at path,
// also in function literals.
func (u *useFinder) loads(addr ssa.Value, path kind.PathTo) {
	if !u.visit(addr, path) {
		return
	}
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			u.Part(r, path)
		case *ssa.FieldAddr:
			if len(path) > 0 && r.Field == path[0] {
				u.loads(r, path[1:])
			}
		case *ssa.IndexAddr:
			if len(path) > 0 && path[0] < 0 {
				u.loads(r, path[1:])
			}
		case *ssa.Slice:
			if len(path) > 0 && path[0] < 0 { // of an array
				u.structs(r, path[1:])
			}
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == addr {
					u.loads(r.Fn.(*ssa.Function).FreeVars[i], path)
				}
			}
		case *ssa.Store:
			if r.Val == addr {
				u.pointed(r, path)
			}
		case *ssa.DebugRef:
		default:
			if len(path) > 0 { // a struct that somebody is given
				u.handedOn()
			}
		}
	}
}

// pointed follows the part at path of a struct to which a variable keeps a pointer.
func (u *useFinder) pointed(s *ssa.Store, path kind.PathTo) {
	a, ok := s.Addr.(*ssa.Alloc)
	if !ok || len(u.p.Stores[a]) != 1 {
		u.handedOn()
		return
	}
	for _, load := range u.p.Loads(a) {
		u.loads(load, path)
	}
}

// part follows the part at path of a struct.
func (u *useFinder) Part(v ssa.Value, path kind.PathTo) {
	if len(path) == 0 {
		u.follow(v)
		return
	}
	if !u.visit(v, path) {
		return
	}
	if _, isList := v.Type().Underlying().(*types.Slice); isList || kind.IsPointer(v.Type()) {
		u.handedOn()
		return
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Field:
			if r.Field == path[0] {
				u.Part(r, path[1:])
			}
		case *ssa.Store:
			u.keptAt(r.Addr, path)
		case *ssa.Phi:
			u.Part(r, path)
		case *ssa.DebugRef:
		default:
			u.handedOn()
		}
	}
}

// structs follows the parts at path of the elements of a list.
func (u *useFinder) structs(v ssa.Value, path kind.PathTo) {
	if len(path) == 0 {
		u.list(v)
		return
	}
	if !u.visit(v, path) {
		return
	}
	if load, ok := v.(*ssa.UnOp); ok {
		u.listsAt(load.X, path)
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			u.loads(r, path)
		case *ssa.Phi, *ssa.Slice, *ssa.ChangeType:
			u.structs(r.(ssa.Value), path)
		case *ssa.Store:
			if r.Val == v {
				u.listsAt(r.Addr, path)
			}
		case ssa.CallInstruction:
			b, ok := r.Common().Value.(*ssa.Builtin)
			result, isCall := r.(*ssa.Call)
			switch {
			case !ok:
				u.handedOn()
			case b.Name() == "append" && isCall:
				u.structs(result, path)
			}
		case *ssa.DebugRef:
		default:
			u.handedOn()
		}
	}
}

// listsAt follows the parts at path of the elements of the list that a local
// variable holds.
func (u *useFinder) listsAt(addr ssa.Value, path kind.PathTo) {
	root, within := u.p.Address(addr)
	a, ok := root.(*ssa.Alloc)
	if !ok || len(within) > 0 {
		u.handedOn()
		return
	}
	for _, load := range u.p.Loads(a) {
		u.structs(load, path)
	}
}

// Loads returns what is read from a local variable, also in literals.
func (p *CellTimes) Loads(addr ssa.Value) []ssa.Value {
	var out []ssa.Value
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp:
			out = append(out, r)
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == addr {
					out = append(out, p.Loads(r.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		}
	}
	return out
}
