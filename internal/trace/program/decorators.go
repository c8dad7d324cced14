package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// Decorates reports whether a method passes what it is given on to the same
// method of an object behind an interface that its receiver has in a field, and
// that the receiver's type implements itself: a retry, a metric, a log around
// another object. What the interface's method does is then for others to say.
func (p *Program) Decorates(fn *ssa.Function) bool {
	decorates, known := p.decorates[fn]
	if !known {
		if fn.Signature.Recv() != nil && len(fn.Params) > 0 {
			for _, f := range append([]*ssa.Function{fn}, fn.AnonFuncs...) {
				decorates = decorates || slices.ContainsFunc(p.Calls[f], func(call ssa.CallInstruction) bool { return p.passesOn(fn, call.Common()) })
			}
		}
		p.decorates[fn] = decorates
	}
	return decorates
}

// passesOn reports whether a call in a method, or in a function literal of it, is one of
// the same method of an object in a field of the receiver, with all that the method is
// given. Contexts may differ.
func (p *Program) passesOn(fn *ssa.Function, call *ssa.CallCommon) bool {
	if !call.IsInvoke() || call.Method.Name() != fn.Name() || len(call.Args) != len(fn.Params)-1 {
		return false
	}
	iface, ok := call.Value.Type().Underlying().(*types.Interface)
	if !ok || !types.Implements(types.NewPointer(kind.Deref(fn.Signature.Recv().Type())), iface) {
		return false
	}
	for i, a := range call.Args {
		if !p.isParam(fn.Params[i+1], a) && types.TypeString(a.Type(), nil) != "context.Context" {
			return false
		}
	}
	return p.isFieldOf(fn.Params[0], call.Value)
}

// isFieldOf reports whether a value is a field of a parameter, also of one that a
// function literal captures.
func (p *Program) isFieldOf(param *ssa.Parameter, v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		root, path := p.Address(v.X)
		return len(path) > 0 && (p.isParam(param, root) || p.Holds(root) == param)
	case *ssa.Field:
		return p.isParam(param, v.X)
	}
	return false
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
