package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"

	"github.com/ttlvet/ttlvet/internal/value"
)

// isOutcome reports whether a function of that result tells whether something
// is so.
func isOutcome(t types.Type) bool { return kind.IsError(t) || kind.IsBool(t) }

// dynamicResult resolves the call of a function value that is not known yet.
func (p *Path) dynamicResult(v *ssa.Call) *value.Value {
	return p.p.Clocks.Reading(p, v, p.laterResult(v))
}

func (p *Path) laterResult(v *ssa.Call) *value.Value {
	_, isTuple := v.Type().(*types.Tuple)
	if !v.Call.IsInvoke() && !isTuple {
		if f := p.Way.Eval(v.Call.Value, v); f.HasParams() && !f.Base().Is(Once) {
			return p.Later(v, f)
		}
	}
	if r := p.onceCalled(v); r != nil {
		return r
	}
	if v.Call.IsInvoke() && !isTuple {
		if recv := p.Reader.Argument(v.Call.Value, v); recv.HasParams() && btapi.Func(v.Call.Method) == "" {
			return p.Later(v, recv)
		}
	}
	return kind.UnknownOf(v.Type(), "the result of a call that is decided at run time")
}

// Later is the call of a function, or of a method of a value, that is not known
// yet.
func (p *Path) Later(v *ssa.Call, called *value.Value) *value.Value {
	r := later(&v.Call, called, kind.ClassOf(v.Type()))
	for _, a := range v.Call.Args {
		r.Args = append(r.Args, p.Reader.Argument(a, v))
	}
	return r
}

// later is like [Path.Later], of a call without arguments.
func later(call *ssa.CallCommon, called *value.Value, class value.Class) *value.Value {
	if call.IsInvoke() {
		return &value.Value{Kind: value.Call, Name: value.Method, Args: []*value.Value{value.StrOf(call.Method.Name()), called}, Class: class}
	}
	return &value.Value{Kind: value.Call, Name: value.Invoke, Args: []*value.Value{called}, Class: class}
}
