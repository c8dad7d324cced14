package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"

	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Readings returns the result of a function of another package with the calls in
// it of clocks that this package gives the function as readings of the clock,
// like those that this package calls itself: s.clock.Timestamp().
func (p *Clocks) Readings(r *value.Value, t program.Target, args *memory.Arguments) *value.Value {
	if t.Obj == nil {
		return r
	}
	for i, a := range t.Args {
		sig, ok := a.Type().Underlying().(*types.Signature)
		if !ok || sig.Params().Len() != 0 || sig.Results().Len() != 1 {
			continue
		}
		class := kind.ClassOf(sig.Results().At(0).Type())
		if class != value.Time && class != value.Timestamp {
			continue
		}
		clock := args.At(i)
		if clock == nil || clock.Function().Kind == value.Func || !p.tellsTime(a, clock, class) {
			continue
		}
		r = r.Rewrite(func(v *value.Value) *value.Value {
			if v.Is(value.Clock) {
				return v
			}
			if !v.Is(value.Invoke) || len(v.Args) != 1 || v.Args[0].String() != clock.String() {
				return nil
			}
			return &value.Value{Kind: value.Call, Name: value.Clock, Args: []*value.Value{v}, Class: class, Expr: v.Expr}
		})
	}
	return r
}

// tellsTime is like givesClock for a function that this package gives away.
func (p *Clocks) tellsTime(f ssa.Value, known *value.Value, class value.Class) bool {
	q := p.eval.path(false)
	call := &ssa.CallCommon{Value: f}
	says, _ := p.heard(q, call, class, map[ssa.Value]bool{})
	now, _ := tellNow(append(says, q.Settler.Called(later(call, usually(known), class))), class)
	return now
}
