package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Clocks that a context carries: what the package puts under a key of that type
// is given, and what a function returns where the context has none tells what
// it returns where it has one.

// carried lists what the package puts into contexts under keys of the type of
// the one that a call asks for; nil of other calls.
func (p *Clocks) carried(asks *ssa.Call) (out []ssa.Value) {
	if !asks.Call.IsInvoke() || asks.Call.Method.FullName() != "(context.Context).Value" {
		return nil
	}
	key := kind.Stripped(asks.Call.Args[0]).Type()
	for _, fn := range p.prog.Funcs {
		for _, call := range p.prog.Calls[fn] {
			put := kind.CalledFunc(call.Common())
			if put == nil || put.FullName() != "context.WithValue" || p.prog.IsTest(call.Pos()) {
				continue
			}
			if args := call.Common().Args; types.Identical(kind.Stripped(args[1]).Type(), key) {
				out = append(out, kind.Stripped(args[2]))
			}
		}
	}
	return out
}

// fallbacks are the results of a function that returns what a call does, where it
// does not make the call.
func (p *Clocks) fallbacks(q *Path, v *ssa.Call) (out []*value.Value) {
	for _, r := range *v.Referrers() {
		ret, ok := r.(*ssa.Return)
		if !ok || len(ret.Results) != 1 {
			continue
		}
		for _, b := range v.Parent().Blocks {
			other, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok || other == ret || len(other.Results) != 1 {
				continue
			}
			if call, ok := other.Results[0].(*ssa.Call); ok && call.Call.StaticCallee() != nil {
				out = append(out, q.Way.Eval(call, other))
			}
		}
	}
	return out
}

// returnedBy lists what a function of the package that a call runs returns first.
func (p *Clocks) returnedBy(call *ssa.Call) (out []ssa.Value) {
	fn := call.Call.StaticCallee()
	if fn == nil || !p.prog.HasBody(kind.Origin(fn)) {
		return nil
	}
	for _, b := range kind.Origin(fn).Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) > 0 {
			out = append(out, ret.Results[0])
		}
	}
	return out
}
