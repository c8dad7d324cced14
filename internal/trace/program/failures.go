package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// A call that looks something up by texts and numbers may fail, and nothing but those
// decides whether it does: d, err := ageFor(family). Of all other calls that fail it is
// not known why, and to ask what was called costs the most of all conditions.

// Failures are what decides whether the calls of a program fail.
type Failures struct {
	p     *Program
	known map[*ssa.Function]bool
}

// Tells reports whether the arguments of a call may decide whether it fails.
func (f *Failures) Tells(call *ssa.Call) bool {
	sig := call.Call.Signature()
	if n := sig.Results().Len(); call.Call.IsInvoke() || n < 2 || !kind.IsError(sig.Results().At(n-1).Type()) {
		return false
	}
	for param := range sig.Params().Variables() {
		if _, basic := param.Type().Underlying().(*types.Basic); !basic {
			return false
		}
	}
	t, ok := f.p.Target(&call.Call)
	switch {
	case !ok || t.API != "":
		return false
	case t.Fn != nil:
		return f.Decides(t.Fn)
	case t.Obj != nil:
		s := f.p.Imported(t.Obj)
		return s != nil && (len(s.Results.Failures()) > 0 || handsOn(s.Results.Cases()))
	}
	return false
}

// Decides reports whether a function of the package that may fail calls nothing
// that may.
func (f *Failures) Decides(fn *ssa.Function) bool {
	known, ok := f.known[fn]
	if !ok {
		known = f.decides(fn)
		f.known[fn] = known
	}
	return known
}

func (f *Failures) decides(fn *ssa.Function) bool {
	for _, call := range f.p.Calls[fn] {
		callee := call.Common().StaticCallee()
		if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
			continue
		}
		if callee == nil || f.p.HasBody(kind.Origin(callee)) || kind.Object(callee) == nil || f.p.Analysed(kind.Object(callee)) {
			return false
		}
		switch btapi.Func(kind.Object(callee)) {
		case "errors.New", "fmt.Errorf":
			continue
		}
		if res := callee.Signature.Results(); res.Len() > 0 && kind.IsError(res.At(res.Len()-1).Type()) {
			return false
		}
	}
	return slices.ContainsFunc(kind.ReturnsOf(fn), func(ret *ssa.Return) bool { return mayFail(ret.Results) })
}

// mayFail reports whether the last of several results is an error that is not nil, or
// one that is at hand: return r.Value, r.Err.
func mayFail(results []ssa.Value) bool {
	n := len(results)
	return n > 1 && kind.IsError(results[n-1].Type()) && !kind.IsConst(results[n-1])
}

// handsOn reports whether a function of another package returns an error that it is
// given.
func handsOn(cases []summary.ResultCase) bool {
	return slices.ContainsFunc(cases, func(c summary.ResultCase) bool { return c.Values[len(c.Values)-1].HasParams() })
}
