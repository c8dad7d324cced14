package callers

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/value"
)

// maxDecorators bounds the decorators around an object.
const maxDecorators = 8

// Innermost returns the object to which the receiver of a call of an interface's
// method passes that on, by way of others, and the method that is run of it; nil where
// that is not known.
func (p *Receivers) Innermost(call ssa.CallInstruction, recv *value.Value) (object *value.Value, method *ssa.Function) {
	for range maxDecorators {
		m := p.prog.Names.MethodOf(recv, call.Common().Method)
		if m == nil {
			return nil, nil
		}
		fn := p.prog.Pkg.Prog.FuncValue(m)
		if fn == nil {
			return nil, nil
		}
		if fn = kind.Origin(fn); !p.prog.Decorates(fn) {
			return recv, fn
		}
		t := kind.Deref(fn.Signature.Recv().Type())
		for _, step := range p.prog.PassesTo(fn) {
			if step < 0 {
				return nil, nil // an element of an array
			}
			field := kind.StructField(t, step)
			if field == nil {
				return nil, nil
			}
			recv = value.FieldOf(recv, kind.FieldKey(field, t), value.NoClass)
			t = kind.Deref(field.Type())
		}
	}
	return nil, nil
}
