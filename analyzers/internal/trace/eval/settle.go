package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/kind"
	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

// Settle resolves what the arguments of a call have decided in a value of
// its callee: elements of lists, calls of functions, fields.
func (p *Path) Settle(v *value.Value, call ssa.Instruction) *value.Value {
	if len(v.Args) == 0 || v.Lazy != nil {
		return v
	}
	var args []*value.Value
	for i, a := range v.Args {
		b := p.Settle(a, call)
		if b != a && args == nil {
			args = append(make([]*value.Value, 0, len(v.Args)), v.Args[:i]...)
		}
		if args != nil {
			args = append(args, b)
		}
	}
	if args != nil {
		c := *v
		c.Args = args
		w := &c
		if v.Kind == value.Call && !kind.Makers[v.Name] {
			w = v.Reapply(args...)
		}
		if v.Kind == value.Field {
			w = value.FieldOf(args[0], v.Name, v.Class)
		}
		v = w
	}
	switch {
	case v.Is(value.Elem):
		return p.anyElement(v, call)
	case v.Is(value.Index):
		return p.firstOf(v, call)
	case v.Is(value.If):
		return p.either(v, call)
	case v.Is(Invoke):
		return p.invoked(v, call)
	case v.Is(Method):
		return p.method(v, call)
	case v.Is(Yielded):
		return p.yielded(v, elementOf{call, v.Args[0].String()}, call)
	case v.Is(value.After):
		return p.after(v, call)
	case v.Is(Outcome):
		return p.outcome(v, call)
	case v.Kind == value.Field:
		return p.Closed(v)
	}
	return v
}

// Called resolves the call of a function, or of a method of a value, that has
// become known.
func (p *Path) Called(later *value.Value) *value.Value {
	if later.Is(Method) {
		return p.method(later, nil)
	}
	return p.invoked(later, nil)
}
