package eval

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/trace/way"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Settler settles values on one way.
type Settler struct {
	Reader *memory.Reader
	Way    *way.Way
	p      *memory.Memory
	eval   *Evaluator
	path   *Path
	within map[*ssa.Function]int // the functions whose results are being resolved, how often in each other
}

// on returns a settler on a way. What it reads of memory it reads as one that is
// closed, or not: see [memory.Memory.On].
func (p *Evaluator) on(w *way.Way, closed bool) *Settler {
	s := &Settler{Way: w, p: p.Memory, eval: p, within: map[*ssa.Function]int{}}
	s.Reader = p.Memory.On(w, s, closed)
	return s
}

// Settle resolves what the arguments of a call have decided in a value of
// its callee: elements of lists, calls of functions, fields.
func (p *Settler) Settle(v *value.Value, call ssa.Instruction) *value.Value {
	if len(v.Args) == 0 || v.Lazy != nil {
		return v
	}
	args := v.Each(func(a *value.Value) *value.Value { return p.Settle(a, call) })
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
	case v.Is(value.Invoke):
		return p.invoked(v, call)
	case v.Is(value.Method):
		return p.method(v, call)
	case v.Is(Yielded):
		return p.Yielded(v, elementOf{call, v.Args[0].String()}, call)
	case v.Is(through):
		return p.through(v, call)
	case v.Is(value.After):
		return p.after(v, call)
	case v.Is(Outcome):
		return p.outcome(v, call)
	case v.Is(value.Offers):
		return p.offers(v)
	case v.Kind == value.Field:
		return p.Reader.Closed(v)
	}
	return v
}

// Called resolves the call of a function, or of a method of a value, that has
// become known.
func (p *Settler) Called(later *value.Value) *value.Value {
	if later.Is(value.Method) {
		return p.method(later, nil)
	}
	return p.invoked(later, nil)
}
