package program

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Decorates reports whether a method passes what it is given on to the same
// method of an object behind an interface that its receiver has in a field, and
// that the receiver's type implements itself: a retry, a metric, a log around
// another object. What the interface's method does is then for others to say.
func (p *Program) Decorates(fn *ssa.Function) bool { return len(p.PassesTo(fn)) > 0 }

// PassesTo returns the way from the receiver of such a method to the object that it
// passes calls on to; nil of other functions.
func (p *Program) PassesTo(fn *ssa.Function) kind.PathTo {
	path, known := p.decorates[fn]
	if !known {
		if fn.Signature.Recv() != nil && len(fn.Params) > 0 {
			for _, f := range append([]*ssa.Function{fn}, fn.AnonFuncs...) {
				for _, call := range p.Calls[f] {
					if path == nil {
						path = p.passesOn(fn, call.Common())
					}
				}
			}
		}
		p.decorates[fn] = path
	}
	return path
}

// PassesOn reports whether a call is the one by which such a method passes on what it
// is given.
func (p *Program) PassesOn(fn *ssa.Function, call *ssa.CallCommon) bool {
	return len(p.passesOn(fn, call)) > 0
}

// passesOn returns the way to the receiver's field that has the object of a call in a
// method, or in a function literal of it, if that is one of the same method with all
// that the method is given; nil of other calls. Contexts may differ.
func (p *Program) passesOn(fn *ssa.Function, call *ssa.CallCommon) kind.PathTo {
	if !call.IsInvoke() || call.Method.Name() != fn.Name() || len(call.Args) != len(fn.Params)-1 {
		return nil
	}
	iface, ok := call.Value.Type().Underlying().(*types.Interface)
	if !ok || !types.Implements(types.NewPointer(kind.Deref(fn.Signature.Recv().Type())), iface) {
		return nil
	}
	for i, a := range call.Args {
		if !p.isParam(fn.Params[i+1], a) && types.TypeString(a.Type(), nil) != "context.Context" {
			return nil
		}
	}
	return p.fieldOf(fn.Params[0], call.Value)
}

// fieldOf returns the way from a parameter, also one that a function literal
// captures, to a value that is its field; nil of others.
func (p *Program) fieldOf(param *ssa.Parameter, v ssa.Value) kind.PathTo {
	switch v := v.(type) {
	case *ssa.UnOp:
		if root, path := p.Address(v.X); len(path) > 0 && (p.isParam(param, root) || p.Holds(root) == param) {
			return path
		}
	case *ssa.Field:
		if p.isParam(param, v.X) {
			return kind.PathTo{v.Field}
		}
	}
	return nil
}

// isParam reports whether a value is a parameter, also one that a function
// literal captures.
func (p *Program) isParam(param *ssa.Parameter, v ssa.Value) bool {
	if v == param {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	root, path := p.Address(load.X)
	return len(path) == 0 && p.Holds(root) == param
}
