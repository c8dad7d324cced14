package eval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// Injected is why a time is not known that a test gives to code that takes a clock:
// another than the current.
const Injected = "a time that a test injects"

// WithoutTestClocks returns a value of a function with what the clocks say as unknown
// that a test's call gives it: other times than the current.
func (p *Path) WithoutTestClocks(own *value.Value, bind func(*value.Value) *value.Value, call ssa.Instruction) *value.Value {
	return own.Rewrite(func(w *value.Value) *value.Value {
		if !w.Is(value.Clock) {
			return nil
		}
		return ofTestClock(w, p.Settler.Force(p.Settler.Settle(w.Subst(bind), call), 4))
	})
}

// told returns the result of a test's call of a clock that code takes as unknown, where
// it is another time than the current.
func (p *Path) told(v *ssa.Call, r *value.Value) *value.Value {
	class := kind.ClassOf(v.Type())
	if class != value.Time && class != value.Timestamp || len(v.Call.Args) > 0 || !p.p.Prog.IsTest(v.Pos()) {
		return r
	}
	if taken := declared(&v.Call); taken == nil || p.p.Prog.IsTest(taken.Pos()) {
		return r
	}
	if u := ofTestClock(r, r); u != nil {
		return u
	}
	return r
}

// ofTestClock returns a reading of a clock that says something as not known, nil where
// that is the current time.
func ofTestClock(reading, says *value.Value) *value.Value {
	if refined(says).Base().ReadsClock() {
		return nil
	}
	return reading.Forgotten(Injected)
}

// declared returns the method of an interface, the field or the variable that is called,
// whatever is given for it; nil of other calls.
func declared(call *ssa.CallCommon) types.Object {
	if call.IsInvoke() {
		return call.Method
	}
	if load, ok := call.Value.(*ssa.UnOp); ok {
		switch from := load.X.(type) {
		case *ssa.FieldAddr:
			return kind.FieldOf(from)
		case *ssa.Global:
			return from.Object()
		}
	}
	return nil
}
