package memory

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
)

// A Hook is the call of a method of an object of which only an interface, or the
// constraint of a type parameter, is known: what the method sets of the object is
// known where the object's type is. Found by an optional interface, any(e).(Hook),
// it runs if the object has it.
type Hook struct {
	Method  string
	Call    ssa.CallInstruction // of the method, or of the function that calls it
	Args    []ssa.Value         // nil where that function calls it
	Certain bool                // whether it has run by then, if the object has it
	asked   *ssa.BasicBlock     // that asks whether the object has the method; nil where nothing asks
	maybe   bool                // of a function: it runs under conditions
}

// maxHelpers bounds the functions through which a hook is looked for.
const maxHelpers = 2

// HooksBefore lists the hooks of an object that run before an instruction of the
// same function, or before the function literal is made in which that stands.
func (p *Objects) HooksBefore(v ssa.Value, at ssa.Instruction) []Hook {
	switch v.Type().Underlying().(type) {
	case *types.Interface: // type parameters, too
	default:
		return nil
	}
	var out []Hook
	for _, h := range p.hooks(p.unwrapped(v), nil, maxHelpers) {
		then := at
		if mc := p.Prog.LiteralIn(h.Call.Parent(), at); mc != nil {
			then = mc
		}
		if then.Parent() == h.Call.Parent() && p.Prog.Graphs.Precedes(h.Call, then) {
			b := h.Call.Block()
			h.Certain = !h.maybe && (b.Dominates(then.Block()) || h.asked != nil && h.asked.Dominates(then.Block()))
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b Hook) int {
		switch {
		case a.Call != b.Call && p.Prog.Graphs.Precedes(a.Call, b.Call):
			return -1
		case a.Call != b.Call && p.Prog.Graphs.Precedes(b.Call, a.Call):
			return 1
		}
		return 0
	})
	return out
}

// hooks lists the hooks of what v is.
func (p *Objects) hooks(v ssa.Value, asked *ssa.Extract, depth int) []Hook {
	refs := v.Referrers()
	if refs == nil {
		return nil // a constant
	}
	var out []Hook
	for _, r := range *refs {
		switch r := r.(type) {
		case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType:
			out = append(out, p.hooks(r.(ssa.Value), asked, depth)...)
		case *ssa.TypeAssert:
			switch {
			case !types.IsInterface(r.AssertedType):
			case r.CommaOk:
				out = append(out, p.asserted(r, depth)...)
			default:
				out = append(out, p.hooks(r, asked, depth)...)
			}
		case *ssa.Store:
			if a, ok := r.Addr.(*ssa.Alloc); ok && r.Val == v && p.Prog.Holds(a) != nil {
				for _, load := range *a.Referrers() {
					if load, ok := load.(*ssa.UnOp); ok {
						out = append(out, p.hooks(load, asked, depth)...)
					}
				}
			}
		case *ssa.Call:
			if h, ok := hookOf(r, v, asked); ok {
				out = append(out, h)
			} else if depth > 0 {
				out = append(out, p.helped(r, v, depth-1)...)
			}
		}
	}
	return out
}

// unwrapped returns what is behind conversions of an interface, or of a type
// parameter, and variables that are set once.
func (p *Objects) unwrapped(v ssa.Value) ssa.Value {
	for {
		var of ssa.Value
		switch x := v.(type) {
		case *ssa.MakeInterface:
			of = x.X
		case *ssa.ChangeInterface:
			of = x.X
		case *ssa.ChangeType:
			of = x.X
		case *ssa.TypeAssert:
			of = x.X
		case *ssa.Extract:
			if a, ok := x.Tuple.(*ssa.TypeAssert); ok && x.Index == 0 {
				of = a.X
			}
		case *ssa.UnOp:
			addr := x.X
			if f, ok := addr.(*ssa.FreeVar); ok {
				addr = p.Prog.Binding(f)
			}
			if a, ok := addr.(*ssa.Alloc); ok {
				of = p.Prog.Holds(a)
			}
		}
		if of == nil || !types.IsInterface(of.Type()) {
			return v
		}
		v = of
	}
}

// asserted lists the hooks of what a type assertion finds.
func (p *Objects) asserted(a *ssa.TypeAssert, depth int) []Hook {
	var found, ok *ssa.Extract
	for _, r := range *a.Referrers() {
		if e, isExtract := r.(*ssa.Extract); isExtract && e.Index == 0 {
			found = e
		} else if isExtract {
			ok = e
		}
	}
	if found == nil {
		return nil
	}
	return p.hooks(found, ok, depth)
}

// hookOf returns the hook that a call is, of that object: a method that returns
// nothing, or an error, is called for what it does.
func hookOf(call *ssa.Call, object ssa.Value, asked *ssa.Extract) (Hook, bool) {
	common := call.Common()
	if !common.IsInvoke() || common.Value != object {
		return Hook{}, false
	}
	if res := common.Method.Signature().Results(); res.Len() > 1 || res.Len() == 1 && !kind.IsError(res.At(0).Type()) {
		return Hook{}, false
	}
	return Hook{Method: common.Method.Name(), Call: call, Args: slices.Clip(common.Args), asked: asks(asked, call.Block())}, true
}

// asks returns the block that leads to b if, and only if, what is asked holds.
func asks(asked *ssa.Extract, b *ssa.BasicBlock) *ssa.BasicBlock {
	if asked == nil || len(b.Preds) != 1 {
		return nil
	}
	pred := b.Preds[0]
	if branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If); ok && branch.Cond == ssa.Value(asked) && pred.Succs[0] == b {
		return pred
	}
	return nil
}

// helped lists the hooks that a function of this package runs of an object that it
// is given.
func (p *Objects) helped(call *ssa.Call, object ssa.Value, depth int) []Hook {
	if !slices.Contains(call.Common().Args, object) {
		return nil
	}
	t, ok := p.Prog.Target(call.Common())
	if !ok || t.Fn == nil {
		return nil
	}
	var out []Hook
	for i, a := range t.Args {
		if a != object || i >= len(t.Fn.Params) || !types.IsInterface(t.Fn.Params[i].Type()) {
			continue
		}
		for _, h := range p.hooks(t.Fn.Params[i], nil, depth) {
			in := h.asked
			if in == nil {
				in = h.Call.Block()
			}
			maybe := h.maybe || h.Call.Parent() != t.Fn || !Always(in.Instrs[0])
			out = append(out, Hook{Method: h.Method, Call: call, maybe: maybe})
		}
	}
	return out
}
