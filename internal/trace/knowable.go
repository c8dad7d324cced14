package trace

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Most exported functions return what they fetched, decoded or computed, of
// which nothing can be known. To find that out by evaluation costs more than
// all that is evaluated for rules, so that it is asked first whether anything
// known is in sight of a function's returns: a constant, a parameter, a
// package variable, a call whose result is known.

// knowableDepth bounds the look; what lies beyond may be known.
const knowableDepth = 12

// knowable reports whether a result of a function that carries a meaning may
// be known to its callers.
func (p *returns) knowable(fn *ssa.Function) bool {
	answer, ok := p.known[fn]
	if ok {
		return answer
	}
	p.known[fn] = p.leavesKnown(fn) // recursion adds nothing
	if p.known[fn] {
		return true
	}
	res := fn.Signature.Results()
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || kind.Fails(ret.Results, ret) {
			continue
		}
		for i, r := range ret.Results {
			if i < res.Len() && p.tells(fn, i) && (begins(fn, r) || p.inSight(r, knowableDepth, map[ssa.Value]bool{})) {
				p.known[fn] = true
				return true
			}
		}
	}
	return false
}

// leavesKnown reports whether what a function stores by way of a parameter, where that points
// to itself, may be known to its callers.
func (p *returns) leavesKnown(fn *ssa.Function) bool {
	objects := p.eval.Memory.Objects
	for _, i := range objects.Leaves(fn) {
		for _, t := range objects.Touches(fn.Params[i]) {
			if t.Store == nil || p.inSight(t.Store.Val, knowableDepth, map[ssa.Value]bool{}) {
				return true
			}
		}
	}
	return false
}

// begins reports whether a function does nothing but return an empty object: a builder's
// beginning.
func begins(fn *ssa.Function, v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil && len(fn.Blocks) == 1 && kind.StructName(c.Type()) != nil
}

// maxAsked bounds the functions, in blocks, of which it is known what they
// answer: those that look at more than their arguments are larger.
const maxAsked = 8

// tells reports whether the i-th result of a function carries a meaning, or is
// the answer of a small function that chooses by its arguments.
func (p *returns) tells(fn *ssa.Function, i int) bool {
	res := fn.Signature.Results()
	t := res.At(i).Type()
	return meaningful(t) || p.hides(t) || res.Len() == 1 && kind.IsBool(t) && len(fn.Blocks) <= maxAsked
}

// tellsAny reports whether a result of a function carries a meaning, or what it leaves where
// its parameters point to.
func (p *returns) tellsAny(fn *ssa.Function) bool {
	for i := range fn.Signature.Results().Len() {
		if p.tells(fn, i) {
			return true
		}
	}
	return len(p.eval.Memory.Objects.Leaves(fn)) > 0
}

// inSight reports whether something that can be known goes into a value.
func (p *returns) inSight(v ssa.Value, depth int, seen map[ssa.Value]bool) bool {
	if depth == 0 {
		return true
	}
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value != nil // what is nil or zero says little by itself
	case *ssa.MakeInterface:
		return kind.StructName(kind.Deref(v.X.Type())) != nil || p.inSight(v.X, depth-1, seen)
	case *ssa.Call:
		return p.callInSight(v, depth, seen)
	case *ssa.Extract:
		return p.inSight(v.Tuple, depth-1, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if p.inSight(e, depth-1, seen) {
				return true
			}
		}
		return false
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return true
		}
		return p.addressInSight(v.X, depth-1, seen)
	case *ssa.Alloc:
		return p.addressInSight(v, depth-1, seen)
	case *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.TypeAssert, *ssa.Field, *ssa.Index, *ssa.Lookup, *ssa.Slice:
		return p.inSight(*v.(ssa.Instruction).Operands(nil)[0], depth-1, seen)
	}
	return true
}

// addressInSight does the same with what is stored at an address.
func (p *returns) addressInSight(addr ssa.Value, depth int, seen map[ssa.Value]bool) bool {
	root, _ := p.prog.Address(addr)
	switch root := root.(type) {
	case *ssa.Alloc:
		if len(p.prog.Stores[root]) == 0 && !p.prog.CalledWith[root] && kind.StructName(root.Type()) != nil {
			return true // an empty object: a builder's beginning
		}
	case *ssa.IndexAddr:
		return p.inSight(root.X, depth-1, seen)
	case *ssa.Call, *ssa.Extract, *ssa.Phi, *ssa.Lookup, *ssa.TypeAssert, *ssa.UnOp:
		return p.inSight(root, depth-1, seen)
	default:
		return true
	}
	for _, s := range p.prog.Stores[root] {
		if p.inSight(s.Val, depth-1, seen) {
			return true
		}
	}
	// What a call is given the address of may be set by one that is known.
	if p.prog.CalledWith[root] {
		for _, call := range p.prog.Calls[root.Parent()] {
			for _, a := range call.Common().Args {
				if r, _ := p.prog.Address(kind.Stripped(a)); r != root {
					continue
				}
				if t, ok := p.prog.Target(call.Common()); !ok || t.Fn != nil || t.Obj != nil && p.prog.Analysed(t.Obj) {
					return true
				}
			}
		}
	}
	return false
}

func (p *returns) callInSight(v *ssa.Call, depth int, seen map[ssa.Value]bool) bool {
	if b, ok := v.Call.Value.(*ssa.Builtin); ok {
		for _, a := range v.Call.Args {
			if p.inSight(a, depth-1, seen) {
				return true
			}
		}
		return b.Name() == "len"
	}
	t, ok := p.prog.Target(&v.Call)
	switch {
	case !ok && v.Call.IsInvoke():
		// A method of an interface that neither this package nor one that was
		// traced declares is everybody's.
		m := v.Call.Method
		return m.Pkg() == p.prog.Pass.Pkg || p.prog.Analysed(m)
	case !ok, t.API != "":
		return true
	case t.Fn != nil:
		return p.knowable(t.Fn)
	case t.Obj != nil:
		s := p.prog.Imported(t.Obj)
		return s != nil && len(s.Results.Cases()) > 0 || isTable(v.Type())
	}
	return true
}

// isTable reports whether a call returns a table, which handles may name.
func isTable(t types.Type) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return tuple.Len() > 0 && kind.TableLike(tuple.At(0).Type())
	}
	return kind.TableLike(t)
}
