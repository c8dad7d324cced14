package event

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// SameObject reports whether e and f, calls of the client in one function of
// which f comes first, are about the same object, as far as that is known by
// what holds it: one variable, one field, one element.
func (e *Event) SameObject(f *Event) (same, known bool) {
	if e.Depth > 0 || f.Depth > 0 || e.In != f.In || e.Target.Recv != nil || f.Target.Recv != nil {
		return false, false
	}
	if len(e.Target.Args) == 0 || len(f.Target.Args) == 0 {
		return false, false
	}
	return e.sameHeld(f, e.Target.Args[0], f.Target.Args[0])
}

// sameHeld reports whether a, at the event e, is what b was at the event f
// before it: one variable, or what one place holds all along.
func (e *Event) sameHeld(f *Event, a, b ssa.Value) (same, known bool) {
	e.tracer.Order.Lock()
	defer e.tracer.Order.Unlock()
	return e.tracer.heldSame(a, e.Instr, b, f.Instr)
}

// heldSame reports whether a, at one instruction of a function, is what b was at
// another before it: one variable, or what one place holds all along.
func (p *Tracer) heldSame(a ssa.Value, at ssa.Instruction, b ssa.Value, before ssa.Instruction) (same, known bool) {
	if !sameExpression(a, b, maxAlike) {
		return false, false
	}
	load, ok := a.(*ssa.UnOp)
	if !ok || a == b {
		return true, true
	}
	root, path := p.Address(load.X)
	between := func(i ssa.Instruction) bool {
		if i.Parent() != at.Parent() {
			return !kind.Within(at.Parent(), i.Parent()) // the function around a literal rests
		}
		return p.Precedes(before, i) && p.Precedes(i, at)
	}
	for _, s := range p.Stores[root] {
		if (s.Path.HasPrefix(path) || path.HasPrefix(s.Path)) && between(s.At) {
			return false, true
		}
	}
	if len(path) == 0 {
		return true, true
	}
	field := kind.StructField(kind.Deref(root.Type()), path[0])
	for _, t := range p.Touches(root) {
		if outer, _, _ := strings.Cut(t.Field, "."); (field == nil || outer == field.Name() || t.Field == value.AnyField) && between(t.At) {
			return false, false // a call may set it
		}
	}
	return true, true
}

// sameExpression reports whether two values are made alike of the same ones.
func sameExpression(a, b ssa.Value, depth int) bool {
	if a == b {
		return true
	}
	if depth == 0 {
		return false
	}
	switch a := a.(type) {
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		return ok && a.Value != nil && b.Value != nil && constant.Compare(a.Value, token.EQL, b.Value)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == token.MUL && b.Op == token.MUL && sameExpression(a.X, b.X, depth-1)
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && kind.FieldOf(a) == kind.FieldOf(b) && sameExpression(a.X, b.X, depth-1)
	case *ssa.Field:
		b, ok := b.(*ssa.Field)
		return ok && a.Field == b.Field && sameExpression(a.X, b.X, depth-1)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && sameExpression(a.X, b.X, depth-1) && sameExpression(a.Index, b.Index, depth-1)
	}
	return false
}

// reckonedAlike reports whether a, at the event e, is reckoned of the same
// variables in the same way as b was at the event f before it: n * 1000,
// bigtable.Time(at.Add(d)).
func (e *Event) reckonedAlike(f *Event, a, b ssa.Value, depth int) bool {
	if a == b {
		return true
	}
	if depth == 0 {
		return false
	}
	switch a := a.(type) {
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		return ok && a.Value != nil && b.Value != nil && constant.Compare(a.Value, token.EQL, b.Value)
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && a.Op == b.Op && e.reckonedAlike(f, a.X, b.X, depth-1) && e.reckonedAlike(f, a.Y, b.Y, depth-1)
	case *ssa.Convert:
		b, ok := b.(*ssa.Convert)
		return ok && types.Identical(a.Type(), b.Type()) && e.reckonedAlike(f, a.X, b.X, depth-1)
	case *ssa.ChangeType:
		b, ok := b.(*ssa.ChangeType)
		return ok && e.reckonedAlike(f, a.X, b.X, depth-1)
	case *ssa.Call:
		b, ok := b.(*ssa.Call)
		fn := kind.CalledFunc(&a.Call)
		if !ok || fn == nil || fn != kind.CalledFunc(&b.Call) || !btapi.Pure(btapi.Func(fn)) || len(a.Call.Args) != len(b.Call.Args) {
			return false
		}
		for i, x := range a.Call.Args {
			if _, list := x.Type().Underlying().(*types.Slice); list || !e.reckonedAlike(f, x, b.Call.Args[i], depth-1) {
				return false // the elements of a list may change
			}
		}
		return true
	}
	same, _ := e.sameHeld(f, a, b)
	return same
}

// SameArgument reports whether e and f, calls of the client in one function,
// are given the same variable, unchanged, the same constant, or what is reckoned
// alike of such, as their i-th argument.
func (e *Event) SameArgument(f *Event, i int) bool {
	if e.Depth > 0 || f.Depth > 0 || e.In != f.In || e.Target.Recv != nil || f.Target.Recv != nil {
		return false
	}
	if i >= len(e.Target.Args) || i >= len(f.Target.Args) {
		return false
	}
	a, b := e.Target.Args[i], f.Target.Args[i]
	if a == nil || b == nil {
		return false
	}
	if x, ok := a.(*ssa.Const); ok && x.Value != nil {
		y, ok := b.(*ssa.Const)
		return ok && y.Value != nil && constant.Compare(x.Value, token.EQL, y.Value)
	}
	return e.reckonedAlike(f, a, b, maxAlike)
}
